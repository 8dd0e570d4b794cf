// AND and popcount over arrays of 64-bit words: the inner loop of vertical mining.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace discreet::bitmap {

using Word = std::uint64_t;

inline std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }
inline void set(Word* bits, std::size_t i) { bits[i / 64] |= Word{1} << (i % 64); }
inline bool test(const Word* bits, std::size_t i) { return (bits[i / 64] >> (i % 64)) & 1; }

// Number of ones in a.
inline std::int64_t count(const Word* a, std::size_t words) {
    std::int64_t ones = 0;
    for (std::size_t w = 0; w < words; ++w) ones += std::popcount(a[w]);
    return ones;
}

// Number of ones in a & b.
inline std::int64_t count_and(const Word* a, const Word* b, std::size_t words) {
    std::int64_t ones = 0;
    for (std::size_t w = 0; w < words; ++w) ones += std::popcount(a[w] & b[w]);
    return ones;
}

// out = a & b; returns the number of ones in it.
inline std::int64_t store_and(const Word* a, const Word* b, Word* out, std::size_t words) {
    std::int64_t ones = 0;
    for (std::size_t w = 0; w < words; ++w) ones += std::popcount(out[w] = a[w] & b[w]);
    return ones;
}

}  // namespace discreet::bitmap
