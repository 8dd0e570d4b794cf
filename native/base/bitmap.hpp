// AND and popcount over arrays of 64-bit words: the inner loop of vertical mining.
//
// On x86-64 the widest unit the machine has is chosen once, at run time; elsewhere the
// portable loop is compiled for the target (on 64-bit ARM the compiler uses NEON's cnt).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DISCREET_X86 1
#include <immintrin.h>
#else
#define DISCREET_X86 0
#endif

namespace discreet::bitmap {

using Word = std::uint64_t;

inline std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }
inline void set(Word* bits, std::size_t i) { bits[i / 64] |= Word{1} << (i % 64); }
inline bool test(const Word* bits, std::size_t i) { return (bits[i / 64] >> (i % 64)) & 1; }

// Number of ones in a word. Plain x86-64 has no instruction for it: summed in pairs, nibbles
// and bytes this takes a third of the library function that a compiler calls there.
inline std::int64_t ones(Word word) {
#if DISCREET_X86 && !defined(__POPCNT__)
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    return static_cast<std::int64_t>(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
#else
    return std::popcount(word);
#endif
}

namespace detail {

// out = a & b unless out is null; returns the ones of a & b.
using AndCount = std::int64_t (*)(const Word* a, const Word* b, Word* out, std::size_t words);

inline std::int64_t and_count_portable(const Word* a, const Word* b, Word* out, std::size_t words) {
    std::int64_t ones = 0;
    if (out == nullptr) {
        for (std::size_t w = 0; w < words; ++w) ones += std::popcount(a[w] & b[w]);
    } else {
        for (std::size_t w = 0; w < words; ++w) ones += std::popcount(out[w] = a[w] & b[w]);
    }
    return ones;
}

#if DISCREET_X86
__attribute__((target("popcnt"))) inline std::int64_t and_count_popcnt(const Word* a, const Word* b, Word* out, std::size_t words) {
    std::int64_t ones = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word both = a[w] & b[w];
        if (out != nullptr) out[w] = both;
        ones += __builtin_popcountll(both);
    }
    return ones;
}

// Counts nibbles by table look-up, 32 bytes at a time (W. Mula, N. Kurz, D. Lemire 2018).
__attribute__((target("avx2,popcnt"))) inline std::int64_t and_count_avx2(const Word* a, const Word* b, Word* out, std::size_t words) {
    const __m256i ones_of_nibble = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                                    0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low_nibbles = _mm256_set1_epi8(0x0f);
    __m256i sums = _mm256_setzero_si256();
    std::size_t w = 0;
    for (; w + 4 <= words; w += 4) {
        const __m256i both = _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + w)), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + w)));
        if (out != nullptr) _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + w), both);
        const __m256i low = _mm256_shuffle_epi8(ones_of_nibble, _mm256_and_si256(both, low_nibbles));
        const __m256i high = _mm256_shuffle_epi8(ones_of_nibble, _mm256_and_si256(_mm256_srli_epi16(both, 4), low_nibbles));
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()));
    }
    const std::int64_t ones = _mm256_extract_epi64(sums, 0) + _mm256_extract_epi64(sums, 1) + _mm256_extract_epi64(sums, 2) + _mm256_extract_epi64(sums, 3);
    return ones + and_count_popcnt(a + w, b + w, out == nullptr ? nullptr : out + w, words - w);
}

__attribute__((target("avx512f,avx512vpopcntdq,popcnt"))) inline std::int64_t and_count_avx512(const Word* a, const Word* b, Word* out, std::size_t words) {
    __m512i sums = _mm512_setzero_si512();
    std::size_t w = 0;
    for (; w + 8 <= words; w += 8) {
        const __m512i both = _mm512_and_si512(_mm512_loadu_si512(a + w), _mm512_loadu_si512(b + w));
        if (out != nullptr) _mm512_storeu_si512(out + w, both);
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(both));
    }
    alignas(64) std::int64_t lane[8];
    _mm512_store_si512(lane, sums);
    std::int64_t ones = 0;
    for (const std::int64_t part : lane) ones += part;
    return ones + and_count_popcnt(a + w, b + w, out == nullptr ? nullptr : out + w, words - w);
}

inline AndCount choose() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq")) return and_count_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return and_count_avx2;
    if (__builtin_cpu_supports("popcnt")) return and_count_popcnt;
    return and_count_portable;
}
inline const AndCount and_count = choose();
#else
inline constexpr AndCount and_count = and_count_portable;
#endif

}  // namespace detail

// Number of ones in a & b.
inline std::int64_t count_and(const Word* a, const Word* b, std::size_t words) { return detail::and_count(a, b, nullptr, words); }

// Number of ones in a.
inline std::int64_t count(const Word* a, std::size_t words) { return detail::and_count(a, a, nullptr, words); }

// out = a & b; returns the number of ones in it.
inline std::int64_t store_and(const Word* a, const Word* b, Word* out, std::size_t words) { return detail::and_count(a, b, out, words); }

}  // namespace discreet::bitmap
