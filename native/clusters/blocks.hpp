// Cuts many groups into blocks of groups that are alike, so that blocks can be searched side
// by side and the time grows with the number of rows only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "clusters/table.hpp"

namespace discreet::clusters {

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

}  // namespace discreet::clusters
