// The cover of every transaction by a given code table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"
#include "krimp/order.hpp"

namespace discreet::krimp {

struct RowCovers {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> elements;  // of each transaction, in the order they were taken
};

// Takes elements in the order given wherever all their items are still uncovered. Every item of
// the database must be an element. Elements are looked up by their first item.
inline RowCovers cover_rows(const Database& database, std::span<const std::int64_t> offsets, std::span<const std::int32_t> items, Control& control) {
    const std::size_t n_elements = offsets.size() - 1;
    std::vector<std::vector<std::int32_t>> starting(static_cast<std::size_t>(database.n_items));
    for (std::size_t e = 0; e < n_elements; ++e)
        if (offsets[e] < offsets[e + 1]) starting[static_cast<std::size_t>(items[static_cast<std::size_t>(offsets[e])])].push_back(static_cast<std::int32_t>(e));
    std::vector<std::uint8_t> uncovered(static_cast<std::size_t>(database.n_items), 0);
    std::vector<std::int32_t> contained;
    RowCovers covers;
    control.expect(database.n_transactions());
    const auto items_of = [&](std::int32_t e) {
        const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(e)]), end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(e) + 1]);
        return items.subspan(begin, end - begin);
    };
    const auto is_free = [&](std::int32_t e) { return std::ranges::all_of(items_of(e), [&](std::int32_t item) { return uncovered[static_cast<std::size_t>(item)] != 0; }); };
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 64 == 0) control.check();
        const auto row = database.transaction(t);
        for (const std::int32_t item : row) uncovered[static_cast<std::size_t>(item)] = 1;
        contained.clear();
        for (const std::int32_t item : row)
            for (const std::int32_t e : starting[static_cast<std::size_t>(item)])
                if (is_free(e)) contained.push_back(e);
        std::ranges::sort(contained);
        for (const std::int32_t e : contained) {
            if (!is_free(e)) continue;
            for (const std::int32_t item : items_of(e)) uncovered[static_cast<std::size_t>(item)] = 0;
            covers.elements.push_back(e);
        }
        for (const std::int32_t item : row) uncovered[static_cast<std::size_t>(item)] = 0;
        covers.offsets.push_back(static_cast<std::int64_t>(covers.elements.size()));
        control.advance();
    }
    return covers;
}

}  // namespace discreet::krimp
