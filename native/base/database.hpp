// The one encoded form every miner reads: weighted transactions of integer items.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace discreet {

// Transaction t is items[offsets[t] .. offsets[t+1]), strictly ascending item ids in
// [0, n_items), and stands for weights[t] >= 1 equal rows. In a table the items of one
// column are one contiguous range of ids and column_of[item] tells the column;
// for plain transactions column_of is empty.
struct Database {
    std::span<const std::int64_t> offsets;  // n_transactions + 1
    std::span<const std::int32_t> items;
    std::span<const std::int64_t> weights;  // n_transactions
    std::int32_t n_items = 0;
    std::span<const std::int32_t> column_of;  // n_items, or empty

    std::int64_t n_transactions() const { return static_cast<std::int64_t>(weights.size()); }
    bool is_table() const { return !column_of.empty(); }
    std::span<const std::int32_t> transaction(std::int64_t t) const {
        return items.subspan(static_cast<std::size_t>(offsets[t]), static_cast<std::size_t>(offsets[t + 1] - offsets[t]));
    }
    std::int64_t total_weight() const {
        std::int64_t total = 0;
        for (const std::int64_t weight : weights) total += weight;
        return total;
    }
};

// What is wrong with the arrays, in words; empty if nothing is. Kernels trust a
// database for which this is empty and check nothing again.
inline std::string problem(const Database& database) {
    constexpr std::int64_t most_rows = std::int64_t{1} << 31;
    const auto n = database.n_transactions();
    if (database.n_items < 0) return "n_items is negative";
    if (database.n_items > 1 << 30) return "n_items is more than 2^30";  // kernels count items, and one more, in 32 bits
    if (static_cast<std::int64_t>(database.offsets.size()) != n + 1) return "offsets must have one entry more than weights";
    if (database.offsets[0] != 0) return "offsets must start at 0";
    if (database.offsets[static_cast<std::size_t>(n)] != static_cast<std::int64_t>(database.items.size())) return "the last offset must be the number of items";
    if (database.is_table() && database.column_of.size() != static_cast<std::size_t>(database.n_items)) return "column_of must have n_items entries or none";
    for (std::size_t i = 0; i < database.column_of.size(); ++i) {
        const std::int32_t column = database.column_of[i], before = i == 0 ? 0 : database.column_of[i - 1];
        if (column < 0 || column < before || column > static_cast<std::int32_t>(i)) return "column_of must rise from 0 without jumps past the item";
    }
    for (std::int64_t t = 0; t < n; ++t) {
        const std::int64_t begin = database.offsets[static_cast<std::size_t>(t)], end = database.offsets[static_cast<std::size_t>(t) + 1];
        if (end < begin || end > static_cast<std::int64_t>(database.items.size())) return "offsets fall at transaction " + std::to_string(t);
    }
    std::int64_t total = 0;
    for (std::int64_t t = 0; t < n; ++t) {
        const std::int64_t weight = database.weights[static_cast<std::size_t>(t)];
        if (weight < 1) return "weight below 1 at transaction " + std::to_string(t);
        if (weight >= most_rows || (total += weight) >= most_rows) return "the weights add up to 2^31 rows or more";
        std::int32_t before = -1;
        for (const std::int32_t item : database.transaction(t)) {
            if (item <= before || item >= database.n_items) return "items of transaction " + std::to_string(t) + " are not strictly ascending ids below n_items";
            if (before >= 0 && database.is_table() && database.column_of[static_cast<std::size_t>(item)] == database.column_of[static_cast<std::size_t>(before)])
                return "transaction " + std::to_string(t) + " has two values of one column";
            before = item;
        }
    }
    return "";
}

}  // namespace discreet
