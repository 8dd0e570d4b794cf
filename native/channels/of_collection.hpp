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

namespace channels {

// The closed sets inside a maximal one: found by looking every part of it up, or by going through
// all closed sets that share an item with it, whichever is less.
class Inside {
  public:
    Inside(const Collection& closed, std::int32_t n_items, Control& control)
        : closed_(closed), table_(closed), sets_with_([&](std::int64_t i) { return closed[i]; }, closed.size(), n_items, control) {
        control.claim(SupportTable::bytes_for(closed.size()));
    }

    struct Worker {
        std::vector<Mask> mask_of;  // by closed set, of its items in the maximal one; 0 again after each
        std::vector<std::int32_t> touched, part;
        std::vector<std::uint64_t> hash_of;  // by mask
        std::vector<Cell> cells, larger;     // larger: those before with a count
    };

    // Their masks and supports, the empty set left out.
    void gather(std::span<const std::int32_t> top, Worker& worker) const {
        worker.cells.clear();
        std::size_t n_listed = 0;
        for (const std::int32_t item : top) n_listed += sets_with_[item].size();
        if (top.size() < 20 && (std::size_t{4} << top.size()) < n_listed)
            look_up(top, worker);
        else
            go_through(top, worker);
    }

  private:
    void look_up(std::span<const std::int32_t> top, Worker& worker) const {
        worker.hash_of.assign(std::size_t{1} << top.size(), 0);
        for (std::size_t mask = 1; mask < worker.hash_of.size(); ++mask) {
            const auto lowest = static_cast<std::size_t>(std::countr_zero(mask));
            worker.hash_of[mask] = worker.hash_of[mask & (mask - 1)] + item_hash(top[lowest]);
            worker.part.clear();
            for (std::size_t rest = mask; rest != 0; rest &= rest - 1) worker.part.push_back(top[static_cast<std::size_t>(std::countr_zero(rest))]);
            const std::int32_t at = table_.find(worker.part, worker.hash_of[mask]);
            if (at >= 0) worker.cells.push_back({mask, closed_.supports[static_cast<std::size_t>(at)]});
        }
    }
    void go_through(std::span<const std::int32_t> top, Worker& worker) const {
        auto& mask_of = worker.mask_of;
        if (mask_of.empty()) mask_of.assign(static_cast<std::size_t>(closed_.size()), 0);
        worker.touched.clear();
        for (std::size_t place = 0; place < top.size(); ++place)
            for (const std::int32_t i : sets_with_[top[place]]) {
                Mask& mask = mask_of[static_cast<std::size_t>(i)];
                if (mask == 0) worker.touched.push_back(i);
                mask |= Mask{1} << place;
            }
        for (const std::int32_t i : worker.touched) {
            const Mask mask = std::exchange(mask_of[static_cast<std::size_t>(i)], 0);
            if (static_cast<std::size_t>(std::popcount(mask)) == closed_[i].size()) worker.cells.push_back({mask, closed_.supports[static_cast<std::size_t>(i)]});
        }
    }

    const Collection closed_;
    const SupportTable table_;
    const SetsWith sets_with_;
};

}  // namespace channels

// From the published supports of the closed sets alone: f(I, J) = supp(I) minus f(X, J) of all
// closed X with I < X <= J. The empty set is in n_rows rows.
inline Channels channels_of_collection(const Collection& closed, const Collection& maximal, std::int64_t n_rows, std::int64_t k, Control& control) {
    using channels::Cell;
    const channels::Inside inside_of(closed, std::max(channels::n_items(closed), channels::n_items(maximal)), control);
    std::vector<channels::Inside::Worker> workers(static_cast<std::size_t>(control.threads));
    const int n_workers = channels::workers_for(maximal, 2, 3, control);  // all pairs of its parts
    return channels::search(maximal, k, control, n_workers, [&](int worker, std::int64_t task) -> std::span<const Cell> {
        const auto top = maximal[task];
        auto& here = workers[static_cast<std::size_t>(worker)];
        inside_of.gather(top, here);
        auto &cells = here.cells, &larger = here.larger;
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
