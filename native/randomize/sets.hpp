// Transactions as the kernels of this folder read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace discreet::randomize {

// Set i is items[offsets[i] .. offsets[i + 1]), ascending numbers below n_items.
struct Sets {
    std::span<const std::int64_t> offsets;
    std::span<const std::int32_t> items;
    std::int32_t n_items;

    std::int64_t n_sets() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
    std::span<const std::int32_t> operator[](std::int64_t i) const {
        return items.subspan(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
};

// What is wrong with the sets, or nothing.
inline std::string problem(const Sets& sets) {
    if (sets.offsets.empty() || sets.offsets.front() != 0 || sets.offsets.back() != static_cast<std::int64_t>(sets.items.size()))
        return "offsets must start at 0 and end at the number of items";
    if (sets.n_items < 0 || sets.n_items > 1 << 30) return "n_items must be from 0 to 2^30";
    for (std::int64_t i = 0; i < sets.n_sets(); ++i) {
        if (sets.offsets[i + 1] < sets.offsets[i] || sets.offsets[i + 1] > sets.offsets.back()) return "offsets must never fall";
        std::int32_t before = -1;
        for (const std::int32_t item : sets[i]) {
            if (item <= before || item >= sets.n_items) return "items must ascend within a transaction, from 0 to n_items - 1";
            before = item;
        }
    }
    return {};
}

}  // namespace discreet::randomize
