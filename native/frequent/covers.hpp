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
        for (std::size_t r = 0; r < rows.n; ++r) {
            for_each_bit(rows.mask[r], [&](int b) { bitmap::set(covers_.data() + at_[static_cast<std::size_t>(b)], r); });
            for_each_bit(Mask64{rows.weight[r]}, [&](int digit) { bitmap::set(digits_.data() + static_cast<std::size_t>(digit) * words_, r); });
        }
    }

    // Whether some item outside `itemset` is in min_support of the rows that hold it.
    bool fits_more(Mask itemset, std::uint32_t min_support) {
        cover_.assign(words_, ~bitmap::Word{0});
        for_each_bit(itemset, [&](int b) {
            const bitmap::Word* other = covers_.data() + at_[static_cast<std::size_t>(b)];
            for (std::size_t w = 0; w < words_; ++w) cover_[w] &= other[w];
        });
        std::size_t n = 0;  // digits that occur
        std::array<int, 32> shift{};
        for (std::size_t digit = 0; digit < n_digits_; ++digit)
            if (bitmap::store_and(cover_.data(), digits_.data() + digit * words_, selected_.data() + n * words_, words_) > 0)
                shift[n++] = static_cast<int>(digit);
        for (Mask rest = used_ & ~itemset; rest != 0; rest &= rest - 1) {
            const bitmap::Word* other = covers_.data() + at_[static_cast<std::size_t>(lowest_bit(rest))];
            std::int64_t support = 0;
            for (std::size_t k = 0; k < n; ++k) support += bitmap::count_and(selected_.data() + k * words_, other, words_) << shift[k];
            if (support >= min_support) return true;
        }
        return false;
    }

  private:
    std::size_t words_ = 0, n_digits_ = 0;
    Mask used_ = 0;
    std::array<std::size_t, mask_bits<Mask>> at_{};  // where the cover of a bit starts
    std::vector<bitmap::Word> covers_, digits_, cover_, selected_;
};

}  // namespace discreet
