// Rows with a common prefix, packed into bitmaps of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "bitmap.hpp"
#include "infrequent_rows.hpp"

namespace discreet::infrequent {

// A word of a prefix's cover: the rows that have it, and those of them that are live.
struct Cover {
    Word bits, live;
    std::uint32_t word;
};

// Slots are rows; columns are the items that were of use when the space was made.
struct Space {
    std::size_t depth = 0;                // length of the common prefix
    Layout layout;
    std::vector<std::int32_t> row_at;     // by slot
    std::vector<std::uint32_t> slot_above;  // by slot: the row's slot in the space this one was made from
    std::vector<std::int32_t> column_of;  // by item
    std::vector<Word> bits;               // by column: the rows with the item
    std::vector<Word> open;               // by column: of these, the rows in which the item is not marked
    std::vector<Word> prefix_open;        // the rows in which some item of the prefix is not marked

    std::size_t n_words() const { return layout.n_words(); }
    const Word* rows_with(std::size_t item) const { return bits.data() + static_cast<std::size_t>(column_of[item]) * n_words(); }
    Word* open_with(std::size_t item) { return open.data() + static_cast<std::size_t>(column_of[item]) * n_words(); }

    void clear(std::size_t prefix_length) {
        depth = prefix_length;
        layout = {};
        row_at.clear();
        slot_above.clear();
    }
    std::size_t add(std::int32_t row, std::int64_t weight, std::uint32_t above) {
        const std::size_t slot = layout.place(weight);
        row_at.resize(slot + 1, -1);  // slots left free at a change of weight have no row
        slot_above.resize(slot + 1);
        row_at[slot] = row;
        slot_above[slot] = above;
        return slot;
    }
    std::size_t bytes(std::size_t n_columns) const { return n_words() * (n_columns * sizeof(Word) + 64 * 8); }
};

}  // namespace discreet::infrequent
