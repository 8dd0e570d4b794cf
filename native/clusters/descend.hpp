// Moves of rows that lower the cost, until there are none: one row to another group, all rows
// of a group to others, and the rows that keep a group from being lower in one column.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "clusters/groups.hpp"

namespace discreet::clusters {

// Moves each row to the group where it lowers the total most, if any does.
inline bool move_rows(Groups& groups, Control& control) {
    bool moved = false;
    for (std::int32_t row = 0; row < groups.n_rows(); ++row) {
        if (row % 1024 == 0) control.check();
        if (groups.size(groups.group_of(row)) <= groups.k()) continue;
        const std::int64_t saving = groups.saving(row);
        if (saving <= 0) continue;
        const Target target = groups.cheapest(row, saving);
        if (target.group < 0 || !groups.may_leave(row)) continue;
        groups.move(row, target.group);
        moved = true;
    }
    groups.mark();
    return moved;
}

// Sends the given rows, all of one group, each to the group that takes it at the least cost;
// false, and nothing has changed, if that does not lower the total.
inline bool send_away(Groups& groups, const std::vector<std::int32_t>& rows) {
    const std::size_t mark = groups.mark();
    const std::int64_t before = groups.total();
    const std::int32_t from = groups.group_of(rows[0]);
    const std::int64_t had = groups.cost(from);
    for (const std::int32_t row : rows) {
        // What is left of the group costs something, but perhaps nothing.
        const std::int64_t spent = groups.total() - before + had - groups.cost(from);
        const Target target = groups.cheapest(row, had - spent);
        if (target.group < 0) {
            groups.take_back(mark);
            return false;
        }
        groups.move(row, target.group);
    }
    if (groups.total() < before && groups.is_legal(from)) return true;
    groups.take_back(mark);
    return false;
}

inline bool dissolve_groups(Groups& groups, Control& control) {
    bool changed = false;
    std::vector<std::pair<std::int64_t, std::int32_t>> dear;
    for (std::int32_t group = 0; group < groups.n_groups(); ++group)
        if (groups.cost(group) > 0) dear.emplace_back(-groups.loss(group), group);
    std::ranges::sort(dear);
    for (const auto& [loss, group] : dear) {
        control.check();
        if (groups.size(group) == 0 || groups.n_live() < 2) continue;
        const std::vector<std::int32_t> rows(groups.members(group).begin(), groups.members(group).end());
        changed |= send_away(groups, rows);
    }
    return changed;
}

// Keeps the rows under the most frequent child of a group's node of a column.
inline bool lower_groups(Groups& groups, Control& control) {
    bool changed = false;
    std::vector<std::pair<std::int32_t, std::int32_t>> branch;
    std::vector<std::int32_t> out;
    for (std::int32_t group = 0; group < groups.n_groups(); ++group) {
        control.check();
        for (std::size_t j = 0; j < groups.n_columns(); ++j) {
            if (groups.size(group) <= groups.k()) break;
            const CostColumn& tree = groups.column(j);
            const std::int32_t node = groups.nodes(group)[j];
            if (node < tree.n_leaves) continue;
            branch.clear();
            for (const std::int32_t row : groups.members(group)) branch.emplace_back(tree.child(node, groups.leaves(row)[j]), row);
            std::ranges::sort(branch);
            std::int32_t most = -1;
            std::size_t count = 0;
            for (std::size_t i = 0, start = 0; i < branch.size(); ++i) {
                if (branch[i].first != branch[start].first) start = i;
                if (i - start + 1 > count) count = i - start + 1, most = branch[i].first;
            }
            if (static_cast<std::int64_t>(count) < groups.k()) continue;
            out.clear();
            for (const auto& [child, row] : branch)
                if (child != most) out.push_back(row);
            changed |= send_away(groups, out);
        }
    }
    return changed;
}

}  // namespace discreet::clusters
