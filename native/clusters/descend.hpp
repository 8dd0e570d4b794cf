// Moves of rows that lower the cost: one row to another group, all rows of a group to others,
// and the rows that keep a group from being lower in one column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "clusters/groups.hpp"
#include "clusters/team.hpp"

namespace discreet::clusters {

// Moves each row to the group where it lowers the total most, if any does; false if none did.
// Rows choose side by side, then move one after the other if it still pays.
inline bool move_rows(Groups& groups, Team& team, bool of_all) {
    constexpr std::int32_t rows_of_task = 512;
    const auto target = [&](Scout& scout, std::int32_t row) -> std::int32_t {
        if (groups.size(groups.group_of(row)) <= groups.k) return -1;
        const std::int64_t saving = groups.saving(row);
        if (saving <= 0) return -1;
        return (of_all ? scout.cheapest_of_all(row, saving) : scout.cheapest(row, saving)).group;
    };
    std::vector<std::vector<std::int32_t>> wanting((groups.n_rows() + rows_of_task - 1) / rows_of_task);
    team.for_each(static_cast<std::int64_t>(wanting.size()), [&](Scout& scout, int, std::int64_t task) {
        const auto first = static_cast<std::int32_t>(task) * rows_of_task;
        for (std::int32_t row = first; row < std::min(first + rows_of_task, groups.n_rows()); ++row)
            if (target(scout, row) >= 0) wanting[task].push_back(row);
    });
    bool moved = false;
    for (const auto& rows : wanting)
        for (const std::int32_t row : rows) {
            const std::int32_t group = target(team.leader(), row);
            if (group < 0 || !team.leader().may_leave(row)) continue;
            groups.move(row, group);
            moved = true;
        }
    groups.start_log();
    return moved;
}

// Sends rows of one group each to the group that takes it at the lowest price; false, and
// nothing has changed, if that does not lower the total.
inline bool send_away(Groups& groups, Scout& scout, const std::vector<std::int32_t>& rows) {
    groups.start_log();
    const std::int32_t from = groups.group_of(rows[0]);
    const std::int64_t before = groups.total();
    std::int64_t left = groups.cost(from);  // at most so much can be won
    for (const std::int32_t row : rows) {
        const Target target = scout.cheapest(row, left);
        if (target.group < 0) {
            groups.take_back();
            return false;
        }
        left -= target.price;
        groups.move(row, target.group);
    }
    if (groups.total() < before && scout.is_legal(from)) return true;
    groups.take_back();
    return false;
}

// Dissolves groups, those of the highest loss first.
inline bool dissolve_groups(Groups& groups, Team& team) {
    bool changed = false;
    std::vector<std::pair<std::int64_t, std::int32_t>> order;
    for (std::int32_t group = 0; group < groups.n_groups(); ++group)
        if (groups.cost(group) > 0) order.emplace_back(-groups.loss(group), group);
    std::ranges::sort(order);
    for (const auto& [loss, group] : order) {
        team.control.check();
        const auto members = groups.members(group);
        if (!members.empty()) changed |= send_away(groups, team.leader(), {members.begin(), members.end()});
    }
    return changed;
}

// The rows of a group that are not under the most frequent child of its node of a column;
// none if fewer than k are.
inline std::vector<std::int32_t> outsiders(const Groups& groups, std::int32_t group, std::size_t column) {
    const CostColumn& tree = groups.column(column);
    const std::int32_t node = groups.nodes(group)[column];
    if (node < tree.n_leaves) return {};
    std::vector<std::pair<std::int32_t, std::int32_t>> under;  // child, row
    for (const std::int32_t row : groups.members(group)) under.emplace_back(tree.child(node, groups.leaves(row)[column]), row);
    std::ranges::sort(under);
    std::int64_t most = 0;
    std::int32_t kept = -1;
    for (std::size_t i = 0, start = 0; i < under.size(); ++i) {
        if (under[i].first != under[start].first) start = i;
        const auto count = static_cast<std::int64_t>(i - start + 1);
        if (count > most) most = count, kept = under[i].first;
    }
    std::vector<std::int32_t> out;
    if (most < groups.k) return out;
    for (const auto& [child, row] : under)
        if (child != kept) out.push_back(row);
    return out;
}

// Sends the rows away that keep a group from being lower in one column.
inline bool lower_groups(Groups& groups, Team& team) {
    bool changed = false;
    for (std::int32_t group = 0; group < groups.n_groups(); ++group) {
        team.control.check();
        for (std::size_t j = 0; j < groups.n_columns() && groups.size(group) > groups.k; ++j) {
            const std::vector<std::int32_t> out = outsiders(groups, group, j);
            if (!out.empty()) changed |= send_away(groups, team.leader(), out);
        }
    }
    return changed;
}

}  // namespace discreet::clusters
