// Which cells lie in some minimal infrequent itemset of their row, without the itemsets.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"
#include "infrequent/minimal_infrequent.hpp"

namespace discreet {

namespace infrequent {

// Marks of all cells of the merged rows, a bit each.
struct Marks {
    std::vector<Word> words;
    bool shared = false;  // by several workers
};

// Marks only ever rise, and a late look at one costs no more than some work done twice:
// relaxed access is enough.
class Marker {
  public:
    static constexpr bool marks_cells = true;
    Marker(const Rows&, Marks& marks) : marks_(marks) {}

    void add_single(const Rows::Single&) {}
    void add(std::span<const std::int32_t>, std::int64_t) {}
    void flush() {}
    void mark(std::size_t cell) { mark(cell / 64, Word{1} << (cell % 64)); }
    bool is_marked(std::size_t cell) const { return marked(cell / 64) >> (cell % 64) & 1; }
    // 64 cells at once.
    void mark(std::size_t word, Word cells) {
        const Word before = marked(word);
        if (!marks_.shared) at(word).store(before | cells, std::memory_order_relaxed);
        else if ((cells & ~before) != 0) at(word).fetch_or(cells, std::memory_order_relaxed);
    }
    Word marked(std::size_t word) const { return at(word).load(std::memory_order_relaxed); }

  private:
    std::atomic_ref<Word> at(std::size_t word) const { return std::atomic_ref(marks_.words[word]); }

    Marks& marks_;
};

}  // namespace infrequent

inline std::vector<std::uint8_t> mark_cells(const Database& database, std::int64_t theta, std::int64_t max_size, Control& control) {
    infrequent::Rows rows(database, theta, control);
    std::vector<std::uint8_t> marks(database.items.size(), 0);
    infrequent::Marks merged{std::vector<bitmap::Word>(bitmap::words_for(rows.n_cells()), 0), control.threads > 1};
    control.claim(static_cast<std::int64_t>(marks.size() + merged.words.size() * sizeof(bitmap::Word)));
    infrequent::search<infrequent::Marker>(rows, max_size, control, merged);
    if (rows.row_of.empty()) return marks;
    std::vector<std::uint8_t> is_single(static_cast<std::size_t>(database.n_items), 0);
    for (const auto& single : rows.singles) is_single[static_cast<std::size_t>(single.item)] = 1;
    std::uint8_t* mark = marks.data();
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 65536 == 0) control.check();
        const std::int32_t row = rows.row_of[static_cast<std::size_t>(t)];
        for (const std::int32_t item : database.transaction(t)) {
            const std::int32_t rank = rows.rank_of[static_cast<std::size_t>(item)];
            *mark++ = rank < 0 ? is_single[static_cast<std::size_t>(item)] : bitmap::test(merged.words.data(), rows.cell(row, rank));
        }
    }
    return marks;
}

}  // namespace discreet
