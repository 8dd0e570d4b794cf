// Rows as nodes of hierarchies with whole costs: what groups of rows show, and what joining costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/collapse.hpp"
#include "base/control.hpp"
#include "generalized/hierarchy.hpp"

namespace discreet {

// A column: its hierarchy, the cost of each node, and the leaf of every row.
struct CostColumn {
    std::span<const std::int32_t> parent;
    std::span<const std::int32_t> cost;
    std::span<const std::uint32_t> leaves;
};

// The hierarchies of all columns side by side, nodes numbered on from one to the next, each in
// preorder. What a group of rows shows is one node of each, its closure.
class Nodes {
  public:
    Nodes(std::span<const CostColumn> columns, Control& control) : width_(columns.size()) {
        const std::size_t n_rows = columns.empty() ? 0 : columns[0].leaves.size();
        control.claim(static_cast<std::int64_t>(n_rows * (2 * width_ * sizeof(std::int32_t) + 12)));
        const std::vector<std::int64_t> once(n_rows, 1);
        std::vector<std::vector<std::uint32_t>> codes;
        for (const CostColumn& column : columns) {
            const auto offset = static_cast<std::int32_t>(cost_.size());
            begin_.push_back(cost_.size());
            CutColumn cut = discreet::cut(column.parent, column.leaves, once, 1);  // no closure changes
            for (std::size_t v = 0; v < cut.tree.id.size(); ++v) {
                parent_.push_back(cut.tree.parent[v] < 0 ? -1 : cut.tree.parent[v] + offset);
                end_.push_back(cut.tree.end[v] + offset);
                cost_.push_back(column.cost[static_cast<std::size_t>(cut.tree.id[v])]);
            }
            for (std::uint32_t& code : cut.codes) code += static_cast<std::uint32_t>(offset);
            codes.push_back(std::move(cut.codes));
        }
        const std::vector<std::span<const std::uint32_t>> views(codes.begin(), codes.end());
        groups = collapse(views, static_cast<std::int64_t>(n_rows), control);
        records_.reserve(groups.first.size() * width_);
        for (const std::int64_t row : groups.first)
            for (const auto& column : codes) records_.push_back(static_cast<std::int32_t>(column[static_cast<std::size_t>(row)]));
    }

    RowGroups groups;  // equal rows are one record

    std::size_t width() const { return width_; }
    std::size_t n_nodes() const { return cost_.size(); }
    std::size_t n_nodes(std::size_t column) const { return (column + 1 < width_ ? begin_[column + 1] : n_nodes()) - begin_[column]; }
    std::size_t n_records() const { return groups.first.size(); }
    std::size_t n_rows() const { return groups.group_of.size(); }
    const std::int32_t* record(std::int64_t number) const { return records_.data() + static_cast<std::size_t>(number) * width_; }
    std::int32_t cost(std::int32_t node) const { return cost_[static_cast<std::size_t>(node)]; }

    // The rows of each record, ascending: rows[start[g]] to rows[start[g + 1] - 1].
    struct RowLists {
        std::vector<std::size_t> start;
        std::vector<std::int32_t> rows;
    };
    RowLists rows_by_record() const {
        RowLists lists{std::vector<std::size_t>(n_records() + 1, 0), std::vector<std::int32_t>(n_rows())};
        for (std::size_t g = 0; g < n_records(); ++g) lists.start[g + 1] = lists.start[g] + static_cast<std::size_t>(groups.count[g]);
        std::vector<std::size_t> next(lists.start.begin(), lists.start.end() - 1);
        for (std::size_t row = 0; row < n_rows(); ++row) lists.rows[next[groups.group_of[row]]++] = static_cast<std::int32_t>(row);
        return lists;
    }

    std::int32_t cost_of(const std::int32_t* shown) const {
        std::int32_t sum = 0;
        for (std::size_t c = 0; c < width_; ++c) sum += cost(shown[c]);
        return sum;
    }

    // Lowest node above two of one column; needs lowest <= highest.
    std::int32_t common(std::int32_t lowest, std::int32_t highest) const {
        while (end_[static_cast<std::size_t>(lowest)] <= highest) lowest = parent_[static_cast<std::size_t>(lowest)];
        return lowest;
    }
    std::int32_t join(std::int32_t a, std::int32_t b) const { return a < b ? common(a, b) : common(b, a); }

    // Makes prices[node] the cost of the lowest node above both it and that of `shown` in its column.
    void price(const std::int32_t* shown, std::vector<std::int32_t>& prices) const {
        prices.resize(n_nodes());
        for (std::size_t c = 0; c < width_; ++c) {
            std::int32_t begin = shown[c], end = shown[c];
            for (std::int32_t above = shown[c]; above >= 0; above = parent_[static_cast<std::size_t>(above)]) {
                const std::int32_t last = end_[static_cast<std::size_t>(above)];
                std::fill(prices.begin() + above, prices.begin() + begin, cost(above));
                std::fill(prices.begin() + end, prices.begin() + last, cost(above));
                begin = above, end = last;
            }
        }
    }

  private:
    std::size_t width_;
    std::vector<std::size_t> begin_;  // first node of each column
    std::vector<std::int32_t> parent_, end_, cost_;
    std::vector<std::int32_t> records_;  // width() nodes of each record
};

}  // namespace discreet
