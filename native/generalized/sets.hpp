// Where closed generalized itemsets are kept, and their canonical order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "generalized/hierarchy.hpp"

namespace discreet {

// Set i has node nodes[i * n_columns + column] and supports[i].
struct GeneralizedSets {
    std::int64_t n_columns = 0;
    std::int64_t n_sets = 0;
    std::vector<std::int32_t> nodes;
    std::vector<std::int64_t> supports;
};

// What one worker found, in pieces, so that growing never copies.
template <class Code>
struct FoundSets {
    static constexpr std::size_t piece = 1 << 15;
    std::vector<std::vector<Code>> nodes;
    std::vector<std::vector<std::uint32_t>> supports;

    void add(std::span<const Code> set, std::int64_t support, Control& control) {
        if (supports.empty() || supports.back().size() == piece) {
            control.claim(static_cast<std::int64_t>(piece * (set.size() * sizeof(Code) + sizeof(std::uint32_t))));
            nodes.emplace_back().reserve(piece * set.size());
            supports.emplace_back().reserve(piece);
        }
        nodes.back().insert(nodes.back().end(), set.begin(), set.end());
        supports.back().push_back(static_cast<std::uint32_t>(support));
    }
};

// Sorts by support, largest first, then by node ids column by column: a total order, so
// that neither the search order nor the number of threads shows. Column c of `found` is
// column column_of[c] of the result.
template <class Code>
void canonical(std::vector<FoundSets<Code>>&& found, const std::vector<Tree>& trees,
               std::span<const std::size_t> column_of, Control& control, GeneralizedSets& sets) {
    constexpr std::size_t piece = FoundSets<Code>::piece;
    std::vector<std::vector<Code>> nodes;
    std::vector<std::vector<std::uint32_t>> supports;
    for (FoundSets<Code>& one : found) {
        std::move(one.nodes.begin(), one.nodes.end(), std::back_inserter(nodes));
        std::move(one.supports.begin(), one.supports.end(), std::back_inserter(supports));
    }
    const std::size_t n_columns = trees.size(), n_sets = static_cast<std::size_t>(sets.n_sets);
    struct Entry {
        std::uint64_t key;  // support and first columns, as much as fits
        std::uint64_t where;
    };
    constexpr std::size_t support_bytes = sizeof(std::int64_t), node_bytes = sizeof(std::int32_t);
    control.claim(static_cast<std::int64_t>(n_sets * (sizeof(Entry) + n_columns * node_bytes + support_bytes)));
    std::vector<std::size_t> lane(n_columns);  // of each result column
    for (std::size_t c = 0; c < n_columns; ++c) lane[column_of[c]] = c;
    const auto node = [&](std::uint64_t where, std::size_t column) {
        const std::size_t l = lane[column];
        return trees[l].id[nodes[where / piece][(where % piece) * n_columns + l]];
    };
    std::uint32_t most = 0;
    for (const auto& some : supports)
        for (const std::uint32_t support : some) most = std::max(most, support);
    std::vector<int> bits(n_columns);
    int left = 64 - std::bit_width(most);
    std::size_t packed = 0;  // columns in the key
    for (; packed < n_columns; ++packed) {
        const Tree& tree = trees[lane[packed]];
        bits[packed] = std::bit_width(static_cast<std::uint32_t>(*std::max_element(tree.id.begin(), tree.id.end())));
        if (bits[packed] > left) break;
        left -= bits[packed];
    }
    std::vector<Entry> order(n_sets);
    std::vector<std::size_t> first{0};  // place of each piece
    for (const auto& some : supports) first.push_back(first.back() + some.size());
    for_each_task(control, static_cast<std::int64_t>(supports.size()), [&](int, std::int64_t task) {
        const auto p = static_cast<std::size_t>(task);
        for (std::size_t i = 0; i < supports[p].size(); ++i) {
            const std::uint64_t where = p * piece + i;
            std::uint64_t key = most - supports[p][i];
            for (std::size_t c = 0; c < packed; ++c) key = key << bits[c] | static_cast<std::uint32_t>(node(where, c));
            order[first[p] + i] = {key, where};
        }
    });
    const auto before = [&](const Entry& a, const Entry& b) {
        if (a.key != b.key) return a.key < b.key;
        for (std::size_t c = packed; c < n_columns; ++c)
            if (const std::int32_t x = node(a.where, c), y = node(b.where, c); x != y) return x < y;
        return false;
    };
    // Every thread sorts a share, then shares are merged two by two.
    std::size_t share = n_sets / static_cast<std::size_t>(control.threads) + 1;
    const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(std::min(i, n_sets)); };
    const auto n_shares = [&] { return static_cast<std::int64_t>((n_sets + share - 1) / share); };
    for_each_task(control, n_shares(), [&](int, std::int64_t s) {
        const std::size_t begin = static_cast<std::size_t>(s) * share;
        std::sort(at(begin), at(begin + share), before);
    });
    for (; share < n_sets; share *= 2)
        for (std::size_t begin = 0; begin + share < n_sets; begin += 2 * share)
            std::inplace_merge(at(begin), at(begin + share), at(begin + 2 * share), before);
    sets.nodes.resize(n_sets * n_columns);
    sets.supports.resize(n_sets);
    for_each_task(control, static_cast<std::int64_t>((n_sets + piece - 1) / piece), [&](int, std::int64_t task) {
        const std::size_t begin = static_cast<std::size_t>(task) * piece, end = std::min(begin + piece, n_sets);
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t where = order[i].where;
            sets.supports[i] = supports[where / piece][where % piece];
            for (std::size_t c = 0; c < n_columns; ++c) sets.nodes[i * n_columns + c] = node(where, c);
        }
    });
}

}  // namespace discreet
