// Rows over few items as bit masks: 64 items in one machine word, 128 in two.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace discreet {

using Mask64 = std::uint64_t;
__extension__ using Mask128 = unsigned __int128;

template <class Mask>
inline constexpr int mask_bits = static_cast<int>(8 * sizeof(Mask));

template <class Mask>
constexpr Mask bit_at(int i) {
    return static_cast<Mask>(Mask{1} << i);
}

inline int lowest_bit(Mask64 mask) { return std::countr_zero(mask); }
inline int lowest_bit(Mask128 mask) {
    const auto low = static_cast<std::uint64_t>(mask);
    return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(mask >> 64));
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

}  // namespace discreet
