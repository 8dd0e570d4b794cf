// Looks all over for groups that are worth opening, and opens them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clusters/find_box.hpp"
#include "clusters/groups.hpp"
#include "clusters/open_box.hpp"
#include "clusters/prices.hpp"
#include "clusters/random.hpp"
#include "clusters/record_tree.hpp"
#include "clusters/team.hpp"

namespace discreet::clusters {

class BoxOpener {
  public:
    BoxOpener(Groups& groups, Team& team, std::uint64_t seed)
        : groups_(groups), team_(team), random_(seed), prices_(groups), records_(groups), finders_(team.size(), BoxFinder(groups, prices_, records_)) {}
    BoxOpener(const BoxOpener&) = delete;
    BoxOpener& operator=(const BoxOpener&) = delete;

    // Asks around a few rows of every group whose prices have changed since it was last asked,
    // and opens what is found, if the total rises by less than `bearable`. Stops when more than
    // `effort` was looked at, and returns how much was.
    std::int64_t open_all(std::int64_t bearable, std::int64_t effort) {
        prices_.renew(team_);
        records_.note([&](std::int32_t row) { return prices_.worth(row); });
        const std::vector<std::int32_t> queue = in_any_order();
        std::int64_t spent = 0;
        for (std::size_t start = 0; start < queue.size() && spent < effort; start += groups_of_batch)
            spent += open_batch({queue.data() + start, std::min(groups_of_batch, queue.size() - start)}, bearable);
        return spent;
    }

  private:
    // Groups are asked side by side, and boxes opened one after the other. A larger batch finds
    // more boxes that are out of date when their turn comes.
    static constexpr std::size_t groups_of_batch = 16;
    static constexpr int rows_of_group = 2;
    static constexpr std::int64_t effort_of_row = 200'000;

    std::vector<std::int32_t> in_any_order() {
        std::vector<std::int32_t> queue;
        for (std::int32_t group = 0; group < groups_.n_groups(); ++group)
            if (groups_.size(group) > 0 && prices_.is_new(group)) queue.push_back(group);
        for (std::size_t i = queue.size(); i > 1; --i) std::swap(queue[i - 1], queue[random_.below(i)]);
        return queue;
    }
    std::int64_t open_batch(std::span<const std::int32_t> batch, std::int64_t bearable) {
        const std::uint64_t seed = random_.next();
        std::vector<std::vector<Box>> boxes(batch.size());
        std::vector<std::int64_t> efforts(batch.size(), 0);
        team_.for_each(static_cast<std::int64_t>(batch.size()), [&](Scout&, int worker, std::int64_t task) {
            const auto members = groups_.members(batch[task]);
            Random random(seed + static_cast<std::uint64_t>(task));
            for (int i = 0; i < rows_of_group && !members.empty(); ++i) {
                Box box = finders_[worker].find(members[random.below(members.size())], bearable, effort_of_row, efforts[task]);
                if (!box.rows.empty()) boxes[task].push_back(std::move(box));
            }
        });
        std::int64_t spent = 0;
        for (std::size_t task = 0; task < batch.size(); ++task) {
            spent += efforts[task];
            prices_.set_old(batch[task]);
            for (const Box& box : boxes[task]) open_box(groups_, prices_, team_.leader(), box, bearable);
        }
        return spent;
    }

    Groups& groups_;
    Team& team_;
    Random random_;
    Prices prices_;
    RecordTree records_;
    std::vector<BoxFinder> finders_;
};

}  // namespace discreet::clusters
