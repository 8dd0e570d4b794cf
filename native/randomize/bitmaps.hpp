// Sets as bitmaps of all items, one after the other, and as lists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "base/tasks.hpp"
#include "randomize/list_bits.hpp"

namespace discreet::randomize {

// Set i has item a if bit a of row i is 1; what is left of the last word is 0.
struct Bitmaps {
    Bitmaps() = default;
    Bitmaps(std::int64_t n_rows, std::int32_t n_items, Control& control) : n_rows(n_rows), n_words(bitmap::words_for(static_cast<std::size_t>(n_items))) {
        control.claim(static_cast<std::int64_t>(size() * sizeof(std::uint64_t)));
        words = std::make_unique_for_overwrite<std::uint64_t[]>(size());
    }
    std::size_t size() const { return static_cast<std::size_t>(n_rows) * n_words; }
    std::uint64_t* row(std::int64_t i) { return words.get() + static_cast<std::size_t>(i) * n_words; }

    std::int64_t n_rows = 0;
    std::size_t n_words = 0;
    std::unique_ptr<std::uint64_t[]> words;
};

// Set i is items[offsets[i] .. offsets[i + 1]).
struct Lists {
    std::vector<std::int64_t> offsets;
    std::unique_ptr<std::int32_t[]> items;
};

// The same sets as lists: counted first, so that it is known where each begins.
inline Lists to_lists(std::span<const std::uint64_t> words, std::int64_t n_rows, std::size_t n_words, Control& control) {
    constexpr std::int64_t at_once = 128;
    Lists lists{std::vector<std::int64_t>(static_cast<std::size_t>(n_rows) + 1, 0), nullptr};
    const auto each = [&](auto&& action) {
        for_each_task(control, (n_rows + at_once - 1) / at_once, [&](int, std::int64_t block) {
            for (std::int64_t i = block * at_once; i < std::min(n_rows, (block + 1) * at_once); ++i) action(i, words.data() + static_cast<std::size_t>(i) * n_words);
        });
    };
    each([&](std::int64_t i, const std::uint64_t* row) { lists.offsets[i + 1] = bitmap::count(row, n_words); });
    for (std::int64_t i = 0; i < n_rows; ++i) lists.offsets[i + 1] += lists.offsets[i];
    control.claim(lists.offsets.back() * static_cast<std::int64_t>(sizeof(std::int32_t)));
    lists.items = std::make_unique_for_overwrite<std::int32_t[]>(static_cast<std::size_t>(lists.offsets.back()));
    each([&](std::int64_t i, const std::uint64_t* row) { list_bits(row, n_words, lists.items.get() + lists.offsets[i]); });
    return lists;
}

}  // namespace discreet::randomize
