// The select-a-size operator on many transactions (Evfimievski et al. 2002, definition 7).
//
// A transaction becomes a bitmap of all items: coins for every item, then the bits of its own
// items replaced by those of a random subset. Blocks of transactions have a stream of their own, so that threads
// and the size of what is handed over at a time do not change what is drawn.
#pragma once

#include <algorithm>
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
#include "randomize/coins.hpp"
#include "randomize/sets.hpp"

namespace discreet::randomize {

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
