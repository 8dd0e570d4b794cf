// Groups of rows made better, block by block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "clusters/blocks.hpp"
#include "clusters/descend.hpp"
#include "clusters/groups.hpp"

namespace discreet::clusters {

// What one block comes to: the group of each of its rows.
struct Searched {
    std::vector<std::int64_t> rows;
    std::vector<std::int32_t> group_of;
};

inline Searched search_block(const CostTable& table, std::span<const Rule> rules, std::int64_t k, const std::vector<std::vector<std::int64_t>>& members,
                             const std::vector<std::int32_t>& block, Control& control) {
    Searched found;
    for (std::size_t i = 0; i < block.size(); ++i)
        for (const std::int64_t row : members[static_cast<std::size_t>(block[i])]) {
            found.rows.push_back(row);
            found.group_of.push_back(static_cast<std::int32_t>(i));
        }
    Groups groups(table, rules, k, found.rows, found.group_of);
    for (bool changed = true; changed;) {
        changed = false;
        while (move_rows(groups, control)) changed = true;
        changed |= dissolve_groups(groups, control);
        changed |= lower_groups(groups, control);
    }
    for (std::size_t row = 0; row < found.rows.size(); ++row) found.group_of[row] = groups.group_of(static_cast<std::int32_t>(row));
    return found;
}

// The same rows in groups of at least k that obey the rules, as those given must, and never at
// a higher cost. Groups are numbered from 0.
inline std::vector<std::int32_t> improve(const CostTable& table, std::span<const Rule> rules, std::int64_t k, std::vector<std::int32_t> group_of, Control& control) {
    constexpr std::int64_t rows_of_block = 15000;
    constexpr std::uint64_t n_rounds = 4;
    for (std::uint64_t round = 0; round < n_rounds; ++round) {
        std::vector<std::vector<std::int64_t>> members(group_of.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(group_of)) + 1);
        for (std::size_t row = 0; row < group_of.size(); ++row) members[static_cast<std::size_t>(group_of[row])].push_back(static_cast<std::int64_t>(row));
        std::erase_if(members, [](const auto& rows) { return rows.empty(); });
        const auto blocks = cut_blocks(table, members, rows_of_block, round);
        std::vector<Searched> found(blocks.size());
        for_each_task(control, static_cast<std::int64_t>(blocks.size()), [&](int, std::int64_t task) {
            const auto block = static_cast<std::size_t>(task);
            found[block] = search_block(table, rules, k, members, blocks[block], control);
        });
        std::int32_t n_groups = 0;
        for (const Searched& block : found) {
            std::int32_t most = -1;
            for (std::size_t i = 0; i < block.rows.size(); ++i) {
                group_of[static_cast<std::size_t>(block.rows[i])] = n_groups + block.group_of[i];
                most = std::max(most, block.group_of[i]);
            }
            n_groups += most + 1;
        }
    }
    return group_of;
}

}  // namespace discreet::clusters
