// Rows in groups: sizes, closures and costs, kept right while rows move, with a way back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clusters/finder.hpp"
#include "clusters/rules.hpp"
#include "clusters/table.hpp"

namespace discreet::clusters {

// Some rows of a table, numbered from 0, in groups. A group costs the sum of its rows'
// weights times its loss, the sum of the costs of its closure.
class Groups {
  public:
    Groups(const CostTable& table, std::span<const Rule> rules, std::int64_t k, std::vector<std::int64_t> rows, std::span<const std::int32_t> group_of)
        : k(k), rules(rules), table_(table), rows_(std::move(rows)), group_of_(group_of.size(), -1), leaves_(leaves_of(table, rows_)),
          finder_(table.columns, leaves_, n_groups_of(group_of) * 9 / 8 + 64), place_(rows_.size()), rest_(rows_.size()), rest_version_(rows_.size(), 0) {
        grow(n_groups_of(group_of));
        for (std::int32_t row = 0; row < n_rows(); ++row) enter(row, group_of[row]);
    }

    const std::int64_t k;
    const std::span<const Rule> rules;

    std::int32_t n_rows() const { return static_cast<std::int32_t>(rows_.size()); }
    std::size_t n_columns() const { return table_.n_columns(); }
    const CostColumn& column(std::size_t column) const { return table_.columns[column]; }
    std::int64_t row_id(std::int32_t row) const { return rows_[row]; }  // its number in the table
    std::int32_t group_of(std::int32_t row) const { return group_of_[row]; }
    std::int64_t weight(std::int32_t row) const { return table_.weights[rows_[row]]; }
    const std::int32_t* leaves(std::int32_t row) const { return &leaves_[row * n_columns()]; }

    std::int64_t total() const { return total_; }
    std::int32_t n_groups() const { return static_cast<std::int32_t>(members_.size()); }  // empty ones included
    std::int32_t n_live() const { return n_live_; }
    std::span<const std::int32_t> members(std::int32_t group) const { return members_[group]; }
    std::int64_t size(std::int32_t group) const { return static_cast<std::int64_t>(members_[group].size()); }
    std::int64_t weight_of(std::int32_t group) const { return weights_[group]; }
    std::int64_t loss(std::int32_t group) const { return losses_[group]; }
    std::int64_t cost(std::int32_t group) const { return weights_[group] * losses_[group]; }
    const std::int32_t* nodes(std::int32_t group) const { return &nodes_[group * n_columns()]; }
    const Finder& finder() const { return finder_; }

    // What a group would cost more if a row came.
    std::int64_t price(std::int32_t row, std::int32_t group) const {
        const std::int32_t *node = nodes(group), *leaf = leaves(row);
        std::int64_t loss = 0;
        for (std::size_t j = 0; j < n_columns(); ++j) loss += column(j).cost(column(j).join(node[j], leaf[j]));
        return (weight_of(group) + weight(row)) * loss - cost(group);
    }
    // What a row's group would cost less if it left. It remembers, so that a row must not be
    // asked about by two threads.
    std::int64_t saving(std::int32_t row) {
        const std::int32_t group = group_of(row);
        if (size(group) == 1) return cost(group);
        if (rest_version_[row] != version_[group]) {
            rest_[row] = 0;
            for (std::size_t j = 0; j < n_columns(); ++j) rest_[row] += column(j).cost(node_without(row, j));
            rest_version_[row] = version_[group];
        }
        return cost(group) - (weight_of(group) - weight(row)) * rest_[row];
    }

    void move(std::int32_t row, std::int32_t to) {
        log_.emplace_back(row, group_of(row));
        leave(row);
        enter(row, to);
    }
    // A group without rows, for a row to be moved to.
    std::int32_t empty_group() {
        for (; !free_.empty(); free_.pop_back())
            if (members_[free_.back()].empty()) return free_.back();
        const std::int32_t group = n_groups();
        grow(members_.size() + 1);
        return group;
    }
    // Whether rows that look for a group find this one.
    void show(std::int32_t group, bool is_shown) { finder_.set_live(group, is_shown && size(group) > 0); }

    // All moves since start_log() can be taken back.
    void start_log() { log_.clear(); }
    void take_back() {
        for (; !log_.empty(); log_.pop_back()) {
            leave(log_.back().first);
            enter(log_.back().first, log_.back().second);
        }
    }
    std::span<const std::pair<std::int32_t, std::int32_t>> log() const { return log_; }  // row, where from

  private:
    static std::size_t n_groups_of(std::span<const std::int32_t> group_of) { return group_of.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(group_of)) + 1; }
    static std::vector<std::int32_t> leaves_of(const CostTable& table, std::span<const std::int64_t> rows) {
        std::vector<std::int32_t> leaves;
        leaves.reserve(rows.size() * table.n_columns());
        for (const std::int64_t row : rows) leaves.insert(leaves.end(), table.row(row), table.row(row) + table.n_columns());
        return leaves;
    }

    void grow(std::size_t n_groups) {
        members_.resize(n_groups);
        nodes_.resize(n_groups * n_columns(), -1);
        losses_.resize(n_groups, 0);
        weights_.resize(n_groups, 0);
        version_.resize(n_groups, 1);
        if (n_groups <= finder_.capacity()) return;
        finder_.reserve(n_groups * 9 / 8 + 64);
        for (std::int32_t group = 0; group < this->n_groups(); ++group) {
            if (members_[group].empty()) continue;
            finder_.set_live(group, true);
            for (std::size_t j = 0; j < n_columns(); ++j) finder_.change(group, j, -1, nodes(group)[j]);
        }
    }

    std::int32_t node_without(std::int32_t row, std::size_t j) const {
        const std::int32_t group = group_of(row), whole = nodes(group)[j];
        const CostColumn& tree = column(j);
        if (whole < tree.n_leaves) return whole;
        std::int32_t rest = -1;
        for (const std::int32_t member : members_[group]) {
            if (member == row) continue;
            const std::int32_t leaf = leaves(member)[j];
            rest = rest < 0 ? leaf : tree.join(rest, leaf);
            if (rest == whole) break;
        }
        return rest;
    }
    void set_node(std::int32_t group, std::size_t j, std::int32_t node) {
        std::int32_t& old = nodes_[group * n_columns() + j];
        if (old == node) return;
        if (old >= 0) losses_[group] -= column(j).cost(old);
        if (node >= 0) losses_[group] += column(j).cost(node);
        finder_.change(group, j, old, node);
        old = node;
    }
    void leave(std::int32_t row) {
        const std::int32_t group = group_of(row);
        std::vector<std::int32_t>& members = members_[group];
        total_ -= cost(group);
        for (std::size_t j = 0; j < n_columns(); ++j) set_node(group, j, members.size() == 1 ? -1 : node_without(row, j));
        const std::int32_t last = members.back();
        members[place_[row]] = last;
        place_[last] = place_[row];
        members.pop_back();
        weights_[group] -= weight(row);
        total_ += cost(group);
        ++version_[group];
        if (!members.empty()) return;
        finder_.set_live(group, false);
        free_.push_back(group);
        --n_live_;
    }
    void enter(std::int32_t row, std::int32_t group) {
        std::vector<std::int32_t>& members = members_[group];
        if (members.empty()) finder_.set_live(group, true), ++n_live_;
        total_ -= cost(group);
        for (std::size_t j = 0; j < n_columns(); ++j) set_node(group, j, members.empty() ? leaves(row)[j] : column(j).join(nodes(group)[j], leaves(row)[j]));
        place_[row] = static_cast<std::int32_t>(members.size());
        members.push_back(row);
        group_of_[row] = group;
        weights_[group] += weight(row);
        total_ += cost(group);
        ++version_[group];
        rest_version_[row] = 0;
    }

    const CostTable& table_;
    std::vector<std::int64_t> rows_;
    std::vector<std::int32_t> group_of_, leaves_;
    Finder finder_;
    std::vector<std::vector<std::int32_t>> members_;
    std::vector<std::int32_t> place_;             // of each row among its group's members
    std::vector<std::int32_t> nodes_;             // closures, group by group; -1 for an empty one
    std::vector<std::int64_t> losses_, weights_;  // of groups
    std::vector<std::uint32_t> version_;          // counts a group's changes
    std::vector<std::int64_t> rest_;              // loss of the row's group without it,
    std::vector<std::uint32_t> rest_version_;     // as of this version
    std::vector<std::int32_t> free_;              // groups that were emptied
    std::vector<std::pair<std::int32_t, std::int32_t>> log_;
    std::int64_t total_ = 0;
    std::int32_t n_live_ = 0;
};

}  // namespace discreet::clusters
