// Which cells lie in some minimal infrequent itemset of their row, without the itemsets.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "control.hpp"
#include "database.hpp"
#include "minimal_infrequent.hpp"

namespace discreet {

namespace infrequent {

class Marker {
  public:
    static constexpr bool wants_rows = true;
    Marker(const Rows& rows, Control&) : rows_(rows) {}

    void single(std::int32_t, std::int64_t) {}
    void add(std::span<const std::int32_t>, std::int64_t) {}
    void flush() {}
    void mark(std::int32_t r, std::span<const std::int32_t> ranks) {
        if (marks.empty()) marks.assign(rows_.ranks.size(), 0);
        const auto row = rows_.row(static_cast<std::size_t>(r));
        for (const auto rank : ranks) marks[static_cast<std::size_t>(rows_.offsets[static_cast<std::size_t>(r)] + (std::lower_bound(row.begin(), row.end(), rank) - row.begin()))] = 1;
    }
    std::vector<std::uint8_t> marks;

  private:
    const Rows& rows_;
};

}  // namespace infrequent

inline std::vector<std::uint8_t> mark_cells(const Database& database, std::int64_t theta, std::int64_t max_size, Control& control) {
    infrequent::Rows rows;
    const auto sinks = infrequent::search<infrequent::Marker>(database, theta, max_size, control, rows);
    std::vector<std::uint8_t> marks(database.items.size(), 0);
    if (rows.total <= theta) return marks;
    for (std::int64_t t = 0; t < database.n_transactions(); ++t)
        for (std::int64_t cell = database.offsets[static_cast<std::size_t>(t)]; cell < database.offsets[static_cast<std::size_t>(t) + 1]; ++cell) {
            const auto item = static_cast<std::size_t>(database.items[static_cast<std::size_t>(cell)]);
            std::uint8_t& mark = marks[static_cast<std::size_t>(cell)];
            if (rows.rank_of[item] < 0) {
                mark = rows.single[item];
                continue;
            }
            const auto r = static_cast<std::size_t>(rows.row_of[static_cast<std::size_t>(t)]);
            const auto row = rows.row(r);
            const auto at = static_cast<std::size_t>(rows.offsets[r] + (std::lower_bound(row.begin(), row.end(), rows.rank_of[item]) - row.begin()));
            for (const auto& sink : sinks)
                if (!sink.marks.empty()) mark |= sink.marks[at];
        }
    return marks;
}

}  // namespace discreet
