// A conditional database: the rows that hold some prefix, over the items still of
// interest, renumbered so that the search can run over small dense integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"

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

    // Ends a row whose items have been appended in order. A row that no item can extend is
    // dropped, one that equals the row before it is merged with it.
    void end_row(std::uint32_t rows) {
        const std::size_t begin = start.back(), length = items.size() - begin;
        if (length == 0 || items[begin] >= n_tail) {
            items.resize(begin);
        } else if (start.size() > 1 && begin - start[start.size() - 2] == length &&
                   std::equal(items.begin() + static_cast<std::ptrdiff_t>(begin), items.end(), items.begin() + static_cast<std::ptrdiff_t>(begin - length))) {
            items.resize(begin);
            weight.back() += rows;
        } else {
            start.push_back(items.size());
            weight.push_back(rows);
        }
    }

    // Rows in lexicographic order with equal ones merged: rows that share their most
    // frequent items, and so most of a walk over them, become neighbours.
    void merge_rows() {
        struct Entry {
            std::uint64_t key;  // the first three items, so that few comparisons look at the row
            std::uint32_t row;
        };
        std::vector<Entry> order(n_rows());
        for (std::size_t r = 0; r < n_rows(); ++r) {
            const auto x = row(r);
            std::uint64_t key = 0;
            for (std::size_t k = 0; k < 3; ++k) key = key << 21 | (k < x.size() ? std::min<std::uint64_t>(static_cast<std::uint64_t>(x[k]) + 1, 0x1fffff) : 0);
            order[r] = {key, static_cast<std::uint32_t>(r)};
        }
        std::sort(order.begin(), order.end(), [&](const Entry& a, const Entry& b) {
            if (a.key != b.key) return a.key < b.key;
            const auto x = row(a.row), y = row(b.row);
            return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
        });
        Conditional merged;
        merged.n_tail = n_tail;
        merged.items.reserve(items.size());
        for (const auto [key, r] : order) {
            merged.items.insert(merged.items.end(), row(r).begin(), row(r).end());
            merged.end_row(weight[r]);
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

// Frequent items, most frequent first, and their supports.
struct FrequentItems {
    std::vector<std::int32_t> ids;
    std::vector<std::uint32_t> counts;
    std::vector<std::int32_t> local;  // place in ids by item id, or -1
};

inline FrequentItems frequent_items(const Database& database, std::int64_t min_support, Control& control) {
    FrequentItems found;
    std::vector<std::int64_t> support(static_cast<std::size_t>(database.n_items), 0);
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 16384 == 0) control.check();
        const std::int64_t weight = database.weights[t];
        for (const std::int32_t item : database.transaction(t)) support[item] += weight;
    }
    for (std::int32_t item = 0; item < database.n_items; ++item)
        if (support[item] >= min_support) found.ids.push_back(item);
    std::stable_sort(found.ids.begin(), found.ids.end(), [&](std::int32_t a, std::int32_t b) { return support[a] > support[b]; });
    found.local.assign(static_cast<std::size_t>(database.n_items), -1);
    for (std::size_t i = 0; i < found.ids.size(); ++i) {
        found.local[found.ids[i]] = static_cast<std::int32_t>(i);
        found.counts.push_back(static_cast<std::uint32_t>(support[found.ids[i]]));
    }
    return found;
}

// The conditional database of the empty prefix.
inline Conditional encode(const Database& database, const FrequentItems& frequent, Control& control) {
    Conditional root;
    root.ids = frequent.ids;
    root.counts = frequent.counts;
    root.n_tail = root.n_items();
    std::size_t n_occurrences = 0;
    for (const std::int32_t item : database.items) n_occurrences += frequent.local[item] >= 0;
    control.claim(static_cast<std::int64_t>(n_occurrences * 12 + static_cast<std::size_t>(database.n_transactions()) * 16));
    root.items.reserve(n_occurrences);
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 16384 == 0) control.check();
        for (const std::int32_t item : database.transaction(t))
            if (const std::int32_t local = frequent.local[item]; local >= 0) root.items.push_back(local);
        std::sort(root.items.begin() + static_cast<std::ptrdiff_t>(root.start.back()), root.items.end());
        root.end_row(static_cast<std::uint32_t>(database.weights[t]));
    }
    root.merge_rows();
    root.index();
    return root;
}

}  // namespace discreet
