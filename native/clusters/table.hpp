// What joining rows costs: the hierarchy of each column with the cost of its nodes, and the
// leaf of every row. Costs and weights are whole numbers, so that sums do not depend on order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace discreet::clusters {

// A hierarchy whose nodes are numbered leaves first, children before parents, the root last,
// and the leaves under any node stand together.
class CostColumn {
  public:
    CostColumn(std::vector<std::int32_t> parent, std::vector<std::int64_t> cost)
        : n_nodes(static_cast<std::int32_t>(parent.size())), n_leaves(count_leaves(parent)), parent_(std::move(parent)), cost_(std::move(cost)) {
        first_.assign(parent_.size(), n_leaves);
        end_.assign(parent_.size(), 0);
        for (std::int32_t node = 0; node < n_nodes; ++node) {
            if (node < n_leaves) first_[node] = node, end_[node] = node + 1;
            const std::int32_t above = parent_[node];
            if (above < 0) continue;
            first_[above] = std::min(first_[above], first_[node]);
            end_[above] = std::max(end_[above], end_[node]);
        }
        if (n_nodes <= 65536 && static_cast<std::int64_t>(n_nodes) * n_leaves <= largest_table) fill_table();
    }

    // Nodes before the first that is a parent.
    static std::int32_t count_leaves(std::span<const std::int32_t> parent) {
        auto n_leaves = static_cast<std::int32_t>(parent.size());
        for (const std::int32_t above : parent)
            if (above >= 0) n_leaves = std::min(n_leaves, above);
        return n_leaves;
    }

    const std::int32_t n_nodes, n_leaves;
    std::int32_t first(std::int32_t node) const { return first_[node]; }
    std::int32_t end(std::int32_t node) const { return end_[node]; }
    std::int64_t highest_cost() const { return std::ranges::max(cost_); }
    std::int64_t cost(std::int32_t node) const { return cost_[node]; }
    bool covers(std::int32_t node, std::int32_t leaf) const { return first(node) <= leaf && leaf < end(node); }
    // The lowest node above both; a node may be a leaf.
    std::int32_t join(std::int32_t node, std::int32_t leaf) const {
        if (!table_.empty()) return table_[std::size_t{1} * leaf * n_nodes + node];
        while (!covers(node, leaf)) node = parent_[node];
        return node;
    }
    // The child of a group on the way down to a leaf under it.
    std::int32_t child(std::int32_t node, std::int32_t leaf) const {
        std::int32_t below = leaf;
        while (parent_[below] != node) below = parent_[below];
        return below;
    }
    // A leaf and all nodes above it.
    std::vector<std::int32_t> path(std::int32_t leaf) const {
        std::vector<std::int32_t> nodes;
        for (std::int32_t node = leaf; node >= 0; node = parent_[node]) nodes.push_back(node);
        return nodes;
    }
    std::int32_t join_nodes(std::int32_t one, std::int32_t other) const { return join(join(one, first(other)), end(other) - 1); }

  private:
    static constexpr std::int64_t largest_table = std::int64_t{1} << 22;

    void fill_table() {
        table_.resize(std::size_t{1} * n_nodes * n_leaves);
        for (std::int32_t leaf = 0; leaf < n_leaves; ++leaf) {
            std::uint16_t* of = &table_[std::size_t{1} * leaf * n_nodes];
            for (std::int32_t node = n_nodes; node-- > 0;) of[node] = covers(node, leaf) ? static_cast<std::uint16_t>(node) : of[parent_[node]];
        }
    }

    std::vector<std::int32_t> parent_, first_, end_;
    std::vector<std::int64_t> cost_;
    std::vector<std::uint16_t> table_;  // of leaf and node; empty if it would be too large
};

// What is wrong with a column, in words; empty if nothing is.
inline std::string column_problem(std::span<const std::int32_t> parent, std::span<const std::int64_t> cost) {
    const auto n = static_cast<std::int64_t>(parent.size());
    if (n == 0 || n >= (std::int64_t{1} << 31)) return "the hierarchy must have from 1 to 2^31 - 1 nodes";
    if (cost.size() != parent.size()) return "there must be one cost per node";
    const std::int64_t n_leaves = CostColumn::count_leaves(parent);
    std::vector<std::int64_t> first(parent.size(), n), end(parent.size(), 0), count(parent.size(), 0);
    for (std::int64_t node = 0; node < n; ++node) {
        const auto v = static_cast<std::size_t>(node);
        if (cost[v] < 0 || cost[v] >= (std::int64_t{1} << 40)) return "the cost of node " + std::to_string(node) + " is not from 0 to 2^40 - 1";
        if (node < n_leaves) first[v] = node, end[v] = node + 1, count[v] = 1;
        if (count[v] == 0) return "node " + std::to_string(node) + " has no leaves";
        if (count[v] != end[v] - first[v]) return "the leaves under node " + std::to_string(node) + " do not stand together";
        if (node == n - 1) return parent[v] == -1 ? "" : "the last node is not the root";
        if (parent[v] <= node || parent[v] >= n) return "the parent of node " + std::to_string(node) + " is not a later group";
        const auto above = static_cast<std::size_t>(parent[v]);
        first[above] = std::min(first[above], first[v]);
        end[above] = std::max(end[above], end[v]);
        count[above] += count[v];
    }
    return "";
}

// Rows as leaves, row by row; a weight for each.
struct CostTable {
    std::vector<CostColumn> columns;
    std::vector<std::int32_t> leaves;
    std::vector<std::int64_t> weights;

    std::size_t n_columns() const { return columns.size(); }
    std::size_t n_rows() const { return weights.size(); }
    const std::int32_t* row(std::int64_t row) const { return &leaves[row * columns.size()]; }
};

}  // namespace discreet::clusters
