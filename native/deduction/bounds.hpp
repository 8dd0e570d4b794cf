// Deduction rules: what the supports of all proper subsets say about an itemset's own
// (Calders and Goethals 2002).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace discreet {

struct Bounds {
    std::int64_t lower, upper;
};

// supports[mask] is the support of the subset `mask` of X, for every proper subset; the
// array has 2^n entries, n = |X| >= 1, is used up, and its last entry does not matter.
//
// With supp(X) put to 0, subtracting the supersets bit by bit leaves in cell I the sum
// over I <= Z < X of (-1)^|Z\I| supp(Z). The number of rows that hold of X exactly I is
// this plus (-1)^|X\I| supp(X); that it is not negative bounds supp(X) from above where
// |X\I| is odd and from below where it is even. One transform gives all 2^n rules in
// time n 2^n.
inline Bounds bounds(std::span<std::int64_t> supports) {
    const std::size_t full = supports.size() - 1;
    supports[full] = 0;
    for (std::size_t bit = 1; bit <= full; bit *= 2)
        for (std::size_t high = 0; high <= full; high += 2 * bit)
            for (std::size_t mask = high; mask < high + bit; ++mask) supports[mask] -= supports[mask + bit];
    Bounds bounds{0, supports[full - 1]};  // |X\I| = 1; with I = X: supp(X) >= 0
    for (std::size_t mask = 0; mask < full; ++mask) {
        if (std::popcount(full ^ mask) % 2 == 1)
            bounds.upper = std::min(bounds.upper, supports[mask]);
        else
            bounds.lower = std::max(bounds.lower, -supports[mask]);
    }
    return bounds;
}

// The same where some proper subsets are unknown, marked by a negative support. A rule I
// can be used only if every Z with I <= Z < X is known; besides, no support exceeds that
// of a known subset. The empty set, mask 0, must be known.
inline Bounds bounds_from_some(std::span<std::int64_t> supports) {
    const std::size_t full = supports.size() - 1;
    std::vector<std::uint8_t> usable(supports.size(), 1);
    Bounds bounds{0, supports[0]};
    for (std::size_t mask = 0; mask < full; ++mask) {
        usable[mask] = supports[mask] >= 0;
        if (usable[mask]) bounds.upper = std::min(bounds.upper, supports[mask]);
        supports[mask] = std::max<std::int64_t>(supports[mask], 0);
    }
    supports[full] = 0;
    for (std::size_t bit = 1; bit <= full; bit *= 2)
        for (std::size_t high = 0; high <= full; high += 2 * bit)
            for (std::size_t mask = high; mask < high + bit; ++mask) {
                supports[mask] -= supports[mask + bit];
                usable[mask] &= usable[mask + bit];
            }
    for (std::size_t mask = 0; mask < full; ++mask) {
        if (!usable[mask]) continue;
        if (std::popcount(full ^ mask) % 2 == 1)
            bounds.upper = std::min(bounds.upper, supports[mask]);
        else
            bounds.lower = std::max(bounds.lower, -supports[mask]);
    }
    return bounds;
}

}  // namespace discreet
