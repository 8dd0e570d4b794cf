// Krimp: a code table that compresses the data, chosen greedily from candidate itemsets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "base/database.hpp"
#include "base/itemsets.hpp"
#include "base/prefetch.hpp"
#include "krimp/covers.hpp"
#include "krimp/order.hpp"

namespace discreet::krimp {

// ---- Lengths ----
// Lengths in bits of a database and its code table, and how they change with the usages.
//
// With usages u, their sum S and K used elements, the total is
//   L = (S + K) log S - sum over used elements of ((u + 1) log u - standard length),
// data and code table together: codes cost log(S / u) each time, and once in the table.

// A difference below this is a tie: sums of logarithms tell no less.
inline constexpr double tie = 1e-6;

class Lengths {
  public:
    explicit Lengths(std::int64_t largest_usage) : table_(static_cast<std::size_t>(std::min<std::int64_t>(largest_usage, most_in_table)) + 1, 0.0) {
        for (std::size_t u = 1; u < table_.size(); ++u) table_[u] = (static_cast<double>(u) + 1) * std::log2(static_cast<double>(u));
    }

    // (v + 1) log v - (u + 1) log u, taking an unused element's as 0.
    double gained(std::int64_t u, std::int64_t v) const {
        const auto last = static_cast<std::int64_t>(table_.size()) - 1;
        if (u <= last && v <= last) return table_[static_cast<std::size_t>(v)] - table_[static_cast<std::size_t>(u)];
        if (u == 0) return change(1, v, 1);
        if (v == 0) return -change(1, u, 1);
        return change(u, v, 1);
    }

    // The change of (S + K) log S.
    static double lost(std::int64_t sum, std::int64_t used, std::int64_t new_sum, std::int64_t new_used) {
        if (sum == 0 || new_sum == 0) return 0;
        return static_cast<double>(new_sum + new_used - sum - used) * std::log2(static_cast<double>(new_sum)) +
               static_cast<double>(sum + used) * std::log1p(static_cast<double>(new_sum - sum) / static_cast<double>(sum)) / std::log(2.0);
    }

  private:
    static constexpr std::int64_t most_in_table = std::int64_t{1} << 18;  // larger values would lose the digits after the point

    static double change(std::int64_t u, std::int64_t v, std::int64_t more) { return lost(u, more, v, more); }

    std::vector<double> table_;
};

// ---- Krimp ----

// Elements of two items or more in cover order with their supports; usages of these, and of every
// item alone.
struct Found {
    Itemsets elements;
    std::vector<std::int64_t> usages;
    std::vector<std::int64_t> alone;
    std::int64_t n_accepted = 0;
};

inline constexpr std::size_t most_slots = 4096;

template <std::size_t Words>
class Krimp {
  public:
    Krimp(const Database& database, const Candidates& candidates, const Slots& slots, Control& control)
        : control_(control), candidates_(candidates), slots_(slots), rows_(distinct_rows(database, control)),
          free_(rows_, database.n_items, largest(candidates), control), covers_(rows_, slots_), lengths_(database.total_weight()),
          n_items_(static_cast<std::size_t>(database.n_items)), usage_(n_items_, 0), change_(n_items_, 0), is_touched_(n_items_, 0), bits_(n_items_, 0.0), common_(free_.words()) {
        for (std::size_t t = 0; t < rows_.size(); ++t)
            for (const std::int32_t item : rows_[t]) usage_[static_cast<std::size_t>(item)] += rows_.weights[t];
        for (const std::int64_t usage : usage_) sum_ += usage, used_ += usage > 0;
        for (std::size_t item = 0; item < n_items_; ++item)
            if (usage_[item] > 0) bits_[item] = std::log2(static_cast<double>(sum_) / static_cast<double>(usage_[item]));
    }

    Found run(bool prune) {
        const std::vector<std::int32_t> order = standard_order(candidates_, control_);
        control_.expect(static_cast<std::int64_t>(order.size()));
        std::int64_t n_accepted = 0;
        for (std::size_t c = 0; c < order.size(); ++c) {
            fetch_ahead(order, c);
            control_.check();
            control_.advance();
            if (!accepts(order[c])) continue;
            ++n_accepted;
            if (prune) this->prune();
        }
        return found(n_accepted);
    }

  private:
    using Number = std::int32_t;

    static std::size_t largest(const Candidates& candidates) { return candidates.size() == 0 ? 0 : candidates[candidates.size() - 1].size(); }

    // Candidates lie in memory by size and are read by support: fetched some steps ahead.
    void fetch_ahead(const std::vector<std::int32_t>& order, std::size_t c) const {
        if (c + 16 < order.size()) prefetch(&candidates_.offsets[static_cast<std::size_t>(order[c + 16])]);
        if (c + 8 < order.size()) prefetch(&candidates_.items[static_cast<std::size_t>(candidates_.offsets[static_cast<std::size_t>(order[c + 8])])]);
    }

    // Adds the candidate to the code table if the total becomes shorter.
    bool accepts(std::int32_t candidate) {
        const std::span<const std::int32_t> items = candidates_[candidate];
        find_users(items);
        if (users_.empty()) return false;
        const Element<Words> element{static_cast<Number>(usage_.size()), static_cast<std::int32_t>(items.size()), covers_.mask(items)};
        std::int64_t usage = 0, from_alone = 0;
        covers_.visit(users_, [&](std::size_t t) {
            const std::int64_t weight = rows_.weights[t];
            usage += weight;
            if (!covers_.replay_with(t, element, Touch{*this, weight}, Touch{*this, weight})) from_alone += weight;
        });
        if (from_alone > 0)
            for (const std::int32_t item : items) touch(item, -from_alone);
        double bits = 0;
        for (const std::int32_t item : items) bits += bits_[static_cast<std::size_t>(item)];
        add_number(bits);
        touch(element.number, usage);
        if (difference() >= -tie) {
            forget();
            drop_number();
            return false;
        }
        commit();
        add(element, items, candidates_.supports[static_cast<std::size_t>(candidate)]);
        return true;
    }

    // The rows that would use the candidate: all its items are free.
    void find_users(std::span<const std::int32_t> items) {
        users_.clear();
        std::size_t rarest = 0;
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < items.size(); ++i)
            if (const std::int64_t count = free_.at(items[i], items.size()).count; count < fewest) rarest = i, fewest = count;
        if (fewest == 0) return;
        const bitmap::Word* rows = free_.at(items[rarest], items.size()).rows.data();
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i == rarest) continue;
            const std::int64_t left = bitmap::store_and(rows, free_.at(items[i], items.size()).rows.data(), common_.data(), common_.size());
            if (left == 0) return;
            rows = common_.data();
        }
        list_rows(rows, users_);
    }

    void list_rows(const bitmap::Word* rows, std::vector<std::uint32_t>& listed) const {
        listed.clear();
        for (std::size_t w = 0; w < common_.size(); ++w)
            for (bitmap::Word left = rows[w]; left != 0; left &= left - 1) listed.push_back(static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(left)));
    }

    // Counts a row's change of an element or item.
    struct Touch {
        Krimp& in;
        std::int64_t weight;
        void operator()(Number number, bool now) const { in.touch(number, now ? weight : -weight); }
    };

    void touch(Number number, std::int64_t by) {
        const auto n = static_cast<std::size_t>(number);
        if (!is_touched_[n]) is_touched_[n] = 1, touched_.push_back(number);
        change_[n] += by;
    }

    // How many bits longer the total is with the changes than without.
    double difference() {
        double bits = 0;
        new_sum_ = sum_, new_used_ = used_;
        for (const Number number : touched_) {
            const auto n = static_cast<std::size_t>(number);
            const std::int64_t before = usage_[n], now = before + change_[n];
            if (before == now) continue;
            new_sum_ += now - before;
            bits -= lengths_.gained(before, now);
            if (before == 0) bits += bits_[n], ++new_used_;
            if (now == 0) bits -= bits_[n], --new_used_;
        }
        return bits + Lengths::lost(sum_, used_, new_sum_, new_used_);
    }

    void forget() {
        for (const Number number : touched_) change_[static_cast<std::size_t>(number)] = 0, is_touched_[static_cast<std::size_t>(number)] = 0;
        touched_.clear();
    }

    // Takes the changes over, and keeps in cover order the elements that lost usage.
    void commit() {
        sum_ = new_sum_, used_ = new_used_;
        lowered_.clear();
        for (const Number number : touched_) {
            const auto n = static_cast<std::size_t>(number);
            usage_[n] += change_[n];
            if (n >= n_items_ && change_[n] < 0) lowered_.push_back(number);
        }
        std::ranges::sort(lowered_, [&](Number a, Number b) { return member(a).element.is_before(member(b).element); });
        forget();
    }

    void add_number(double bits) {
        usage_.push_back(0);
        change_.push_back(0);
        is_touched_.push_back(0);
        bits_.push_back(bits);
    }
    void drop_number() {
        usage_.pop_back();
        change_.pop_back();
        is_touched_.pop_back();
        bits_.pop_back();
    }

    struct Member {
        Element<Words> element;
        std::vector<std::int32_t> items;
        std::int64_t support;
        bool is_gone = false;
    };
    Member& member(Number number) { return members_[static_cast<std::size_t>(number) - n_items_]; }

    void add(const Element<Words>& element, std::span<const std::int32_t> items, std::int64_t support) {
        members_.push_back({element, {items.begin(), items.end()}, support});
        free_.keep(items, items.size());
        covers_.know(element);
        list_containing(items);
        control_.claim(in_rows());
        std::size_t next = 0;
        covers_.visit(listed_, [&](std::size_t t) {
            const bool used = next < users_.size() && users_[next] == t;
            next += used;
            covers_.insert(t, element, used, free_);
        });
    }

    // The memory that an element takes in the rows listed.
    std::int64_t in_rows() const { return static_cast<std::int64_t>(listed_.size() * sizeof(Element<Words>)); }

    void list_containing(std::span<const std::int32_t> items) {
        const bitmap::Word* rows = free_.all(items[0]);
        for (const std::int32_t item : items.subspan(1)) {
            bitmap::store_and(rows, free_.all(item), common_.data(), common_.size());
            rows = common_.data();
        }
        list_rows(rows, listed_);
    }

    // Removes elements that lost usage as long as the total does not grow: in cover order, and from
    // the first removal on, which may lower further ones, the least used first.
    void prune() {
        std::vector<Number> left = lowered_;
        const auto by_usage = [&](Number a, Number b) { return usage_[static_cast<std::size_t>(a)] < usage_[static_cast<std::size_t>(b)]; };
        while (!left.empty()) {
            control_.check();
            Member& next = member(left.front());
            left.erase(left.begin());
            if (!is_removed(next)) continue;
            std::ranges::stable_sort(left, by_usage);
            for (const Number number : lowered_)
                if (std::ranges::find(left, number) == left.end()) left.insert(std::ranges::upper_bound(left, number, by_usage), number);
        }
    }

    bool is_removed(Member& gone) {
        const Number number = gone.element.number;
        const std::int64_t usage = usage_[static_cast<std::size_t>(number)];
        lowered_.clear();
        if (usage > 0) {
            each_user(gone, [&](std::size_t t) { covers_.replay_without(t, gone.element, Touch{*this, rows_.weights[t]}, Touch{*this, rows_.weights[t]}); });
            touch(number, -usage);
            if (difference() > tie) return forget(), false;
            commit();
            std::erase(lowered_, number);
        }
        gone.is_gone = true;
        list_containing(gone.items);
        covers_.visit(listed_, [&](std::size_t t) { covers_.erase(t, gone.element, free_); });
        control_.release(in_rows());
        return usage > 0;
    }

    // The rows that may use an element of s items: all its items are free at s + 1 and none at s.
    template <class Visit>
    void each_user(const Member& of, Visit&& visit) {
        const std::size_t size = of.items.size();
        std::fill(common_.begin(), common_.end(), ~bitmap::Word{0});
        for (const std::int32_t item : of.items) {
            const bitmap::Word* above = free_.at(item, size + 1).rows.data();
            const bitmap::Word* here = free_.at(item, size).rows.data();
            for (std::size_t w = 0; w < common_.size(); ++w) common_[w] &= above[w] & ~here[w];
        }
        list_rows(common_.data(), listed_);
        covers_.visit(listed_, visit);
    }

    Found found(std::int64_t n_accepted) {
        std::vector<const Member*> order;
        for (const Member& member : members_)
            if (!member.is_gone) order.push_back(&member);
        std::ranges::sort(order, [](const Member* a, const Member* b) { return a->element.is_before(b->element); });
        Found result;
        result.n_accepted = n_accepted;
        for (const Member* member : order) {
            result.elements.add(member->items, member->support);
            result.usages.push_back(usage_[static_cast<std::size_t>(member->element.number)]);
        }
        result.alone.assign(usage_.begin(), usage_.begin() + static_cast<std::ptrdiff_t>(n_items_));
        return result;
    }

    Control& control_;
    const Candidates candidates_;
    const Slots& slots_;
    const Rows rows_;
    FreeItems free_;
    Covers<Words> covers_;
    const Lengths lengths_;
    const std::size_t n_items_;
    // By number: the items first, then the elements in the order they were accepted.
    std::vector<std::int64_t> usage_, change_;
    std::vector<std::uint8_t> is_touched_;
    std::vector<double> bits_;  // with the standard code
    std::vector<Number> touched_, lowered_;
    std::int64_t sum_ = 0, used_ = 0, new_sum_ = 0, new_used_ = 0;
    std::vector<Member> members_;
    std::vector<std::uint32_t> users_, listed_;
    std::vector<bitmap::Word> common_;
};

template <std::size_t Words = 1>
Found krimp_with(const Database& database, const Candidates& candidates, const Slots& slots, bool prune, Control& control) {
    if constexpr (Words * 64 < most_slots)
        if (static_cast<std::size_t>(slots.n) > Words * 64) return krimp_with<Words * 8>(database, candidates, slots, prune, control);
    return Krimp<Words>(database, candidates, slots, control).run(prune);
}

inline Found krimp(const Database& database, const Candidates& candidates, bool prune, Control& control) {
    const Slots places = slots(database, control);
    if (static_cast<std::size_t>(places.n) > most_slots) throw std::invalid_argument("rows have too many items");
    return krimp_with(database, candidates, places, prune, control);
}

}  // namespace discreet::krimp
