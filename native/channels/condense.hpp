// Which sets of a collection stand for all of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "channels/search.hpp"

namespace discreet {

// Which sets of a collection that has all subsets of its members are closed, and which maximal.
struct Condensed {
    std::vector<std::uint8_t> is_closed, is_maximal;
    std::int64_t lacking = -1;     // a set of which a subset is missing, or has a smaller support
    std::int64_t without = -1;     // the item that has to be left out to see it; -1 if the set is listed twice
    bool contradicts = false;      // whether the subset is there, with a smaller support
};

inline Condensed condense(const Collection& collection, std::int64_t n_rows, Control& control) {
    const SupportTable table(collection);
    const auto n = static_cast<std::size_t>(collection.size());
    Condensed found{std::vector<std::uint8_t>(n, 1), std::vector<std::uint8_t>(n, 1)};
    if (found.lacking = table.listed_twice(); found.lacking >= 0) return found;
    std::vector<std::int32_t> smaller;
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 4096 == 0) control.check();
        const auto items = collection[static_cast<std::int64_t>(i)];
        const std::uint64_t hash = itemset_hash(items);
        for (const std::int32_t item : items) {
            smaller.clear();
            for (const std::int32_t other : items)
                if (other != item) smaller.push_back(other);
            const std::int32_t at = smaller.empty() ? -1 : table.find(smaller, hash - item_hash(item));
            const std::int64_t support = smaller.empty() ? n_rows : at < 0 ? -1 : collection.supports[static_cast<std::size_t>(at)];
            if (support < collection.supports[i]) {
                found.lacking = static_cast<std::int64_t>(i);
                found.without = item;
                found.contradicts = support >= 0;
                return found;
            }
            if (at < 0) continue;
            found.is_maximal[static_cast<std::size_t>(at)] = 0;
            if (support == collection.supports[i]) found.is_closed[static_cast<std::size_t>(at)] = 0;
        }
    }
    return found;
}

// Which sets of any collection have no superset in it.
inline std::vector<std::uint8_t> maximal_among(const Collection& collection, Control& control) {
    const channels::SetsWith sets_with([&](std::int64_t i) { return collection[i]; }, collection.size(), channels::n_items(collection), control);
    std::vector<std::uint8_t> is_maximal(static_cast<std::size_t>(collection.size()), 1);
    for_each_task(control, collection.size(), [&](int, std::int64_t i) {
        const auto items = collection[i];
        if (items.empty()) {
            is_maximal[static_cast<std::size_t>(i)] = collection.size() == 1;
            return;
        }
        const auto rarest = std::ranges::min(items, {}, [&](std::int32_t item) { return sets_with[item].size(); });
        for (const std::int32_t other : sets_with[rarest]) {
            const auto candidate = collection[other];
            if (candidate.size() > items.size() && std::ranges::includes(candidate, items)) {
                is_maximal[static_cast<std::size_t>(i)] = 0;
                return;
            }
        }
    });
    return is_maximal;
}

}  // namespace discreet
