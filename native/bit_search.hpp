// The search below a prefix once few items are left: rows are weighted bit masks.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "masks.hpp"
#include "pool.hpp"

namespace discreet {

enum class Task { frequent, closed, maximal };

// What one thread carries along: the items of the itemset at hand, the items that may be
// added to it without a change of support, and the place for results.
template <class Sink>
struct Searcher {
    Sink sink;
    std::vector<std::int32_t> prefix, optional;

    void report(std::uint32_t support) { sink.add(prefix, optional, support); }
};

template <class Sink>
using Job = std::function<void(Searcher<Sink>&)>;

template <class Sink>
struct Search {
    std::uint32_t min_support;
    std::size_t max_size;
    Pool<Job<Sink>>& pool;
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

template <Task task, class Mask, class Sink>
class BitSearch {
  public:
    BitSearch(const Search<Sink>& search, Searcher<Sink>& searcher) : search_(search), searcher_(searcher) {}

    // The problem must outlive the calls below.
    void start(const BitProblem<Mask>& problem) { ids_ = problem.ids.data(); }
    void solve(const BitProblem<Mask>& problem) {
        start(problem);
        below(problem.rows, problem.tail, problem.counts);
    }

    // Visits everything below the prefix (itself reported by the caller). For maximal
    // itemsets: true if prefix and tail together are frequent, so that the caller need
    // not look at other subsets of them.
    bool below(const BitRows<Mask>& rows, Mask tail, std::span<const std::uint32_t> counts, std::size_t depth = 0) {
        if (whole(rows, tail)) return true;
        for (Mask rest = tail; rest != 0; rest &= rest - 1) {
            const int i = lowest_bit(rest);
            if (branch(rows, i, rest & (rest - 1), counts[static_cast<std::size_t>(i)], depth)) break;
        }
        return false;
    }

    // Maximal: looks whether the prefix is frequent with its whole tail. If so that is the
    // only itemset below that can be maximal, and it is unless an earlier item fits.
    bool whole(const BitRows<Mask>& rows, Mask tail) {
        if (task != Task::maximal) return false;
        std::uint32_t support = 0;
        for (std::size_t r = 0; r < rows.n; ++r)
            if ((rows.mask[r] & tail) == tail) support += rows.weight[r];
        if (support < search_.min_support) return false;
        std::array<std::uint32_t, mask_bits<Mask>> counts{};
        bool extends = false;
        for (std::size_t r = 0; r < rows.n; ++r)
            if ((rows.mask[r] & tail) == tail)
                for_each_bit(rows.mask[r] & ~tail, [&](int b) {
                    extends |= (counts[static_cast<std::size_t>(b)] += rows.weight[r]) >= search_.min_support;
                });
        if (!extends) {
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
        searcher_.prefix.push_back(ids_[i]);
        const bool enough = inside(rows, i, tail, support, depth);
        searcher_.prefix.resize(n_prefix);
        searcher_.optional.resize(n_optional);
        return enough;
    }

  private:
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
        for_each_bit(full, [&](int b) {
            (task == Task::frequent ? searcher_.optional : searcher_.prefix).push_back(ids_[b]);
        });
        if (task != Task::frequent && searcher_.prefix.size() > search_.max_size) return false;
        if (task != Task::maximal) searcher_.report(support);
        const Mask seen = (task == Task::maximal ? ~Mask{0} : tail) & ~full;
        const Mask live = count(level.rows, seen, level.counts);
        const Mask live_tail = live & tail;
        if (live_tail == 0) {
            if (task == Task::maximal && live == 0) searcher_.report(support);
            return task == Task::maximal && tail == full;
        }
        if (task == Task::frequent && searcher_.prefix.size() >= search_.max_size) return false;
        merge(level.rows, live_tail, task == Task::closed ? ~full : live);
        if (search_.pool.hungry() && level.rows.n > 8) {
            give_away(level, live_tail);
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

    // Drops what no longer matters and joins neighbouring rows that have become equal.
    // Closed itemsets need of the earlier items only which ones all rows share; for
    // maximal ones those items are counted too.
    static void merge(BitRows<Mask>& rows, Mask tail, Mask keep) {
        const Mask key = task == Task::closed ? tail : keep;
        std::size_t n = 0;
        for (std::size_t r = 0; r < rows.n; ++r) {
            const Mask mask = rows.mask[r] & keep;
            const std::uint32_t weight = rows.weight[r];
            if ((mask & tail) == 0) continue;
            if (n > 0 && ((rows.mask[n - 1] ^ mask) & key) == 0) {
                rows.weight[n - 1] += weight;
                if (task == Task::closed) rows.mask[n - 1] &= mask;
            } else {
                rows.mask[n] = mask;
                rows.weight[n++] = weight;
            }
        }
        rows.n = n;
    }

    void give_away(const Level& level, Mask tail) {
        auto problem = std::make_shared<BitProblem<Mask>>();
        problem->rows.mask.assign(level.rows.mask.begin(), level.rows.mask.begin() + static_cast<std::ptrdiff_t>(level.rows.n));
        problem->rows.weight.assign(level.rows.weight.begin(), level.rows.weight.begin() + static_cast<std::ptrdiff_t>(level.rows.n));
        problem->rows.n = level.rows.n;
        problem->tail = tail;
        std::copy_n(ids_, problem->ids.size(), problem->ids.begin());
        problem->counts = level.counts;
        search_.pool.give([search = search_, problem, prefix = searcher_.prefix, optional = searcher_.optional](Searcher<Sink>& other) {
            other.prefix = prefix;
            other.optional = optional;
            BitSearch(search, other).solve(*problem);
        });
    }

    Search<Sink> search_;
    Searcher<Sink>& searcher_;
    const std::int32_t* ids_ = nullptr;
    std::deque<Level> levels_;
};

}  // namespace discreet
