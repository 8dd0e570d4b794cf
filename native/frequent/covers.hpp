// Weighted rows turned on their side: for each item the rows that hold it, as a bitmap.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/bitmap.hpp"
#include "frequent/masks.hpp"

namespace discreet {

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

}  // namespace discreet
