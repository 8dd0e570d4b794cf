// Bitmaps to lists of the places of their ones.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/bitmap.hpp"

namespace discreet::randomize {

namespace detail {

using ListBits = void (*)(const std::uint64_t* bits, std::size_t n_words, std::int32_t* out);

inline void list_bits_portable(const std::uint64_t* bits, std::size_t n_words, std::int32_t* out) {
    for (std::size_t w = 0; w < n_words; ++w) {
        const auto base = static_cast<std::int32_t>(64 * w);
        for (std::uint64_t word = bits[w]; word != 0; word &= word - 1) *out++ = base + std::countr_zero(word);
    }
}

#if DISCREET_X86
// Sixteen bits at a time, in half the time when a third of them are ones.
__attribute__((target("avx512f,popcnt"))) inline void list_bits_avx512(const std::uint64_t* bits, std::size_t n_words, std::int32_t* out) {
    __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (std::size_t w = 0; w < n_words; ++w) {
        for (int shift = 0; shift < 64; shift += 16) {
            const auto ones = static_cast<__mmask16>(bits[w] >> shift);
            const int n = __builtin_popcount(ones);
            _mm512_mask_storeu_epi32(out, static_cast<__mmask16>((1u << n) - 1), _mm512_maskz_compress_epi32(ones, places));
            out += n;
            places = _mm512_add_epi32(places, _mm512_set1_epi32(16));
        }
    }
}

inline ListBits choose_list_bits() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") ? list_bits_avx512 : list_bits_portable;
}
inline const ListBits list_bits = choose_list_bits();
#else
inline constexpr ListBits list_bits = list_bits_portable;
#endif

}  // namespace detail

// Writes the places of the ones, ascending; `out` has room for exactly as many.
inline void list_bits(const std::uint64_t* bits, std::size_t n_words, std::int32_t* out) { detail::list_bits(bits, n_words, out); }

}  // namespace discreet::randomize
