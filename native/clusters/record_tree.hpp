// Rows in a tree of their leaves, column by column: who looks for rows near another leaves out
// all those that are too far by the first columns already.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "clusters/groups.hpp"

namespace discreet::clusters {

class RecordTree {
  public:
    explicit RecordTree(const Groups& groups) : columns_(groups.n_columns()), leaf_(groups.n_columns()), first_(groups.n_columns()), rows_(groups.n_rows()) {
        // Where values are few, different ones cost much: these columns exclude most.
        std::iota(columns_.begin(), columns_.end(), std::size_t{0});
        std::ranges::stable_sort(columns_, {}, [&](std::size_t column) { return groups.column(column).n_leaves; });
        std::iota(rows_.begin(), rows_.end(), 0);
        const auto same_until = [&](std::int32_t a, std::int32_t b) {
            std::size_t depth = 0;
            while (depth < columns_.size() && groups.leaves(a)[columns_[depth]] == groups.leaves(b)[columns_[depth]]) ++depth;
            return depth;
        };
        std::ranges::sort(rows_, [&](std::int32_t a, std::int32_t b) {
            const std::size_t depth = same_until(a, b);
            return depth == columns_.size() ? a < b : groups.leaves(a)[columns_[depth]] < groups.leaves(b)[columns_[depth]];
        });
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (std::size_t depth = i == 0 ? 0 : same_until(rows_[i - 1], rows_[i]); depth < columns_.size(); ++depth) {
                leaf_[depth].push_back(groups.leaves(rows_[i])[columns_[depth]]);
                first_[depth].push_back(depth + 1 < columns_.size() ? leaf_[depth + 1].size() : i);
            }
        for (std::size_t depth = 0; depth < columns_.size(); ++depth) first_[depth].push_back(depth + 1 < columns_.size() ? leaf_[depth + 1].size() : rows_.size());
    }

    const std::vector<std::size_t>& columns() const { return columns_; }

    // Notes the highest worth(row) under every node.
    template <class Worth>
    void note(Worth&& worth) {
        highest_.resize(columns_.size());
        for (std::size_t depth = columns_.size(); depth-- > 0;) {
            highest_[depth].assign(leaf_[depth].size(), 0);
            for (std::size_t node = 0; node < leaf_[depth].size(); ++node)
                for (std::size_t i = first_[depth][node]; i < first_[depth][node + 1]; ++i)
                    highest_[depth][node] = std::max<std::int64_t>(highest_[depth][node], depth + 1 < columns_.size() ? highest_[depth + 1][i] : worth(rows_[i]));
        }
    }

    // Visits the rows; enter(depth, leaf, highest) says whether to go on with those of a leaf in
    // the column of this depth, and visit(row) is called for each row of the last column.
    template <class Enter, class Visit>
    void walk(Enter&& enter, Visit&& visit) const {
        if (!columns_.empty()) walk(0, 0, leaf_[0].size(), enter, visit);
    }

  private:
    template <class Enter, class Visit>
    void walk(std::size_t depth, std::size_t begin, std::size_t end, Enter& enter, Visit& visit) const {
        for (std::size_t node = begin; node < end; ++node) {
            if (!enter(depth, leaf_[depth][node], highest_[depth][node])) continue;
            const std::size_t first = first_[depth][node], last = first_[depth][node + 1];
            if (depth + 1 < columns_.size())
                walk(depth + 1, first, last, enter, visit);
            else
                for (std::size_t i = first; i < last; ++i) visit(rows_[i]);
        }
    }

    std::vector<std::size_t> columns_;             // by depth
    std::vector<std::vector<std::int32_t>> leaf_;  // of each node, by depth
    std::vector<std::vector<std::size_t>> first_;  // child of each node, or place among the rows
    std::vector<std::vector<std::int64_t>> highest_;  // of what was noted, by depth
    std::vector<std::int32_t> rows_;
};

}  // namespace discreet::clusters
