// Rows over few items as bit masks: 64 items in one machine word, 128 in two.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace discreet {

using Mask64 = std::uint64_t;
__extension__ using Mask128 = unsigned __int128;

template <class Mask>
inline constexpr int mask_bits = static_cast<int>(8 * sizeof(Mask));

template <class Mask>
constexpr Mask bit_at(int i) {
    return static_cast<Mask>(Mask{1} << i);
}

inline int n_bits(Mask64 mask) { return std::popcount(mask); }
inline int n_bits(Mask128 mask) {
    return std::popcount(static_cast<std::uint64_t>(mask)) + std::popcount(static_cast<std::uint64_t>(mask >> 64));
}

inline int lowest_bit(Mask64 mask) { return std::countr_zero(mask); }
inline int lowest_bit(Mask128 mask) {
    const auto low = static_cast<std::uint64_t>(mask);
    return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(mask >> 64));
}

inline std::uint64_t hash(Mask64 mask) {
    mask *= 0x9e3779b97f4a7c15u;
    return mask ^ (mask >> 32);
}
inline std::uint64_t hash(Mask128 mask) {
    return hash(static_cast<std::uint64_t>(mask) ^ hash(static_cast<std::uint64_t>(mask >> 64)));
}

// Calls visit(i) for every one in the mask, from the lowest.
template <class Visit>
inline void for_each_bit(Mask64 mask, Visit&& visit) {
    for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}
template <class Visit>
inline void for_each_bit(Mask128 mask, Visit&& visit) {
    for_each_bit(static_cast<std::uint64_t>(mask), visit);
    for_each_bit(static_cast<std::uint64_t>(mask >> 64), [&](int i) { visit(64 + i); });
}

// Weighted rows.
template <class Mask>
struct BitRows {
    std::vector<Mask> mask;
    std::vector<std::uint32_t> weight;
    std::size_t n = 0;

    void make_room(std::size_t rows) {
        if (mask.size() < rows) {
            mask.resize(rows);
            weight.resize(rows);
        }
    }
};

// Collects weighted rows, equal ones once.
template <class Mask>
class BitRowTable {
  public:
    void add(Mask mask, std::uint32_t weight) {
        std::size_t slot = find(mask);
        if (slots_[slot] == 0) {
            if (2 * (rows_.size() + 1) > slots_.size()) {
                slots_.assign(4 * slots_.size(), 0);
                for (std::size_t r = 0; r < rows_.size(); ++r) slots_[find(rows_[r].mask)] = static_cast<std::uint32_t>(r + 1);
                slot = find(mask);
            }
            rows_.push_back({mask, 0});
            slots_[slot] = static_cast<std::uint32_t>(rows_.size());
        }
        rows_[slots_[slot] - 1].weight += weight;
    }

    std::size_t size() const { return rows_.size(); }

    // The rows sorted by mask: those with the same high bits are neighbours.
    BitRows<Mask> sorted() {
        std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.mask > b.mask; });
        BitRows<Mask> out;
        out.make_room(rows_.size());
        for (; out.n < rows_.size(); ++out.n) {
            out.mask[out.n] = rows_[out.n].mask;
            out.weight[out.n] = rows_[out.n].weight;
        }
        return out;
    }

  private:
    struct Row {
        Mask mask;
        std::uint32_t weight;
    };
    std::size_t find(Mask mask) const {
        std::size_t slot = hash(mask) & (slots_.size() - 1);
        while (slots_[slot] != 0 && rows_[slots_[slot] - 1].mask != mask) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    std::vector<Row> rows_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, 0);
};

}  // namespace discreet
