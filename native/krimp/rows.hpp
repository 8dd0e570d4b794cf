// Distinct rows in lexicographic order with their weights, and a bitmap of rows for each item.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"

namespace discreet::krimp {

// Equal rows have equal covers: each is kept once. Neighbours share items, so that the ones of a
// bitmap lie close together.
struct Rows {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> items;
    std::vector<std::int64_t> weights;

    std::size_t size() const { return weights.size(); }
    std::span<const std::int32_t> operator[](std::size_t t) const {
        return {items.data() + offsets[t], static_cast<std::size_t>(offsets[t + 1] - offsets[t])};
    }
};

inline Rows distinct_rows(const Database& database, Control& control) {
    const auto n = static_cast<std::size_t>(database.n_transactions());
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return std::ranges::lexicographical_compare(database.transaction(a), database.transaction(b)); });
    control.check();
    Rows rows;
    for (const std::int64_t t : order) {
        const auto items = database.transaction(t);
        const std::int64_t weight = database.weights[static_cast<std::size_t>(t)];
        if (rows.size() > 0 && std::ranges::equal(rows[rows.size() - 1], items)) {
            rows.weights.back() += weight;
            continue;
        }
        rows.items.insert(rows.items.end(), items.begin(), items.end());
        rows.offsets.push_back(static_cast<std::int64_t>(rows.items.size()));
        rows.weights.push_back(weight);
    }
    control.claim(static_cast<std::int64_t>(rows.items.size() * 4 + rows.size() * 16));
    return rows;
}

}  // namespace discreet::krimp
