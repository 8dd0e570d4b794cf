// Looks for a group that is worth opening: nodes above a given row such that what rows under
// them would save is more than what the groups cost that lose them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "clusters/groups.hpp"
#include "clusters/prices.hpp"
#include "clusters/record_tree.hpp"
#include "clusters/sources.hpp"

namespace discreet::clusters {

// Rows that together would be a good group, and what opening it is estimated to win.
struct Box {
    std::int64_t won, loss;
    std::vector<std::int32_t> rows;
};

// Holds what it works with, so every thread has its own.
class BoxFinder {
  public:
    BoxFinder(const Groups& groups, const Prices& prices, const RecordTree& records)
        : groups_(groups), prices_(prices), records_(records), path_(groups.n_columns()), lists_(groups.n_columns() + 1) {}

    // The best box above a row that takes rows of the row's own group, if it loses less than
    // `bearable`; without rows if there is none. `effort` counts what was looked at, and the
    // search gives up after `most`.
    Box find(std::int32_t seed, std::int64_t bearable, std::int64_t most, std::int64_t& effort) {
        seed_ = seed;
        best_ = {-bearable, 0, {}};
        effort_ = 0;
        bearable_ = bearable;
        most_ = most;
        for (std::size_t j = 0; j < path_.size(); ++j) path_[j] = groups_.column(j).path(groups_.leaves(seed)[j]);
        gather();
        std::vector<std::int32_t>& all = lists_[0];
        all.resize(near_.size());
        std::iota(all.begin(), all.end(), 0);
        if (static_cast<std::int64_t>(all.size()) >= groups_.k) search(0, 0);
        effort += effort_;
        return best_;
    }

  private:
    struct Near {
        std::int32_t group, row;
        std::int64_t price, weight;
    };

    // The rows that could save something in a box above the seed, group by group.
    void gather() {
        near_.clear();
        const std::size_t n = path_.size();
        std::vector<std::int64_t> loss(n + 1, 0);
        const std::int64_t worth = prices_.worth(seed_);
        records_.walk(
            [&](std::size_t depth, std::int32_t leaf, std::int64_t highest) {
                const std::size_t j = records_.columns()[depth];
                const CostColumn& tree = groups_.column(j);
                loss[depth + 1] = loss[depth] + tree.cost(tree.join(leaf, path_[j][0]));
                ++effort_;
                return loss[depth + 1] < std::min(worth, highest);
            },
            [&](std::int32_t row) {
                if (loss[n] < prices_.worth(row)) near_.push_back({groups_.group_of(row), row, prices_.of_row(row), groups_.weight(row)});
            });
        std::ranges::sort(near_, {}, [](const Near& near) { return std::pair(near.group, near.row); });
        meet_.resize(near_.size() * n);
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < near_.size(); ++i) meet_[j * near_.size() + i] = groups_.column(j).join(groups_.leaves(near_[i].row)[j], path_[j][0]);
    }

    // Chooses the node of one column after the other; lists_[depth] are the rows left.
    void search(std::size_t depth, std::int64_t loss) {
        const std::size_t j = records_.columns()[depth];
        const std::int32_t* meet = &meet_[j * near_.size()];
        const bool is_last = depth + 1 == path_.size();
        std::size_t under_before = 0;
        for (const std::int32_t node : path_[j]) {
            const std::int64_t with = loss + groups_.column(j).cost(node);
            if (with >= prices_.worth(seed_)) continue;
            std::vector<std::int32_t>& list = lists_[depth + 1];
            list.clear();
            std::size_t under = 0;
            for (const std::int32_t i : lists_[depth]) {
                if (meet[i] > node) continue;  // nodes above the seed are numbered upwards
                ++under;
                if (near_[i].weight * with < near_[i].price) list.push_back(i);
            }
            effort_ += static_cast<std::int64_t>(lists_[depth].size() + list.size());
            if (under == under_before) continue;  // a lower node has the same rows
            under_before = under;
            if (effort_ > most_) return;
            if (!is_promising(list, with)) continue;
            if (!is_last)
                search(depth + 1, with);
            else if (const Won sum = fill(sources_, groups_.k); sum.n_rows >= groups_.k && sum.total > best_.won && !is_there())
                keep(sum.total, with, list);
        }
    }

    // Whether the rows could win more than the best so far. Rows only get fewer and losses
    // higher with further columns, and so does what is won.
    bool is_promising(const std::vector<std::int32_t>& list, std::int64_t loss) {
        if (static_cast<std::int64_t>(list.size()) < groups_.k) return false;
        sources_.clear();
        bool seed_wins = false;
        for (std::size_t i = 0; i < list.size();) {
            const std::int32_t group = near_[list[i]].group;
            std::int64_t n_rows = 0, heavy = 0, worth = 0;
            for (; i < list.size() && near_[list[i]].group == group; ++i, ++n_rows) heavy += near_[list[i]].weight, worth += near_[list[i]].price;
            sources_.push_back(source(groups_, prices_, group, n_rows, heavy, worth, loss));
            if (group == groups_.group_of(seed_)) seed_wins = std::max(sources_.back().some, sources_.back().all) > -bearable_;
        }
        return seed_wins && won(sources_).total > best_.won && could_fill();
    }
    // The same with the rows that are lacking, if parts of groups could be dissolved.
    bool could_fill() {
        Won sum = won(sources_);
        if (sum.n_rows >= groups_.k) return true;
        dear_.clear();
        for (const Source& from : sources_)
            if (!from.gives_all && from.n_some < from.n_rows) dear_.emplace_back(from.dearness(), from.n_rows - from.n_some);
        const auto dearer = [](const auto& a, const auto& b) { return a > b; };
        std::ranges::make_heap(dear_, dearer);
        auto total = static_cast<double>(sum.total);
        for (; sum.n_rows < groups_.k && !dear_.empty(); dear_.pop_back()) {
            std::ranges::pop_heap(dear_, dearer);
            const std::int64_t n_rows = std::min(dear_.back().second, groups_.k - sum.n_rows);
            total -= dear_.back().first * static_cast<double>(n_rows);
            sum.n_rows += n_rows;
        }
        return sum.n_rows >= groups_.k && total > static_cast<double>(best_.won);
    }
    // Whether the box is a group already.
    bool is_there() const {
        std::int64_t n_used = 0;
        bool is_whole = false;
        for (const Source& from : sources_)
            if (from.n_given() > 0) ++n_used, is_whole = from.n_given() == groups_.size(from.group);
        return n_used == 1 && is_whole;
    }
    void keep(std::int64_t won, std::int64_t loss, const std::vector<std::int32_t>& list) {
        best_ = {won, loss, {}};
        for (const std::int32_t i : list) best_.rows.push_back(near_[i].row);
    }

    const Groups& groups_;
    const Prices& prices_;
    const RecordTree& records_;
    std::int32_t seed_ = -1;
    std::vector<std::vector<std::int32_t>> path_;  // the seed's leaf and all nodes above it, by column
    std::vector<Near> near_;
    std::vector<std::int32_t> meet_;                // lowest node above the seed and each near row, by column
    std::vector<std::vector<std::int32_t>> lists_;  // places in near_, by depth
    std::vector<Source> sources_;
    std::vector<std::pair<double, std::int64_t>> dear_;
    Box best_{};
    std::int64_t effort_ = 0, most_ = 0, bearable_ = 0;
};

}  // namespace discreet::clusters
