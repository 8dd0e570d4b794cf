// Groups equal rows of a table given as columns of codes.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"

namespace discreet {

struct RowGroups {
    std::vector<std::int64_t> first;    // first row of each group, ascending
    std::vector<std::int64_t> count;    // rows in each group
    std::vector<std::int32_t> group_of; // group of each row
};

// One pass over a hash table that holds one row number per group; equal hashes are
// settled by comparing the rows. Time O(rows * columns), memory 12 bytes a row.
inline RowGroups collapse(std::span<const std::span<const std::uint32_t>> columns, std::int64_t n_rows, Control& control) {
    const auto n = static_cast<std::size_t>(n_rows);
    control.claim(n_rows * 12);
    std::vector<std::uint64_t> hash(n, 0x9e3779b97f4a7c15u);
    for (const auto& column : columns)
        for (std::size_t row = 0; row < n; ++row) {
            const std::uint64_t mixed = (hash[row] ^ column[row]) * 0xff51afd7ed558ccdu;
            hash[row] = mixed ^ (mixed >> 32);
        }
    const auto equal = [&](std::size_t a, std::size_t b) {
        for (const auto& column : columns)
            if (column[a] != column[b]) return false;
        return true;
    };
    RowGroups groups;
    groups.group_of.resize(n);
    std::size_t capacity = 1024;
    std::vector<std::int32_t> table(capacity, -1);
    const auto slot_of = [&](std::size_t row) {
        std::size_t slot = hash[row] & (capacity - 1);
        while (table[slot] >= 0) {
            const auto other = static_cast<std::size_t>(groups.first[static_cast<std::size_t>(table[slot])]);
            if (hash[other] == hash[row] && equal(other, row)) break;
            slot = (slot + 1) & (capacity - 1);
        }
        return slot;
    };
    for (std::size_t row = 0; row < n; ++row) {
        if (row % 65536 == 0) control.check();
        std::size_t slot = slot_of(row);
        if (table[slot] < 0) {
            if (2 * (groups.first.size() + 1) > capacity) {
                capacity *= 4;
                table.assign(capacity, -1);
                for (std::size_t group = 0; group < groups.first.size(); ++group) {
                    std::size_t free = hash[static_cast<std::size_t>(groups.first[group])] & (capacity - 1);
                    while (table[free] >= 0) free = (free + 1) & (capacity - 1);
                    table[free] = static_cast<std::int32_t>(group);
                }
                slot = slot_of(row);
            }
            table[slot] = static_cast<std::int32_t>(groups.first.size());
            groups.first.push_back(static_cast<std::int64_t>(row));
            groups.count.push_back(0);
        }
        groups.group_of[row] = table[slot];
        ++groups.count[static_cast<std::size_t>(table[slot])];
    }
    control.release(n_rows * 12);
    return groups;
}

}  // namespace discreet
