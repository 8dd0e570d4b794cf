// Coins of one bias, sixty-four to a word, decided bit by bit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bitmap.hpp"
#include "randomize/chacha20.hpp"

namespace discreet::randomize {

// A probability as its first 256 binary places, the first in the highest bit of word 0. Where
// more would follow they are left off, which changes no probability by more than 2^-256.
using Digits = std::array<std::uint64_t, 4>;

inline bool digit(const Digits& digits, int place) { return digits[place / 64] >> (63 - place % 64) & 1; }

// Number of places up to the last one that is 1.
inline int n_places(const Digits& digits) {
    for (int word = 3; word >= 0; --word)
        if (digits[word] != 0) return 64 * word + 64 - std::countr_zero(digits[word]);
    return 0;
}

// Whether a uniform number in [0, 1), whose words are drawn into `drawn` as they are needed, is
// below a probability.
class Uniform {
  public:
    bool below(const Digits& threshold, Stream& stream) {
        for (std::size_t word = 0; word < threshold.size(); ++word) {
            if (word == n_drawn_) drawn_[n_drawn_++] = stream.word();
            if (drawn_[word] != threshold[word]) return drawn_[word] < threshold[word];
        }
        return false;
    }

  private:
    Digits drawn_{};
    std::size_t n_drawn_ = 0;
};

namespace detail {

// Compares W x 64 uniform numbers with a probability in its first places: `heads` are those
// found below, `open` those still equal to it. One word of `random` is one place of 64 numbers.
[[gnu::always_inline]] inline void first_places(const Digits& bias, int places, std::size_t words, const std::uint64_t* random,
                                                std::uint64_t* __restrict heads, std::uint64_t* __restrict open) {
    for (std::size_t w = 0; w < words; ++w) heads[w] = 0, open[w] = ~std::uint64_t{0};
    for (int place = 0; place < places; ++place, random += words) {
        if (digit(bias, place)) {
            for (std::size_t w = 0; w < words; ++w) heads[w] |= open[w] & ~random[w], open[w] &= random[w];
        } else {
            for (std::size_t w = 0; w < words; ++w) open[w] &= ~random[w];
        }
    }
}

using FirstPlaces = void (*)(const Digits&, int, std::size_t, const std::uint64_t*, std::uint64_t*, std::uint64_t*);

inline void first_places_portable(const Digits& bias, int places, std::size_t words, const std::uint64_t* random, std::uint64_t* heads, std::uint64_t* open) {
    first_places(bias, places, words, random, heads, open);
}

#if DISCREET_X86
__attribute__((target("avx2"))) inline void first_places_avx2(const Digits& bias, int places, std::size_t words, const std::uint64_t* random,
                                                              std::uint64_t* heads, std::uint64_t* open) {
    first_places(bias, places, words, random, heads, open);
}
inline FirstPlaces choose_first_places() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? first_places_avx2 : first_places_portable;
}
inline const FirstPlaces decide = choose_first_places();
#else
inline constexpr FirstPlaces decide = first_places_portable;
#endif

}  // namespace detail

// A bias and how to toss its coins.
class Coin {
  public:
    explicit Coin(const Digits& bias) : bias_(bias), places_(n_places(bias)) {}

    // Every bit of n_words is 1 with this chance, independently of the others.
    void toss(Stream& stream, std::uint64_t* bits, std::size_t n_words) const {
        const int at_once = std::min(places_, first);
        std::uint64_t open[tile];
        for (std::size_t start = 0; start < n_words; start += tile) {
            const std::size_t words = std::min(tile, n_words - start);
            detail::decide(bias_, at_once, words, stream.take(words * at_once), bits + start, open);
            if (at_once == places_) continue;
            for (std::size_t w = 0; w < words; ++w)
                if (open[w] != 0) settle(stream, bits[start + w], open[w]);
        }
    }

  private:
    static constexpr int first = 8;          // places for all coins: one in 256 is then still open
    static constexpr std::size_t tile = Stream::most_in_a_row / first;

    void settle(Stream& stream, std::uint64_t& heads, std::uint64_t open) const {
        for (int place = first; open != 0 && place < places_; ++place) {
            const std::uint64_t random = stream.word();
            if (digit(bias_, place)) {
                heads |= open & ~random;
                open &= random;
            } else {
                open &= ~random;
            }
        }
    }

    Digits bias_;
    int places_;
};

}  // namespace discreet::randomize
