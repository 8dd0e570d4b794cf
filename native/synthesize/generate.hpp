// Rows drawn from a dependent code tree, column by column (paper 003, section 3.4.4).
//
// A row knows the nodes whose path agrees with it. When a column has its value, the children that
// have this value agree too, and each tells the columns it has children in; so the context of a
// column is known when its turn comes, and no node is looked at that does not agree. Blocks
// of rows have a stream of random words of their own: threads, and how many rows are asked for at
// a time, do not change what is drawn.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "randomize/chacha20.hpp"

namespace discreet::synthesize {

// ---- The tree ----
// A dependent code tree as generation reads it.

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

// ---- Generation ----

constexpr std::int64_t block_size = 256;  // rows that share a stream

namespace detail {

// A context of a node, with what is asked of it at once.
struct Link {
    std::int32_t context, column;
    bool has_steps;
};

inline std::vector<Link> links(const Contexts& tree) {
    std::vector<Link> made;
    made.reserve(tree.node_contexts.size());
    for (const std::int32_t context : tree.node_contexts) {
        const auto x = static_cast<std::size_t>(context);
        made.push_back({context, tree.columns[x], tree.step_offsets[x] < tree.step_offsets[x + 1]});
    }
    return made;
}

class Row {
  public:
    Row(const Contexts& tree, std::span<const Link> links) : tree_(tree), links_(links), chosen_(tree.n_columns()), waiting_(tree.n_columns()) {}

    void begin() {
        std::ranges::fill(chosen_, -1);
        for (auto& contexts : waiting_) contexts.clear();
        enter(0);
    }

    std::int32_t draw(std::size_t column, randomize::Stream& stream) const {
        const auto x = static_cast<std::size_t>(chosen_[column]);
        const auto begin = tree_.law_below.begin() + tree_.law_offsets[x], end = tree_.law_below.begin() + tree_.law_offsets[x + 1];
        const std::uint64_t uniform = stream.word() >> (64 - uniform_bits);
        const auto above = std::upper_bound(begin, end, uniform);
        if (above != end) return tree_.law_values[static_cast<std::size_t>(above - tree_.law_below.begin())];
        return draw_rest(column, x, stream);
    }

    // The column has this value.
    void set(std::size_t column, std::int32_t value) {
        for (const std::int32_t context : waiting_[column]) {
            const auto x = static_cast<std::size_t>(context);
            const auto begin = tree_.step_values.begin() + tree_.step_offsets[x], end = tree_.step_values.begin() + tree_.step_offsets[x + 1];
            const auto found = std::lower_bound(begin, end, value);
            if (found != end && *found == value) enter(static_cast<std::size_t>(tree_.step_nodes[static_cast<std::size_t>(found - tree_.step_values.begin())]));
        }
    }

  private:
    void enter(std::size_t node) {
        for (std::int64_t k = tree_.node_offsets[node]; k < tree_.node_offsets[node + 1]; ++k) {
            const Link& link = links_[static_cast<std::size_t>(k)];
            std::int32_t& chosen = chosen_[static_cast<std::size_t>(link.column)];
            chosen = std::max(chosen, link.context);
            if (link.has_steps) waiting_[static_cast<std::size_t>(link.column)].push_back(link.context);
        }
    }

    // One of the values without a child, in proportion to their weights.
    std::int32_t draw_rest(std::size_t column, std::size_t x, randomize::Stream& stream) const {
        const auto weights = tree_.weights_of(column);
        std::uint64_t at = below(tree_.rest[x], stream);
        if (tree_.rest[x] < weights.back())
            for (auto j = static_cast<std::size_t>(tree_.law_offsets[x]); j < static_cast<std::size_t>(tree_.law_offsets[x + 1]); ++j) {
                const auto value = static_cast<std::size_t>(tree_.law_values[j]);
                const std::uint64_t before = value == 0 ? 0 : weights[value - 1];
                if (at < before) break;
                at += weights[value] - before;
            }
        const auto found = std::ranges::upper_bound(weights, at);
        return static_cast<std::int32_t>(std::min(found, weights.end() - 1) - weights.begin());
    }

    // Uniform from 0 to n - 1: words beyond are drawn again.
    static std::uint64_t below(std::uint64_t n, randomize::Stream& stream) {
        const std::uint64_t most = n - 1;
        const int unused = most == 0 ? 63 : std::countl_zero(most);
        for (;;)
            if (const std::uint64_t drawn = stream.word() >> unused; drawn <= most) return drawn;
    }

    const Contexts& tree_;
    const std::span<const Link> links_;  // of the nodes, one after the other
    std::vector<std::int32_t> chosen_;                // the best context of each column so far
    std::vector<std::vector<std::int32_t>> waiting_;  // for the value of each column
};

}  // namespace detail

// Draws the rows from number `first_block * block_size` of the key on, column after column. The
// first columns have the values given.
inline std::vector<std::int32_t> generate(const Contexts& tree, std::span<const std::int32_t> given, const randomize::Key& key, std::int64_t first_block, std::int64_t n_rows, Control& control) {
    const std::size_t n_columns = tree.n_columns();
    control.claim(static_cast<std::int64_t>(n_columns) * n_rows * static_cast<std::int64_t>(sizeof(std::int32_t)));
    std::vector<std::int32_t> drawn(n_columns * static_cast<std::size_t>(n_rows));
    const std::vector<detail::Link> links = detail::links(tree);
    std::vector<detail::Row> rows(static_cast<std::size_t>(control.threads), detail::Row(tree, links));
    for_each_task(control, (n_rows + block_size - 1) / block_size, [&](int worker, std::int64_t block) {
        randomize::Stream stream(key, static_cast<std::uint64_t>(first_block + block));
        detail::Row& row = rows[static_cast<std::size_t>(worker)];
        for (std::int64_t i = block * block_size; i < std::min(n_rows, (block + 1) * block_size); ++i) {
            row.begin();
            for (std::size_t column = 0; column < n_columns; ++column) {
                const std::int32_t value = column < given.size() ? given[column] : row.draw(column, stream);
                row.set(column, value);
                drawn[column * static_cast<std::size_t>(n_rows) + static_cast<std::size_t>(i)] = value;
            }
        }
    });
    return drawn;
}

}  // namespace discreet::synthesize
