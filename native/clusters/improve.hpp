// Groups of rows made better, block by block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "clusters/blocks.hpp"
#include "clusters/groups.hpp"
#include "clusters/search.hpp"
#include "clusters/team.hpp"

namespace discreet::clusters {

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
