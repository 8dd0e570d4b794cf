// The rows as the search for minimal infrequent itemsets wants them: items ranked by
// support, equal rows merged, and for each item the rows that have it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "base/database.hpp"

namespace discreet::infrequent {

using bitmap::Word;

// Some of the 64 rows that share a word. A set of rows is a list of pieces by rising word.
struct Piece {
    Word bits;
    std::uint32_t word;
};

// Rows that come by falling weight, in numbered slots. A word of 64 slots holds rows of one
// weight only, so that a set of rows is weighed by counting bits.
struct Slots {
    std::vector<std::int64_t> weight;  // of the rows in each word
    std::vector<std::int32_t> row_at;  // by slot; -1 if left free at a change of weight

    std::size_t n_words() const { return weight.size(); }
    std::size_t add(std::int32_t row, std::int64_t row_weight) {
        if (row_at.size() == 64 * weight.size() || weight.back() != row_weight) {
            row_at.resize(64 * weight.size(), -1);
            weight.push_back(row_weight);
        }
        row_at.push_back(row);
        return row_at.size() - 1;
    }
    // Adds many, all of a weight at a time, where there are none; tells the slots taken.
    void add(std::span<const std::int32_t> rows, std::span<const std::int64_t> weights, std::vector<Word>& taken) {
        taken.clear();
        for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
            const std::int64_t row_weight = weights[static_cast<std::size_t>(rows[begin])];
            while (end < rows.size() && weights[static_cast<std::size_t>(rows[end])] == row_weight) ++end;
            row_at.resize(64 * weight.size(), -1);
            row_at.insert(row_at.end(), rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(end));
            weight.resize(bitmap::words_for(row_at.size()), row_weight);
            taken.resize(weight.size(), ~Word{0});
            if (row_at.size() % 64 != 0) taken.back() = (Word{1} << (row_at.size() % 64)) - 1;
        }
    }
    void clear() {
        weight.clear();
        row_at.clear();
    }
};

class Rows {
  public:
    struct Single {
        std::int32_t item;
        std::int64_t support;
    };

    Rows(const Database& database, std::int64_t theta, Control& control) : theta(theta) {
        if (database.total_weight() <= theta) return;  // the empty set is infrequent already
        rank_items(database);
        merge_rows(database, control);
        turn(control);
        neighbours.resize(n_ranks());
    }

    const std::int64_t theta;
    std::vector<Single> singles;        // minimal infrequent itemsets of one item
    std::vector<std::int32_t> item_of;  // by rank: support rises; each item in more than theta rows, but not in all
    std::vector<std::int32_t> rank_of;  // by item; -1 if in no minimal infrequent itemset of two or more items
    std::vector<std::int32_t> row_of;   // by transaction; -1 if it has no ranked item
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> ranks;    // of row r, rising: ranks[offsets[r] .. offsets[r+1])
    std::vector<std::int64_t> weight;   // of rows, falling; theta + 1 stands for all above theta
    std::size_t longest = 0;            // row, in items

    std::size_t n_ranks() const { return item_of.size(); }
    std::span<const std::int32_t> row(std::int32_t r) const {
        return {ranks.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])};
    }
    // Numbers a row's items among those of all rows: by column in a table, where each row has
    // whole words of numbers to itself, else by place.
    std::size_t cell(std::int32_t r, std::int32_t rank) const {
        if (n_columns_ > 0) return static_cast<std::size_t>(r) * row_cells_ + column(rank);
        return static_cast<std::size_t>(std::lower_bound(ranks.begin() + offsets[r], ranks.begin() + offsets[r + 1], rank) - ranks.begin());
    }
    std::size_t cell_at(std::int32_t r, std::size_t place) const {
        const auto at = static_cast<std::size_t>(offsets[r]) + place;
        return n_columns_ > 0 ? static_cast<std::size_t>(r) * row_cells_ + column(ranks[at]) : at;
    }
    std::size_t n_cells() const { return n_columns_ > 0 ? weight.size() * row_cells_ : ranks.size(); }
    std::size_t column(std::int32_t rank) const { return static_cast<std::size_t>(column_of_[rank]); }
    // Whether the cells of row r are those of the r-th word.
    bool is_narrow() const { return row_cells_ == 64; }
    std::span<const std::int32_t> rows_with(std::int32_t rank) const {
        return {tids_.data() + tid_offsets_[rank], static_cast<std::size_t>(tid_offsets_[rank + 1] - tid_offsets_[rank])};
    }

    // What is found out first of each rank, for its own branch of the search and those before.
    struct Neighbours {
        std::vector<std::int32_t> partners;  // higher ranks that can join it in a larger MII
        std::vector<std::int64_t> weight;    // of words of rows with it:
        std::vector<Word> bits;              // by partner, those that have that too
        bool complete = false;               // whether these are all rows with it, or only some
    };
    std::vector<Neighbours> neighbours;  // by rank

  private:
    struct Keyed {
        std::uint64_t key, next_key;  // the highest ranks, as many as fit, and the next
        std::int32_t transaction;
    };

    void rank_items(const Database& database) {
        const std::int64_t total = database.total_weight();
        std::vector<std::int64_t> support(static_cast<std::size_t>(database.n_items), 0);
        for (std::int64_t t = 0; t < database.n_transactions(); ++t)
            for (const std::int32_t item : database.transaction(t)) support[static_cast<std::size_t>(item)] += database.weights[static_cast<std::size_t>(t)];
        for (std::int32_t item = 0; item < database.n_items; ++item) {
            const std::int64_t n = support[static_cast<std::size_t>(item)];
            if (n >= 1 && n <= theta) singles.push_back({item, n});
            // An item of every row changes no support: no minimal infrequent itemset has it.
            if (n > theta && n < total) item_of.push_back(item);
        }
        std::stable_sort(item_of.begin(), item_of.end(), [&](std::int32_t a, std::int32_t b) { return support[static_cast<std::size_t>(a)] < support[static_cast<std::size_t>(b)]; });
        if (database.is_table()) {
            n_columns_ = static_cast<std::size_t>(database.column_of.back()) + 1;
            row_cells_ = 64 * bitmap::words_for(n_columns_);
            for (const std::int32_t item : item_of) column_of_.push_back(database.column_of[static_cast<std::size_t>(item)]);
        }
        rank_of.assign(static_cast<std::size_t>(database.n_items), -1);
        for (std::size_t rank = 0; rank < n_ranks(); ++rank) rank_of[static_cast<std::size_t>(item_of[rank])] = static_cast<std::int32_t>(rank);
    }

    // The ranks of each transaction, rising: dealt out rank by rank instead of being sorted.
    std::vector<std::int32_t> encode(const Database& database, std::vector<std::int64_t>& begins, Control& control) const {
        std::vector<std::int64_t> next(n_ranks() + 1, 0);
        for (std::size_t t = 0; t + 1 < begins.size(); ++t) {
            begins[t + 1] = begins[t];
            for (const std::int32_t item : database.transaction(static_cast<std::int64_t>(t)))
                if (const std::int32_t rank = rank_of[static_cast<std::size_t>(item)]; rank >= 0) ++next[static_cast<std::size_t>(rank) + 1], ++begins[t + 1];
        }
        control.check();
        std::partial_sum(next.begin(), next.end(), next.begin());
        std::vector<std::int32_t> with(static_cast<std::size_t>(begins.back())), encoded(with.size());
        for (std::size_t t = 0; t + 1 < begins.size(); ++t)
            for (const std::int32_t item : database.transaction(static_cast<std::int64_t>(t)))
                if (const std::int32_t rank = rank_of[static_cast<std::size_t>(item)]; rank >= 0) with[static_cast<std::size_t>(next[static_cast<std::size_t>(rank)]++)] = static_cast<std::int32_t>(t);
        control.check();
        std::vector<std::int64_t> place(begins.begin(), begins.end() - 1);
        for (std::size_t rank = 0, i = 0; rank < n_ranks(); ++rank)
            for (; i < static_cast<std::size_t>(next[rank]); ++i) encoded[static_cast<std::size_t>(place[static_cast<std::size_t>(with[i])]++)] = static_cast<std::int32_t>(rank);
        return encoded;
    }

    // Byte by byte from the lowest, each time keeping the order among equals.
    static void sort_by_key(std::vector<Keyed>& order, Control& control) {
        std::vector<Keyed> sorted(order.size());
        for (int shift = 0; shift < 64; shift += 8) {
            control.check();
            std::array<std::size_t, 257> next{};
            for (const Keyed& row : order) ++next[(row.key >> shift & 255) + 1];
            if (std::ranges::max(next) == order.size()) continue;
            std::partial_sum(next.begin(), next.end(), next.begin());
            for (const Keyed& row : order) sorted[next[row.key >> shift & 255]++] = row;
            order.swap(sorted);
        }
    }

    // Sorts the rows, so that like rows share words, and merges those that are equal once
    // unranked items are gone; then heavy rows first: a single one proves a set frequent.
    void merge_rows(const Database& database, Control& control) {
        const auto n = database.weights.size();
        control.claim(static_cast<std::int64_t>(n * (2 * sizeof(Keyed) + 4 + 4 + 16) + database.items.size() * 8));
        std::vector<std::int64_t> begins(n + 1, 0);
        const std::vector<std::int32_t> encoded = encode(database, begins, control);
        std::vector<Keyed> order;
        order.reserve(n);
        const int bits = std::max(1, static_cast<int>(std::bit_width(n_ranks())));
        for (std::size_t t = 0; t < n; ++t) {
            if (begins[t] == begins[t + 1]) continue;
            std::uint64_t key = 0, next_key = 0;
            int room = 64, next_room = 64;
            std::int64_t i = begins[t + 1];
            for (; i > begins[t] && room >= bits; --i) key |= static_cast<std::uint64_t>(encoded[static_cast<std::size_t>(i - 1)] + 1) << (room -= bits);
            for (; i > begins[t] && next_room >= bits; --i) next_key |= static_cast<std::uint64_t>(encoded[static_cast<std::size_t>(i - 1)] + 1) << (next_room -= bits);
            order.push_back({~key, next_key, static_cast<std::int32_t>(t)});
        }
        sort_by_key(order, control);
        const auto cells = [&](std::int32_t t) { return std::span<const std::int32_t>(encoded).subspan(static_cast<std::size_t>(begins[t]), static_cast<std::size_t>(begins[t + 1] - begins[t])); };
        const auto equal = [&](const Keyed& a, const Keyed& b) { return a.key == b.key && a.next_key == b.next_key && std::ranges::equal(cells(a.transaction), cells(b.transaction)); };
        for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
            while (end < order.size() && order[end].key == order[begin].key) ++end;
            std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end), [&](const Keyed& a, const Keyed& b) {
                if (a.next_key != b.next_key) return a.next_key < b.next_key;
                const auto x = cells(a.transaction), y = cells(b.transaction);
                return std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
            });
        }
        struct Merged {
            std::int64_t weight;
            std::size_t begin, end;  // in order
        };
        std::vector<Merged> merged;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::int64_t row_weight = database.weights[static_cast<std::size_t>(order[i].transaction)];
            if (i == 0 || !equal(order[i - 1], order[i])) merged.push_back({0, i, i});
            merged.back().weight = std::min(merged.back().weight + row_weight, theta + 1);
            merged.back().end = i + 1;
        }
        std::stable_sort(merged.begin(), merged.end(), [](const Merged& a, const Merged& b) { return a.weight > b.weight; });
        row_of.assign(n, -1);
        ranks.reserve(encoded.size());
        for (const Merged& row : merged) {
            for (std::size_t i = row.begin; i < row.end; ++i) row_of[static_cast<std::size_t>(order[i].transaction)] = static_cast<std::int32_t>(weight.size());
            const auto first = cells(order[row.begin].transaction);
            ranks.insert(ranks.end(), first.begin(), first.end());
            longest = std::max(longest, first.size());
            offsets.push_back(static_cast<std::int64_t>(ranks.size()));
            weight.push_back(row.weight);
        }
        control.release(static_cast<std::int64_t>(n * 2 * sizeof(Keyed) + database.items.size() * 4));
    }

    // The same rows by item.
    void turn(Control& control) {
        control.claim(static_cast<std::int64_t>(ranks.size() * 4));
        tid_offsets_.assign(n_ranks() + 1, 0);
        for (const std::int32_t rank : ranks) ++tid_offsets_[static_cast<std::size_t>(rank) + 1];
        std::partial_sum(tid_offsets_.begin(), tid_offsets_.end(), tid_offsets_.begin());
        tids_.resize(ranks.size());
        std::vector<std::int64_t> next(tid_offsets_.begin(), tid_offsets_.end() - 1);
        for (std::size_t r = 0; r < weight.size(); ++r) {
            if (r % 65536 == 0) control.check();
            for (const std::int32_t rank : row(static_cast<std::int32_t>(r))) tids_[static_cast<std::size_t>(next[static_cast<std::size_t>(rank)]++)] = static_cast<std::int32_t>(r);
        }
    }

    std::size_t n_columns_ = 0;            // of a table
    std::size_t row_cells_ = 0;            // as many, up to a multiple of 64
    std::vector<std::int32_t> column_of_;  // by rank
    std::vector<std::int64_t> tid_offsets_;
    std::vector<std::int32_t> tids_;
};

}  // namespace discreet::infrequent
