// Inference channels of a whole collection in one call: what stands for it, the maximal channels, and
// how many there are in all.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "channels/condense.hpp"
#include "channels/count.hpp"
#include "channels/of_collection.hpp"

namespace discreet {

// `maximal.of` are numbers of the collection's own sets. If the collection is not whole, only
// lacking, without and contradicts are set; see Condensed.
struct Detected {
    Channels maximal;
    std::int64_t n_channels = -1;  // of all kinds; -1 if they were not counted
    std::int64_t lacking = -1, without = -1;
    bool contradicts = false;
};

namespace channels {

// Some sets of a collection, and their numbers there.
struct Part {
    Itemsets sets;
    std::vector<std::int64_t> number;

    Part(const Collection& collection, const std::vector<std::uint8_t>& chosen) {
        for (std::int64_t i = 0; i < collection.size(); ++i) {
            if (!chosen[static_cast<std::size_t>(i)]) continue;
            sets.add(collection[i], collection.supports[static_cast<std::size_t>(i)]);
            number.push_back(i);
        }
    }
    Collection view() const { return {sets.offsets, sets.items, sets.supports}; }
};

}  // namespace channels

// The collection has no empty set; its sets have at most 64 items. All channels are counted if there
// are at most max_pairs pairs of a set and a part of it to look at, see count_channels.
inline Detected detect(const Collection& collection, std::int64_t n_rows, std::int64_t k, std::int64_t max_pairs, Control& control) {
    const Condensed condensed = condense(collection, n_rows, control);
    if (condensed.lacking >= 0) return {{}, -1, condensed.lacking, condensed.without, condensed.contradicts};
    const channels::Part closed(collection, condensed.is_closed), maximal(collection, condensed.is_maximal);
    control.claim(static_cast<std::int64_t>((closed.sets.items.size() + maximal.sets.items.size()) * 4 + (closed.number.size() + maximal.number.size()) * 24));
    Detected found;
    try {
        found.maximal = channels_of_collection(closed.view(), maximal.view(), n_rows, k, control);
    } catch (Contradiction& wrong) {
        wrong.itemset = maximal.number[static_cast<std::size_t>(wrong.itemset)];
        throw;
    }
    for (std::int64_t& top : found.maximal.of) top = maximal.number[static_cast<std::size_t>(top)];
    found.n_channels = count_channels(collection, n_rows, k, max_pairs, control);
    return found;
}

}  // namespace discreet
