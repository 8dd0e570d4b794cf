// Inference channels from a published collection alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "channels/search.hpp"

namespace discreet {

// From the published supports of the closed sets alone: f(I, J) = supp(I) minus f(X, J) of all
// closed X with I < X <= J. The empty set is in n_rows rows.
inline Channels channels_of_collection(const Collection& closed, const Collection& maximal, std::int64_t n_rows, std::int64_t k, Control& control) {
    using channels::Cell, channels::Mask;
    const auto sets_with = channels::with_item([&](std::int64_t i) { return closed[i]; }, closed.size(), std::max(channels::n_items(closed), channels::n_items(maximal)), control);
    struct Worker {
        std::vector<Mask> mask_of;  // by closed set, of its items in the maximal one
        std::vector<std::int32_t> touched;
        std::vector<Cell> cells, larger;  // larger: those before with a count
    };
    std::vector<Worker> workers(static_cast<std::size_t>(control.threads));
    return channels::search(maximal, k, control, [&](int worker, std::int64_t task) -> std::span<const Cell> {
        auto& [mask_of, touched, cells, larger] = workers[static_cast<std::size_t>(worker)];
        if (mask_of.empty()) mask_of.assign(static_cast<std::size_t>(closed.size()) + 1, 0);
        touched.clear();
        const auto top = maximal[task];
        for (std::size_t place = 0; place < top.size(); ++place)
            for (const std::int32_t i : sets_with[static_cast<std::size_t>(top[place])]) {
                Mask& mask = mask_of[static_cast<std::size_t>(i)];
                if (mask == 0) touched.push_back(i);
                mask |= Mask{1} << place;
            }
        cells.clear();
        for (const std::int32_t i : touched) {
            const Mask mask = std::exchange(mask_of[static_cast<std::size_t>(i)], 0);
            if (static_cast<std::size_t>(std::popcount(mask)) == closed[i].size()) cells.push_back({mask, closed.supports[static_cast<std::size_t>(i)]});
        }
        cells.push_back({0, n_rows});
        std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
            const int x = std::popcount(a.mask), y = std::popcount(b.mask);
            return x != y ? x > y : a.mask < b.mask;
        });
        larger.clear();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i % 64 == 0) control.check();
            Cell& cell = cells[i];
            for (const Cell& other : larger) cell.count -= (cell.mask & other.mask) == cell.mask ? other.count : 0;
            if (cell.count < 0) {
                std::vector<std::int32_t> inside;
                for (std::size_t place = 0; place < top.size(); ++place)
                    if (cell.mask >> place & 1) inside.push_back(top[place]);
                throw Contradiction{task, std::move(inside), cell.count};
            }
            if (cell.count > 0) larger.push_back(cell);
        }
        std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.mask < b.mask; });
        return cells;
    });
}

}  // namespace discreet
