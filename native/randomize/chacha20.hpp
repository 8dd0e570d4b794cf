// The stream cipher ChaCha20 (RFC 8439, section 2.3) as a source of random words.
//
// Sixteen blocks are made at a time, side by side in the lanes of the machine's vectors, and
// left as they lie there: word i of the sixteen blocks, then word i + 1. So nothing is
// transposed, and every width of vector gives the same words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bitmap.hpp"

namespace discreet::randomize {

using Key = std::array<std::uint32_t, 8>;
using Nonce = std::array<std::uint32_t, 3>;

namespace chacha20 {

using State = std::array<std::uint32_t, 16>;
constexpr std::size_t blocks_at_once = 16;
constexpr std::size_t words_at_once = 16 * blocks_at_once;  // of 32 bits

template <std::size_t Lanes>
struct Vector {
    typedef std::uint32_t Type __attribute__((vector_size(4 * Lanes)));
};

template <int Bits, class V>
[[gnu::always_inline]] inline void turn(V& x) {
    x = (x << Bits) | (x >> (32 - Bits));
}

// Section 2.1.
template <class V>
[[gnu::always_inline]] inline void quarter_round(V& a, V& b, V& c, V& d) {
    a += b, d ^= a, turn<16>(d);
    c += d, b ^= c, turn<12>(b);
    a += b, d ^= a, turn<8>(d);
    c += d, b ^= c, turn<7>(b);
}

// Blocks number counter + first to counter + first + Lanes - 1.
template <std::size_t Lanes>
[[gnu::always_inline]] inline void some_blocks(const State& start, std::size_t first, std::byte* out) {
    using V = typename Vector<Lanes>::Type;
    V number{};
    for (std::size_t lane = 0; lane < Lanes; ++lane) number[lane] = static_cast<std::uint32_t>(first + lane);
    V x[16];
    for (std::size_t i = 0; i < 16; ++i) x[i] = V{} + start[i];
    x[12] += number;
    for (int twice = 0; twice < 10; ++twice) {
        quarter_round(x[0], x[4], x[8], x[12]);
        quarter_round(x[1], x[5], x[9], x[13]);
        quarter_round(x[2], x[6], x[10], x[14]);
        quarter_round(x[3], x[7], x[11], x[15]);
        quarter_round(x[0], x[5], x[10], x[15]);
        quarter_round(x[1], x[6], x[11], x[12]);
        quarter_round(x[2], x[7], x[8], x[13]);
        quarter_round(x[3], x[4], x[9], x[14]);
    }
    x[12] += number;
    for (std::size_t i = 0; i < 16; ++i) {
        x[i] += start[i];
        std::memcpy(out + 4 * (blocks_at_once * i + first), &x[i], sizeof(V));
    }
}

using Blocks = void (*)(const State& start, std::byte* out);

inline void blocks_portable(const State& start, std::byte* out) {
    for (std::size_t first = 0; first < blocks_at_once; first += 4) some_blocks<4>(start, first, out);
}

#if DISCREET_X86
__attribute__((target("avx2"))) inline void blocks_avx2(const State& start, std::byte* out) {
    some_blocks<8>(start, 0, out);
    some_blocks<8>(start, 8, out);
}
__attribute__((target("avx512f"))) inline void blocks_avx512(const State& start, std::byte* out) { some_blocks<16>(start, 0, out); }

inline Blocks choose() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return blocks_avx512;
    if (__builtin_cpu_supports("avx2")) return blocks_avx2;
    return blocks_portable;
}
inline const Blocks blocks = choose();
#else
inline constexpr Blocks blocks = blocks_portable;
#endif

// What the rounds start from; the counter is word 12.
inline State state(const Key& key, const Nonce& nonce, std::uint32_t counter) {
    return {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1],  key[2],   key[3],
            key[4],     key[5],     key[6],     key[7],     counter, nonce[0], nonce[1], nonce[2]};
}

}  // namespace chacha20

// Random words of 64 bits: one stream of many that a key has. Words left over when a reader
// wants more in a row than remain are thrown away.
class Stream {
  public:
    static constexpr std::size_t most_in_a_row = 128;

    Stream(const Key& key, std::uint64_t number)
        : state_(chacha20::state(key, {0, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)}, 0)) {}

    // The next n words, n at most `most_in_a_row`; read them before the next call.
    const std::uint64_t* take(std::size_t n) {
        if (used_ + n > size) refill();
        const std::uint64_t* const words = buffer_.data() + used_;
        used_ += n;
        return words;
    }
    std::uint64_t word() { return *take(1); }

    // Uniform from 0 to n - 1, n at least 1: unbiased, words that would favour some numbers
    // are drawn again (D. Lemire 2019, algorithm 5).
    std::uint32_t below(std::uint32_t n) {
        for (;;) {
            const std::uint64_t product = (word() >> 32) * n;
            const auto low = static_cast<std::uint32_t>(product);
            if (low >= n || low >= -n % n) return static_cast<std::uint32_t>(product >> 32);
        }
    }

  private:
    static constexpr std::size_t at_once = chacha20::words_at_once / 2;
    static constexpr std::size_t size = 16 * at_once;

    void refill() {
        for (std::size_t at = 0; at < size; at += at_once) {
            chacha20::blocks(state_, reinterpret_cast<std::byte*>(buffer_.data() + at));
            state_[12] += chacha20::blocks_at_once;
        }
        used_ = 0;
    }

    chacha20::State state_;
    std::array<std::uint64_t, size> buffer_;
    std::size_t used_ = size;
};

}  // namespace discreet::randomize
