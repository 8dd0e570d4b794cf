// The search below a prefix once few items are left: rows are weighted bit masks.
//
// BitSearch, at the bottom, is the search; above it are its rows as masks and as bitmaps.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/bitmap.hpp"
#include "base/pool.hpp"
#include "frequent/sink.hpp"

namespace discreet {

// ---- Masks ----
// Rows over few items as bit masks: 64 items in one machine word, 128 in two.

using Mask64 = std::uint64_t;
__extension__ using Mask128 = unsigned __int128;

template <class Mask>
inline constexpr int mask_bits = static_cast<int>(8 * sizeof(Mask));

template <class Mask>
constexpr Mask bit_at(int i) {
    return static_cast<Mask>(Mask{1} << i);
}

inline int n_bits(Mask64 mask) { return std::popcount(mask); }
inline int n_bits(Mask128 mask) {
    return std::popcount(static_cast<std::uint64_t>(mask)) + std::popcount(static_cast<std::uint64_t>(mask >> 64));
}

inline int lowest_bit(Mask64 mask) { return std::countr_zero(mask); }
inline int lowest_bit(Mask128 mask) {
    const auto low = static_cast<std::uint64_t>(mask);
    return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(mask >> 64));
}

inline std::uint64_t hash(Mask64 mask) {
    mask *= 0x9e3779b97f4a7c15u;
    return mask ^ (mask >> 32);
}
inline std::uint64_t hash(Mask128 mask) {
    return hash(static_cast<std::uint64_t>(mask) ^ hash(static_cast<std::uint64_t>(mask >> 64)));
}

// Calls visit(i) for every one in the mask, from the lowest.
template <class Visit>
inline void for_each_bit(Mask64 mask, Visit&& visit) {
    for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}
template <class Visit>
inline void for_each_bit(Mask128 mask, Visit&& visit) {
    for_each_bit(static_cast<std::uint64_t>(mask), visit);
    for_each_bit(static_cast<std::uint64_t>(mask >> 64), [&](int i) { visit(64 + i); });
}

// Weighted rows.
template <class Mask>
struct BitRows {
    std::vector<Mask> mask;
    std::vector<std::uint32_t> weight;
    std::size_t n = 0;

    void make_room(std::size_t rows) {
        if (mask.size() < rows) {
            mask.resize(rows);
            weight.resize(rows);
        }
    }
};

// Collects weighted rows, equal ones once.
template <class Mask>
class BitRowTable {
  public:
    void add(Mask mask, std::uint32_t weight) {
        std::size_t slot = find(mask);
        if (slots_[slot] == 0) {
            if (2 * (rows_.size() + 1) > slots_.size()) {
                slots_.assign(4 * slots_.size(), 0);
                for (std::size_t r = 0; r < rows_.size(); ++r) slots_[find(rows_[r].mask)] = static_cast<std::uint32_t>(r + 1);
                slot = find(mask);
            }
            rows_.push_back({mask, 0});
            slots_[slot] = static_cast<std::uint32_t>(rows_.size());
        }
        rows_[slots_[slot] - 1].weight += weight;
    }

    std::size_t size() const { return rows_.size(); }

    // The rows sorted by mask: those with the same high bits are neighbours.
    BitRows<Mask> sorted() {
        std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.mask > b.mask; });
        BitRows<Mask> out;
        out.make_room(rows_.size());
        for (; out.n < rows_.size(); ++out.n) {
            out.mask[out.n] = rows_[out.n].mask;
            out.weight[out.n] = rows_[out.n].weight;
        }
        return out;
    }

  private:
    struct Row {
        Mask mask;
        std::uint32_t weight;
    };
    std::size_t find(Mask mask) const {
        std::size_t slot = hash(mask) & (slots_.size() - 1);
        while (slots_[slot] != 0 && rows_[slots_[slot] - 1].mask != mask) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    std::vector<Row> rows_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, 0);
};

// ---- Covers ----
// Weighted rows turned on their side: for each item the rows that hold it, as a bitmap.

// Answers whether an itemset would stay frequent with one more item, far faster than a
// pass over the rows. Weights are cut into binary digits, one bitmap of rows per digit,
// so that a support is a sum of popcounts.
template <class Mask>
class Covers {
  public:
    void build(const BitRows<Mask>& rows) {
        words_ = bitmap::words_for(rows.n);
        std::uint32_t weights = 0;
        used_ = 0;
        for (std::size_t r = 0; r < rows.n; ++r) {
            weights |= rows.weight[r];
            used_ |= rows.mask[r];
        }
        n_digits_ = static_cast<std::size_t>(std::bit_width(weights));
        digits_.assign(n_digits_ * words_, 0);
        selected_.resize(n_digits_ * words_);
        std::size_t n = 0;
        for_each_bit(used_, [&](int b) { at_[static_cast<std::size_t>(b)] = words_ * n++; });
        covers_.assign(n * words_, 0);
        n_held_ = 0;
        for (std::size_t r = 0; r < rows.n; ++r) n_held_ += static_cast<std::size_t>(n_bits(rows.mask[r]));
        n_held_ /= std::max<std::size_t>(rows.n, 1);
        for (std::size_t r = 0; r < rows.n; ++r) {
            for_each_bit(rows.mask[r], [&](int b) { bitmap::set(covers_.data() + at_[static_cast<std::size_t>(b)], r); });
            for_each_bit(Mask64{rows.weight[r]}, [&](int digit) { bitmap::set(digits_.data() + static_cast<std::size_t>(digit) * words_, r); });
        }
    }

    // Whether counting by bitmaps beats walking over the bits of n_rows rows.
    bool counts_faster(std::size_t n_rows, int n_seen) const {
        return words_ * n_digits_ * static_cast<std::size_t>(n_seen) < n_rows * n_held_;
    }

    // Counts the rows that hold bit i and each bit of `seen`; returns the frequent ones.
    Mask count(int i, Mask seen, std::uint32_t min_support, std::array<std::uint32_t, mask_bits<Mask>>& counts,
               std::vector<bitmap::Word>& scratch) const {
        scratch.resize(n_digits_ * words_);
        const bitmap::Word* cover = covers_.data() + at_[static_cast<std::size_t>(i)];
        for (std::size_t digit = 0; digit < n_digits_; ++digit)
            bitmap::store_and(cover, digits_.data() + digit * words_, scratch.data() + digit * words_, words_);
        Mask live = 0;
        for_each_bit(seen & used_ & ~bit_at<Mask>(i), [&](int b) {
            std::int64_t support = 0;
            for (std::size_t digit = 0; digit < n_digits_; ++digit)
                support += bitmap::count_and(scratch.data() + digit * words_, covers_.data() + at_[static_cast<std::size_t>(b)], words_) << digit;
            counts[static_cast<std::size_t>(b)] = static_cast<std::uint32_t>(support);
            if (support >= min_support) live |= bit_at<Mask>(b);
        });
        return live;
    }

    // Whether one of `others` is in min_support of the rows that hold the itemset.
    bool fits_more(Mask itemset, Mask others, std::uint32_t min_support) {
        cover_.assign(words_, ~bitmap::Word{0});
        for_each_bit(itemset, [&](int b) {
            const bitmap::Word* other = covers_.data() + at_[static_cast<std::size_t>(b)];
            for (std::size_t w = 0; w < words_; ++w) cover_[w] &= other[w];
        });
        // Rows are sorted, so those that hold the itemset tend to lie together.
        std::size_t from = 0, to = words_;
        while (from < to && cover_[from] == 0) ++from;
        while (from < to && cover_[to - 1] == 0) --to;
        std::size_t n = 0;  // digits that occur
        std::array<int, 32> shift{};
        for (std::size_t digit = 0; digit < n_digits_; ++digit)
            if (bitmap::store_and(cover_.data() + from, digits_.data() + digit * words_ + from, selected_.data() + n * words_, to - from) > 0)
                shift[n++] = static_cast<int>(digit);
        for (Mask rest = used_ & others & ~itemset; rest != 0; rest &= rest - 1) {
            const bitmap::Word* other = covers_.data() + at_[static_cast<std::size_t>(lowest_bit(rest))] + from;
            std::int64_t support = 0;
            for (std::size_t k = 0; k < n; ++k) support += bitmap::count_and(selected_.data() + k * words_, other, to - from) << shift[k];
            if (support >= min_support) return true;
        }
        return false;
    }

  private:
    std::size_t words_ = 0, n_digits_ = 0, n_held_ = 0;  // n_held_: bits of a row, on average
    Mask used_ = 0;
    std::array<std::size_t, mask_bits<Mask>> at_{};  // where the cover of a bit starts
    std::vector<bitmap::Word> covers_, digits_, cover_, selected_;
};

// ---- The search ----

enum class Task { frequent, closed, maximal };

// What one thread carries along: the items of the itemset at hand, the items that may be
// added to it without a change of support, and the place for results.
struct Searcher {
    Sink sink;
    std::vector<std::int32_t> prefix, optional;

    void report(std::uint32_t support) { sink.add(prefix, optional, support); }
};

using Job = std::function<void(Searcher&)>;

struct Search {
    std::uint32_t min_support;
    std::size_t max_size;
    Pool<Job>& pool;
};

// Rows that hold a prefix. Bit b stands for item ids[b]; the bits of `tail` may extend the
// prefix, higher bits are the more frequent items; the other bits in use had their turn
// before. counts[b] is right for the bits of tail.
template <class Mask>
struct BitProblem {
    BitRows<Mask> rows;
    Mask tail = 0;
    std::array<std::int32_t, mask_bits<Mask>> ids{};
    std::array<std::uint32_t, mask_bits<Mask>> counts{};
};

template <Task task, class Mask>
class BitSearch {
  public:
    BitSearch(const Search& search, Searcher& searcher) : search_(search), searcher_(searcher) {}

    // The problem must outlive the calls below.
    void start(const BitProblem<Mask>& problem, const Covers<Mask>* covers = nullptr) {
        ids_ = problem.ids.data();
        covers_of_root_ = covers;
    }
    bool solve(const BitProblem<Mask>& problem) {
        start(problem);
        return below(problem.rows, problem.tail, problem.counts);
    }

    // Visits everything below the prefix (itself reported by the caller). For maximal
    // itemsets: true if prefix and tail together are frequent, so that the caller need
    // not look at other subsets of them.
    bool below(const BitRows<Mask>& rows, Mask tail, std::span<const std::uint32_t> counts, std::size_t depth = 0) {
        const bool anchors = task == Task::maximal && !anchored_ && merges_well(rows, tail);
        if (anchors) {
            covers_.build(rows);
            anchored_ = true;
            chosen_ = 0;
            earlier_ = ~tail;
        }
        const bool all = whole(rows, tail);
        if (!all) branches(rows, tail, counts, depth);
        if (anchors) anchored_ = false;
        return all;
    }

    // Maximal: looks whether the prefix is frequent with its whole tail. If so that is the
    // only itemset below that can be maximal, and it is unless an earlier item fits.
    bool whole(const BitRows<Mask>& rows, Mask tail) {
        if (task != Task::maximal) return false;
        std::uint32_t support = 0;
        for (std::size_t r = 0; r < rows.n; ++r)
            if ((rows.mask[r] & tail) == tail) support += rows.weight[r];
        if (support < search_.min_support) return false;
        if (anchored_ ? !covers_.fits_more(chosen_ | tail, earlier_, search_.min_support) : !fits_more(rows, tail)) {
            const std::size_t n_prefix = searcher_.prefix.size();
            for_each_bit(tail, [&](int b) { searcher_.prefix.push_back(ids_[b]); });
            searcher_.report(support);
            searcher_.prefix.resize(n_prefix);
        }
        return true;
    }

    // Everything that extends the prefix by bit i and then by bits of `tail`; true if the
    // branches that follow can hold nothing new.
    bool branch(const BitRows<Mask>& rows, int i, Mask tail, std::uint32_t support, std::size_t depth) {
        search_.pool.check();
        while (levels_.size() <= depth) levels_.emplace_back();
        const std::size_t n_prefix = searcher_.prefix.size(), n_optional = searcher_.optional.size();
        const Mask chosen = chosen_;
        searcher_.prefix.push_back(ids_[i]);
        chosen_ |= bit_at<Mask>(i);
        const bool enough = inside(rows, i, tail, support, depth);
        chosen_ = chosen;
        searcher_.prefix.resize(n_prefix);
        searcher_.optional.resize(n_optional);
        return enough;
    }

  private:
    template <Task, class>
    friend class BitSearch;

    void branches(const BitRows<Mask>& rows, Mask tail, std::span<const std::uint32_t> counts, std::size_t depth) {
        const Mask earlier = earlier_;
        for (Mask rest = tail; rest != 0; rest &= rest - 1) {
            const int i = lowest_bit(rest);
            if (branch(rows, i, rest & (rest - 1), counts[static_cast<std::size_t>(i)], depth)) break;
            earlier_ |= bit_at<Mask>(i);
        }
        earlier_ = earlier;
    }

    struct Level {
        BitRows<Mask> rows;
        std::array<std::uint32_t, mask_bits<Mask>> counts;
    };

    bool inside(const BitRows<Mask>& from, int i, Mask tail, std::uint32_t support, std::size_t depth) {
        Level& level = levels_[depth];
        if (task == Task::frequent && (tail == 0 || searcher_.prefix.size() >= search_.max_size)) {
            searcher_.report(support);
            return false;
        }
        const Mask everywhere = select(from, i, level.rows);
        if (task != Task::frequent && (everywhere & ~tail) != 0) return false;  // an earlier item fits every row
        const Mask full = everywhere & tail;
        chosen_ |= full;
        for_each_bit(full, [&](int b) {
            (task == Task::frequent ? searcher_.optional : searcher_.prefix).push_back(ids_[b]);
        });
        if (task != Task::frequent && searcher_.prefix.size() > search_.max_size) return false;
        if (task != Task::maximal) searcher_.report(support);
        const bool exact = task == Task::maximal && !anchored_;
        const Mask seen = (exact ? ~Mask{0} : tail) & ~full;
        const Mask live = depth == 0 && covers_of_root_ != nullptr && covers_of_root_->counts_faster(level.rows.n, n_bits(seen))
                              ? covers_of_root_->count(i, seen, search_.min_support, level.counts, scratch_)
                              : count(level.rows, seen, level.counts);
        const Mask live_tail = live & tail;
        if (live_tail == 0) {
            if (task == Task::maximal && live == 0 && (exact || !covers_.fits_more(chosen_, earlier_, search_.min_support))) searcher_.report(support);
            return task == Task::maximal && tail == full;
        }
        if (task == Task::frequent && searcher_.prefix.size() >= search_.max_size) return false;
        if constexpr (sizeof(Mask) > sizeof(Mask64))
            if (task != Task::closed && level.rows.n > 32 && !anchored_ && n_bits(live) <= 64) return narrow(level, live_tail, live & ~live_tail) && (live_tail | full) == tail;
        merge(level.rows, live_tail, task == Task::frequent || exact ? live : ~full, task == Task::frequent || exact ? live : live_tail);
        if (search_.pool.hungry() && !anchored_ && level.rows.n > 8) {
            give_away(level, live_tail);
            return false;
        }
        if (task == Task::frequent && n_bits(live_tail) <= most_subset_bits) {
            subsets(level.rows, live_tail);
            return false;
        }
        const bool all = below(level.rows, live_tail, level.counts, depth + 1);
        return all && (live_tail | full) == tail;
    }

    // Copies the rows that hold bit i, without it; returns the bits found in all of them.
    static Mask select(const BitRows<Mask>& from, int i, BitRows<Mask>& to) {
        to.make_room(from.n + 1);
        const Mask bit = bit_at<Mask>(i);
        Mask everywhere = ~Mask{0};
        std::size_t n = 0;
        for (std::size_t r = 0; r < from.n; ++r) {
            const Mask mask = from.mask[r];
            const bool hit = (mask & bit) != 0;
            to.mask[n] = mask & ~bit;
            to.weight[n] = from.weight[r];
            everywhere &= hit ? mask : ~Mask{0};
            n += hit;
        }
        to.n = n;
        return everywhere & ~bit;
    }

    // Counts the rows of each bit in `seen`; returns the frequent bits.
    Mask count(const BitRows<Mask>& rows, Mask seen, std::array<std::uint32_t, mask_bits<Mask>>& counts) const {
        counts.fill(0);
        for (std::size_t r = 0; r < rows.n; ++r) {
            const std::uint32_t weight = rows.weight[r];
            for_each_bit(rows.mask[r] & seen, [&](int b) { counts[static_cast<std::size_t>(b)] += weight; });
        }
        Mask live = 0;
        for_each_bit(seen, [&](int b) {
            if (counts[static_cast<std::size_t>(b)] >= search_.min_support) live |= bit_at<Mask>(b);
        });
        return live;
    }

    // Drops the bits outside `keep` and the rows without a tail, and joins neighbouring
    // rows with an equal key. Of bits outside the key only those both rows have remain:
    // enough to tell which of them all rows share.
    static void merge(BitRows<Mask>& rows, Mask tail, Mask keep, Mask key) {
        std::size_t n = 0;
        for (std::size_t r = 0; r < rows.n; ++r) {
            const Mask mask = rows.mask[r] & keep;
            const std::uint32_t weight = rows.weight[r];
            if ((mask & tail) == 0) continue;
            if (n > 0 && ((rows.mask[n - 1] ^ mask) & key) == 0) {
                rows.weight[n - 1] += weight;
                rows.mask[n - 1] &= mask;
            } else {
                rows.mask[n] = mask;
                rows.weight[n++] = weight;
            }
        }
        rows.n = n;
    }

    // Frequent itemsets of few items: the support of every subset of the tail at once. Rows
    // are tallied by what they hold of the tail, then each item in turn adds the tallies
    // with it to those without (a sum over supersets).
    void subsets(const BitRows<Mask>& rows, Mask tail) {
        std::array<std::uint32_t, std::size_t{1} << most_subset_bits> support{};
        std::array<int, most_subset_bits> bits{};
        std::size_t k = 0;
        for_each_bit(tail, [&](int b) { bits[k++] = b; });
        const std::size_t n = std::size_t{1} << k;
        for (std::size_t r = 0; r < rows.n; ++r) {
            std::size_t held = 0;
            for (std::size_t b = 0; b < k; ++b) held |= static_cast<std::size_t>(rows.mask[r] >> bits[b] & 1) << b;
            support[held] += rows.weight[r];
        }
        for (std::size_t step = 1; step < n; step *= 2)
            for (std::size_t block = 0; block < n; block += 2 * step)
                for (std::size_t m = block; m < block + step; ++m) support[m] += support[m + step];
        searcher_.sink.add_subsets(searcher_.prefix, searcher_.optional, {support.data(), n}, search_.min_support,
                                   [&](std::size_t b) { return ids_[bits[b]]; });
    }

    // Whether far fewer rows would be left if only their tails were told apart.
    static bool merges_well(const BitRows<Mask>& rows, Mask tail) {
        if (rows.n < 64 || rows.n > anchor_rows) return false;
        std::size_t n_tails = 1;
        for (std::size_t r = 1; r < rows.n; ++r) n_tails += ((rows.mask[r] ^ rows.mask[r - 1]) & tail) != 0;
        return rows.n >= 3 * n_tails;
    }

    // Whether some further item is frequent together with the bits of `itemset`.
    bool fits_more(const BitRows<Mask>& rows, Mask itemset) const {
        std::array<std::uint32_t, mask_bits<Mask>> counts{};
        for (std::size_t r = 0; r < rows.n; ++r) {
            if ((rows.mask[r] & itemset) != itemset) continue;
            bool enough = false;
            for_each_bit(rows.mask[r] & ~itemset, [&](int b) {
                enough |= (counts[static_cast<std::size_t>(b)] += rows.weight[r]) >= search_.min_support;
            });
            if (enough) return true;
        }
        return false;
    }

    // Goes on in masks of half the width. High bits stay the more frequent items.
    bool narrow(Level& level, Mask tail, Mask rest) {
        BitProblem<Mask64>& problem = narrow_problem_;
        std::array<Mask64, mask_bits<Mask>> bit_of;
        problem.tail = 0;
        int to = 64 - n_bits(tail) - n_bits(rest);
        for (const Mask part : {rest, tail})
            for_each_bit(part, [&](int b) {
                bit_of[static_cast<std::size_t>(b)] = bit_at<Mask64>(to);
                if (part == tail) problem.tail |= bit_at<Mask64>(to);
                problem.ids[static_cast<std::size_t>(to)] = ids_[b];
                problem.counts[static_cast<std::size_t>(to++)] = level.counts[static_cast<std::size_t>(b)];
            });
        BitRows<Mask64>& rows = problem.rows;
        rows.make_room(level.rows.n);
        rows.n = level.rows.n;
        for (std::size_t r = 0; r < rows.n; ++r) {
            Mask64 mask = 0;
            for_each_bit(level.rows.mask[r] & (tail | rest), [&](int b) { mask |= bit_of[static_cast<std::size_t>(b)]; });
            rows.mask[r] = mask;
            rows.weight[r] = level.rows.weight[r];
        }
        using Narrow = BitSearch<task, Mask64>;
        if (!narrow_) narrow_ = std::make_unique<Narrow>(search_, searcher_);
        Narrow::merge(rows, problem.tail, ~Mask64{0}, task == Task::closed ? problem.tail : ~Mask64{0});
        return narrow_->solve(problem);
    }

    void give_away(const Level& level, Mask tail) {
        auto problem = std::make_shared<BitProblem<Mask>>();
        problem->rows.mask.assign(level.rows.mask.begin(), level.rows.mask.begin() + static_cast<std::ptrdiff_t>(level.rows.n));
        problem->rows.weight.assign(level.rows.weight.begin(), level.rows.weight.begin() + static_cast<std::ptrdiff_t>(level.rows.n));
        problem->rows.n = level.rows.n;
        problem->tail = tail;
        std::copy_n(ids_, problem->ids.size(), problem->ids.begin());
        problem->counts = level.counts;
        search_.pool.give([search = search_, problem, prefix = searcher_.prefix, optional = searcher_.optional](Searcher& other) {
            other.prefix = prefix;
            other.optional = optional;
            BitSearch(search, other).solve(*problem);
        });
    }

    Search search_;
    Searcher& searcher_;
    static constexpr int most_subset_bits = 6;

    const std::int32_t* ids_ = nullptr;
    const Covers<Mask>* covers_of_root_ = nullptr;
    std::vector<bitmap::Word> scratch_;
    // Maximal itemsets: whether an earlier item would fit is asked of the rows of the last
    // prefix that had not too many, when an itemset is found; on the way there those
    // items need neither be counted nor kept apart.
    static constexpr std::size_t anchor_rows = 4096;
    bool anchored_ = false;
    Covers<Mask> covers_;
    Mask chosen_ = 0;   // bits that joined the prefix since then
    Mask earlier_ = 0;  // bits that had their turn before it and may still fit
    std::deque<Level> levels_;
    std::unique_ptr<BitSearch<task, Mask64>> narrow_;  // used by wide masks only
    BitProblem<Mask64> narrow_problem_;
};

}  // namespace discreet
