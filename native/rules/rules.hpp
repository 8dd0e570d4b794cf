// Association rules from a collection of itemsets with their supports.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "base/itemsets.hpp"
#include "base/tasks.hpp"
#include "rules/support_table.hpp"

namespace discreet {

// Rule r is antecedents[r] -> consequents[r]; the supports of these two are theirs, the
// support of the union is support[r].
struct Rules {
    Itemsets antecedents, consequents;
    std::vector<std::int64_t> support;

    void reserve(std::size_t n_rules, std::size_t n_antecedent_items, std::size_t n_consequent_items) {
        antecedents.items.reserve(n_antecedent_items);
        consequents.items.reserve(n_consequent_items);
        for (Itemsets* own : {&antecedents, &consequents}) {
            own->offsets.reserve(n_rules + 1);
            own->supports.reserve(n_rules);
        }
        support.reserve(n_rules);
    }
    void append(const Rules& more) {
        const std::pair<Itemsets*, const Itemsets*> pairs[] = {{&antecedents, &more.antecedents},
                                                               {&consequents, &more.consequents}};
        for (const auto& [own, other] : pairs) {
            const auto before = static_cast<std::int64_t>(own->items.size());
            own->items.insert(own->items.end(), other->items.begin(), other->items.end());
            own->supports.insert(own->supports.end(), other->supports.begin(), other->supports.end());
            for (std::size_t i = 1; i < other->offsets.size(); ++i) own->offsets.push_back(before + other->offsets[i]);
        }
        support.insert(support.end(), more.support.begin(), more.support.end());
    }
};

// At least numerator / denominator of the rows, compared without rounding.
struct Confidence {
    std::int64_t numerator, denominator;  // 0 <= numerator, 1 <= denominator

    // union_support * denominator >= numerator * antecedent_support, the products in two
    // halves because they may need 95 bits.
    bool reached(std::int64_t union_support, std::int64_t antecedent_support) const {
        const Wide have = product(union_support, denominator), need = product(antecedent_support, numerator);
        return have.high != need.high ? have.high > need.high : have.low >= need.low;
    }

  private:
    struct Wide {
        std::uint64_t high, low;  // high * 2^32 + low
    };
    static Wide product(std::int64_t support, std::int64_t factor) {  // support < 2^31
        const auto s = static_cast<std::uint64_t>(support), f = static_cast<std::uint64_t>(factor);
        const std::uint64_t low = s * (f & 0xffffffffu);
        return {s * (f >> 32) + (low >> 32), low & 0xffffffffu};
    }
};

// All rules of one itemset Z. Moving items from the antecedent to the consequent never
// raises the confidence (Agrawal and Srikant 1994), so consequents grow depth first, and
// a consequent is extended only by items with which its own parent succeeded.
//
// Subsets of Z are masks; its first item is the highest bit, so that of two subsets of
// equal size the one with the larger mask comes first in lexicographic order.
class RuleSearch {
  public:
    RuleSearch(const Collection& collection, const SupportTable& table, Confidence confidence, Control& control)
        : collection_(collection), table_(table), confidence_(confidence), control_(control) {}

    void search(std::int64_t number, Rules& rules) {
        whole_ = collection_[number];
        support_ = collection_.supports[static_cast<std::size_t>(number)];
        if (whole_.size() > 62) throw std::invalid_argument(unclosed + "it has not all subsets of " + name(whole_));
        all_ = (Mask{1} << whole_.size()) - 1;
        hash_.clear();
        for (std::size_t bit = whole_.size(); bit-- > 0;) hash_.push_back(item_hash(whole_[bit]));
        whole_hash_ = itemset_hash(whole_);
        found_.clear();
        grow(0, all_, whole_hash_);
        report();
        std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
            const int x = std::popcount(a.antecedent), y = std::popcount(b.antecedent);
            return x != y ? x < y : a.antecedent > b.antecedent;
        });
        for (const Found& rule : found_) {
            rules.antecedents.add(items(rule.antecedent), rule.antecedent_support);
            rules.consequents.add(items(all_ ^ rule.antecedent), rule.consequent_support);
            rules.support.push_back(support_);
        }
    }

  private:
    using Mask = std::uint64_t;
    struct Found {
        Mask antecedent;
        std::int64_t antecedent_support, consequent_support;
    };
    inline static const std::string unclosed = "the collection is not closed under subsets: ";

    // Adds to the consequent each item of `tail`; `hash` is the antecedent's.
    void grow(Mask consequent, Mask tail, std::uint64_t hash) {
        Mask good = 0;
        for (Mask rest = tail; rest != 0; rest &= rest - 1)
            if (try_rule(consequent | (rest & -rest), hash - hash_[std::countr_zero(rest)])) good |= rest & -rest;
        for (; (good & (good - 1)) != 0; good &= good - 1)  // while two are left
            grow(consequent | (good & -good), good & (good - 1), hash - hash_[std::countr_zero(good)]);
    }

    bool try_rule(Mask consequent, std::uint64_t antecedent_hash) {
        const Mask antecedent = all_ ^ consequent;
        if (antecedent == 0) return false;
        const std::int64_t antecedent_support = support_of(antecedent, antecedent_hash);
        if (!confidence_.reached(support_, antecedent_support)) return false;
        found_.push_back({antecedent, antecedent_support, support_of(consequent, whole_hash_ - antecedent_hash)});
        if (++unreported_ == 1024) report();
        return true;
    }

    std::int64_t support_of(Mask subset, std::uint64_t hash) {
        const std::int32_t number = table_.find(items(subset), hash);
        if (number < 0) throw std::invalid_argument(unclosed + name(items(subset)) + " is missing");
        const std::int64_t support = collection_.supports[static_cast<std::size_t>(number)];
        if (support < support_)
            throw std::invalid_argument("the support of " + name(items(subset)) + " is below that of its superset " +
                                        name(whole_));
        return support;
    }

    std::span<const std::int32_t> items(Mask subset) {
        std::size_t n = 0;
        for (const std::size_t top = whole_.size() - 1; subset != 0;) {
            const auto bit = static_cast<std::size_t>(std::bit_width(subset)) - 1;
            items_[n++] = whole_[top - bit];
            subset ^= Mask{1} << bit;
        }
        return {items_.data(), n};
    }
    static std::string name(std::span<const std::int32_t> items) {
        std::string text = "{";
        for (const std::int32_t item : items) text += (text.size() > 1 ? ", " : "") + std::to_string(item);
        return text + "}";
    }

    // Also while one itemset is searched: 40 items can have a million million rules.
    void report() {
        control_.check();
        control_.found(unreported_);
        const std::size_t bytes = 5 * sizeof(std::int64_t) + whole_.size() * sizeof(std::int32_t);
        control_.claim(unreported_ * static_cast<std::int64_t>(bytes));
        unreported_ = 0;
    }

    const Collection& collection_;
    const SupportTable& table_;
    const Confidence confidence_;
    Control& control_;
    std::span<const std::int32_t> whole_;  // Z
    std::int64_t support_ = 0;             // its
    Mask all_ = 0;                         // of it
    std::uint64_t whole_hash_ = 0;
    std::vector<std::uint64_t> hash_;  // of the item of each bit
    std::int64_t unreported_ = 0;
    std::vector<Found> found_;
    std::array<std::int32_t, 64> items_;  // the subset looked at
};

// All rules X -> Y, both non-empty, whose union is in the collection with support at
// least min_support >= 1 and whose confidence is reached, ordered by union (size, items)
// and then antecedent (size, items). The collection must be without problem(); if it
// lacks a set that is needed, or names one twice, invalid_argument says which, the same
// one for every number of threads.
inline Rules rules(const Collection& collection, Confidence confidence, std::int64_t min_support, Control& control) {
    control.claim(SupportTable::bytes_for(collection.size()));
    const SupportTable table(collection);
    if (table.listed_twice() >= 0)
        throw std::invalid_argument("itemset " + std::to_string(table.listed_twice()) + " is listed before already");
    std::vector<std::int64_t> unions;
    for (std::int64_t i = 0; i < collection.size(); ++i)
        if (collection[i].size() >= 2 && collection.supports[static_cast<std::size_t>(i)] >= min_support)
            unions.push_back(i);
    std::sort(unions.begin(), unions.end(), [&](std::int64_t a, std::int64_t b) {
        const auto x = collection[a], y = collection[b];
        return x.size() != y.size() ? x.size() < y.size() : std::ranges::lexicographical_compare(x, y);
    });
    constexpr std::size_t chunk = 64;
    const std::size_t n_tasks = (unions.size() + chunk - 1) / chunk;
    std::vector<Rules> found(n_tasks);
    // Tasks are taken in order, so all before the first that fails are finished even if
    // a later one failed earlier: its message is the one to give.
    std::vector<std::string> failure(n_tasks);
    std::atomic<std::int64_t> first_failure{static_cast<std::int64_t>(n_tasks)};
    for_each_task(control, static_cast<std::int64_t>(n_tasks), [&](int, std::int64_t task) {
        if (task > first_failure.load()) return;
        const std::size_t begin = static_cast<std::size_t>(task) * chunk;
        RuleSearch search(collection, table, confidence, control);
        try {
            for (std::size_t i = begin; i < std::min(begin + chunk, unions.size()); ++i)
                search.search(unions[i], found[static_cast<std::size_t>(task)]);
        } catch (const std::invalid_argument& what) {
            failure[static_cast<std::size_t>(task)] = what.what();
            std::int64_t known = first_failure.load();
            while (task < known && !first_failure.compare_exchange_weak(known, task)) {
            }
        }
    });
    if (const auto task = static_cast<std::size_t>(first_failure.load()); task < n_tasks)
        throw std::invalid_argument(failure[task]);
    Rules all;
    std::size_t n_rules = 0, n_antecedent_items = 0, n_consequent_items = 0;
    for (const Rules& some : found) {
        n_rules += some.support.size();
        n_antecedent_items += some.antecedents.items.size();
        n_consequent_items += some.consequents.items.size();
    }
    all.reserve(n_rules, n_antecedent_items, n_consequent_items);
    for (Rules& some : found) {
        all.append(some);
        some = Rules{};
    }
    return all;
}

}  // namespace discreet
