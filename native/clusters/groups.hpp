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

// A group and what it would cost to put a row there.
struct Target {
    std::int64_t cost;
    std::int32_t group;  // -1 for none
};

// Some rows of a table, numbered from 0, in groups. A group costs the sum of its rows'
// weights times the sum of the costs of its closure.
class Groups {
  public:
    Groups(const CostTable& table, std::span<const Rule> rules, std::int64_t k, std::vector<std::int64_t> rows, std::vector<std::int32_t> group_of)
        : k_(k), table_(table), judge_(rules), rows_(std::move(rows)), group_of_(group_of.size(), -1), leaves_(leaves_of(table, rows_)),
          finder_(table.columns, leaves_, n_groups_of(group_of) * 9 / 8 + 64), place_(rows_.size()), rest_(rows_.size()), rest_version_(rows_.size(), 0) {
        grow(n_groups_of(group_of));
        for (std::size_t row = 0; row < group_of.size(); ++row) enter(static_cast<std::int32_t>(row), group_of[row]);
    }

    std::int64_t k() const { return k_; }
    std::int64_t total() const { return total_; }
    std::int32_t n_rows() const { return static_cast<std::int32_t>(rows_.size()); }
    std::int32_t n_groups() const { return static_cast<std::int32_t>(members_.size()); }  // empty ones included
    std::int32_t n_live() const { return n_live_; }
    std::size_t n_columns() const { return table_.n_columns(); }
    const CostColumn& column(std::size_t column) const { return table_.columns[column]; }
    std::int64_t row_id(std::int32_t row) const { return rows_[at(row)]; }
    std::int32_t group_of(std::int32_t row) const { return group_of_[at(row)]; }
    std::int64_t weight(std::int32_t row) const { return table_.weights[at(rows_[at(row)])]; }
    const std::int32_t* leaves(std::int32_t row) const { return &leaves_[at(row) * n_columns()]; }
    std::span<const std::int32_t> members(std::int32_t group) const { return members_[at(group)]; }
    std::int64_t size(std::int32_t group) const { return static_cast<std::int64_t>(members_[at(group)].size()); }
    std::int64_t group_weight(std::int32_t group) const { return weights_[at(group)]; }
    std::int64_t loss(std::int32_t group) const { return losses_[at(group)]; }
    std::int64_t cost(std::int32_t group) const { return weights_[at(group)] * losses_[at(group)]; }
    const std::int32_t* nodes(std::int32_t group) const { return &nodes_[at(group) * n_columns()]; }
    bool has_rules() const { return judge_.has_rules(); }
    Finder& finder() { return finder_; }

    // The loss of a group if a row came.
    std::int64_t loss_with(std::int32_t group, std::int32_t row) const {
        const std::int32_t *node = nodes(group), *leaf = leaves(row);
        std::int64_t sum = 0;
        for (std::size_t j = 0; j < n_columns(); ++j) sum += column(j).cost(column(j).join(node[j], leaf[j]));
        return sum;
    }
    // The loss of a row's group without it.
    std::int64_t loss_without(std::int32_t row) {
        const std::int32_t group = group_of(row);
        if (rest_version_[at(row)] != version_[at(group)]) {
            std::int64_t sum = 0;
            for (std::size_t j = 0; j < n_columns(); ++j) sum += column(j).cost(node_without(row, j));
            rest_[at(row)] = sum;
            rest_version_[at(row)] = version_[at(group)];
        }
        return rest_[at(row)];
    }
    // What a row's group would save if it left.
    std::int64_t saving(std::int32_t row) {
        const std::int32_t group = group_of(row);
        return size(group) == 1 ? 0 : cost(group) - (group_weight(group) - weight(row)) * loss_without(row);
    }

    // The group other than its own that takes a row at the least cost below `limit`.
    // `without` a row that has left it in thought, rules are not asked.
    Target cheapest(std::int32_t row, std::int64_t limit) {
        Target best{limit, -1};
        const std::int32_t own = group_of(row);
        const std::int64_t heavy = weight(row);
        finder_.visit(
            at(row),
            [&](std::int32_t group) {
                const std::int64_t cost = heavy * loss(group);
                if (group != own && cost < best.cost && may_enter(row, group)) best = {cost, group};
            },
            [&](std::int32_t group) {
                if (group == own || heavy * loss(group) >= best.cost) return;
                const std::int64_t cost = (group_weight(group) + heavy) * loss_with(group, row) - this->cost(group);
                if (cost < best.cost && may_enter(row, group)) best = {cost, group};
            });
        return best;
    }

    bool may_leave(std::int32_t row) {
        const std::int32_t group = group_of(row);
        if (size(group) <= k_) return false;
        if (!has_rules()) return true;
        gather(group, row);
        return judge_.holds(asked_);
    }
    bool may_enter(std::int32_t row, std::int32_t group) {
        if (!has_rules()) return true;
        gather(group, -1);
        asked_.push_back(row_id(row));
        return judge_.holds(asked_);
    }
    bool is_legal(std::int32_t group) {
        if (size(group) == 0) return true;
        if (size(group) < k_) return false;
        if (!has_rules()) return true;
        gather(group, -1);
        return judge_.holds(asked_);
    }

    void move(std::int32_t row, std::int32_t to) {
        log_.emplace_back(row, group_of(row));
        leave(row);
        enter(row, to);
    }
    std::int32_t empty_group() {
        for (; !free_.empty(); free_.pop_back())
            if (members_[at(free_.back())].empty()) return free_.back();
        const std::int32_t group = n_groups();
        grow(members_.size() + 1);
        return group;
    }

    // Moves since mark() can be taken back.
    std::size_t mark() {
        log_.clear();
        return 0;
    }
    void take_back(std::size_t mark) {
        while (log_.size() > mark) {
            const auto [row, from] = log_.back();
            log_.pop_back();
            leave(row);
            enter(row, from);
        }
    }
    std::span<const std::pair<std::int32_t, std::int32_t>> log() const { return log_; }

  private:
    template <class Number>
    static std::size_t at(Number number) {
        return static_cast<std::size_t>(number);
    }
    static std::size_t n_groups_of(std::span<const std::int32_t> group_of) { return group_of.empty() ? 0 : at(std::ranges::max(group_of)) + 1; }
    static std::vector<std::int32_t> leaves_of(const CostTable& table, std::span<const std::int64_t> rows) {
        std::vector<std::int32_t> leaves;
        leaves.reserve(rows.size() * table.n_columns());
        for (const std::int64_t row : rows) leaves.insert(leaves.end(), table.row(at(row)), table.row(at(row)) + table.n_columns());
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
            if (members_[at(group)].empty()) continue;
            finder_.set_live(group, true);
            for (std::size_t j = 0; j < n_columns(); ++j) finder_.change(group, j, -1, nodes(group)[j]);
        }
    }

    std::int32_t node_without(std::int32_t row, std::size_t j) const {
        const std::int32_t group = group_of(row), whole = nodes(group)[j];
        const CostColumn& tree = column(j);
        if (whole < tree.n_leaves) return whole;
        std::int32_t rest = -1;
        for (const std::int32_t member : members_[at(group)]) {
            if (member == row) continue;
            const std::int32_t leaf = leaves(member)[j];
            rest = rest < 0 ? leaf : tree.join(rest, leaf);
            if (rest == whole) break;
        }
        return rest;
    }
    void set_node(std::int32_t group, std::size_t j, std::int32_t node) {
        std::int32_t& old = nodes_[at(group) * n_columns() + j];
        if (old == node) return;
        if (old >= 0) losses_[at(group)] -= column(j).cost(old);
        if (node >= 0) losses_[at(group)] += column(j).cost(node);
        finder_.change(group, j, old, node);
        old = node;
    }
    void leave(std::int32_t row) {
        const std::int32_t group = group_of(row);
        std::vector<std::int32_t>& members = members_[at(group)];
        total_ -= cost(group);
        for (std::size_t j = 0; j < n_columns(); ++j) set_node(group, j, members.size() == 1 ? -1 : node_without(row, j));
        const std::int32_t last = members.back();
        members[at(place_[at(row)])] = last;
        place_[at(last)] = place_[at(row)];
        members.pop_back();
        weights_[at(group)] -= weight(row);
        total_ += cost(group);
        ++version_[at(group)];
        if (!members.empty()) return;
        finder_.set_live(group, false);
        free_.push_back(group);
        --n_live_;
    }
    void enter(std::int32_t row, std::int32_t group) {
        std::vector<std::int32_t>& members = members_[at(group)];
        if (members.empty()) finder_.set_live(group, true), ++n_live_;
        total_ -= cost(group);
        for (std::size_t j = 0; j < n_columns(); ++j) set_node(group, j, members.empty() ? leaves(row)[j] : column(j).join(nodes(group)[j], leaves(row)[j]));
        place_[at(row)] = static_cast<std::int32_t>(members.size());
        members.push_back(row);
        group_of_[at(row)] = group;
        weights_[at(group)] += weight(row);
        total_ += cost(group);
        ++version_[at(group)];
        rest_version_[at(row)] = 0;
    }
    void gather(std::int32_t group, std::int32_t but) {
        asked_.clear();
        for (const std::int32_t member : members_[at(group)])
            if (member != but) asked_.push_back(row_id(member));
    }

    std::int64_t k_;
    const CostTable& table_;
    Judge judge_;
    std::vector<std::int64_t> rows_;
    std::vector<std::int32_t> group_of_, leaves_;
    Finder finder_;
    std::vector<std::vector<std::int32_t>> members_;
    std::vector<std::int32_t> place_;  // of each row among its group's members
    std::vector<std::int32_t> nodes_;  // closures, group by group; -1 for an empty one
    std::vector<std::int64_t> losses_, weights_;
    std::vector<std::uint32_t> version_;
    std::vector<std::int64_t> rest_;  // loss_without, as of a version of the group
    std::vector<std::uint32_t> rest_version_;
    std::vector<std::int32_t> free_;
    std::vector<std::int64_t> asked_;
    std::vector<std::pair<std::int32_t, std::int32_t>> log_;
    std::int64_t total_ = 0;
    std::int32_t n_live_ = 0;
};

}  // namespace discreet::clusters
