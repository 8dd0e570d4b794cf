// Frequent itemsets whose support does not follow from those of their subsets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"
#include "base/itemsets.hpp"
#include "base/tasks.hpp"
#include "deduction/bounds.hpp"
#include "rules/support_table.hpp"

namespace discreet {

struct NonDerivable {
    Itemsets itemsets;
    std::vector<std::int64_t> lower, upper;  // by the deduction rules

    void add(std::span<const std::int32_t> itemset, std::int64_t support, Bounds bounds) {
        itemsets.add(itemset, support);
        lower.push_back(bounds.lower);
        upper.push_back(bounds.upper);
    }
};

// The frequent items, rare ones first and numbered so, with their rows in both
// directions: the rows of an item, and in each row the items.
struct RankedItems {
    std::vector<std::int32_t> id;  // the caller's
    std::vector<std::int64_t> support;
    std::vector<std::vector<std::int32_t>> rows_of;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> items;  // of row t: items[offsets[t] .. offsets[t+1]), ascending numbers

    RankedItems(const Database& database, std::int64_t min_support) {
        std::vector<std::int64_t> counted(static_cast<std::size_t>(database.n_items), 0);
        for (std::int64_t t = 0; t < database.n_transactions(); ++t)
            for (const std::int32_t item : database.transaction(t)) counted[item] += database.weights[t];
        for (std::int32_t item = 0; item < database.n_items; ++item)
            if (counted[item] >= min_support) id.push_back(item);
        std::stable_sort(id.begin(), id.end(), [&](auto a, auto b) { return counted[a] < counted[b]; });
        std::vector<std::int32_t> number(counted.size(), -1);
        for (std::size_t i = 0; i < id.size(); ++i) {
            number[id[i]] = static_cast<std::int32_t>(i);
            support.push_back(counted[id[i]]);
        }
        rows_of.resize(id.size());
        for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
            for (const std::int32_t item : database.transaction(t)) {
                if (number[item] < 0) continue;
                items.push_back(number[item]);
                rows_of[number[item]].push_back(static_cast<std::int32_t>(t));
            }
            std::sort(items.begin() + offsets.back(), items.end());
            offsets.push_back(static_cast<std::int64_t>(items.size()));
        }
    }
};

// One worker's part of a level. An itemset of which some cell is empty (its support
// equals a bound) has only derivable supersets; the others are called open here, and
// only they are extended and looked up.
class NonDerivableLevel {
  public:
    NonDerivableLevel(const Database& database, const RankedItems& frequent, std::int64_t min_support,
                      Control& control)
        : database_(database), frequent_(frequent), min_support_(min_support), control_(control) {
        counted_.assign(frequent.id.size(), 0);
    }

    // All non-derivable X + b where X is open set number x and X with its last item
    // replaced by the larger b is one of the open sets right behind it. `all` has every
    // open set so far, the last level in lexicographic order at the end.
    void extend(const Collection& all, const SupportTable& table, std::int64_t x, NonDerivable& found) {
        control_.check();
        const auto set = all[x];
        const std::size_t n = set.size();
        set_.assign(set.begin(), set.end());
        set_.push_back(0);
        bool counted = false;
        for (std::int64_t sibling = x + 1; sibling < all.size(); ++sibling) {
            const auto other = all[sibling];
            if (!std::equal(set.begin(), set.end() - 1, other.begin())) break;
            if (!std::exchange(counted, true)) {  // all siblings at once
                count_items_with(set);
                prefix_supports(all, table, n);
            }
            set_[n] = other[n - 1];
            if (counted_[set_[n]] < min_support_) continue;
            const auto own = bounds_of_set(all, table);
            if (own && own->lower < own->upper) found.add(set_, counted_[set_[n]], *own);
        }
    }

  private:
    // Support of the subset `mask` of set_; -1 if it is not open.
    std::int64_t look_up(const Collection& all, const SupportTable& table, std::uint64_t mask) {
        if (mask == 0) return n_rows_;
        subset_.clear();
        for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) subset_.push_back(set_[std::countr_zero(rest)]);
        const std::int32_t number = table.find(subset_, itemset_hash(subset_));
        return number < 0 ? -1 : all.supports[number];
    }

    // Supports of all subsets of the first n items.
    void prefix_supports(const Collection& all, const SupportTable& table, std::size_t n) {
        n_rows_ = all.supports[0];
        prefix_.resize(std::size_t{1} << n);
        for (std::size_t mask = 0; mask < prefix_.size(); ++mask) prefix_[mask] = look_up(all, table, mask);
    }

    // Nothing if a proper subset of set_ is not open, which makes it derivable.
    std::optional<Bounds> bounds_of_set(const Collection& all, const SupportTable& table) {
        const std::size_t half = prefix_.size(), full = 2 * half - 1;
        supports_.resize(2 * half);
        std::copy(prefix_.begin(), prefix_.end(), supports_.begin());
        // The largest subsets first: if these are open, all others are.
        for (std::size_t bit = 1; bit < half; bit *= 2)
            if ((supports_[full - bit] = look_up(all, table, full - bit)) < 0) return std::nullopt;
        for (std::size_t mask = half; mask < full; ++mask)
            if (std::popcount(full - mask) > 1) supports_[mask] = look_up(all, table, mask);
        return bounds(supports_);
    }

    // counted_[i] becomes the support of set + i for every item i behind the set's last.
    void count_items_with(std::span<const std::int32_t> set) {
        // One set and the next mostly differ in the last item only.
        std::size_t same = 0;
        while (same < path_.size() && same < set.size() && path_[same] == set[same]) ++same;
        path_.assign(set.begin(), set.end());
        rows_.resize(std::max(rows_.size(), set.size()));
        for (std::size_t i = same; i < set.size(); ++i) {
            const std::vector<std::int32_t>& own = frequent_.rows_of[set[i]];
            rows_[i].clear();
            if (i == 0)
                rows_[i] = own;
            else
                std::ranges::set_intersection(rows_[i - 1], own, std::back_inserter(rows_[i]));
        }
        std::fill(counted_.begin(), counted_.end(), 0);
        for (const std::int32_t t : rows_[set.size() - 1]) {
            const std::int64_t weight = database_.weights[t];
            for (std::int64_t i = frequent_.offsets[t + 1]; i-- > frequent_.offsets[t];) {
                if (frequent_.items[i] <= set.back()) break;
                counted_[frequent_.items[i]] += weight;
            }
        }
    }

    const Database& database_;
    const RankedItems& frequent_;
    const std::int64_t min_support_;
    Control& control_;
    std::int64_t n_rows_ = 0;
    std::vector<std::int32_t> set_, subset_;
    std::vector<std::int32_t> path_;               // set counted last
    std::vector<std::vector<std::int32_t>> rows_;  // rows with the first i + 1 items of it
    std::vector<std::int64_t> prefix_, supports_, counted_;
};

// Itemsets in the caller's numbers and the canonical order.
inline NonDerivable canonical(const NonDerivable& found, const RankedItems& frequent) {
    Itemsets renamed;
    std::vector<std::int32_t> set;
    for (std::int64_t i = 0; i < found.itemsets.size(); ++i) {
        set.clear();
        for (const std::int32_t item : found.itemsets[i]) set.push_back(frequent.id[item]);
        std::sort(set.begin(), set.end());
        renamed.add(set, i);  // its number in place of its support, to find the rest by
    }
    NonDerivable sorted;
    sorted.itemsets = canonical(renamed);
    for (std::int64_t& number : sorted.itemsets.supports) {
        sorted.lower.push_back(found.lower[number]);
        sorted.upper.push_back(found.upper[number]);
        number = found.itemsets.supports[number];
    }
    return sorted;
}

// All non-empty itemsets of at most max_size items with support at least
// min_support >= 1 whose lower and upper bound differ. Level by level; every subset of
// such a set is one too, and none has more than log2(rows) + 1 items.
inline NonDerivable non_derivable(const Database& database, std::int64_t min_support, std::int64_t max_size,
                                  Control& control) {
    const std::int64_t n_rows = database.total_weight();
    if (n_rows < min_support || max_size < 1) return {};
    control.claim(static_cast<std::int64_t>(database.items.size() * 2 * sizeof(std::int32_t)));
    const RankedItems frequent(database, min_support);
    NonDerivable all;
    Itemsets open;
    open.add({}, n_rows);  // number 0
    std::vector<NonDerivable> found(1);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(frequent.id.size()); ++i)
        found[0].add({&i, 1}, frequent.support[i], {0, n_rows});
    std::vector<NonDerivableLevel> workers;
    for (int worker = 0; worker < control.threads; ++worker)
        workers.emplace_back(database, frequent, min_support, control);
    for (std::int64_t size = 1; !found.empty(); ++size) {
        const std::int64_t first = open.size();
        for (const NonDerivable& some : found) {
            control.found(some.itemsets.size());
            control.claim(some.itemsets.size() * (8 * static_cast<std::int64_t>(sizeof(std::int64_t)) + 12 * size));
            for (std::int64_t i = 0; i < some.itemsets.size(); ++i) {
                const Bounds own{some.lower[i], some.upper[i]};
                const std::int64_t support = some.itemsets.supports[i];
                all.add(some.itemsets[i], support, own);
                if (own.lower < support && support < own.upper) open.add(some.itemsets[i], support);
            }
        }
        found.clear();
        if (size == max_size || open.size() == first) break;
        const Collection collection{open.offsets, open.items, open.supports};
        const SupportTable table(collection);
        constexpr std::int64_t chunk = 16;
        const std::int64_t n_tasks = (open.size() - first + chunk - 1) / chunk;
        found.resize(static_cast<std::size_t>(n_tasks));
        for_each_task(control, n_tasks, [&](int worker, std::int64_t task) {
            NonDerivableLevel& own = workers[static_cast<std::size_t>(worker)];
            NonDerivable& into = found[static_cast<std::size_t>(task)];
            const std::int64_t begin = first + task * chunk, end = std::min(begin + chunk, open.size());
            for (std::int64_t x = begin; x < end; ++x) own.extend(collection, table, x, into);
        });
    }
    return canonical(all, frequent);
}

}  // namespace discreet
