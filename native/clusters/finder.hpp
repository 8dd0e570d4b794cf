// Which groups a row fits into: for every column and leaf, a bitmap of the groups whose node
// is above the leaf. A row's own bitmaps together tell the groups that would take it as they
// are, and those that would have to grow in one column only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "clusters/table.hpp"

namespace discreet::clusters {

class Finder {
  public:
    // What a question is worked out in; every thread has its own.
    struct Scratch {
        std::vector<std::uint64_t> fits, grows;
    };

    // For rows given by their leaves, row by row, and up to `capacity` groups.
    Finder(std::span<const CostColumn> columns, std::span<const std::int32_t> leaves, std::size_t capacity)
        : columns_(columns), seen_(columns.size()), bits_(columns.size()), place_(leaves.size()) {
        for (std::size_t column = 0; column < columns.size(); ++column) {
            std::vector<std::int32_t>& seen = seen_[column];
            for (std::size_t at = column; at < leaves.size(); at += columns.size()) seen.push_back(leaves[at]);
            std::ranges::sort(seen);
            seen.erase(std::ranges::unique(seen).begin(), seen.end());
            for (std::size_t at = column; at < leaves.size(); at += columns.size()) place_[at] = place_of(column, leaves[at]);
        }
        reserve(capacity);
    }

    std::size_t capacity() const { return n_words_ * 64; }
    // Room for more groups; those there are have to be shown again.
    void reserve(std::size_t capacity) {
        n_words_ = (capacity + 63) / 64;
        live_.assign(n_words_, 0);
        for (std::size_t column = 0; column < bits_.size(); ++column) bits_[column].assign(seen_[column].size() * n_words_, 0);
    }

    void set_live(std::int32_t group, bool is_live) { set(live_[group / 64], group, is_live); }
    // The group's node of the column was `from` (-1 if it had none) and is `to` (-1 for none).
    void change(std::int32_t group, std::size_t column, std::int32_t from, std::int32_t to) {
        const CostColumn& tree = columns_[column];
        if (from >= 0 && to >= 0 && tree.first(to) <= tree.first(from) && tree.end(from) <= tree.end(to)) {
            mark(group, column, tree.first(to), tree.first(from), true);
            mark(group, column, tree.end(from), tree.end(to), true);
            return;
        }
        if (from >= 0) mark(group, column, tree.first(from), tree.end(from), false);
        if (to >= 0) mark(group, column, tree.first(to), tree.end(to), true);
    }

    // Calls fits(group) for each live group that is above the row in all columns, then
    // grows(group) for each that is in all but one.
    template <class Fits, class Grows>
    void visit(std::int32_t row, Scratch& scratch, Fits&& fits, Grows&& grows) const {
        scratch.fits = live_;
        scratch.grows.assign(n_words_, 0);
        for (std::size_t column = 0; column < bits_.size(); ++column) {
            const std::uint64_t* above = &bits_[column][place_[row * bits_.size() + column] * n_words_];
            for (std::size_t word = 0; word < n_words_; ++word) {
                scratch.grows[word] = (scratch.grows[word] & above[word]) | (scratch.fits[word] & ~above[word]);
                scratch.fits[word] &= above[word];
            }
        }
        each(scratch.fits, fits);
        each(scratch.grows, grows);
    }

    template <class Visit>
    void visit_live(Visit&& visit) const {
        each(live_, visit);
    }

  private:
    static void set(std::uint64_t& word, std::int32_t group, bool is_on) {
        const std::uint64_t bit = std::uint64_t{1} << (group % 64);
        word = is_on ? word | bit : word & ~bit;
    }
    template <class Visit>
    static void each(const std::vector<std::uint64_t>& words, Visit&& visit) {
        for (std::size_t word = 0; word < words.size(); ++word)
            for (std::uint64_t left = words[word]; left != 0; left &= left - 1) visit(static_cast<std::int32_t>(word * 64) + std::countr_zero(left));
    }
    std::int32_t place_of(std::size_t column, std::int32_t leaf) const {
        return static_cast<std::int32_t>(std::ranges::lower_bound(seen_[column], leaf) - seen_[column].begin());
    }
    void mark(std::int32_t group, std::size_t column, std::int32_t first, std::int32_t end, bool is_on) {
        if (first >= end) return;
        const std::int32_t stop = place_of(column, end);
        for (std::int32_t place = place_of(column, first); place < stop; ++place) set(bits_[column][place * n_words_ + group / 64], group, is_on);
    }

    std::span<const CostColumn> columns_;
    std::vector<std::vector<std::int32_t>> seen_;   // the leaves of any row, in order, by column
    std::vector<std::vector<std::uint64_t>> bits_;  // by column, place of a leaf, and word of groups
    std::vector<std::int32_t> place_;               // of each row's leaves
    std::vector<std::uint64_t> live_;
    std::size_t n_words_ = 0;
};

}  // namespace discreet::clusters
