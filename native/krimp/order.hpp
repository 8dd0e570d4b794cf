// The standard candidate order: support falling, then size falling, then lexicographic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/control.hpp"

namespace discreet::krimp {

// Itemset i is items[offsets[i] .. offsets[i+1]), ascending ids, in canonical order: by size,
// then lexicographically.
struct Candidates {
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> items;
    std::span<const std::int64_t> supports;

    std::int64_t size() const { return static_cast<std::int64_t>(supports.size()); }
    std::span<const std::int32_t> operator[](std::int64_t i) const {
        return items.subspan(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
};

// What is wrong with the candidates, in words; empty if nothing is.
inline std::string problem(const Candidates& candidates, std::int32_t n_items) {
    if (candidates.offsets.size() != candidates.supports.size() + 1 || candidates.offsets[0] != 0) return "offsets must start at 0 and have one entry more than supports";
    if (candidates.offsets.back() != static_cast<std::int64_t>(candidates.items.size())) return "the last offset must be the number of items";
    for (std::size_t i = 0; i + 1 < candidates.offsets.size(); ++i)
        if (candidates.offsets[i + 1] < candidates.offsets[i] || candidates.offsets[i + 1] > candidates.offsets.back()) return "offsets fall at itemset " + std::to_string(i);
    std::span<const std::int32_t> last;
    for (std::int64_t i = 0; i < candidates.size(); ++i) {
        const std::span<const std::int32_t> itemset = candidates[i];
        std::int32_t before = -1;
        for (const std::int32_t item : itemset) {
            if (item <= before || item >= n_items) return "itemset " + std::to_string(i) + " is not strictly ascending ids below n_items";
            before = item;
        }
        if (candidates.supports[static_cast<std::size_t>(i)] < 0) return "support below 0 at itemset " + std::to_string(i);
        if (i > 0 && (itemset.size() < last.size() || (itemset.size() == last.size() && !std::ranges::lexicographical_compare(last, itemset))))
            return "itemset " + std::to_string(i) + " is not in canonical order";
        last = itemset;
    }
    return "";
}

// Candidates of two items or more in standard order. Counting sorts by size and then by support
// keep the lexicographic order within.
inline std::vector<std::int32_t> standard_order(const Candidates& candidates, Control& control) {
    const auto n = static_cast<std::int32_t>(candidates.size());
    std::vector<std::int32_t> by_size;
    by_size.reserve(static_cast<std::size_t>(n));
    for (std::int32_t end = n; end > 0;) {
        const std::size_t size = candidates[end - 1].size();
        if (size < 2) break;
        std::int32_t begin = end - 1;
        while (begin > 0 && candidates[begin - 1].size() == size) --begin;
        for (std::int32_t i = begin; i < end; ++i) by_size.push_back(i);
        end = begin;
    }
    control.check();
    std::int64_t largest = 0;
    for (const std::int32_t i : by_size) largest = std::max(largest, candidates.supports[static_cast<std::size_t>(i)]);
    std::vector<std::int32_t> place(static_cast<std::size_t>(largest) + 2, 0), order(by_size.size());
    const auto rank = [&](std::int32_t i) { return static_cast<std::size_t>(largest - candidates.supports[static_cast<std::size_t>(i)]); };
    for (const std::int32_t i : by_size) ++place[rank(i) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (const std::int32_t i : by_size) order[static_cast<std::size_t>(place[rank(i)]++)] = i;
    return order;
}

}  // namespace discreet::krimp
