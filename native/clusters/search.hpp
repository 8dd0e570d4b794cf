// The search among the groups of one block: rows move while that pays, groups are opened where
// that pays or does little harm, and again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "clusters/descend.hpp"
#include "clusters/groups.hpp"
#include "clusters/open_boxes.hpp"
#include "clusters/team.hpp"

namespace discreet::clusters {

constexpr std::int64_t n_stages = 7;  // of progress

// Moves rows, dissolves and lowers groups, `most` times or until nothing changes.
inline void descend(Groups& groups, Team& team, int most) {
    for (bool changed = true; changed && most > 0; --most) {
        changed = move_rows(groups, team, false);
        changed |= dissolve_groups(groups, team);
        changed |= lower_groups(groups, team);
    }
}

// The same to the end. Where rows and groups are few, every row looks at every group.
inline void descend_to_the_end(Groups& groups, Team& team) {
    constexpr std::int64_t most_pairs = 20'000'000;
    const bool of_all = static_cast<std::int64_t>(groups.n_rows()) * groups.n_live() <= most_pairs;
    do descend(groups, team, groups.n_rows());
    while (of_all && move_rows(groups, team, true));
}

inline std::vector<std::int32_t> groups_of_rows(const Groups& groups) {
    std::vector<std::int32_t> group_of(groups.n_rows());
    for (std::int32_t row = 0; row < groups.n_rows(); ++row) group_of[row] = groups.group_of(row);
    return group_of;
}

inline std::vector<std::int32_t> search_lightly(Groups& groups, Team& team, Control& control) {
    descend_to_the_end(groups, team);
    control.advance();
    return groups_of_rows(groups);
}

// Returns the group of each row at the lowest cost that was seen.
inline std::vector<std::int32_t> search(Groups& groups, Team& team, std::uint64_t seed, Control& control) {
    // A round opens boxes that raise the total by less than a share of a group's mean cost, a
    // smaller one each time, the last none: so much can be won back with what follows.
    constexpr int n_rounds = static_cast<int>(n_stages) - 1;
    constexpr double first_share = 0.2, last_share = 0.02;
    constexpr std::int64_t effort_of_row = 20'000;
    descend_to_the_end(groups, team);  // so that no single move would pay in what is returned
    control.advance();
    std::vector<std::int32_t> best = groups_of_rows(groups);
    const std::int64_t lowest = groups.total();
    const double mean = static_cast<double>(lowest) / std::max(groups.n_live(), 1);
    std::int64_t effort = effort_of_row * groups.n_rows();
    BoxOpener opener(groups, team, seed);
    for (int round = 0; round < n_rounds; ++round) {
        const double share = round + 1 == n_rounds ? 0 : first_share * std::pow(last_share / first_share, static_cast<double>(round) / (n_rounds - 1));
        if (effort > 0) effort -= opener.open_all(static_cast<std::int64_t>(share * mean), effort);
        if (round + 1 < n_rounds) descend(groups, team, 3), control.advance();
    }
    descend_to_the_end(groups, team);
    control.advance();
    return groups.total() < lowest ? groups_of_rows(groups) : best;
}

}  // namespace discreet::clusters
