// Transactions as one bitmap for each item, in groups, and the supports of many itemsets in them.
//
// A group holds the randomized transactions that had one true size. Its bitmaps are cut into
// tiles of `tile_size` transactions that lie together in memory: a tile of all items fits the
// cache while every itemset is counted in it, and transactions can be added at any time.
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
#include "randomize/sets.hpp"

namespace discreet::randomize {

class SizedBitmaps {
  public:
    static constexpr std::size_t tile_words = 128;
    static constexpr std::int64_t tile_size = 64 * tile_words;

    SizedBitmaps(std::int32_t n_items, std::int32_t n_groups) : n_items_(n_items), groups_(n_groups) {}
    SizedBitmaps(const SizedBitmaps&) = delete;
    SizedBitmaps& operator=(const SizedBitmaps&) = delete;

    std::int32_t n_items() const { return n_items_; }
    std::int32_t n_groups() const { return static_cast<std::int32_t>(groups_.size()); }
    std::int64_t n_sets(std::int32_t group) const { return groups_[group].n_sets; }

    std::string problem(const Sets& sets, std::span<const std::int32_t> group_of) const {
        if (group_of.size() + 1 != sets.offsets.size()) return "there must be one group for each transaction";
        if (std::string what = problem(group_of); !what.empty()) return what;
        return randomize::problem(sets);
    }
    std::string problem(std::span<const std::int32_t> group_of) const {
        for (const std::int32_t group : group_of)
            if (group < 0 || group >= n_groups()) return "groups must be from 0 to n_groups - 1";
        return {};
    }

    // Adds transactions to the groups they are in, after those already there.
    void add(const Sets& sets, std::span<const std::int32_t> group_of, Control& control) {
        const std::vector<Share> shares = share_out(group_of);
        control.claim(bytes());
        for_each_task(control, static_cast<std::int64_t>(shares.size()), [&](int, std::int64_t task) {
            const Share& share = shares[task];
            Word* const tile = groups_[share.group].tiles[share.tile].get();
            std::size_t place = share.first_place;
            for (const std::int64_t i : share.sets) {
                for (const std::int32_t item : sets[i]) bitmap::set(tile + static_cast<std::size_t>(item) * tile_words, place);
                ++place;
            }
        });
    }

    // The same for transactions that are bitmaps themselves, `n_words` words each: turned round
    // 64 by 64 bits, many times as fast as item by item where sets are dense.
    void add(std::span<const std::uint64_t> words, std::size_t n_words, std::span<const std::int32_t> group_of, Control& control) {
        const std::vector<Share> shares = share_out(group_of);
        control.claim(bytes());
        for_each_task(control, static_cast<std::int64_t>(shares.size()), [&](int, std::int64_t task) {
            const Share& share = shares[task];
            Word* const tile = groups_[share.group].tiles[share.tile].get();
            for (std::size_t done = 0; done < share.sets.size();) {
                const std::size_t place = share.first_place + done, at = place % 64, n = std::min(64 - at, share.sets.size() - done);
                for (std::size_t w = 0; w < n_words; ++w) {
                    Word square[64] = {};
                    for (std::size_t i = 0; i < n; ++i) square[at + i] = words[static_cast<std::size_t>(share.sets[done + i]) * n_words + w];
                    turn_round(square);
                    const std::size_t items = std::min<std::size_t>(64, static_cast<std::size_t>(n_items_) - 64 * w);
                    for (std::size_t i = 0; i < items; ++i) tile[(64 * w + i) * tile_words + place / 64] |= square[i];
                }
                done += n;
            }
        });
    }

    // For each itemset, one after the other in `itemsets`, all of `size` items, its support in
    // each group. Itemsets that begin alike should stand together: what they share is found once.
    std::vector<std::int64_t> supports(std::span<const std::int32_t> itemsets, std::size_t size, Control& control) const {
        const std::size_t n = itemsets.size() / size, n_chunks = (n + chunk - 1) / chunk;
        std::vector<std::int64_t> counts(n * groups_.size());
        control.claim(bytes() + static_cast<std::int64_t>((counts.size() + control.threads * std::min(chunk, n)) * sizeof(std::int64_t)));
        for (std::size_t group = 0; group < groups_.size(); ++group)
            for (std::size_t c = 0; c < n_chunks; ++c) {
                const std::size_t first = c * chunk, here = std::min(chunk, n - first);
                const std::vector<std::int64_t> found = count(groups_[group], itemsets.subspan(first * size, here * size), size, control);
                for (std::size_t i = 0; i < here; ++i) counts[(first + i) * groups_.size() + group] = found[i];
            }
        return counts;
    }

  private:
    using Word = bitmap::Word;
    static constexpr std::size_t chunk = 1 << 18;  // itemsets counted in one pass over the tiles

    struct Group {
        std::int64_t n_sets = 0;
        std::vector<std::unique_ptr<Word[]>> tiles;
    };
    struct Share {  // new transactions of one tile: the work of one task
        std::size_t group, tile, first_place;
        std::vector<std::int64_t> sets;
    };

    // Bit j of word i becomes bit i of word j (H. Warren 2012, Hacker's Delight, section 7-3).
    static void turn_round(Word square[64]) {
        Word mask = 0x00000000ffffffff;
        for (std::size_t half = 32; half != 0; half >>= 1, mask ^= mask << half)
            for (std::size_t i = 0; i < 64; i = ((i | half) + 1) & ~half) {
                const Word swapped = (square[i] >> half ^ square[i | half]) & mask;
                square[i] ^= swapped << half;
                square[i | half] ^= swapped;
            }
    }

    std::int64_t bytes() const {
        std::size_t n_tiles = 0;
        for (const Group& group : groups_) n_tiles += group.tiles.size();
        return static_cast<std::int64_t>(n_tiles * static_cast<std::size_t>(n_items_) * tile_words * sizeof(Word));
    }

    std::vector<Share> share_out(std::span<const std::int32_t> group_of) {
        std::vector<Share> shares;
        std::vector<std::size_t> open(groups_.size(), SIZE_MAX);  // the share that a group fills now
        for (std::size_t i = 0; i < group_of.size(); ++i) {
            const auto g = static_cast<std::size_t>(group_of[i]);
            Group& group = groups_[g];
            const auto place = static_cast<std::size_t>(group.n_sets % tile_size), tile = static_cast<std::size_t>(group.n_sets / tile_size);
            if (tile == group.tiles.size()) group.tiles.push_back(std::make_unique<Word[]>(static_cast<std::size_t>(n_items_) * tile_words));
            if (open[g] == SIZE_MAX || place == 0) {
                open[g] = shares.size();
                shares.push_back({g, tile, place, {}});
            }
            shares[open[g]].sets.push_back(static_cast<std::int64_t>(i));
            ++group.n_sets;
        }
        return shares;
    }

    std::vector<std::int64_t> count(const Group& group, std::span<const std::int32_t> itemsets, std::size_t size, Control& control) const {
        const std::size_t n = itemsets.size() / size;
        std::vector<std::size_t> shared(n, 0);  // items that an itemset begins with like the one before
        for (std::size_t i = 1; i < n; ++i)
            while (shared[i] < size && itemsets[i * size + shared[i]] == itemsets[(i - 1) * size + shared[i]]) ++shared[i];
        std::vector<std::vector<std::int64_t>> of_worker(control.threads);
        for_each_task(control, static_cast<std::int64_t>(group.tiles.size()), [&](int worker, std::int64_t task) {
            std::vector<std::int64_t>& sums = of_worker[worker];
            sums.resize(n);
            count_tile(group.tiles[task].get(), itemsets, size, shared, sums, control);
        });
        std::vector<std::int64_t> counts(n, 0);
        for (const std::vector<std::int64_t>& sums : of_worker)
            for (std::size_t i = 0; i < sums.size(); ++i) counts[i] += sums[i];
        return counts;
    }

    static void count_tile(const Word* tile, std::span<const std::int32_t> itemsets, std::size_t size, const std::vector<std::size_t>& shared,
                           std::vector<std::int64_t>& sums, const Control& control) {
        const auto row = [&](std::int32_t item) { return tile + static_cast<std::size_t>(item) * tile_words; };
        std::vector<Word> stack(size * tile_words);  // at d: the rows that have items 0 to d, d >= 1
        for (std::size_t i = 0; i < sums.size(); ++i) {
            if (i % 4096 == 0) control.check();
            const std::int32_t* const items = itemsets.data() + i * size;
            if (size == 1) {
                sums[i] += bitmap::count(row(items[0]), tile_words);
                continue;
            }
            const auto level = [&](std::size_t d) { return d == 0 ? row(items[0]) : stack.data() + d * tile_words; };
            for (std::size_t d = std::max<std::size_t>(1, shared[i]); d + 1 < size; ++d)
                bitmap::store_and(level(d - 1), row(items[d]), stack.data() + d * tile_words, tile_words);
            sums[i] += bitmap::count_and(level(size - 2), row(items[size - 1]), tile_words);
        }
    }

    std::int32_t n_items_;
    std::vector<Group> groups_;
};

}  // namespace discreet::randomize
