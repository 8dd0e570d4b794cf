// Where a miner puts what it finds: counted by size, or listed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/itemsets.hpp"

namespace discreet {

// Both sinks take families of itemsets: the `fixed` items together with every subset of
// the `optional` ones (perfect extensions: items that occur in every row that holds the
// fixed ones, so that all 2^|optional| itemsets have one support). One sink per worker.

// Announces finds to the Control in batches, so that workers rarely touch shared memory.
class Announcer {
  public:
    explicit Announcer(Control& control) : control_(control) {}
    void add(std::int64_t n) {
        pending_ += n;
        if (pending_ >= batch) flush();
    }
    void flush() {
        // Families are counted without being listed, so their number may pass 2^63.
        if (pending_ > most || control_.n_found() > most) throw LimitReached{LimitReached::Kind::itemsets, control_.max_itemsets};
        control_.check();
        control_.found(pending_);
        pending_ = 0;
    }
    static constexpr std::int64_t most = std::int64_t{1} << 61;

  private:
    static constexpr std::int64_t batch = 4096;
    Control& control_;
    std::int64_t pending_ = 0;
};

// Binomial coefficients, each capped at Announcer::most.
class Binomials {
  public:
    std::int64_t operator()(std::size_t n, std::size_t k) {
        while (rows_.size() <= n) {
            std::vector<std::int64_t> row(rows_.size() + 1, 1);
            for (std::size_t i = 1; i < rows_.size(); ++i) row[i] = std::min(rows_.back()[i - 1] + rows_.back()[i], Announcer::most);
            rows_.push_back(std::move(row));
        }
        return rows_[n][k];
    }

  private:
    std::vector<std::vector<std::int64_t>> rows_;
};

// Number of itemsets in a family that are not too large; the empty set is none.
class FamilySize {
  public:
    explicit FamilySize(std::size_t max_size) : max_size_(max_size) {}
    std::int64_t operator()(std::size_t n_fixed, std::size_t n_optional) {
        const std::int64_t empty = n_fixed == 0;
        if (n_fixed + n_optional <= max_size_) return (n_optional < 61 ? std::int64_t{1} << n_optional : Announcer::most + 1) - empty;
        std::int64_t all = 0;
        for (std::size_t k = 0; k <= n_optional && n_fixed + k <= max_size_; ++k) all = std::min(all + binomial(n_optional, k), Announcer::most);
        return all - empty;
    }
    Binomials binomial;

  private:
    std::size_t max_size_;
};

// Counts families by (fixed, optional) and unfolds them into sizes once, at the end.
class CountingSink {
  public:
    CountingSink(Control& control, std::int32_t max_size)
        : announcer_(control), max_size_(static_cast<std::size_t>(max_size)), members_(max_size_) {}

    void add(std::span<const std::int32_t> fixed, std::span<const std::int32_t> optional, std::uint32_t) {
        const std::size_t n = fixed.size(), e = optional.size();
        if (n > max_size_) return;
        announcer_.add(members_(n, e));
        ++families(n, e);
    }
    // Adds fixed items and subset m of some further items, for each m > 0 with a frequent
    // support[m]; item_of tells the item of each bit of m.
    template <class ItemOf>
    void add_subsets(std::span<const std::int32_t> fixed, std::span<const std::int32_t> optional, std::span<const std::uint32_t> support,
                     std::uint32_t min_support, ItemOf&&) {
        std::array<std::int64_t, 16> by_size{};
        for (std::size_t m = 1; m < support.size(); ++m) by_size[static_cast<std::size_t>(std::popcount(m))] += support[m] >= min_support;
        const std::size_t e = optional.size();
        for (std::size_t k = 1; k < by_size.size() && by_size[k] != 0 && fixed.size() + k <= max_size_; ++k) {
            const std::int64_t each = members_(fixed.size() + k, e);
            announcer_.add(each > Announcer::most / by_size[k] ? Announcer::most + 1 : each * by_size[k]);
            families(fixed.size() + k, e) += by_size[k];
        }
    }
    void finish() { announcer_.flush(); }

    void add_to(std::vector<std::int64_t>& by_size) {
        for (std::size_t n = 0; n < families_.size(); ++n)
            for (std::size_t e = 0; e < families_[n].size(); ++e)
                if (families_[n][e] != 0)
                    for (std::size_t k = 0; k <= e && n + k <= max_size_; ++k) {
                        if (by_size.size() <= n + k) by_size.resize(n + k + 1);
                        by_size[n + k] += families_[n][e] * members_.binomial(e, k);
                    }
    }

  private:
    std::int64_t& families(std::size_t n, std::size_t e) {
        if (families_.size() <= n) families_.resize(n + 1);
        if (families_[n].size() <= e) families_[n].resize(e + 1);
        return families_[n][e];
    }

    Announcer announcer_;
    std::size_t max_size_;
    FamilySize members_;
    std::vector<std::vector<std::int64_t>> families_;
};

// Lists every member of a family, its items ascending. A family is announced before it is
// unfolded, so that one too large ends the search at once.
class ListingSink {
  public:
    ListingSink(Control& control, std::int32_t max_size)
        : control_(control), announcer_(control), max_size_(static_cast<std::size_t>(max_size)), members_(max_size_) {}

    void add(std::span<const std::int32_t> fixed, std::span<const std::int32_t> optional, std::uint32_t support) {
        if (fixed.size() > max_size_) return;
        announcer_.add(members_(fixed.size(), optional.size()));
        const std::size_t most = fixed.size() + optional.size();
        if (buffer_.size() < most) buffer_.resize(2 * most);
        std::copy(fixed.begin(), fixed.end(), buffer_.begin());
        std::sort(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(fixed.size()));
        unfold(fixed.size(), optional, support);
    }
    template <class ItemOf>
    void add_subsets(std::span<const std::int32_t> fixed, std::span<const std::int32_t> optional, std::span<const std::uint32_t> support,
                     std::uint32_t min_support, ItemOf&& item_of) {
        for (std::size_t m = 1; m < support.size(); ++m) {
            if (support[m] < min_support) continue;
            whole_.assign(fixed.begin(), fixed.end());
            for (std::size_t bits = m; bits != 0; bits &= bits - 1) whole_.push_back(item_of(static_cast<std::size_t>(std::countr_zero(bits))));
            add(whole_, optional, support[m]);
        }
    }
    void finish() { announcer_.flush(); }
    Itemsets&& take() { return std::move(found_); }

  private:
    // Emits the first n items of the buffer, then the same with each later optional item
    // put in its place.
    void unfold(std::size_t n, std::span<const std::int32_t> optional, std::uint32_t support) {
        if (n > 0) {
            reserve(n);
            found_.add({buffer_.data(), n}, support);
        }
        if (n == max_size_) return;
        for (std::size_t o = 0; o < optional.size(); ++o) {
            std::size_t place = n;
            for (; place > 0 && buffer_[place - 1] > optional[o]; --place) buffer_[place] = buffer_[place - 1];
            buffer_[place] = optional[o];
            unfold(n + 1, optional.subspan(o + 1), support);
            for (; place < n; ++place) buffer_[place] = buffer_[place + 1];
        }
    }
    // Claims before a vector grows: while it grows the old and the new array both live.
    void reserve(std::size_t n) {
        grow(found_.items, n);
        grow(found_.offsets, 1);
        grow(found_.supports, 1);
    }
    template <class T>
    void grow(std::vector<T>& values, std::size_t n) {
        if (values.size() + n <= values.capacity()) return;
        const std::size_t capacity = std::max(2 * values.capacity(), values.size() + n + 1024);
        control_.check();
        announcer_.flush();
        control_.claim(static_cast<std::int64_t>(capacity * sizeof(T)));
        const std::size_t before = values.capacity();
        values.reserve(capacity);
        control_.release(static_cast<std::int64_t>(before * sizeof(T)));
    }

    Control& control_;
    Announcer announcer_;
    std::size_t max_size_;
    FamilySize members_;
    Itemsets found_;
    std::vector<std::int32_t> buffer_, whole_;
};

// The one of the two that a search was asked for. It is chosen when the search runs, so that
// the search is compiled once.
class Sink {
  public:
    Sink(Control& control, std::int32_t max_size, bool lists) : counter(control, max_size), lister(control, max_size), lists_(lists) {}

    void add(std::span<const std::int32_t> fixed, std::span<const std::int32_t> optional, std::uint32_t support) {
        if (lists_)
            lister.add(fixed, optional, support);
        else
            counter.add(fixed, optional, support);
    }
    template <class ItemOf>
    void add_subsets(std::span<const std::int32_t> fixed, std::span<const std::int32_t> optional, std::span<const std::uint32_t> support,
                     std::uint32_t min_support, ItemOf&& item_of) {
        if (lists_)
            lister.add_subsets(fixed, optional, support, min_support, item_of);
        else
            counter.add_subsets(fixed, optional, support, min_support, item_of);
    }
    void finish() { lists_ ? lister.finish() : counter.finish(); }

    CountingSink counter;
    ListingSink lister;

  private:
    bool lists_;
};

}  // namespace discreet
