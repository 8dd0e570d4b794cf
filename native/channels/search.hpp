// Inference channels: groups of rows that published supports tell apart (Atzori, Bonchi,
// Giannotti, Pedreschi 2008). For I <= J the number f(I, J) of rows that hold of J exactly I
// follows from the supports of all sets between I and J.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"
#include "base/itemsets.hpp"
#include "base/tasks.hpp"
#include "rules/support_table.hpp"

namespace discreet {

// Channel c is the pair of sets[c], with its support f, and the of[c]-th maximal set.
struct Channels {
    Itemsets sets;
    std::vector<std::int64_t> of;
};

// Supports that no data can have: f(I, J) < 0. `itemset` is J, items are those of I.
struct Contradiction {
    std::int64_t itemset;
    std::vector<std::int32_t> items;
    std::int64_t count;
};

namespace channels {

using Mask = std::uint64_t;  // of the items of a maximal set, by place
constexpr std::size_t most_items = 64;

struct Cell {
    Mask mask;
    std::int64_t count;
};

// Keeps the cells of one maximal set that are channels.
inline void keep(std::span<const Cell> cells, std::span<const std::int32_t> top, std::int64_t k, Itemsets& found) {
    std::vector<std::int32_t> inside;
    for (const Cell& cell : cells) {
        if (cell.count <= 0 || cell.count >= k) continue;
        inside.clear();
        for (std::size_t place = 0; place < top.size(); ++place)
            if (cell.mask >> place & 1) inside.push_back(top[place]);
        found.add(inside, cell.count);
    }
}

// One worker if there is little to do, about 2^(slope |X| + start) ns for each set X: to start others
// would take longer.
inline int workers_for(const Collection& sets, int slope, int start, const Control& control) {
    double total = 0;
    for (std::int64_t i = 0; i < sets.size(); ++i) total += std::ldexp(1.0, slope * static_cast<int>(sets[i].size()) + start);
    return total < 1e6 ? 1 : control.threads;
}

// Few rows first, then few items of the maximal set, then of the inner one.
inline Channels worst_first(const Channels& found, const Collection& maximal) {
    std::vector<std::size_t> order(found.of.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t c) {
        return std::tuple(found.sets.supports[c], maximal[found.of[c]].size(), found.sets[static_cast<std::int64_t>(c)].size(), c);
    };
    std::ranges::sort(order, {}, key);
    Channels sorted;
    sorted.sets.items.reserve(found.sets.items.size());
    for (const std::size_t c : order) {
        sorted.sets.add(found.sets[static_cast<std::int64_t>(c)], found.sets.supports[c]);
        sorted.of.push_back(found.of[c]);
    }
    return sorted;
}

// Runs cells_of(worker, maximal set) for each, and lists the channels, worst first.
template <class CellsOf>
Channels search(const Collection& maximal, std::int64_t k, Control& control, int workers, CellsOf&& cells_of) {
    std::vector<Itemsets> found(static_cast<std::size_t>(maximal.size()));
    const auto look = [&](int worker, std::int64_t task) {
        Itemsets& here = found[static_cast<std::size_t>(task)];
        keep(cells_of(worker, task), maximal[task], k, here);
        control.claim(static_cast<std::int64_t>(here.items.size() * 4 + here.supports.size() * 16));
        control.found(here.size());
    };
    for_each_task(control, maximal.size(), look, workers);
    Channels all;
    for (std::size_t top = 0; top < found.size(); ++top) {
        for (std::int64_t i = 0; i < found[top].size(); ++i) all.sets.add(found[top][i], found[top].supports[static_cast<std::size_t>(i)]);
        all.of.resize(all.sets.supports.size(), static_cast<std::int64_t>(top));
        found[top] = {};
    }
    return worst_first(all, maximal);
}

// For each item below n_items, the numbers of the sets that have it, rising.
class SetsWith {
  public:
    template <class Sets>
    SetsWith(const Sets& set, std::int64_t n_sets, std::int32_t n_items, Control& control) {
        control.claim((static_cast<std::int64_t>(n_items) + 1) * static_cast<std::int64_t>(sizeof first_[0]));
        first_.resize(static_cast<std::size_t>(n_items) + 1, 0);
        for (std::int64_t i = 0; i < n_sets; ++i)
            for (const std::int32_t item : set(i)) ++first_[static_cast<std::size_t>(item)];
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        control.claim(first_.back() * 4);
        numbers_.resize(static_cast<std::size_t>(first_.back()));
        for (std::int64_t i = n_sets - 1; i >= 0; --i)  // from the end of each list to its start
            for (const std::int32_t item : set(i)) numbers_[static_cast<std::size_t>(--first_[static_cast<std::size_t>(item)])] = static_cast<std::int32_t>(i);
    }
    std::span<const std::int32_t> operator[](std::int32_t item) const {
        const auto low = static_cast<std::size_t>(first_[static_cast<std::size_t>(item)]), high = static_cast<std::size_t>(first_[static_cast<std::size_t>(item) + 1]);
        return {numbers_.data() + low, high - low};
    }

  private:
    std::vector<std::int64_t> first_;
    std::vector<std::int32_t> numbers_;
};

inline std::int32_t n_items(const Collection& collection) {
    std::int32_t n = 0;
    for (const std::int32_t item : collection.items) n = std::max(n, item + 1);
    return n;
}

}  // namespace channels

}  // namespace discreet
