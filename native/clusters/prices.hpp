// What it would cost to do without groups: of each row the price in the cheapest other group,
// and of each group what dissolving it would cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "clusters/groups.hpp"
#include "clusters/team.hpp"

namespace discreet::clusters {

class Prices {
  public:
    explicit Prices(const Groups& groups) : groups_(groups), of_row_(groups.n_rows(), -1) {}

    std::int64_t of_row(std::int32_t row) const { return of_row_[row]; }
    // The loss at which a row would cost as much as its price.
    std::int64_t worth(std::int32_t row) const { return (of_row_[row] + groups_.weight(row) - 1) / groups_.weight(row); }
    // What the total would rise if each row of a group went to its cheapest other group.
    std::int64_t of_group(std::int32_t group) const { return of_group_[group]; }
    bool is_new(std::int32_t group) const { return is_new_[group]; }
    void set_old(std::int32_t group) { is_new_[group] = 0; }

    // Asks for all prices again; groups in which one has changed are new.
    void renew(Team& team) {
        make_room();
        constexpr std::int32_t groups_of_task = 64;
        team.for_each((groups_.n_groups() + groups_of_task - 1) / groups_of_task, [&](Scout& scout, int, std::int64_t task) {
            const auto first = static_cast<std::int32_t>(task) * groups_of_task;
            for (std::int32_t group = first; group < std::min(first + groups_of_task, groups_.n_groups()); ++group) ask(scout, group);
        });
    }
    // The same for groups that have just changed.
    void renew(Scout& scout, const std::vector<std::int32_t>& changed) {
        make_room();
        for (const std::int32_t group : changed) {
            ask(scout, group);
            is_new_[group] = 1;
        }
    }

  private:
    // More than any saving, and sums of it do not overflow.
    static constexpr std::int64_t never = std::int64_t{1} << 62;

    void make_room() {
        of_group_.resize(groups_.n_groups(), 0);
        is_new_.resize(groups_.n_groups(), 1);
    }
    void ask(Scout& scout, std::int32_t group) {
        std::int64_t sum = -groups_.cost(group);
        for (const std::int32_t row : groups_.members(group)) {
            Target target = scout.cheapest(row, Scout::no_limit);
            if (target.group < 0) target = scout.cheapest_of_all(row, Scout::no_limit);
            const bool is_stuck = target.group < 0;  // then the row is worth what it costs where it is
            const std::int64_t price = is_stuck ? groups_.weight(row) * groups_.loss(group) : target.price;
            sum = is_stuck || sum == never ? never : sum + price;
            if (of_row_[row] != price) is_new_[group] = 1;
            of_row_[row] = price;
        }
        of_group_[group] = sum;
    }

    const Groups& groups_;
    std::vector<std::int64_t> of_row_, of_group_;
    std::vector<std::uint8_t> is_new_;
};

}  // namespace discreet::clusters
