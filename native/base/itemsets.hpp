// The one columnar result every miner returns, and its canonical order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/prefetch.hpp"

namespace discreet {

// Itemset i is items[offsets[i] .. offsets[i+1]), ascending ids, with supports[i].
struct Itemsets {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> items;
    std::vector<std::int64_t> supports;

    std::int64_t size() const { return static_cast<std::int64_t>(supports.size()); }
    std::span<const std::int32_t> operator[](std::int64_t i) const {
        return {items.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
    }
    void add(std::span<const std::int32_t> itemset, std::int64_t support) {
        items.insert(items.end(), itemset.begin(), itemset.end());
        offsets.push_back(static_cast<std::int64_t>(items.size()));
        supports.push_back(support);
    }
};

// Sets kept elsewhere, in the form of Itemsets.
struct SetsView {
    std::span<const std::int64_t> offsets;  // size() + 1
    std::span<const std::int32_t> items;

    std::int64_t size() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
    std::span<const std::int32_t> operator[](std::int64_t i) const {
        const std::int64_t begin = offsets[static_cast<std::size_t>(i)], end = offsets[static_cast<std::size_t>(i) + 1];
        return items.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    }
};

// What is wrong with the arrays, in words; empty if nothing is.
inline std::string problem(const SetsView& sets) {
    if (sets.offsets.empty() || sets.offsets[0] != 0) return "offsets must start at 0";
    const auto n = static_cast<std::size_t>(sets.size());
    const auto n_items = static_cast<std::int64_t>(sets.items.size());
    if (sets.offsets[n] != n_items) return "the last offset must be the number of items";
    for (std::size_t i = 0; i < n; ++i)
        if (sets.offsets[i + 1] < sets.offsets[i] || sets.offsets[i + 1] > n_items) return "offsets fall at itemset " + std::to_string(i);
    for (std::size_t i = 0; i < n; ++i) {
        std::int32_t before = -1;
        for (const std::int32_t item : sets[static_cast<std::int64_t>(i)]) {
            if (item <= before || item >= 1 << 30) return "items of itemset " + std::to_string(i) + " are not strictly ascending ids from 0 to 2^30 - 1";
            before = item;
        }
    }
    return "";
}

namespace detail {

struct SortEntry {
    std::uint64_t key;
    std::int64_t itemset;
};

// Stable radix sort by the lowest `bits` bits of the key, eleven at a time.
inline void radix_sort(std::span<SortEntry> entries, std::vector<SortEntry>& spare, int bits) {
    constexpr int digit = 11;
    if (entries.size() < 512) {
        std::sort(entries.begin(), entries.end(), [](const SortEntry& a, const SortEntry& b) { return a.key < b.key; });
        return;
    }
    spare.resize(std::max(spare.size(), entries.size()));
    std::span<SortEntry> from = entries, to(spare.data(), entries.size());
    for (int shift = 0; shift < bits; shift += digit) {
        std::size_t place[(std::size_t{1} << digit) + 1] = {};
        for (const SortEntry& entry : from) ++place[((entry.key >> shift) & ((1u << digit) - 1)) + 1];
        std::partial_sum(std::begin(place), std::end(place), std::begin(place));
        for (const SortEntry& entry : from) to[place[(entry.key >> shift) & ((1u << digit) - 1)]++] = entry;
        std::swap(from, to);
    }
    if (from.data() != entries.data()) std::copy(from.begin(), from.end(), entries.begin());
}

// Sorts itemsets of one size that agree in their first `skip` items: as many further
// items as fit go into a 64-bit key; what is still equal then is sorted by the items after.
inline void sort_same_size(const Itemsets& found, std::span<SortEntry> entries, std::vector<SortEntry>& spare, int item_bits, std::size_t skip) {
    const std::size_t size = found[entries[0].itemset].size();
    const std::size_t n = std::min(size - skip, static_cast<std::size_t>(64 / item_bits));
    for (SortEntry& entry : entries) {
        const auto items = found[entry.itemset].subspan(skip, n);
        entry.key = 0;
        for (const std::int32_t item : items) entry.key = entry.key << item_bits | static_cast<std::uint64_t>(item);
    }
    radix_sort(entries, spare, static_cast<int>(n) * item_bits);
    if (skip + n == size) return;
    for (std::size_t begin = 0, end; begin < entries.size(); begin = end) {
        for (end = begin + 1; end < entries.size() && entries[end].key == entries[begin].key; ++end) {
        }
        if (end - begin > 1) sort_same_size(found, entries.subspan(begin, end - begin), spare, item_bits, skip + n);
    }
}

// Brings what the itemsets after the i-th need into the cache: they lie all over memory.
inline void fetch_ahead(const Itemsets& found, std::span<const SortEntry> order, std::size_t i) {
    constexpr std::size_t far = 32, near = 16;
    if (i + far >= order.size()) return;
    const auto later = static_cast<std::size_t>(order[i + far].itemset), soon = static_cast<std::size_t>(order[i + near].itemset);
    prefetch(&found.offsets[later]);
    prefetch(&found.supports[later]);
    prefetch(&found.items[static_cast<std::size_t>(found.offsets[soon])]);
}

}  // namespace detail

// Sorts by size, then lexicographically by item id: the order users see, whatever the
// search order or the number of threads was. Every itemset's items must be ascending.
// Linear in the items listed, as long as they fit few 64-bit keys. poll() may throw.
template <class Poll>
Itemsets canonical(const Itemsets& found, Poll&& poll) {
    const auto n = static_cast<std::size_t>(found.size());
    std::int32_t largest = 0;
    for (const std::int32_t item : found.items) largest = std::max(largest, item);
    const int item_bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(largest))));
    std::vector<std::size_t> first;  // of each size, then where the next itemset of that size goes
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t size = found[static_cast<std::int64_t>(i)].size();
        if (first.size() < size + 2) first.resize(size + 2);
        ++first[size + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<detail::SortEntry> order(n), spare;
    std::vector<std::size_t> next = first;
    for (std::size_t i = 0; i < n; ++i) order[next[found[static_cast<std::int64_t>(i)].size()]++].itemset = static_cast<std::int64_t>(i);
    for (std::size_t size = 1; size + 1 < first.size(); ++size)
        if (poll(); first[size] < first[size + 1])
            detail::sort_same_size(found, {order.data() + first[size], first[size + 1] - first[size]}, spare, item_bits, 0);
    Itemsets sorted;
    sorted.items.reserve(found.items.size());
    sorted.offsets.reserve(found.offsets.size());
    sorted.supports.reserve(found.supports.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 65536 == 0) poll();
        detail::fetch_ahead(found, order, i);
        sorted.add(found[order[i].itemset], found.supports[static_cast<std::size_t>(order[i].itemset)]);
    }
    return sorted;
}

inline Itemsets canonical(const Itemsets& found) {
    return canonical(found, [] {});
}

}  // namespace discreet
