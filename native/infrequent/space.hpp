// Rows with a common prefix, packed into bitmaps of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bitmap.hpp"
#include "infrequent/rows.hpp"

namespace discreet::infrequent {

// A word of a prefix's cover: the rows that have it, and those of them that are live.
struct Cover {
    Word bits, live;
    std::uint32_t word;
};

// Slots are rows; columns are the items that were of use when the space was made.
struct Space : Slots {
    std::size_t depth = 0;                 // length of the common prefix
    std::vector<std::uint32_t> slot_above; // by slot: the row's slot in the space this one was made from
    std::vector<std::size_t> place_of;     // by item: where its bitmaps begin
    const Word* bits = nullptr;            // the rows with each item
    std::vector<Word> own_bits;            // these, unless they are somebody else's
    std::vector<Word> closed;              // the rows in which each item is known to be marked
    std::size_t prefix_closed = 0;         // where in `closed` the items of the prefix begin

    const Word* rows_with(std::size_t item) const { return bits + place_of[item]; }
    // The j-th item of a set that begins with the prefix.
    Word* closed_in(std::size_t j, std::size_t item) { return closed.data() + (j < depth ? prefix_closed + j * n_words() : place_of[item]); }

    void clear(std::size_t prefix_length) {
        Slots::clear();
        depth = prefix_length;
        slot_above.clear();
    }
};

}  // namespace discreet::infrequent
