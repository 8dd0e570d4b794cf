// A dependent code tree as generation reads it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace discreet::synthesize {

// Everything below is drawn from uniform numbers of this many bits.
inline constexpr int uniform_bits = 63;

// Column i has the values 0 to value_offsets[i + 1] - value_offsets[i] - 1.
//
// A *context* is a node with the children it has in one column. Contexts are numbered by column,
// and within a column the one that counts when several agree with a row has the highest number.
// Context x draws law_values[j], j from law_offsets[x] on, if a uniform number is below
// law_below[j] and not below the one before; past the last, one of the other values of the column,
// in proportion to their weights, which add up to `rest` (to those of all values: then of all).
// Once the column has value step_values[j], j from step_offsets[x] on, node step_nodes[j] agrees
// too; children without children are left out here. Node 0 is the root. Within a context, values
// rise.
struct Contexts {
    std::vector<std::int64_t> value_offsets;
    std::vector<std::uint64_t> weights;           // of each column's values, cumulated
    std::vector<std::int64_t> node_offsets;       // of a node's contexts
    std::vector<std::int32_t> node_contexts;
    std::vector<std::int32_t> columns;            // of contexts
    std::vector<std::int64_t> law_offsets;
    std::vector<std::int32_t> law_values;
    std::vector<std::uint64_t> law_below;
    std::vector<std::uint64_t> rest;
    std::vector<std::int64_t> step_offsets;
    std::vector<std::int32_t> step_values;
    std::vector<std::int32_t> step_nodes;

    std::size_t n_columns() const { return value_offsets.size() - 1; }
    std::size_t n_nodes() const { return node_offsets.size() - 1; }
    std::size_t n_contexts() const { return columns.size(); }
    std::int64_t n_values(std::size_t column) const { return value_offsets[column + 1] - value_offsets[column]; }
    std::span<const std::uint64_t> weights_of(std::size_t column) const {
        return {weights.data() + value_offsets[column], static_cast<std::size_t>(n_values(column))};
    }
};

namespace detail {

inline bool are_offsets(const std::vector<std::int64_t>& offsets, std::size_t n, std::size_t of) {
    return offsets.size() == n + 1 && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(of) && std::ranges::is_sorted(offsets);
}

// Whether values rise within each context and are values of its column.
inline bool are_values(const Contexts& tree, const std::vector<std::int64_t>& offsets, const std::vector<std::int32_t>& values) {
    for (std::size_t x = 0; x < tree.n_contexts(); ++x) {
        std::int64_t before = -1;
        for (auto j = static_cast<std::size_t>(offsets[x]); j < static_cast<std::size_t>(offsets[x + 1]); before = values[j++])
            if (values[j] <= before || values[j] >= tree.n_values(static_cast<std::size_t>(tree.columns[x]))) return false;
    }
    return true;
}

inline std::string problem_of_columns(const Contexts& tree) {
    if (tree.value_offsets.empty() || !are_offsets(tree.value_offsets, tree.n_columns(), tree.weights.size())) return "value_offsets must rise from 0 to the number of weights";
    for (std::size_t column = 0; column < tree.n_columns(); ++column) {
        const auto weights = tree.weights_of(column);
        if (weights.empty() || weights.back() == 0 || weights.back() >> uniform_bits != 0 || !std::ranges::is_sorted(weights))
            return "weights must rise to a number above 0 and below 2^63 in column " + std::to_string(column);
    }
    return "";
}

// Whether every node reached in a column has contexts in later columns only.
inline bool leads_on(const Contexts& tree) {
    for (std::size_t x = 0; x < tree.n_contexts(); ++x)
        for (auto j = static_cast<std::size_t>(tree.step_offsets[x]); j < static_cast<std::size_t>(tree.step_offsets[x + 1]); ++j) {
            const auto node = static_cast<std::size_t>(tree.step_nodes[j]);
            for (std::int64_t k = tree.node_offsets[node]; k < tree.node_offsets[node + 1]; ++k)
                if (tree.columns[static_cast<std::size_t>(tree.node_contexts[static_cast<std::size_t>(k)])] <= tree.columns[x]) return false;
        }
    return true;
}

}  // namespace detail

// What is wrong with the arrays, in words; empty if nothing is.
inline std::string problem(const Contexts& tree) {
    if (const std::string what = detail::problem_of_columns(tree); !what.empty()) return what;
    const std::size_t n = tree.n_contexts();
    const auto outside = [](const std::vector<std::int32_t>& numbers, std::size_t end) {
        return std::ranges::any_of(numbers, [&](std::int32_t number) { return number < 0 || static_cast<std::size_t>(number) >= end; });
    };
    if (outside(tree.columns, tree.n_columns()) || !std::ranges::is_sorted(tree.columns)) return "contexts must be in the order of their columns";
    if (tree.node_offsets.size() < 2 || !detail::are_offsets(tree.node_offsets, tree.n_nodes(), tree.node_contexts.size())) return "node_offsets must rise from 0 to the number of contexts of nodes";
    if (outside(tree.node_contexts, n)) return "a node has an unknown context";
    if (!detail::are_offsets(tree.law_offsets, n, tree.law_values.size()) || tree.law_below.size() != tree.law_values.size()) return "law_offsets must rise from 0 to the number of values of laws";
    if (!detail::are_offsets(tree.step_offsets, n, tree.step_values.size()) || tree.step_nodes.size() != tree.step_values.size()) return "step_offsets must rise from 0 to the number of steps";
    if (!detail::are_values(tree, tree.law_offsets, tree.law_values) || !detail::are_values(tree, tree.step_offsets, tree.step_values)) return "values must rise within a context and be values of its column";
    if (outside(tree.step_nodes, tree.n_nodes())) return "a step leads to an unknown node";
    if (!detail::leads_on(tree)) return "a step must lead to contexts of later columns";
    if (tree.rest.size() != n) return "there must be one rest for each context";
    for (std::size_t x = 0; x < n; ++x) {
        const auto first = tree.law_below.begin() + tree.law_offsets[x], last = tree.law_below.begin() + tree.law_offsets[x + 1];
        if (!std::is_sorted(first, last)) return "law_below falls in context " + std::to_string(x);
        const bool is_whole = first != last && *(last - 1) >> uniform_bits != 0;
        if ((!is_whole && tree.rest[x] == 0) || tree.rest[x] > tree.weights_of(static_cast<std::size_t>(tree.columns[x])).back()) return "context " + std::to_string(x) + " leaves nothing to draw";
    }
    std::vector<std::uint8_t> has_context(tree.n_columns(), 0);
    for (std::int64_t k = 0; k < tree.node_offsets[1]; ++k) has_context[static_cast<std::size_t>(tree.columns[static_cast<std::size_t>(tree.node_contexts[static_cast<std::size_t>(k)])])] = 1;
    if (std::ranges::find(has_context, 0) != has_context.end()) return "the root must have a context in every column";
    return "";
}

}  // namespace discreet::synthesize
