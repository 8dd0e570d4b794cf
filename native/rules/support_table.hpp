// Looks up the support of an itemset in a collection.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/itemsets.hpp"

namespace discreet {

// A collection of itemsets with their supports.
struct Collection : SetsView {
    std::span<const std::int64_t> supports;  // size()
};

// What is wrong with the arrays, in words; empty if nothing is.
inline std::string problem(const Collection& collection, std::int64_t n_rows) {
    if (n_rows < 0 || n_rows >= (std::int64_t{1} << 31)) return "n_rows must be from 0 to 2^31 - 1";
    const std::size_t n = collection.supports.size();
    if (n >= (std::size_t{1} << 31)) return "there are 2^31 itemsets or more";
    if (collection.offsets.size() != n + 1) return "offsets must have one entry more than supports";
    if (const std::string what = problem(static_cast<const SetsView&>(collection)); !what.empty()) return what;
    for (std::size_t i = 0; i < n; ++i)
        if (collection.supports[i] < 0 || collection.supports[i] > n_rows)
            return "the support of itemset " + std::to_string(i) + " is not from 0 to n_rows";
    return "";
}

// An item's share in the hash of a set, which is the sum over its items: so the hash of
// a set less some items takes one subtraction each.
inline std::uint64_t item_hash(std::int32_t item) {
    std::uint64_t x = (static_cast<std::uint64_t>(item) + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

inline std::uint64_t itemset_hash(std::span<const std::int32_t> items) {
    std::uint64_t sum = 0;
    for (const std::int32_t item : items) sum += item_hash(item);
    return sum;
}

// Open addressing over the numbers of the itemsets; a hit is settled by comparing items.
class SupportTable {
  public:
    explicit SupportTable(const Collection& collection) : collection_(collection), mask_(0) {
        const auto n = static_cast<std::size_t>(collection.size());
        slots_.assign(std::bit_ceil(2 * n + 1), Slot{0, -1});
        mask_ = slots_.size() - 1;
        for (std::int64_t i = 0; i < collection.size(); ++i) {
            const std::uint64_t hash = itemset_hash(collection[i]);
            Slot& slot = slots_[slot_of(collection[i], hash)];
            if (slot.number >= 0) {
                if (twice_ < 0) twice_ = i;
            } else {
                slot = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(i)};
            }
        }
    }
    static std::int64_t bytes_for(std::int64_t n) {
        return static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::uint64_t>(n) + 1) * sizeof(Slot));
    }
    // The first itemset listed before already; -1 if there is none.
    std::int64_t listed_twice() const { return twice_; }

    // Number of the itemset, -1 if it is not in the collection.
    std::int32_t find(std::span<const std::int32_t> items, std::uint64_t hash) const {
        return slots_[slot_of(items, hash)].number;
    }

  private:
    struct Slot {
        std::uint32_t hash;  // upper half
        std::int32_t number;
    };
    std::size_t slot_of(std::span<const std::int32_t> items, std::uint64_t hash) const {
        std::size_t at = hash & mask_;
        while (slots_[at].number >= 0) {
            if (slots_[at].hash == static_cast<std::uint32_t>(hash >> 32))
                if (const auto other = collection_[slots_[at].number]; std::ranges::equal(items, other)) break;
            at = (at + 1) & mask_;
        }
        return at;
    }
    Collection collection_;
    std::vector<Slot> slots_;
    std::size_t mask_;
    std::int64_t twice_ = -1;
};

}  // namespace discreet
