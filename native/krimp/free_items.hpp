// For each item and size s, the rows in which no element of s items or more covers the item.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "krimp/rows.hpp"

namespace discreet::krimp {

// A candidate of s items comes after all elements of as many items, so that a row uses it just if
// all its items are free at s there: one AND for each item. A bitmap is kept for those sizes only
// of which there has been an element with the item; the next larger size kept answers for others.
class FreeItems {
  public:
    FreeItems(const Rows& rows, std::int32_t n_items, std::size_t largest_size, Control& control)
        : words_(bitmap::words_for(rows.size())), n_sizes_(largest_size + 2), of_(static_cast<std::size_t>(n_items)), at_(of_.size() * n_sizes_, 0), control_(control) {
        control_.claim(static_cast<std::int64_t>(at_.size() * sizeof(at_[0])));
        for (auto& versions : of_) versions.push_back(make(no_size));
        for (std::size_t t = 0; t < rows.size(); ++t)
            for (const std::int32_t item : rows[t]) {
                Version& all = of_[static_cast<std::size_t>(item)].front();
                bitmap::set(all.rows.data(), t);
                ++all.count;
            }
    }

    std::size_t words() const { return words_; }
    const bitmap::Word* all(std::int32_t item) const { return of_[static_cast<std::size_t>(item)].front().rows.data(); }

    struct Version {
        std::int32_t size;
        std::int64_t count;
        std::vector<bitmap::Word> rows;
    };
    const Version& at(std::int32_t item, std::size_t size) const { return of_[static_cast<std::size_t>(item)][at_[static_cast<std::size_t>(item) * n_sizes_ + size]]; }

    // Keeps bitmaps of this size for these items from now on.
    void keep(std::span<const std::int32_t> items, std::size_t size) {
        for (const std::int32_t item : items) {
            const Version& now = at(item, size);
            if (now.size == static_cast<std::int32_t>(size)) continue;
            Version more = make(static_cast<std::int32_t>(size));
            more.count = now.count;
            more.rows = now.rows;
            auto& versions = of_[static_cast<std::size_t>(item)];
            std::uint16_t* const index = at_.data() + static_cast<std::size_t>(item) * n_sizes_;
            const std::uint16_t before = index[size];
            for (std::size_t smaller = size + 1; smaller-- > 0 && index[smaller] == before;) index[smaller] = static_cast<std::uint16_t>(versions.size());
            versions.push_back(std::move(more));
        }
    }

    // In this row the item's element has a new size.
    void change(std::int32_t item, std::size_t row, std::int32_t before, std::int32_t now) {
        for (Version& version : of_[static_cast<std::size_t>(item)]) {
            const bool was_free = before < version.size, is_free = now < version.size;
            if (was_free == is_free) continue;
            version.rows[row / 64] ^= bitmap::Word{1} << row % 64;
            version.count += is_free ? 1 : -1;
        }
    }

  private:
    static constexpr std::int32_t no_size = std::numeric_limits<std::int32_t>::max();

    Version make(std::int32_t size) {
        control_.claim(static_cast<std::int64_t>(words_ * 8));
        return {size, 0, std::vector<bitmap::Word>(words_, 0)};
    }

    std::size_t words_, n_sizes_;
    std::vector<std::vector<Version>> of_;
    std::vector<std::uint16_t> at_;  // which version answers for a size; there are at most most_slots sizes
    Control& control_;
};

}  // namespace discreet::krimp
