// A conditional database: the rows that hold some prefix, over the items still of
// interest, renumbered so that the search can run over small dense integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "control.hpp"
#include "database.hpp"

namespace discreet {

// Row r is items[start[r] .. start[r+1]), ascending local numbers, standing for weight[r]
// equal rows. Local item i has the user's id ids[i] and occurs in counts[i] rows. Items
// below n_tail, most frequent first, may still extend the prefix; the items from n_tail
// on have had their turn and only serve to tell whether an itemset is closed or maximal.
struct Conditional {
    std::vector<std::size_t> start{0};
    std::vector<std::int32_t> items;
    std::vector<std::uint32_t> weight;
    std::vector<std::int32_t> ids;
    std::vector<std::uint32_t> counts;
    std::int32_t n_tail = 0;

    // Where item i occurs: rows occurrences[first[i] .. first[i+1]).
    std::vector<std::size_t> first;
    std::vector<std::uint32_t> occurrences;

    std::int32_t n_items() const { return static_cast<std::int32_t>(ids.size()); }
    std::size_t n_rows() const { return weight.size(); }
    std::span<const std::int32_t> row(std::size_t r) const { return {items.data() + start[r], start[r + 1] - start[r]}; }
    std::span<const std::uint32_t> rows_with(std::int32_t i) const {
        return {occurrences.data() + first[i], first[i + 1] - first[i]};
    }
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(start.capacity() * 8 + items.capacity() * 4 + weight.capacity() * 4 + ids.capacity() * 8 +
                                         first.capacity() * 8 + occurrences.capacity() * 4);
    }

    // Ends a row whose items have been appended; a row without items is dropped.
    void end_row(std::uint32_t rows) {
        if (items.size() == start.back()) return;
        std::sort(items.begin() + static_cast<std::ptrdiff_t>(start.back()), items.end());
        start.push_back(items.size());
        weight.push_back(rows);
    }

    // Rows in lexicographic order with equal ones merged: rows that share their most
    // frequent items, and so most of a walk over them, become neighbours.
    void merge_rows() {
        std::vector<std::uint32_t> order(n_rows());
        std::iota(order.begin(), order.end(), 0u);
        const auto less = [&](std::uint32_t a, std::uint32_t b) {
            const auto x = row(a), y = row(b);
            return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
        };
        std::sort(order.begin(), order.end(), less);
        Conditional merged;
        merged.items.reserve(items.size());
        for (const std::uint32_t r : order) {
            const auto x = row(r);
            if (!merged.weight.empty() && std::ranges::equal(merged.row(merged.n_rows() - 1), x)) {
                merged.weight.back() += weight[r];
                continue;
            }
            merged.items.insert(merged.items.end(), x.begin(), x.end());
            merged.start.push_back(merged.items.size());
            merged.weight.push_back(weight[r]);
        }
        start = std::move(merged.start);
        items = std::move(merged.items);
        weight = std::move(merged.weight);
    }

    void index() {
        first.assign(ids.size() + 1, 0);
        for (const std::int32_t i : items) ++first[i + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
        occurrences.resize(items.size());
        std::vector<std::size_t> next(first.begin(), first.end() - 1);
        for (std::size_t r = 0; r < n_rows(); ++r)
            for (const std::int32_t i : row(r)) occurrences[next[i]++] = static_cast<std::uint32_t>(r);
    }
};

// The conditional database of the empty prefix: frequent items only.
inline Conditional encode(const Database& database, std::int64_t min_support, Control& control) {
    std::vector<std::int64_t> support(static_cast<std::size_t>(database.n_items), 0);
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 65536 == 0) control.check();
        for (const std::int32_t item : database.transaction(t)) support[item] += database.weights[t];
    }
    Conditional root;
    for (std::int32_t item = 0; item < database.n_items; ++item)
        if (support[item] >= min_support) root.ids.push_back(item);
    std::stable_sort(root.ids.begin(), root.ids.end(), [&](std::int32_t a, std::int32_t b) { return support[a] > support[b]; });
    root.n_tail = root.n_items();
    std::vector<std::int32_t> local(static_cast<std::size_t>(database.n_items), -1);
    std::size_t n_occurrences = 0;
    for (std::int32_t i = 0; i < root.n_items(); ++i) local[root.ids[i]] = i;
    for (std::int64_t t = 0; t < database.n_transactions(); ++t)
        for (const std::int32_t item : database.transaction(t)) n_occurrences += local[item] >= 0;
    control.claim(static_cast<std::int64_t>(n_occurrences * 12 + static_cast<std::size_t>(database.n_transactions()) * 16));
    root.items.reserve(n_occurrences);
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 65536 == 0) control.check();
        for (const std::int32_t item : database.transaction(t))
            if (local[item] >= 0) root.items.push_back(local[item]);
        root.end_row(static_cast<std::uint32_t>(database.weights[t]));
    }
    for (const std::int32_t id : root.ids) root.counts.push_back(static_cast<std::uint32_t>(support[id]));
    root.merge_rows();
    return root;
}

}  // namespace discreet
