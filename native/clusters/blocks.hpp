// Cuts many groups into blocks of groups that are alike, so that blocks can be searched side
// by side and the time grows with the number of rows only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "clusters/random.hpp"
#include "clusters/table.hpp"

namespace discreet::clusters {

// Groups of rows in blocks of about `n_rows` rows: sorted by the leaves of one row of each,
// columns in an order that the round draws.
inline std::vector<std::vector<std::int32_t>> cut_blocks(const CostTable& table, const std::vector<std::vector<std::int64_t>>& members, std::int64_t n_rows, std::uint64_t round) {
    Random random(round);
    std::vector<std::size_t> columns(table.n_columns());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    for (std::size_t i = columns.size(); i > 1; --i) std::swap(columns[i - 1], columns[random.below(i)]);
    std::vector<const std::int32_t*> shown;
    for (const auto& rows : members) shown.push_back(table.row(static_cast<std::size_t>(rows[random.below(rows.size())])));
    std::vector<std::int32_t> order(members.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
        for (const std::size_t column : columns) {
            const std::int32_t one = shown[static_cast<std::size_t>(a)][column], other = shown[static_cast<std::size_t>(b)][column];
            if (one != other) return one < other;
        }
        return a < b;
    });
    const auto n_blocks = std::max<std::int64_t>(1, static_cast<std::int64_t>(table.n_rows()) / n_rows);
    std::vector<std::vector<std::int32_t>> blocks(static_cast<std::size_t>(n_blocks));
    std::int64_t passed = 0;
    for (const std::int32_t group : order) {
        const std::int64_t block = std::min(n_blocks - 1, passed * n_blocks / static_cast<std::int64_t>(table.n_rows()));
        blocks[static_cast<std::size_t>(block)].push_back(group);
        passed += static_cast<std::int64_t>(members[static_cast<std::size_t>(group)].size());
    }
    std::erase_if(blocks, [](const auto& block) { return block.empty(); });
    return blocks;
}

}  // namespace discreet::clusters
