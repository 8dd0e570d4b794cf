// Rows balanced: a cell is drawn anew by a layer of weights, and the new value is kept if with it the
// rows have more nearly the wanted counts of values and of pairs of values.
//
// Rows are balanced in chunks, each by itself and with a stream of random words of its own: threads
// change nothing. Wanted counts are whole numbers that add up over the chunks to those of all rows,
// rounded up or down by chance, so that pairs too rare for one row in a chunk keep their share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "randomize/chacha20.hpp"
#include "synthesize/sweeps.hpp"

namespace discreet::synthesize {

constexpr std::int64_t balance_chunk = 16384;  // rows balanced among themselves
constexpr std::size_t balance_least = 1000;    // another round only if one cell in so many was changed

// Shares of the rows that have value u and value v, u = v for a value alone, and by how much each
// may be missed; without bound where it is not known.
struct Wanted {
    std::vector<double> shares;  // values x values
    std::vector<double> slack;
};

inline std::string problem(const Wanted& wanted, std::size_t n_values) {
    if (wanted.shares.size() != n_values * n_values || wanted.slack.size() != wanted.shares.size()) return "there must be a share and a slack for each pair of values";
    for (std::size_t i = 0; i < wanted.shares.size(); ++i)
        if (!(wanted.shares[i] >= 0 && wanted.shares[i] <= 1) || !(wanted.slack[i] >= 0)) return "shares must be from 0 to 1 and slack at least 0";
    return {};
}

namespace detail {

// How far the counts of a chunk are from those wanted.
class Deviations {
  public:
    explicit Deviations(std::size_t n_values) : n_values_(n_values), above_(n_values * n_values), slack_(above_.size()) {}

    // Begins a chunk of rows, `from` to `to` of all.
    void want(const Wanted& wanted, std::span<const double> chances, std::int64_t from, std::int64_t to) {
        const auto first = static_cast<double>(from), last = static_cast<double>(to);
        for (std::size_t i = 0; i < above_.size(); ++i) {
            const double share = wanted.shares[i], chance = chances[i];
            above_[i] = static_cast<float>(std::floor(share * first + chance) - std::floor(share * last + chance));
            slack_[i] = static_cast<float>(wanted.slack[i] * (last - first));
        }
    }
    void add_row(const std::size_t* values, std::size_t n_columns) {
        for (std::size_t j = 0; j < n_columns; ++j)
            for (std::size_t k = 0; k < n_columns; ++k) ++above_[values[j] * n_values_ + values[k]];
    }
    // By how much the sum of squares falls if column j of a row becomes `value`.
    float gain(const std::size_t* values, std::size_t n_columns, std::size_t j, std::size_t value) const {
        const std::size_t old = values[j];
        float sum = step(old * n_values_ + old, -1) + step(value * n_values_ + value, 1);
        for (std::size_t k = 0; k < n_columns; ++k)
            if (k != j) sum += step(old * n_values_ + values[k], -1) + step(value * n_values_ + values[k], 1);
        return sum;
    }
    void change(const std::size_t* values, std::size_t n_columns, std::size_t j, std::size_t value) {
        move(values, n_columns, j, values[j], -1);
        move(values, n_columns, j, value, 1);
    }

  private:
    static float square_beyond(float above, float slack) {
        const float beyond = std::max(std::abs(above) - slack, 0.0F);
        return beyond * beyond;
    }
    float step(std::size_t i, float by) const { return square_beyond(above_[i], slack_[i]) - square_beyond(above_[i] + by, slack_[i]); }
    void move(const std::size_t* values, std::size_t n_columns, std::size_t j, std::size_t value, float by) {
        above_[value * n_values_ + value] += by;
        for (std::size_t k = 0; k < n_columns; ++k)
            if (k != j) {
                above_[value * n_values_ + values[k]] += by;
                above_[values[k] * n_values_ + value] += by;
            }
    }

    std::size_t n_values_;
    std::vector<float> above_, slack_;
};

// One round over some rows of a chunk, which lie one after the other; returns how many cells were changed.
using BalanceRound = std::size_t (*)(const PaddedLayer&, std::span<const std::int64_t>, std::span<std::size_t>, float*, Deviations&, randomize::Stream&);

[[gnu::always_inline]] inline std::size_t balance_each(const PaddedLayer& layer, std::span<const std::int64_t> offsets, std::span<std::size_t> rows, float* weights,
                                                Deviations& deviations, randomize::Stream& stream) {
    const std::size_t n_columns = offsets.size() - 1;
    std::size_t n_changed = 0;
    for (std::size_t* values = rows.data(); values != rows.data() + rows.size(); values += n_columns)
        for (std::size_t j = 0; j < n_columns; ++j) {
            if (offsets[j + 1] - offsets[j] == 1) continue;
            const std::size_t value = redraw(layer, offsets, j, values, weights, stream);
            if (value == values[j] || deviations.gain(values, n_columns, j, value) <= 0) continue;
            deviations.change(values, n_columns, j, value);
            values[j] = value;
            ++n_changed;
        }
    return n_changed;
}

inline std::size_t balance_portable(const PaddedLayer& layer, std::span<const std::int64_t> offsets, std::span<std::size_t> rows, float* weights, Deviations& deviations,
                             randomize::Stream& stream) {
    return balance_each(layer, offsets, rows, weights, deviations, stream);
}
#if DISCREET_X86
__attribute__((target("avx2"))) inline std::size_t balance_avx2(const PaddedLayer& layer, std::span<const std::int64_t> offsets, std::span<std::size_t> rows, float* weights,
                                                         Deviations& deviations, randomize::Stream& stream) {
    return balance_each(layer, offsets, rows, weights, deviations, stream);
}
inline BalanceRound choose_balance() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? balance_avx2 : balance_portable;
}
inline const BalanceRound balance_best = choose_balance();
#else
inline constexpr BalanceRound balance_best = balance_portable;
#endif

// Uniform numbers from 0 to 1, the same for (u, v) and (v, u).
inline std::vector<double> rounding_chances(std::size_t n_values, const randomize::Key& key) {
    randomize::Stream stream(key, ~std::uint64_t{0});  // no chunk has this number
    std::vector<double> chances(n_values * n_values);
    for (std::size_t u = 0; u < n_values; ++u)
        for (std::size_t v = u; v < n_values; ++v) chances[u * n_values + v] = chances[v * n_values + u] = static_cast<double>(stream.word() >> 11) * 0x1p-53;
    return chances;
}

}  // namespace detail

// Balances rows, given column after column, of which the first is number first_chunk * balance_chunk
// of all that this key balances.
inline void balance_rows(const Layers& layer, const Wanted& wanted, std::span<std::int32_t> codes, std::int64_t n_rows, int n_rounds, const randomize::Key& key,
                         std::int64_t first_chunk, Control& control) {
    const std::size_t n_columns = layer.n_columns();
    const detail::PaddedLayer padded(layer, 0);
    const std::vector<double> chances = detail::rounding_chances(layer.n_values(), key);
    std::vector<detail::Deviations> deviations(static_cast<std::size_t>(control.threads), detail::Deviations(layer.n_values()));
    for_each_task(control, (n_rows + balance_chunk - 1) / balance_chunk, [&](int worker, std::int64_t chunk) {
        randomize::Stream stream(key, static_cast<std::uint64_t>(first_chunk + chunk));
        detail::Deviations& own = deviations[static_cast<std::size_t>(worker)];
        const std::int64_t begin = chunk * balance_chunk, end = std::min(n_rows, begin + balance_chunk);
        own.want(wanted, chances, first_chunk * balance_chunk + begin, first_chunk * balance_chunk + end);
        std::vector<float> weights(detail::widest(layer));
        std::vector<std::size_t> values(static_cast<std::size_t>(end - begin) * n_columns);
        const auto code = [&](std::size_t i, std::size_t j) -> std::int32_t& { return codes[j * static_cast<std::size_t>(n_rows) + static_cast<std::size_t>(begin) + i]; };
        const std::size_t n = static_cast<std::size_t>(end - begin);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n_columns; ++j) values[i * n_columns + j] = static_cast<std::size_t>(layer.value_offsets[j] + code(i, j));
            own.add_row(values.data() + i * n_columns, n_columns);
        }
        const std::size_t at_once = static_cast<std::size_t>(sweep_block) * n_columns;
        std::size_t n_changed = values.size();
        for (int round = 0; round < n_rounds && n_changed * balance_least >= values.size(); ++round) {
            n_changed = 0;
            for (std::size_t at = 0; at < values.size(); at += at_once) {
                control.check();
                n_changed += detail::balance_best(padded, layer.value_offsets, std::span(values).subspan(at, std::min(at_once, values.size() - at)), weights.data(), own, stream);
            }
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n_columns; ++j) code(i, j) = static_cast<std::int32_t>(static_cast<std::int64_t>(values[i * n_columns + j]) - layer.value_offsets[j]);
    });
}

}  // namespace discreet::synthesize
