// Gibbs sweeps: every cell of a row is drawn anew, given the others, by a layer of weights.
//
// In a layer, value v of column j weighs exp(bias[v] + sum over the other columns k of
// link[value of k][v]). Each layer is used for one sweep over the columns, in their order. Blocks
// of rows have a stream of random words of their own, and sums are of whole numbers: threads
// change nothing of what is drawn or counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "base/tasks.hpp"
#include "randomize/chacha20.hpp"

namespace discreet::synthesize {

constexpr std::int64_t sweep_block = 256;  // rows that share a stream

// Layers of weights; the values of all columns are numbered through.
struct Layers {
    std::vector<std::int64_t> value_offsets;  // where the values of each column begin, and the end
    std::int64_t n_layers;
    std::vector<float> biases;  // n_layers x values
    std::vector<float> links;   // n_layers x values x values

    std::size_t n_columns() const { return value_offsets.size() - 1; }
    std::size_t n_values() const { return static_cast<std::size_t>(value_offsets.back()); }
};

inline std::string problem(const Layers& layers) {
    if (layers.value_offsets.size() < 2 || layers.value_offsets.front() != 0) return "value_offsets must begin with 0 and have an entry more than columns";
    for (std::size_t j = 0; j + 1 < layers.value_offsets.size(); ++j)
        if (layers.value_offsets[j + 1] <= layers.value_offsets[j]) return "every column must have a value";
    const std::size_t n = layers.n_values();
    if (n > std::size_t{1} << 20) return "there are more than 2^20 values";  // pairs of them are counted
    if (layers.n_layers < 0 || layers.biases.size() != static_cast<std::size_t>(layers.n_layers) * n) return "there must be a bias for each layer and value";
    if (layers.links.size() != layers.biases.size() * n) return "there must be a link for each layer and pair of values";
    return {};
}

namespace detail {

constexpr std::size_t lanes = 8;
typedef float Floats __attribute__((vector_size(4 * lanes)));
typedef std::int32_t Whole __attribute__((vector_size(4 * lanes)));

[[gnu::always_inline]] inline Floats load(const float* from) {
    Floats loaded;
    std::memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

// The same bits as another kind of vector. GCC 12 checks std::bit_cast of vectors wrongly when sanitized.
template <class To, class From>
[[gnu::always_inline]] inline To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

// 2^x for x from -120 to 0, to six digits.
[[gnu::always_inline]] inline Floats exp2_below_0(Floats x) {
    const Floats shifted = x + 12582912.0F;  // 1.5 * 2^23: the whole part is in the last bits
    const Floats part = x - (shifted - 12582912.0F);
    const Whole whole = same_bits<Whole>(shifted) - 0x4B400000;
    const Floats power = 1.0F + part * (0.69314718F + part * (0.24022651F + part * (0.05550411F + part * (0.00961813F + part * 0.00133336F))));
    return power * same_bits<Floats>((whole + 127) << 23);
}

// Each lane and all before it, added up.
[[gnu::always_inline]] inline Floats cumulated(Floats x) {
#if defined(__clang__)
    x += __builtin_shufflevector(x, Floats{}, 8, 0, 1, 2, 3, 4, 5, 6);
    x += __builtin_shufflevector(x, Floats{}, 8, 9, 0, 1, 2, 3, 4, 5);
    x += __builtin_shufflevector(x, Floats{}, 8, 9, 10, 11, 0, 1, 2, 3);
#else
    x += __builtin_shuffle(x, Floats{}, Whole{8, 0, 1, 2, 3, 4, 5, 6});
    x += __builtin_shuffle(x, Floats{}, Whole{8, 9, 0, 1, 2, 3, 4, 5});
    x += __builtin_shuffle(x, Floats{}, Whole{8, 9, 10, 11, 0, 1, 2, 3});
#endif
    return x;
}

// One layer, each column padded with values of no weight to whole vectors; in powers of 2.
class PaddedLayer {
  public:
    PaddedLayer(const Layers& layers, std::size_t layer) {
        const std::size_t n = layers.n_values();
        for (std::size_t j = 0; j < layers.n_columns(); ++j) {
            const auto size = static_cast<std::size_t>(layers.value_offsets[j + 1] - layers.value_offsets[j]);
            begins_.push_back(width_);
            width_ += (size + lanes - 1) / lanes * lanes;
        }
        begins_.push_back(width_);
        constexpr float bits = 1.44269504F;
        biases_.assign(width_, -1e30F);
        links_.assign(n * width_, 0.0F);
        for (std::size_t j = 0; j < layers.n_columns(); ++j)
            for (auto v = static_cast<std::size_t>(layers.value_offsets[j]); v < static_cast<std::size_t>(layers.value_offsets[j + 1]); ++v) {
                const std::size_t to = begins_[j] + v - static_cast<std::size_t>(layers.value_offsets[j]);
                biases_[to] = bits * layers.biases[layer * n + v];
                for (std::size_t u = 0; u < n; ++u)  // links within a column mean nothing
                    if (static_cast<std::int64_t>(u) < layers.value_offsets[j] || static_cast<std::int64_t>(u) >= layers.value_offsets[j + 1])
                        links_[u * width_ + to] = bits * layers.links[(layer * n + u) * n + v];
            }
    }
    std::size_t begin(std::size_t column) const { return begins_[column]; }
    std::size_t end(std::size_t column) const { return begins_[column + 1]; }
    const float* biases() const { return biases_.data(); }
    const float* links(std::size_t value) const { return links_.data() + value * width_; }

  private:
    std::size_t width_ = 0;
    std::vector<std::size_t> begins_;
    std::vector<float> biases_, links_;
};

// Draws a value of one column by weights in powers of 2, which are overwritten: the number of
// cumulated weights that a random share of their total reaches.
[[gnu::always_inline]] inline std::size_t draw(float* weights, std::size_t n, std::size_t n_padded, std::uint64_t word) {
    Floats most = load(weights);
    for (std::size_t from = lanes; from < n_padded; from += lanes) {
        const Floats next = load(weights + from);
        most = most > next ? most : next;
    }
    float highest = most[0];
    for (std::size_t lane = 1; lane < lanes; ++lane) highest = std::max(highest, most[lane]);
    float total = 0;
    for (std::size_t from = 0; from < n_padded; from += lanes) {
        const Floats below = load(weights + from) - highest, least = Floats{} - 120.0F;
        const Floats sums = cumulated(exp2_below_0(below > least ? below : least)) + total;
        std::memcpy(weights + from, &sums, sizeof sums);
        total = sums[lanes - 1];
    }
    const float share = static_cast<float>(word >> 40) * 0x1p-24F * total;
    Whole reached{};
    for (std::size_t from = 0; from < n_padded; from += lanes) reached -= load(weights + from) <= Floats{} + share;
    std::size_t value = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) value += static_cast<std::size_t>(reached[lane]);
    return std::min(value, n - 1);
}

// A value of column j drawn given the row's other ones; `values` are numbered through.
[[gnu::always_inline]] inline std::size_t redraw(const PaddedLayer& layer, std::span<const std::int64_t> offsets, std::size_t j, const std::size_t* values,
                                                 float* __restrict weights, randomize::Stream& stream) {
    const std::size_t n_columns = offsets.size() - 1, begin = layer.begin(j), n_padded = layer.end(j) - begin;
    for (std::size_t from = begin; from < begin + n_padded; from += lanes) {
        Floats sums = load(layer.biases() + from), others{};  // two sums, so that one need not wait for the other
        std::size_t k = 0;
        for (; k + 1 < n_columns; k += 2) {  // links within a column are 0
            sums += load(layer.links(values[k]) + from);
            others += load(layer.links(values[k + 1]) + from);
        }
        if (k < n_columns) sums += load(layer.links(values[k]) + from);
        sums += others;
        std::memcpy(weights + (from - begin), &sums, sizeof sums);
    }
    return static_cast<std::size_t>(offsets[j]) + draw(weights, static_cast<std::size_t>(offsets[j + 1] - offsets[j]), n_padded, stream.word());
}

// Room for the weights of any column.
inline std::size_t widest(const Layers& layers) {
    std::size_t most = 0;
    for (std::size_t j = 0; j < layers.n_columns(); ++j) most = std::max(most, static_cast<std::size_t>(layers.value_offsets[j + 1] - layers.value_offsets[j]) + lanes);
    return most;
}

// One sweep over a row; `held` columns stay.
[[gnu::always_inline]] inline void sweep(const PaddedLayer& layer, std::span<const std::int64_t> offsets, std::span<const std::uint8_t> held, std::size_t* values,
                                         float* __restrict weights, randomize::Stream& stream) {
    for (std::size_t j = 0; j + 1 < offsets.size(); ++j)
        if (!held[j] && offsets[j + 1] - offsets[j] > 1) values[j] = redraw(layer, offsets, j, values, weights, stream);
}

// All layers over a block of rows, which lie one after the other: a layer stays at hand for all.
using SweepBlock = void (*)(std::span<const PaddedLayer>, std::span<const std::int64_t>, std::span<const std::uint8_t>, std::span<std::size_t>, float*, randomize::Stream&);

[[gnu::always_inline]] inline void sweep_each(std::span<const PaddedLayer> layers, std::span<const std::int64_t> offsets, std::span<const std::uint8_t> held,
                                              std::span<std::size_t> values, float* weights, randomize::Stream& stream) {
    for (const PaddedLayer& layer : layers)
        for (std::size_t at = 0; at < values.size(); at += offsets.size() - 1) sweep(layer, offsets, held, values.data() + at, weights, stream);
}

inline void sweep_portable(std::span<const PaddedLayer> layers, std::span<const std::int64_t> offsets, std::span<const std::uint8_t> held, std::span<std::size_t> values,
                           float* weights, randomize::Stream& stream) {
    sweep_each(layers, offsets, held, values, weights, stream);
}
#if DISCREET_X86
// Without fused multiplication, so that every machine draws the same.
__attribute__((target("avx2"))) inline void sweep_avx2(std::span<const PaddedLayer> layers, std::span<const std::int64_t> offsets, std::span<const std::uint8_t> held,
                                                       std::span<std::size_t> values, float* weights, randomize::Stream& stream) {
    sweep_each(layers, offsets, held, values, weights, stream);
}
inline SweepBlock choose_sweep() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? sweep_avx2 : sweep_portable;
}
inline const SweepBlock sweep_best = choose_sweep();
#else
inline constexpr SweepBlock sweep_best = sweep_portable;
#endif

}  // namespace detail

// Counts of pairs of values in rows: entry u * n_values + v, u in the earlier column; u = v is the
// count of a value alone.
using PairCounts = std::vector<std::int64_t>;

inline void count_pairs(std::span<const std::size_t> values, std::size_t n_values, PairCounts& counts) {
    for (std::size_t j = 0; j < values.size(); ++j)
        for (std::size_t k = j; k < values.size(); ++k) ++counts[values[j] * n_values + values[k]];
}

// Sweeps rows, given column after column, by every layer in turn, and counts their pairs of
// values afterwards if asked to.
inline PairCounts sweep_rows(const Layers& layers, std::span<std::int32_t> codes, std::int64_t n_rows, std::span<const std::uint8_t> held, const randomize::Key& key,
                             std::int64_t first_block, bool count, Control& control) {
    const std::size_t n_columns = layers.n_columns(), n_values = layers.n_values();
    std::vector<detail::PaddedLayer> padded;
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(layers.n_layers); ++layer) padded.emplace_back(layers, layer);
    const auto n_workers = static_cast<std::size_t>(control.threads);
    std::vector<PairCounts> counts(count ? n_workers : 0, PairCounts(n_values * n_values));
    for_each_task(control, (n_rows + sweep_block - 1) / sweep_block, [&](int worker, std::int64_t block) {
        randomize::Stream stream(key, static_cast<std::uint64_t>(first_block + block));
        const auto begin = static_cast<std::size_t>(block * sweep_block);
        const auto end = static_cast<std::size_t>(std::min(n_rows, (block + 1) * sweep_block));
        // Always whole blocks: which words a row gets must not depend on how many rows follow it.
        std::vector<std::size_t> values(sweep_block * n_columns);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::size_t>(layers.value_offsets[i % n_columns]);
        std::vector<float> weights(detail::widest(layers));
        const auto code = [&](std::size_t row, std::size_t j) -> std::int32_t& { return codes[j * static_cast<std::size_t>(n_rows) + row]; };
        for (std::size_t row = begin; row < end; ++row)
            for (std::size_t j = 0; j < n_columns; ++j) values[(row - begin) * n_columns + j] = static_cast<std::size_t>(layers.value_offsets[j] + code(row, j));
        detail::sweep_best(padded, layers.value_offsets, held, values, weights.data(), stream);
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t* const own = values.data() + (row - begin) * n_columns;
            for (std::size_t j = 0; j < n_columns; ++j) code(row, j) = static_cast<std::int32_t>(static_cast<std::int64_t>(own[j]) - layers.value_offsets[j]);
            if (count) count_pairs({own, n_columns}, n_values, counts[static_cast<std::size_t>(worker)]);
        }
    });
    for (std::size_t worker = 1; worker < counts.size(); ++worker)
        for (std::size_t i = 0; i < counts[0].size(); ++i) counts[0][i] += counts[worker][i];
    return count ? std::move(counts[0]) : PairCounts{};
}

}  // namespace discreet::synthesize
