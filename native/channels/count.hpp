// How many inference channels there are, of all kinds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "channels/search.hpp"

namespace discreet {

// The number of all channels, over all pairs I <= J: 2^|J| for each J, by one transform each. -1 if
// there are more pairs than max_pairs, or some J has more than 24 items.
inline std::int64_t count_channels(const Collection& collection, std::int64_t n_rows, std::int64_t k, std::int64_t max_pairs, Control& control) {
    std::int64_t n_pairs = 0;
    for (std::int64_t i = 0; i < collection.size() && n_pairs <= max_pairs; ++i) {
        if (collection[i].size() > 24) return -1;
        n_pairs += std::int64_t{1} << collection[i].size();
    }
    if (n_pairs > max_pairs) return -1;
    const SupportTable table(collection);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(collection.size()), 0);
    struct Worker {
        std::vector<std::int64_t> cells;
        std::vector<std::uint64_t> hashes;
        std::vector<std::int32_t> subset;
    };
    std::vector<Worker> workers(static_cast<std::size_t>(control.threads));
    const auto count = [&](int worker, std::int64_t task) {
        auto& [cells, hashes, subset] = workers[static_cast<std::size_t>(worker)];
        const auto items = collection[collection.size() - 1 - task];  // large sets first
        const std::size_t n = std::size_t{1} << items.size();
        cells.assign(n, n_rows);
        hashes.assign(n, 0);
        for (std::size_t mask = 1; mask < n; ++mask) {
            if (mask % 65536 == 0) control.check();
            hashes[mask] = hashes[mask & (mask - 1)] + item_hash(items[static_cast<std::size_t>(std::countr_zero(mask))]);
            subset.clear();
            for (std::size_t rest = mask; rest != 0; rest &= rest - 1) subset.push_back(items[static_cast<std::size_t>(std::countr_zero(rest))]);
            const std::int32_t at = table.find(subset, hashes[mask]);
            if (at < 0) throw std::invalid_argument("the collection lacks a subset of one of its members");
            cells[mask] = collection.supports[static_cast<std::size_t>(at)];
        }
        for (std::size_t bit = 1; bit < n; bit *= 2) {
            control.check();
            for (std::size_t high = 0; high < n; high += 2 * bit)
                for (std::size_t mask = high; mask < high + bit; ++mask) cells[mask] -= cells[mask + bit];
        }
        counts[static_cast<std::size_t>(task)] = std::ranges::count_if(cells, [&](std::int64_t cell) { return cell > 0 && cell < k; });
    };
    for_each_task(control, collection.size(), count, channels::workers_for(collection, 1, 6, control));
    std::int64_t total = 0;
    for (const std::int64_t count : counts) total += count;
    return total;
}

}  // namespace discreet
