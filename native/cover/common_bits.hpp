// Bits that several bitmaps have in common, found in one pass over all of them.
//
// On x86-64 the widest unit the machine has is chosen once, at run time, as in base/bitmap.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/bitmap.hpp"

namespace discreet::bitmap {

inline constexpr std::size_t group = 8;        // words that are tested together
inline constexpr std::size_t block = 8 * group;  // words in one call at most

inline std::size_t padded_words_for(std::size_t bits) { return (words_for(bits) + group - 1) / group * group; }

// The words of a block that are not 0.
struct CommonWords {
    std::size_t n = 0;
    std::array<std::uint32_t, block> place;  // from the first word of the bitmaps
    std::array<Word, block> bits;
    std::array<std::int32_t, block> ones;  // bits that are set
};

namespace detail {

#if defined(__GNUC__) || defined(__clang__)
#define DISCREET_INLINE inline __attribute__((always_inline))
#else
#define DISCREET_INLINE inline
#endif

using FindCommon = void (*)(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found);

DISCREET_INLINE void find_common_body(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    found.n = 0;
    for (std::size_t w = from; w < to; w += group) {
        Word common[group];
        for (std::size_t i = 0; i < group; ++i) common[i] = maps[0][w + i];
        for (std::size_t m = 1; m < n_maps; ++m)
            for (std::size_t i = 0; i < group; ++i) common[i] &= maps[m][w + i];
        Word any = 0;
        for (std::size_t i = 0; i < group; ++i) any |= common[i];
        if (any == 0) continue;
        for (std::size_t i = 0; i < group; ++i) {
            found.place[found.n] = static_cast<std::uint32_t>(w + i);
            found.bits[found.n] = common[i];
            found.ones[found.n] = std::popcount(common[i]);
            found.n += common[i] != 0;
        }
    }
}

inline void find_common_plain(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    find_common_body(maps, n_maps, from, to, found);
}
#if DISCREET_X86
__attribute__((target("avx2,popcnt"))) inline void find_common_avx2(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    find_common_body(maps, n_maps, from, to, found);
}
__attribute__((target("avx512f,popcnt"))) inline void find_common_avx512(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    find_common_body(maps, n_maps, from, to, found);
}
inline FindCommon choose_find_common() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("popcnt")) return find_common_plain;
    if (__builtin_cpu_supports("avx512f")) return find_common_avx512;
    if (__builtin_cpu_supports("avx2")) return find_common_avx2;
    return find_common_plain;
}
inline const FindCommon find_common_chosen = choose_find_common();
#else
inline constexpr FindCommon find_common_chosen = find_common_plain;
#endif

}  // namespace detail

// Sets `found` to the words of [from, to) that are not 0 in all maps at once; from and to
// are multiples of `group`, at most `block` apart, and n_maps is at least 1.
inline void find_common(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    detail::find_common_chosen(maps, n_maps, from, to, found);
}

}  // namespace discreet::bitmap
