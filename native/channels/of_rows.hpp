// Inference channels from the data.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "channels/search.hpp"

namespace discreet {

namespace channels {

// Of each row, its part of one maximal set at a time.
class Parts {
  public:
    Parts(const Database& database, Control& control)
        : database_(database), total_(database.total_weight()), rows_with_(with_item([&](std::int64_t t) { return database.transaction(t); }, database.n_transactions(), database.n_items, control)) {}

    struct Worker {
        std::vector<Mask> mask_of;          // by transaction; 0 again after each set
        std::vector<std::int32_t> touched;  // transactions with one item of the set at least
        std::vector<Cell> cells;
    };

    // Gathers the parts of all rows and counts the rows of each, by rising mask.
    void gather(std::span<const std::int32_t> top, Worker& worker, Control& control) const {
        auto& [mask_of, touched, cells] = worker;
        if (mask_of.empty()) mask_of.assign(database_.weights.size(), 0);
        touched.clear();
        for (std::size_t place = 0; place < top.size(); ++place) {
            control.check();
            for (const std::int32_t t : rows_with_[static_cast<std::size_t>(top[place])]) {
                Mask& mask = mask_of[static_cast<std::size_t>(t)];
                if (mask == 0) touched.push_back(t);
                mask |= Mask{1} << place;
            }
        }
        cells.assign(1, {0, total_});
        for (const std::int32_t t : touched) {
            cells.push_back({mask_of[static_cast<std::size_t>(t)], database_.weights[static_cast<std::size_t>(t)]});
            cells[0].count -= cells.back().count;
        }
        std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.mask < b.mask; });
        std::size_t n = 0;
        for (const Cell& cell : cells) {
            if (n > 0 && cells[n - 1].mask == cell.mask)
                cells[n - 1].count += cell.count;
            else
                cells[n++] = cell;
        }
        cells.resize(n);
    }
    static void clear(Worker& worker) {
        for (const std::int32_t t : worker.touched) worker.mask_of[static_cast<std::size_t>(t)] = 0;
    }

  private:
    const Database& database_;
    const std::int64_t total_;
    const std::vector<std::vector<std::int32_t>> rows_with_;
};

}  // namespace channels

// Of each maximal set, how many rows hold which part of it.
inline Channels channels_of_rows(const Database& database, const Collection& maximal, std::int64_t k, Control& control) {
    const channels::Parts parts(database, control);
    std::vector<channels::Parts::Worker> workers(static_cast<std::size_t>(control.threads));
    return channels::search(maximal, k, control, [&](int worker, std::int64_t task) -> std::span<const channels::Cell> {
        auto& here = workers[static_cast<std::size_t>(worker)];
        parts.gather(maximal[task], here, control);
        channels::Parts::clear(here);
        return here.cells;
    });
}

// 1 for each transaction that is in the group of some channel.
inline std::vector<std::uint8_t> rows_in_channels(const Database& database, const Collection& maximal, std::int64_t k, Control& control) {
    const channels::Parts parts(database, control);
    std::vector<channels::Parts::Worker> workers(static_cast<std::size_t>(control.threads));
    std::vector<std::uint8_t> marked(database.weights.size(), 0);
    const auto mark = [&](std::size_t t) { std::atomic_ref(marked[t]).store(1, std::memory_order_relaxed); };
    for_each_task(control, maximal.size(), [&](int worker, std::int64_t task) {
        auto& here = workers[static_cast<std::size_t>(worker)];
        parts.gather(maximal[task], here, control);
        const auto is_channel = [&](const channels::Cell& cell) { return cell.count > 0 && cell.count < k; };
        if (is_channel(here.cells[0]))
            for (std::size_t t = 0; t < marked.size(); ++t)
                if (here.mask_of[t] == 0) mark(t);
        if (std::any_of(here.cells.begin() + 1, here.cells.end(), is_channel))
            for (const std::int32_t t : here.touched) {
                const auto cell = std::ranges::lower_bound(here.cells, here.mask_of[static_cast<std::size_t>(t)], {}, &channels::Cell::mask);
                if (is_channel(*cell)) mark(static_cast<std::size_t>(t));
            }
        channels::Parts::clear(here);
    });
    return marked;
}

}  // namespace discreet
