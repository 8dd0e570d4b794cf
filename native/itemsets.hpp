// The one columnar result every miner returns, and its canonical order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

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

// Sorts by size, then lexicographically by item id: the order users see, whatever the
// search order or the number of threads was. Every itemset's items must be ascending.
inline Itemsets canonical(const Itemsets& found) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(found.size()));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const auto x = found[a], y = found[b];
        if (x.size() != y.size()) return x.size() < y.size();
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
    });
    Itemsets sorted;
    sorted.items.reserve(found.items.size());
    sorted.offsets.reserve(found.offsets.size());
    sorted.supports.reserve(found.supports.size());
    for (const std::int64_t i : order) sorted.add(found[i], found.supports[static_cast<std::size_t>(i)]);
    return sorted;
}

}  // namespace discreet
