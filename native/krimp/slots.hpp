// Places for items in a row's mask: no row has two items of one slot.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "base/database.hpp"

namespace discreet::krimp {

struct Slots {
    std::vector<std::int32_t> of_item;
    std::int32_t n = 0;
};

// A table's slots are its columns. Otherwise items are coloured one by one, those with most
// neighbours (items in a common row) first, each with the lowest slot no neighbour has: data that
// were a table once get about as many slots as they had columns.
inline Slots slots(const Database& database, Control& control) {
    const auto n_items = static_cast<std::size_t>(database.n_items);
    Slots found{std::vector<std::int32_t>(n_items, 0), 0};
    if (database.is_table()) {
        std::copy(database.column_of.begin(), database.column_of.end(), found.of_item.begin());
        for (const std::int32_t slot : found.of_item) found.n = std::max(found.n, slot + 1);
        return found;
    }
    const std::size_t words = bitmap::words_for(n_items);
    const auto bytes = static_cast<std::int64_t>(n_items * words * 8);
    control.claim(bytes);
    std::vector<bitmap::Word> together(n_items * words, 0), row(words, 0);
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 1024 == 0) control.check();
        const auto items = database.transaction(t);
        for (const std::int32_t item : items) bitmap::set(row.data(), static_cast<std::size_t>(item));
        for (const std::int32_t item : items) {
            bitmap::Word* of = together.data() + static_cast<std::size_t>(item) * words;
            for (std::size_t w = 0; w < words; ++w) of[w] |= row[w];
        }
        for (const std::int32_t item : items) row[static_cast<std::size_t>(item) / 64] = 0;
    }
    std::vector<std::int64_t> n_neighbours(n_items);
    for (std::size_t item = 0; item < n_items; ++item) n_neighbours[item] = bitmap::count(together.data() + item * words, words);
    std::vector<std::int32_t> order(n_items);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return n_neighbours[static_cast<std::size_t>(a)] > n_neighbours[static_cast<std::size_t>(b)]; });
    std::vector<std::vector<bitmap::Word>> members;  // of each slot
    for (const std::int32_t item : order) {
        const auto i = static_cast<std::size_t>(item);
        std::size_t slot = 0;
        while (slot < members.size() && bitmap::count_and(members[slot].data(), together.data() + i * words, words) > 0) ++slot;
        if (slot == members.size()) members.emplace_back(words, 0);
        bitmap::set(members[slot].data(), i);
        found.of_item[i] = static_cast<std::int32_t>(slot);
    }
    found.n = static_cast<std::int32_t>(members.size());
    control.release(bytes);
    return found;
}

}  // namespace discreet::krimp
