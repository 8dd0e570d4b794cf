// The select-a-size operator on many transactions (Evfimievski et al. 2002, definition 7).
//
// A transaction becomes a bitmap of all items: coins for every item, then the bits of its own
// items replaced by those of a random subset. Blocks of transactions have a stream of their own, so that threads
// and the size of what is handed over at a time do not change what is drawn.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "base/tasks.hpp"
#include "randomize/bitmaps.hpp"
#include "randomize/chacha20.hpp"
#include "randomize/sets.hpp"

namespace discreet::randomize {

// ---- Coins ----
// Coins of one bias, sixty-four to a word, decided bit by bit.

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

// ---- The operator ----

constexpr std::int64_t block_size = 128;  // transactions that share a stream

// For transactions of m items: how many to keep and how many others to add.
struct SizeLaw {
    Coin coin;                       // of every item outside the transaction
    std::vector<Digits> at_most;     // chance of keeping at most j items, j = 0 to m - 1
};

using Laws = std::vector<std::unique_ptr<SizeLaw>>;

// What is wrong with the sets or missing among the laws, or nothing.
inline std::string problem(const Sets& sets, const Laws& laws) {
    if (std::string what = problem(sets); !what.empty()) return what;
    for (std::int64_t i = 0; i < sets.n_sets(); ++i)
        if (const std::size_t size = sets[i].size(); size >= laws.size() || !laws[size]) return "there is no law for transactions of " + std::to_string(size) + " items";
    return {};
}

namespace detail {

// Replaces the coins of a transaction's own items by a random subset of the size drawn.
inline void keep_some(std::span<const std::int32_t> set, const SizeLaw& law, Stream& stream, std::uint64_t* bits, std::vector<std::int32_t>& order) {
    Uniform uniform;
    std::size_t n_kept = 0;
    while (n_kept < set.size() && !uniform.below(law.at_most[n_kept], stream)) ++n_kept;
    for (const std::int32_t item : set) bits[item / 64] &= ~(std::uint64_t{1} << item % 64);
    order.assign(set.begin(), set.end());
    for (std::size_t i = 0; i < n_kept; ++i) {  // the first places of a random order
        std::swap(order[i], order[i + stream.below(static_cast<std::uint32_t>(set.size() - i))]);
        bitmap::set(bits, static_cast<std::size_t>(order[i]));
    }
}

}  // namespace detail

// Randomizes the sets; the first of them is number `first_block * block_size` of the key.
inline Bitmaps select_a_size(const Sets& sets, const Laws& laws, const Key& key, std::int64_t first_block, Control& control) {
    Bitmaps made(sets.n_sets(), sets.n_items, control);
    const std::size_t n_words = made.n_words;
    const std::uint64_t last_word = sets.n_items % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << sets.n_items % 64) - 1;
    for_each_task(control, (made.n_rows + block_size - 1) / block_size, [&](int, std::int64_t block) {
        Stream stream(key, static_cast<std::uint64_t>(first_block + block));
        std::vector<std::int32_t> order;
        for (std::int64_t i = block * block_size; n_words > 0 && i < std::min(made.n_rows, (block + 1) * block_size); ++i) {
            const SizeLaw& law = *laws[sets[i].size()];
            law.coin.toss(stream, made.row(i), n_words);
            made.row(i)[n_words - 1] &= last_word;
            detail::keep_some(sets[i], law, stream, made.row(i), order);
        }
    });
    return made;
}

}  // namespace discreet::randomize
