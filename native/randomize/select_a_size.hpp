// The select-a-size operator on many transactions (Evfimievski et al. 2002, definition 7).
//
// A transaction becomes a bitmap of all items: coins for every item, then the bits of its own
// items replaced by those of a random subset. Bitmaps become lists in a second pass, when it is
// known where each begins. Blocks of transactions have a stream of their own, so that threads
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
#include "randomize/coins.hpp"
#include "randomize/list_bits.hpp"
#include "randomize/sets.hpp"

namespace discreet::randomize {

constexpr std::int64_t block_size = 128;  // transactions that share a stream

// For transactions of m items: how many to keep and how many others to add.
struct SizeLaw {
    Coin coin;                       // of every item outside the transaction
    std::vector<Digits> at_most;     // chance of keeping at most j items, j = 0 to m - 1
};

using Laws = std::vector<std::unique_ptr<SizeLaw>>;

struct Lists {
    std::vector<std::int64_t> offsets;
    std::unique_ptr<std::int32_t[]> items;
};

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
inline Lists select_a_size(const Sets& sets, const Laws& laws, const Key& key, std::int64_t first_block, Control& control) {
    const std::size_t n_words = bitmap::words_for(static_cast<std::size_t>(sets.n_items));
    const std::int64_t n_sets = sets.n_sets(), n_blocks = (n_sets + block_size - 1) / block_size;
    const std::uint64_t last_word = sets.n_items % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << sets.n_items % 64) - 1;
    const std::int64_t bytes = n_sets * static_cast<std::int64_t>(n_words * sizeof(std::uint64_t));
    control.claim(bytes);
    const auto bits = std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(n_sets) * n_words);
    Lists lists;
    lists.offsets.assign(static_cast<std::size_t>(n_sets) + 1, 0);
    const auto each_of = [&](std::int64_t block, auto&& action) {
        for (std::int64_t i = block * block_size; i < std::min(n_sets, (block + 1) * block_size); ++i) action(i, bits.get() + static_cast<std::size_t>(i) * n_words);
    };
    for_each_task(control, n_blocks, [&](int, std::int64_t block) {
        Stream stream(key, static_cast<std::uint64_t>(first_block + block));
        std::vector<std::int32_t> order;
        each_of(block, [&](std::int64_t i, std::uint64_t* row) {
            if (n_words == 0) return;
            const SizeLaw& law = *laws[sets[i].size()];
            law.coin.toss(stream, row, n_words);
            row[n_words - 1] &= last_word;
            detail::keep_some(sets[i], law, stream, row, order);
            lists.offsets[i + 1] = bitmap::count(row, n_words);
        });
    });
    for (std::int64_t i = 0; i < n_sets; ++i) lists.offsets[i + 1] += lists.offsets[i];
    control.claim(lists.offsets.back() * static_cast<std::int64_t>(sizeof(std::int32_t)));
    lists.items = std::make_unique_for_overwrite<std::int32_t[]>(static_cast<std::size_t>(lists.offsets.back()));
    for_each_task(control, n_blocks, [&](int, std::int64_t block) {
        each_of(block, [&](std::int64_t i, const std::uint64_t* row) { list_bits(row, n_words, lists.items.get() + lists.offsets[i]); });
    });
    control.release(bytes);
    return lists;
}

}  // namespace discreet::randomize
