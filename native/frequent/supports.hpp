// In how many rows each of some given itemsets is.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/bitmap.hpp"
#include "base/database.hpp"
#include "base/itemsets.hpp"
#include "base/tasks.hpp"

namespace discreet {

// For each item that is asked for the rows that hold it, as a bitmap. Weights are cut into binary
// digits, one bitmap of rows each, so that a support is a sum of popcounts.
class RowsOfItems {
  public:
    RowsOfItems(const Database& database, const SetsView& sets, Control& control)
        : words_(bitmap::words_for(static_cast<std::size_t>(database.n_transactions()))), at_(static_cast<std::size_t>(database.n_items), unused) {
        std::size_t n_used = 0;
        for (const std::int32_t item : sets.items)
            if (std::size_t& at = at_[static_cast<std::size_t>(item)]; at == unused) at = words_ * n_used++;
        std::int64_t weights = 0;
        for (const std::int64_t weight : database.weights) weights |= weight;
        n_digits_ = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(weights)));
        control.claim(static_cast<std::int64_t>((n_used + n_digits_) * words_ * sizeof(bitmap::Word)));
        rows_.assign(n_used * words_, 0);
        digits_.assign(n_digits_ * words_, 0);
        for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
            if (t % 65536 == 0) control.check();
            const auto row = static_cast<std::size_t>(t);
            for (const std::int32_t item : database.transaction(t))
                if (const std::size_t at = at_[static_cast<std::size_t>(item)]; at != unused) bitmap::set(rows_.data() + at, row);
            for (std::size_t digit = 0; digit < n_digits_; ++digit)
                if (database.weights[row] >> digit & 1) bitmap::set(digits_.data() + digit * words_, row);
        }
    }

    std::size_t words() const { return words_; }
    const bitmap::Word* of(std::int32_t item) const { return rows_.data() + at_[static_cast<std::size_t>(item)]; }

    // The weight of the rows in both bitmaps; scratch has words() words.
    std::int64_t weight(const bitmap::Word* a, const bitmap::Word* b, bitmap::Word* scratch) const {
        if (n_digits_ == 1) return bitmap::count_and(a, b, words_);
        bitmap::store_and(a, b, scratch, words_);
        std::int64_t total = 0;
        for (std::size_t digit = 0; digit < n_digits_; ++digit) total += bitmap::count_and(scratch, digits_.data() + digit * words_, words_) << digit;
        return total;
    }

  private:
    static constexpr std::size_t unused = static_cast<std::size_t>(-1);
    std::size_t words_, n_digits_ = 0;
    std::vector<std::size_t> at_;  // where the rows of an item start
    std::vector<bitmap::Word> rows_, digits_;
};

// The rows that hold the first items of a set, for each number of items: those that the next set
// starts with as well need not be intersected again.
class Prefixes {
  public:
    explicit Prefixes(const RowsOfItems& rows) : rows_(rows), scratch_(rows.words()) {}

    // The support of a set of at least one item.
    std::int64_t support(std::span<const std::int32_t> set) {
        const std::span<const std::int32_t> head = set.first(set.size() - 1);
        std::size_t same = 0;
        while (same < std::min(head.size(), items_.size()) && head[same] == items_[same]) ++same;
        items_.assign(head.begin(), head.end());
        if (held_.size() < head.size() * rows_.words()) held_.resize(head.size() * rows_.words());
        for (std::size_t level = same; level < head.size(); ++level)
            bitmap::store_and(level == 0 ? rows_.of(head[0]) : at(level - 1), rows_.of(head[level]), at(level), rows_.words());
        const bitmap::Word* last = rows_.of(set.back());
        return rows_.weight(head.empty() ? last : at(head.size() - 1), last, scratch_.data());
    }

  private:
    bitmap::Word* at(std::size_t level) { return held_.data() + level * rows_.words(); }

    const RowsOfItems& rows_;
    std::vector<std::int32_t> items_;
    std::vector<bitmap::Word> held_, scratch_;
};

// The supports of the sets numbered in `which`, all not empty, of items the database has. Takes
// words_for(rows) steps for a set that starts like the one before: best in canonical order.
inline std::vector<std::int64_t> supports(const Database& database, const SetsView& sets, std::span<const std::int64_t> which, Control& control) {
    constexpr std::size_t together = 4096;
    const RowsOfItems rows(database, sets, control);
    std::vector<std::int64_t> found(which.size());
    for_each_task(control, static_cast<std::int64_t>((which.size() + together - 1) / together), [&](int, std::int64_t task) {
        Prefixes prefixes(rows);
        const std::size_t begin = static_cast<std::size_t>(task) * together, end = std::min(begin + together, which.size());
        for (std::size_t i = begin; i < end; ++i) {
            if (i % 64 == 0) control.check();
            found[i] = prefixes.support(sets[which[i]]);
        }
    });
    return found;
}

}  // namespace discreet
