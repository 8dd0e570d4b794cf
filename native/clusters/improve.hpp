// Groups of rows made better, block by block.
//
// improve, at the bottom, cuts blocks and searches each; above it are the search and its moves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "clusters/groups.hpp"
#include "clusters/open_boxes.hpp"
#include "clusters/table.hpp"
#include "clusters/team.hpp"

namespace discreet::clusters {

// ---- Moves ----
// Moves of rows that lower the cost: one row to another group, all rows of a group to others,
// and the rows that keep a group from being lower in one column.

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

// ---- The search of one block ----
// The search among the groups of one block: rows move while that pays, groups are opened where
// that pays or does little harm, and again.

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

// ---- Blocks ----
// Cuts many groups into blocks of groups that are alike, so that blocks can be searched side
// by side and the time grows with the number of rows only.

// Groups of rows in blocks of about `n_rows` rows: sorted by the leaves of the first row of
// each, columns with few values first or last.
inline std::vector<std::vector<std::int32_t>> cut_blocks(const CostTable& table, const std::vector<std::vector<std::int64_t>>& members, std::int64_t n_rows, bool few_values_first) {
    std::vector<std::size_t> columns(table.n_columns());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    std::ranges::stable_sort(columns, {}, [&](std::size_t column) { return table.columns[column].n_leaves; });
    if (!few_values_first) std::ranges::reverse(columns);
    std::vector<std::int32_t> order(members.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
        const std::int32_t *one = table.row(members[a][0]), *other = table.row(members[b][0]);
        for (const std::size_t column : columns)
            if (one[column] != other[column]) return one[column] < other[column];
        return a < b;
    });
    const auto total = static_cast<std::int64_t>(table.n_rows());
    const std::int64_t n_blocks = std::max<std::int64_t>(1, (total + n_rows / 2) / n_rows);
    std::vector<std::vector<std::int32_t>> blocks(n_blocks);
    std::int64_t passed = 0;
    for (const std::int32_t group : order) {
        blocks[passed * n_blocks / total].push_back(group);
        passed += static_cast<std::int64_t>(members[group].size());
    }
    std::erase_if(blocks, [](const auto& block) { return block.empty(); });
    return blocks;
}

// ---- All blocks ----

using Members = std::vector<std::vector<std::int64_t>>;

// The groups of one block after a search; a light one only descends.
inline Members search_block(const CostTable& table, std::span<const Rule> rules, std::int64_t k, const Members& members, const std::vector<std::int32_t>& block,
                            std::uint64_t seed, bool is_light, int threads, Control& control) {
    std::vector<std::int64_t> rows;
    std::vector<std::int32_t> group_of;
    for (std::size_t i = 0; i < block.size(); ++i) {
        rows.insert(rows.end(), members[block[i]].begin(), members[block[i]].end());
        group_of.resize(rows.size(), static_cast<std::int32_t>(i));
    }
    Groups groups(table, rules, k, rows, group_of);
    Team team(groups, threads, control);
    group_of = is_light ? search_lightly(groups, team, control) : search(groups, team, seed, control);
    Members found(groups.n_groups());
    for (std::size_t row = 0; row < rows.size(); ++row) found[group_of[row]].push_back(rows[row]);
    return found;
}

inline Members search_blocks(const CostTable& table, std::span<const Rule> rules, std::int64_t k, const Members& members,
                             const std::vector<std::vector<std::int32_t>>& blocks, bool is_light, Control& control) {
    std::vector<Members> found(blocks.size());
    const int threads = blocks.size() == 1 ? control.threads : 1;
    for_each_task(control, static_cast<std::int64_t>(blocks.size()), [&](int, std::int64_t block) {
        found[block] = search_block(table, rules, k, members, blocks[block], static_cast<std::uint64_t>(block), is_light, threads, control);
    });
    Members all;
    for (Members& some : found)
        for (auto& rows : some)
            if (!rows.empty()) all.push_back(std::move(rows));
    return all;
}

// The same rows in groups of at least k that obey the rules, as those given must, and never at
// a higher cost. Groups are numbered from 0. Up to some tens of thousands of rows are one
// block; more are cut into blocks, searched, and cut anew for rows that are on the wrong side.
inline std::vector<std::int32_t> improve(const CostTable& table, std::span<const Rule> rules, std::int64_t k, std::vector<std::int32_t> group_of, Control& control) {
    constexpr std::int64_t rows_of_block = 30'000, groups_of_block = 64;
    if (group_of.empty()) return group_of;
    Members members(static_cast<std::size_t>(std::ranges::max(group_of)) + 1);
    for (std::size_t row = 0; row < group_of.size(); ++row) members[group_of[row]].push_back(static_cast<std::int64_t>(row));
    std::erase_if(members, [](const auto& rows) { return rows.empty(); });
    const std::int64_t rows_at_once = std::max(rows_of_block, groups_of_block * k);
    const auto blocks = cut_blocks(table, members, rows_at_once, true);
    const auto n_blocks = static_cast<std::int64_t>(blocks.size());
    control.expect(n_blocks * n_stages + (n_blocks > 1 ? n_blocks : 0));
    members = search_blocks(table, rules, k, members, blocks, false, control);
    if (n_blocks > 1) members = search_blocks(table, rules, k, members, cut_blocks(table, members, rows_at_once, false), true, control);
    for (std::size_t group = 0; group < members.size(); ++group)
        for (const std::int64_t row : members[group]) group_of[row] = static_cast<std::int32_t>(group);
    return group_of;
}

}  // namespace discreet::clusters
