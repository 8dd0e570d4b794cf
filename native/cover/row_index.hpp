// Which of many rows lie under a set of nodes: counted and listed without a bitmap of
// every set.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "generalized/hierarchy.hpp"

namespace discreet::bitmap {

// ---- Common bits ----
// Bits that several bitmaps have in common, found in one pass over all of them.
//
// On x86-64 the widest unit the machine has is chosen once, at run time, as in base/bitmap.hpp.

inline constexpr std::size_t group = 8;        // words that are tested together
inline constexpr std::size_t block = 8 * group;  // words in one call at most

inline std::size_t padded_words_for(std::size_t bits) { return (words_for(bits) + group - 1) / group * group; }

// The words of a block that are not 0.
struct CommonWords {
    std::size_t n = 0;
    std::array<std::uint32_t, block> place;  // from the first word of the bitmaps
    std::array<Word, block> bits;
    std::array<std::int32_t, block> ones;  // bits that are set
};

namespace detail {

#if defined(__GNUC__) || defined(__clang__)
#define DISCREET_INLINE inline __attribute__((always_inline))
#else
#define DISCREET_INLINE inline
#endif

using FindCommon = void (*)(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found);

DISCREET_INLINE void find_common_body(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    found.n = 0;
    for (std::size_t w = from; w < to; w += group) {
        Word common[group];
        for (std::size_t i = 0; i < group; ++i) common[i] = maps[0][w + i];
        for (std::size_t m = 1; m < n_maps; ++m)
            for (std::size_t i = 0; i < group; ++i) common[i] &= maps[m][w + i];
        Word any = 0;
        for (std::size_t i = 0; i < group; ++i) any |= common[i];
        if (any == 0) continue;
        for (std::size_t i = 0; i < group; ++i) {
            found.place[found.n] = static_cast<std::uint32_t>(w + i);
            found.bits[found.n] = common[i];
            found.ones[found.n] = std::popcount(common[i]);
            found.n += common[i] != 0;
        }
    }
}

inline void find_common_plain(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    find_common_body(maps, n_maps, from, to, found);
}
#if DISCREET_X86
__attribute__((target("avx2,popcnt"))) inline void find_common_avx2(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    find_common_body(maps, n_maps, from, to, found);
}
__attribute__((target("avx512f,popcnt"))) inline void find_common_avx512(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    find_common_body(maps, n_maps, from, to, found);
}
inline FindCommon choose_find_common() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("popcnt")) return find_common_plain;
    if (__builtin_cpu_supports("avx512f")) return find_common_avx512;
    if (__builtin_cpu_supports("avx2")) return find_common_avx2;
    return find_common_plain;
}
inline const FindCommon find_common_chosen = choose_find_common();
#else
inline constexpr FindCommon find_common_chosen = find_common_plain;
#endif

}  // namespace detail

// Sets `found` to the words of [from, to) that are not 0 in all maps at once; from and to
// are multiples of `group`, at most `block` apart, and n_maps is at least 1.
inline void find_common(const Word* const* maps, std::size_t n_maps, std::size_t from, std::size_t to, CommonWords& found) {
    detail::find_common_chosen(maps, n_maps, from, to, found);
}

}  // namespace discreet::bitmap

namespace discreet {

// ---- The index ----

// The rows of a table over hierarchies, as numbers that make "lies under a node" a
// comparison: nodes in preorder, so that those under v are place[v] .. end[v]-1.
struct PreorderTable {
    std::size_t n_rows = 0;
    std::vector<std::vector<std::int32_t>> place, end;  // of each node, by column
    std::vector<std::vector<std::int32_t>> codes;       // place of each row's leaf, by column

    std::size_t n_columns() const { return place.size(); }
    void add(std::span<const std::int32_t> parent, std::span<const std::uint32_t> leaves) {
        const std::vector<std::int32_t> order = preorder(parent);
        std::vector<std::int32_t> at(parent.size()), stop(parent.size());
        for (std::size_t i = 0; i < order.size(); ++i) at[order[i]] = static_cast<std::int32_t>(i);
        for (std::size_t i = order.size(); i-- > 0;) {
            const std::int32_t v = order[i];
            stop[v] = std::max(stop[v], at[v] + 1);
            if (parent[v] >= 0) stop[parent[v]] = std::max(stop[parent[v]], stop[v]);
        }
        std::vector<std::int32_t> code;
        for (const std::uint32_t leaf : leaves) code.push_back(at[leaf]);
        n_rows = leaves.size();
        place.push_back(std::move(at));
        end.push_back(std::move(stop));
        codes.push_back(std::move(code));
    }
};

// Some rows of a table, from which rows can be removed. Nodes that hold many of the rows
// have a bitmap, the others are a range of the rows in the order of one column; a set is
// counted along its rarest node. What remains is indexed anew whenever half has gone, so
// that the cost of a count follows the number of rows that are left.
class RowIndex {
  public:
    using Set = std::span<const std::int32_t>;  // a node of each column

    // What a thread needs to read the index.
    struct Reader {
        std::vector<std::size_t> columns;
        std::vector<std::int32_t> low, high;
        std::vector<std::uint32_t> found;
        std::vector<const bitmap::Word*> maps;
        bitmap::CommonWords common;
    };

    // All rows, in an order of the caller's.
    RowIndex(const PreorderTable& table, std::vector<std::uint32_t> order, Control& control)
        : table_(table), control_(control), width_((table.n_columns() + lanes - 1) / lanes * lanes),
          rows_(std::move(order)), place_of_(table.n_rows) {
        build();
    }
    RowIndex(const PreorderTable& table, Control& control) : RowIndex(table, ascending(table.n_rows), control) {}
    RowIndex(const RowIndex&) = delete;
    RowIndex& operator=(const RowIndex&) = delete;
    ~RowIndex() { control_.release(claimed_); }

    std::int64_t size() const { return n_left_; }
    bool holds(std::uint32_t row) const {
        return place_of_[row] != gone && bitmap::test(left_.data(), place_of_[row]);
    }
    void remove(std::span<const std::uint32_t> rows) {
        for (const std::uint32_t row : rows) left_[place_of_[row] / 64] &= ~(Word{1} << (place_of_[row] % 64));
        n_left_ -= static_cast<std::int64_t>(rows.size());
        if (2 * n_left_ > static_cast<std::int64_t>(rows_.size()) || rows_.size() <= 64) return;
        std::size_t kept = 0;
        for (const std::uint32_t row : rows_) {
            if (holds(row))
                rows_[kept++] = row;
            else
                place_of_[row] = gone;
        }
        rows_.resize(kept);
        build();
    }

    // Rows left under all nodes of the set, or `most` if there are more.
    std::int64_t count(Set set, std::int64_t most, Reader& reader) const {
        std::int64_t n = 0;
        const auto take = [&](std::size_t, Word, std::int64_t ones) { return (n += ones) < most; };
        if (const Way way = find_way(set, reader); way == Way::range)
            visit_range(set, reader, take);
        else if (way == Way::bits)
            visit_bits(set, reader, take);
        return std::min(n, most);
    }
    // These rows in order; the first `most` if there are more. Good until the reader is used again.
    std::span<const std::uint32_t> list(Set set, std::int64_t most, Reader& reader) const {
        std::vector<std::uint32_t>& found = reader.found;
        found.clear();
        const auto add = [&](std::size_t word, Word bits) {
            for (; bits != 0; bits &= bits - 1)
                found.push_back(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits)));
        };
        if (const Way way = find_way(set, reader); way == Way::range) {
            visit_range(set, reader, [&](std::size_t word, Word bits, std::int64_t) { return add(word, bits), true; });
            std::sort(found.begin(), found.end());
        } else if (way == Way::bits) {
            visit_bits(set, reader, [&](std::size_t word, Word bits, std::int64_t) {
                add(word, bits);
                return static_cast<std::int64_t>(found.size()) < most;
            });
        }
        if (static_cast<std::int64_t>(found.size()) > most) found.resize(static_cast<std::size_t>(most));
        for (std::uint32_t& row : found) row = rows_[row];
        return found;
    }

    // The sum of the values of the first `most` of these rows. Values are given by place in
    // the order of rows and fall along it; of 64 that are nearly the same, the first may stand
    // for all. Nothing must have been removed.
    double sum_first(Set set, std::int64_t most, std::span<const double> values, Reader& reader) const {
        double sum = 0;
        std::int64_t left = most;
        const auto take = [&](std::size_t word, Word bits, std::int64_t ones) {
            const std::size_t from = word * 64, last = std::min(from + 64, values.size()) - 1;
            const std::int64_t n = std::min(left, ones);
            if (values[last] >= nearly * values[from])
                sum += static_cast<double>(n) * values[from];
            else
                for (std::int64_t i = 0; i < n; ++i, bits &= bits - 1) sum += values[from + static_cast<std::size_t>(std::countr_zero(bits))];
            return (left -= n) > 0;
        };
        if (const Way way = find_way(set, reader); way == Way::range) {
            std::vector<std::uint32_t>& found = reader.found;
            found.clear();
            visit_range(set, reader, [&](std::size_t word, Word bits, std::int64_t) {
                found.push_back(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits)));
                return true;
            });
            std::sort(found.begin(), found.end());
            for (const std::uint32_t place : found)
                if (!take(place / 64, Word{1} << (place % 64), 1)) break;
        } else if (way == Way::bits) {
            visit_bits(set, reader, take);
        }
        return sum;
    }

  private:
    using Word = bitmap::Word;
    static constexpr std::size_t lanes = 8;
    static constexpr double nearly = 0.99;
    static constexpr std::uint32_t gone = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t most_bitmap_bytes = std::size_t{1} << 29;

    struct Node {
        std::int32_t low, high;    // of codes
        std::uint32_t begin, end;  // of rows in the column's order
        const Word* bits;          // null if the rows are few

        std::size_t size() const { return end - begin; }
    };

    static std::vector<std::uint32_t> ascending(std::size_t n) {
        std::vector<std::uint32_t> rows(n);
        std::iota(rows.begin(), rows.end(), 0u);
        return rows;
    }

    // Indexes rows_ as all that is left.
    void build() {
        control_.check();
        control_.release(std::exchange(claimed_, 0));
        const std::size_t n = rows_.size();
        n_left_ = static_cast<std::int64_t>(n);
        left_.assign(bitmap::padded_words_for(n), 0);
        for (std::size_t i = 0; i < n; ++i) {
            place_of_[rows_[i]] = static_cast<std::uint32_t>(i);
            bitmap::set(left_.data(), i);
        }
        codes_.assign(n * width_, 0);
        nodes_.assign(table_.n_columns(), {});
        order_.assign(table_.n_columns(), std::vector<std::uint32_t>(n));
        for (std::size_t c = 0; c < table_.n_columns(); ++c) sort_column(c);
        set_bits();
    }
    void sort_column(std::size_t c) {
        const auto &place = table_.place[c], &end = table_.end[c], &codes = table_.codes[c];
        std::vector<std::uint32_t> before(place.size() + 1, 0);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            codes_[i * width_ + c] = codes[rows_[i]];
            ++before[codes[rows_[i]] + 1];
        }
        std::partial_sum(before.begin(), before.end(), before.begin());
        for (std::size_t v = 0; v < place.size(); ++v)
            nodes_[c].push_back({place[v], end[v], before[place[v]], before[end[v]], nullptr});
        for (std::size_t i = 0; i < rows_.size(); ++i)
            order_[c][before[codes[rows_[i]]]++] = static_cast<std::uint32_t>(i);
    }
    // Gives a bitmap to each node with at least a 512th of the rows, or to fewer if that is too much.
    void set_bits() {
        const std::size_t n = rows_.size(), words = left_.size();
        std::size_t share = 512, n_bitmaps = 0;
        const auto has_bits = [&](const Node& node) { return node.size() < n && node.size() * share >= n; };
        for (;; share /= 2) {
            n_bitmaps = 0;
            for (const auto& column : nodes_) n_bitmaps += static_cast<std::size_t>(std::count_if(column.begin(), column.end(), has_bits));
            if (n_bitmaps * words * sizeof(Word) <= most_bitmap_bytes || share == 1) break;
        }
        claimed_ = static_cast<std::int64_t>(n_bitmaps * words * sizeof(Word) + n * (width_ + nodes_.size()) * sizeof(std::int32_t));
        control_.claim(claimed_);
        bits_.assign(n_bitmaps * words, 0);
        Word* next = bits_.data();
        for (std::size_t c = 0; c < nodes_.size(); ++c)
            for (Node& node : nodes_[c]) {
                if (!has_bits(node)) continue;
                for (std::uint32_t i = node.begin; i < node.end; ++i) bitmap::set(next, order_[c][i]);
                node.bits = std::exchange(next, next + words);
            }
    }

    const Node& node(Set set, std::size_t c) const { return nodes_[c][static_cast<std::size_t>(set[c])]; }

    // How to go through a set's rows: not at all, along the range of its rarest node, or
    // along bitmaps. Leaves in reader.columns those whose nodes hold not all rows, the
    // rarest first.
    enum class Way { none, range, bits };
    Way find_way(Set set, Reader& reader) const {
        std::vector<std::size_t>& columns = reader.columns;
        columns.clear();
        for (std::size_t c = 0; c < set.size(); ++c) {
            const std::size_t size = node(set, c).size();
            if (size == 0) return Way::none;
            if (size == rows_.size()) continue;
            columns.push_back(c);
            if (size < node(set, columns[0]).size()) std::swap(columns[0], columns.back());
        }
        return columns.empty() || node(set, columns[0]).bits != nullptr ? Way::bits : Way::range;
    }

    // Both call take(word, bits, number of bits) for parts of the bitmap of rows left under the
    // set, until it returns false.
    template <class Take>
    void visit_range(Set set, Reader& reader, Take&& take) const {
        reader.low.assign(width_, 0);
        reader.high.assign(width_, std::numeric_limits<std::int32_t>::max());
        for (const std::size_t c : reader.columns) {
            reader.low[c] = node(set, c).low;
            reader.high[c] = node(set, c).high;
        }
        const Node& rarest = node(set, reader.columns[0]);
        for (std::uint32_t i = rarest.begin; i < rarest.end; ++i) {
            const std::uint32_t place = order_[reader.columns[0]][i];
            if (!bitmap::test(left_.data(), place) || !is_inside(place, reader)) continue;
            if (!take(place / 64, Word{1} << (place % 64), 1)) return;
        }
    }
    bool is_inside(std::uint32_t place, const Reader& reader) const {
        const std::int32_t* codes = codes_.data() + place * width_;
        for (std::size_t from = 0; from < width_; from += lanes) {
            std::int32_t out = 0;
            for (std::size_t l = from; l < from + lanes; ++l) out |= (codes[l] < reader.low[l]) | (codes[l] >= reader.high[l]);
            if (out != 0) return false;
        }
        return true;
    }
    template <class Take>
    void visit_bits(Set set, Reader& reader, Take&& take) const {
        reader.maps.assign(1, left_.data());
        for (const std::size_t c : reader.columns) reader.maps.push_back(node(set, c).bits);
        bitmap::CommonWords& common = reader.common;
        for (std::size_t from = 0; from < left_.size(); from += bitmap::block) {
            const std::size_t to = std::min(from + bitmap::block, left_.size());
            bitmap::find_common(reader.maps.data(), reader.maps.size(), from, to, common);
            for (std::size_t i = 0; i < common.n; ++i)
                if (!take(common.place[i], common.bits[i], common.ones[i])) return;
        }
    }

    const PreorderTable& table_;
    Control& control_;
    const std::size_t width_;
    std::vector<std::uint32_t> rows_, place_of_;  // rows indexed, and where each of all rows is among them
    std::int64_t n_left_ = 0, claimed_ = 0;
    std::vector<Word> left_, bits_;
    std::vector<std::int32_t> codes_;  // row-major, `width_` each
    std::vector<std::vector<Node>> nodes_;
    std::vector<std::vector<std::uint32_t>> order_;
};

}  // namespace discreet
