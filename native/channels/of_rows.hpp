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
        : database_(database), total_(database.total_weight()), rows_with_([&](std::int64_t t) { return database.transaction(t); }, database.n_transactions(), database.n_items, control) {}

    struct Worker {
        std::vector<Mask> mask_of;          // by transaction; 0 again after each set
        std::vector<std::int32_t> touched;  // transactions with one item of the set at least
        std::vector<Cell> cells;
        std::vector<std::int64_t> count_of;  // by mask, for small sets
    };

    // Gathers the parts of all rows and counts the rows of each, by rising mask.
    void gather(std::span<const std::int32_t> top, Worker& worker, Control& control) const {
        auto& [mask_of, touched, cells, count_of] = worker;
        if (mask_of.empty()) mask_of.assign(database_.weights.size(), 0);
        touched.clear();
        for (std::size_t place = 0; place < top.size(); ++place) {
            control.check();
            for (const std::int32_t t : rows_with_[top[place]]) {
                Mask& mask = mask_of[static_cast<std::size_t>(t)];
                if (mask == 0) touched.push_back(t);
                mask |= Mask{1} << place;
            }
        }
        if (top.size() <= few_items) return count_directly(top.size(), worker);
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
    static constexpr std::size_t few_items = 14;

    // One counter for each mask there can be.
    void count_directly(std::size_t n_items, Worker& worker) const {
        worker.count_of.assign(std::size_t{1} << n_items, 0);
        worker.count_of[0] = total_;
        for (const std::int32_t t : worker.touched) {
            const std::int64_t weight = database_.weights[static_cast<std::size_t>(t)];
            worker.count_of[worker.mask_of[static_cast<std::size_t>(t)]] += weight;
            worker.count_of[0] -= weight;
        }
        worker.cells.clear();
        for (std::size_t mask = 0; mask < worker.count_of.size(); ++mask)
            if (mask == 0 || worker.count_of[mask] > 0) worker.cells.push_back({mask, worker.count_of[mask]});
    }

    const Database& database_;
    const std::int64_t total_;
    const SetsWith rows_with_;
};

}  // namespace channels

// Of each maximal set, how many rows hold which part of it.
inline Channels channels_of_rows(const Database& database, const Collection& maximal, std::int64_t k, Control& control) {
    const channels::Parts parts(database, control);
    std::vector<channels::Parts::Worker> workers(static_cast<std::size_t>(control.threads));
    return channels::search(maximal, k, control, control.threads, [&](int worker, std::int64_t task) -> std::span<const channels::Cell> {
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
