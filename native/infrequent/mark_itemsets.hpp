// Which cells lie in one of some given itemsets that their row contains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"
#include "base/tasks.hpp"

namespace discreet {

namespace infrequent {

// Items by rising support in the rows: with rare ones first, few rows get past the root.
inline std::vector<std::int32_t> ranks_by_support(const Database& database) {
    std::vector<std::int64_t> support(static_cast<std::size_t>(database.n_items), 0);
    for (std::int64_t t = 0; t < database.n_transactions(); ++t)
        for (const std::int32_t item : database.transaction(t)) support[static_cast<std::size_t>(item)] += database.weights[static_cast<std::size_t>(t)];
    std::vector<std::int32_t> order(support.size()), rank(support.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return support[static_cast<std::size_t>(a)] < support[static_cast<std::size_t>(b)]; });
    for (std::size_t place = 0; place < order.size(); ++place) rank[static_cast<std::size_t>(order[place])] = static_cast<std::int32_t>(place);
    return rank;
}

// The itemsets as a tree of common beginnings. Nodes are numbered level by level, so that
// the children of a node stand together, by rising rank. Node 0 is the empty itemset.
class Trie {
  public:
    Trie(const Database& itemsets, std::span<const std::int32_t> rank_of, Control& control) {
        const auto n = static_cast<std::size_t>(itemsets.n_transactions());
        // At most one node for each item listed: 13 bytes, and 16 for the range it is made from.
        control.claim(static_cast<std::int64_t>(4 * itemsets.items.size() + 8 * n + 29 * (itemsets.items.size() + 1)));
        std::vector<std::int32_t> ranks(itemsets.items.size());
        for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = rank_of[static_cast<std::size_t>(itemsets.items[i])];
        for (std::size_t i = 0; i < n; ++i) std::sort(ranks.begin() + itemsets.offsets[i], ranks.begin() + itemsets.offsets[i + 1]);
        const auto set = [&](std::int64_t i) {
            const auto begin = itemsets.offsets[static_cast<std::size_t>(i)];
            return std::span<const std::int32_t>(ranks.data() + begin, static_cast<std::size_t>(itemsets.offsets[static_cast<std::size_t>(i) + 1] - begin));
        };
        std::vector<std::int64_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::int64_t n_compared = 0;
        std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            if (++n_compared % 65536 == 0) control.check();
            return std::ranges::lexicographical_compare(set(a), set(b));
        });
        grow(order, set, control);
        longest_ = 0;
        for (std::size_t i = 0; i < n; ++i) longest_ = std::max(longest_, set(static_cast<std::int64_t>(i)).size());
    }

    bool ends(std::size_t node) const { return ends_[node] != 0; }  // an itemset ends here
    std::int32_t rank(std::size_t node) const { return rank_[node]; }
    std::size_t children_begin(std::size_t node) const { return static_cast<std::size_t>(first_child_[node]); }
    std::size_t children_end(std::size_t node) const { return static_cast<std::size_t>(first_child_[node + 1]); }
    // The child by this rank at or after `from`, or where it would stand.
    std::size_t find(std::size_t from, std::size_t end, std::int32_t rank) const {
        return static_cast<std::size_t>(std::lower_bound(rank_.begin() + static_cast<std::ptrdiff_t>(from), rank_.begin() + static_cast<std::ptrdiff_t>(end), rank) - rank_.begin());
    }
    std::size_t longest() const { return longest_; }

  private:
    // Each node stands for a range of the sorted itemsets, those that begin with it.
    template <class Set>
    void grow(std::span<const std::int64_t> order, const Set& set, Control& control) {
        struct Range {
            std::size_t begin, end;
        };
        std::vector<Range> level{{0, order.size()}}, next;
        rank_.push_back(-1);
        for (std::size_t depth = 0; !level.empty(); ++depth, level.swap(next)) {
            next.clear();
            for (const Range& range : level) {
                if (first_child_.size() % 65536 == 0) control.check();
                std::size_t at = range.begin;
                while (at < range.end && set(order[at]).size() == depth) ++at;  // the shortest come first
                ends_.push_back(at > range.begin ? 1 : 0);
                first_child_.push_back(static_cast<std::int64_t>(rank_.size()));
                while (at < range.end) {
                    const std::int32_t rank = set(order[at])[depth];
                    const std::size_t begin = at;
                    while (at < range.end && set(order[at])[depth] == rank) ++at;
                    rank_.push_back(rank);
                    next.push_back({begin, at});
                }
            }
        }
        first_child_.push_back(static_cast<std::int64_t>(rank_.size()));
    }

    std::vector<std::int32_t> rank_;
    std::vector<std::uint8_t> ends_;
    std::vector<std::int64_t> first_child_;
    std::size_t longest_ = 0;
};

// Walks the tree with one row at a time and marks the row's items that it finds.
class RowWalk {
  public:
    RowWalk(const Trie& trie, const Control& control) : trie_(trie), control_(control), path_(trie.longest()) {}

    // Ranks of the row's items, rising, and what is marked of them.
    std::span<const std::uint8_t> run(std::span<const std::int32_t> row) {
        row_ = row;
        marks_.assign(row.size(), 0);
        n_unmarked_ahead_ = row.size();
        walk(0, 0, 0, false);
        return marks_;
    }

  private:
    // `node` holds the items at the first `depth` places of the path; `has_unmarked` tells
    // whether one of these is unmarked; the row's items from `from` on may follow.
    void walk(std::size_t node, std::size_t depth, std::size_t from, bool has_unmarked) {
        if (++n_visited_ % 4096 == 0) control_.check();
        if (has_unmarked && trie_.ends(node)) {
            for (std::size_t i = 0; i < depth; ++i) marks_[path_[i]] = 1;
            while (n_unmarked_ahead_ > 0 && marks_[n_unmarked_ahead_ - 1]) --n_unmarked_ahead_;
            has_unmarked = false;
        }
        std::size_t child = trie_.children_begin(node);
        const std::size_t end = trie_.children_end(node);
        for (std::size_t place = from; place < row_.size() && child < end; ++place) {
            // Nothing below can mark what is not marked yet.
            if (!has_unmarked && place >= n_unmarked_ahead_) return;
            child = trie_.find(child, end, row_[place]);
            if (child == end || trie_.rank(child) != row_[place]) continue;
            path_[depth] = place;
            walk(child, depth + 1, place + 1, has_unmarked || !marks_[place]);
            if (has_unmarked) has_unmarked = !std::all_of(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(depth), [&](std::size_t i) { return marks_[i]; });
        }
    }

    const Trie& trie_;
    const Control& control_;
    std::span<const std::int32_t> row_;
    std::vector<std::uint8_t> marks_;
    std::size_t n_unmarked_ahead_ = 0;  // every place from here on is marked
    std::vector<std::size_t> path_;
    std::int64_t n_visited_ = 0;
};

}  // namespace infrequent

// `itemsets` is a database too: one transaction for each itemset, over the same items. One
// mark for each entry of the rows' items. Memory grows with the items listed in the itemsets;
// time with the beginnings of itemsets that each row contains.
inline std::vector<std::uint8_t> mark_itemsets(const Database& database, const Database& itemsets, Control& control) {
    const std::vector<std::int32_t> rank_of = infrequent::ranks_by_support(database);
    const infrequent::Trie trie(itemsets, rank_of, control);
    std::vector<std::uint8_t> marks(database.items.size(), 0);
    control.claim(static_cast<std::int64_t>(marks.size()));
    constexpr std::int64_t rows_per_task = 512;
    const std::int64_t n_rows = database.n_transactions();
    for_each_task(control, (n_rows + rows_per_task - 1) / rows_per_task, [&](int, std::int64_t task) {
        infrequent::RowWalk walk(trie, control);
        std::vector<std::int32_t> ranks;
        std::vector<std::size_t> cells;  // of the row, by rank
        for (std::int64_t t = task * rows_per_task; t < std::min(n_rows, (task + 1) * rows_per_task); ++t) {
            const auto row = database.transaction(t);
            const auto rank_at = [&](std::size_t cell) { return rank_of[static_cast<std::size_t>(row[cell])]; };
            cells.resize(row.size());
            std::iota(cells.begin(), cells.end(), std::size_t{0});
            std::sort(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) { return rank_at(a) < rank_at(b); });
            ranks.clear();
            for (const std::size_t cell : cells) ranks.push_back(rank_at(cell));
            const auto found = walk.run(ranks);
            for (std::size_t place = 0; place < cells.size(); ++place) marks[static_cast<std::size_t>(database.offsets[static_cast<std::size_t>(t)]) + cells[place]] = found[place];
        }
    });
    return marks;
}

}  // namespace discreet
