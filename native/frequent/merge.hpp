// Two lists of itemsets in canonical order made one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/control.hpp"
#include "base/itemsets.hpp"

namespace discreet {

// The sets of either list, each once, and where those of each list are among them.
struct Merged {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> items;
    std::vector<std::int64_t> first, second;
};

// Whether a comes before b in canonical order: fewer items, then smaller ids.
inline bool comes_before(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
    return a.size() != b.size() ? a.size() < b.size() : std::ranges::lexicographical_compare(a, b);
}

// What is wrong with the order, in words; empty if nothing is.
inline std::string problem_of_order(const SetsView& sets) {
    for (std::int64_t i = 1; i < sets.size(); ++i)
        if (!comes_before(sets[i - 1], sets[i])) return "itemset " + std::to_string(i) + " is not after the one before in canonical order";
    return "";
}

// Linear in the items of both lists; throws if one is not in canonical order.
inline Merged merge(const SetsView& first, const SetsView& second, Control& control) {
    for (const SetsView* sets : {&first, &second})
        if (const std::string what = problem_of_order(*sets); !what.empty()) throw std::invalid_argument(what);
    const std::int64_t n_first = first.size(), n_second = second.size();
    control.claim(static_cast<std::int64_t>(sizeof(std::int32_t) * (first.items.size() + second.items.size())) +
                  static_cast<std::int64_t>(2 * sizeof(std::int64_t)) * (n_first + n_second));
    control.expect(n_first + n_second);
    Merged merged;
    merged.first.reserve(static_cast<std::size_t>(n_first));
    merged.second.reserve(static_cast<std::size_t>(n_second));
    for (std::int64_t i = 0, j = 0, told = 0; i < n_first || j < n_second;) {
        const bool of_first = i < n_first && (j == n_second || !comes_before(second[j], first[i]));
        const bool of_second = j < n_second && (i == n_first || !comes_before(first[i], second[j]));
        const std::span<const std::int32_t> next = of_first ? first[i] : second[j];
        const auto place = static_cast<std::int64_t>(merged.offsets.size()) - 1;
        merged.items.insert(merged.items.end(), next.begin(), next.end());
        merged.offsets.push_back(static_cast<std::int64_t>(merged.items.size()));
        if (of_first) merged.first.push_back(place), ++i;
        if (of_second) merged.second.push_back(place), ++j;
        if (place % 65536 == 0) {
            control.check();
            control.advance(i + j - told);
            told = i + j;
        }
    }
    return merged;
}

}  // namespace discreet
