// Groups of rows made better, block by block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "clusters/blocks.hpp"
#include "clusters/descend.hpp"
#include "clusters/find_box.hpp"
#include "clusters/groups.hpp"
#include "clusters/open_box.hpp"
#include "clusters/prices.hpp"
#include "clusters/random.hpp"
#include "clusters/record_tree.hpp"
#include "clusters/team.hpp"

namespace discreet::clusters {

// Moves, dissolves and lowers until nothing changes or `most` times.
inline void descend(Groups& groups, Team& team, int most) {
    for (bool changed = true; changed && most > 0; --most) {
        changed = move_rows(groups, team, false);
        changed |= dissolve_groups(groups, team);
        changed |= lower_groups(groups, team);
    }
}

// Opens groups where that pays, asking around a few rows of every group whose prices are new.
// Returns how much was looked at.
inline std::int64_t open_boxes(Groups& groups, Prices& prices, const RecordTree& records, Team& team, Random& random, std::int64_t effort) {
    constexpr std::size_t groups_of_batch = 64, rows_of_group = 3;
    constexpr std::int64_t effort_of_row = 200'000;
    prices.renew(team);
    std::vector<std::int32_t> queue;
    for (std::int32_t group = 0; group < groups.n_groups(); ++group)
        if (groups.size(group) > 0 && prices.is_new(group)) queue.push_back(group);
    for (std::size_t i = queue.size(); i > 1; --i) std::swap(queue[i - 1], queue[random.below(i)]);
    std::vector<BoxFinder> finders(team.size(), BoxFinder(groups, prices, records));
    std::int64_t spent = 0;
    for (std::size_t start = 0; start < queue.size() && spent < effort; start += groups_of_batch) {
        const std::size_t n_asked = std::min(groups_of_batch, queue.size() - start);
        const std::uint64_t seed = random.next();
        std::vector<Box> boxes(n_asked);
        std::vector<std::int64_t> efforts(n_asked, 0);
        team.for_each(static_cast<std::int64_t>(n_asked), [&](Scout&, int worker, std::int64_t task) {
            const auto members = groups.members(queue[start + task]);
            Random own(seed + static_cast<std::uint64_t>(task));
            for (std::size_t i = 0; i < rows_of_group && !members.empty(); ++i) {
                Box box = finders[worker].find(members[own.below(members.size())], effort_of_row, efforts[task]);
                if (box.won > boxes[task].won) boxes[task] = std::move(box);
            }
        });
        for (std::size_t task = 0; task < n_asked; ++task) {
            spent += efforts[task];
            prices.set_old(queue[start + task]);
            if (boxes[task].won > 0) open_box(groups, prices, team.leader(), boxes[task]);
        }
    }
    return spent;
}

// What one block comes to: the group of each of its rows.
struct Searched {
    std::vector<std::int64_t> rows;
    std::vector<std::int32_t> group_of;
};

inline Searched search_block(const CostTable& table, std::span<const Rule> rules, std::int64_t k, const std::vector<std::vector<std::int64_t>>& members,
                             const std::vector<std::int32_t>& block, std::uint64_t seed, int threads, Control& control) {
    constexpr int n_rounds = 5;
    constexpr std::int64_t effort_of_row = 20'000;
    Searched found;
    for (std::size_t i = 0; i < block.size(); ++i)
        for (const std::int64_t row : members[block[i]]) {
            found.rows.push_back(row);
            found.group_of.push_back(static_cast<std::int32_t>(i));
        }
    Groups groups(table, rules, k, found.rows, found.group_of);
    Team team(groups, threads, control);
    Random random(seed);
    descend(groups, team, 3);
    control.advance();
    const RecordTree records(groups);
    Prices prices(groups);
    std::int64_t left = effort_of_row * groups.n_rows();
    for (int round = 0; round < n_rounds; ++round) {
        if (left > 0) left -= open_boxes(groups, prices, records, team, random, left);
        descend(groups, team, 3);
        control.advance();
    }
    descend(groups, team, 1000);
    for (std::size_t row = 0; row < found.rows.size(); ++row) found.group_of[row] = groups.group_of(static_cast<std::int32_t>(row));
    control.advance();
    return found;
}

// The same rows in groups of at least k that obey the rules, as those given must, and never at
// a higher cost. Groups are numbered from 0.
inline std::vector<std::int32_t> improve(const CostTable& table, std::span<const Rule> rules, std::int64_t k, std::vector<std::int32_t> group_of, Control& control) {
    const std::int64_t rows_of_block = std::max<std::int64_t>(40'000, 64 * k);
    std::vector<std::vector<std::int64_t>> members(group_of.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(group_of)) + 1);
    for (std::size_t row = 0; row < group_of.size(); ++row) members[group_of[row]].push_back(static_cast<std::int64_t>(row));
    std::erase_if(members, [](const auto& rows) { return rows.empty(); });
    const auto blocks = cut_blocks(table, members, rows_of_block, 0);
    control.expect(static_cast<std::int64_t>(blocks.size()) * 7);
    std::vector<Searched> found(blocks.size());
    const int threads = blocks.size() == 1 ? control.threads : 1;
    for_each_task(control, static_cast<std::int64_t>(blocks.size()), [&](int, std::int64_t task) {
        found[task] = search_block(table, rules, k, members, blocks[task], static_cast<std::uint64_t>(task), threads, control);
    });
    std::int32_t n_groups = 0;
    for (const Searched& block : found) {
        std::int32_t most = -1;
        for (std::size_t i = 0; i < block.rows.size(); ++i) {
            group_of[block.rows[i]] = n_groups + block.group_of[i];
            most = std::max(most, block.group_of[i]);
        }
        n_groups += most + 1;
    }
    return group_of;
}

}  // namespace discreet::clusters
