// Rows in groups: sizes, closures and costs, kept right while rows move, with a way back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clusters/rules.hpp"
#include "clusters/table.hpp"

namespace discreet::clusters {

// ---- Finder ----
// Which groups a row fits into: for every column and leaf, a bitmap of the groups whose node
// is above the leaf. A row's own bitmaps together tell the groups that would take it as they
// are, and those that would have to grow in one column only.

class Finder {
  public:
    // What a question is worked out in; every thread has its own.
    struct Scratch {
        std::vector<std::uint64_t> fits, grows;
    };

    // For rows given by their leaves, row by row, and up to `capacity` groups.
    Finder(std::span<const CostColumn> columns, std::span<const std::int32_t> leaves, std::size_t capacity)
        : columns_(columns), seen_(columns.size()), bits_(columns.size()), place_(leaves.size()) {
        for (std::size_t column = 0; column < columns.size(); ++column) {
            std::vector<std::int32_t>& seen = seen_[column];
            for (std::size_t at = column; at < leaves.size(); at += columns.size()) seen.push_back(leaves[at]);
            std::ranges::sort(seen);
            seen.erase(std::ranges::unique(seen).begin(), seen.end());
            for (std::size_t at = column; at < leaves.size(); at += columns.size()) place_[at] = place_of(column, leaves[at]);
        }
        reserve(capacity);
    }

    std::size_t capacity() const { return n_words_ * 64; }
    // Room for more groups; those there are have to be shown again.
    void reserve(std::size_t capacity) {
        n_words_ = (capacity + 63) / 64;
        live_.assign(n_words_, 0);
        for (std::size_t column = 0; column < bits_.size(); ++column) bits_[column].assign(seen_[column].size() * n_words_, 0);
    }

    void set_live(std::int32_t group, bool is_live) { set(live_[group / 64], group, is_live); }
    // The group's node of the column was `from` (-1 if it had none) and is `to` (-1 for none).
    void change(std::int32_t group, std::size_t column, std::int32_t from, std::int32_t to) {
        const CostColumn& tree = columns_[column];
        if (from >= 0 && to >= 0 && tree.first(to) <= tree.first(from) && tree.end(from) <= tree.end(to)) {
            mark(group, column, tree.first(to), tree.first(from), true);
            mark(group, column, tree.end(from), tree.end(to), true);
            return;
        }
        if (from >= 0) mark(group, column, tree.first(from), tree.end(from), false);
        if (to >= 0) mark(group, column, tree.first(to), tree.end(to), true);
    }

    // Calls fits(group) for each live group that is above the row in all columns, then
    // grows(group) for each that is in all but one.
    template <class Fits, class Grows>
    void visit(std::int32_t row, Scratch& scratch, Fits&& fits, Grows&& grows) const {
        scratch.fits = live_;
        scratch.grows.assign(n_words_, 0);
        for (std::size_t column = 0; column < bits_.size(); ++column) {
            const std::uint64_t* above = &bits_[column][place_[row * bits_.size() + column] * n_words_];
            for (std::size_t word = 0; word < n_words_; ++word) {
                scratch.grows[word] = (scratch.grows[word] & above[word]) | (scratch.fits[word] & ~above[word]);
                scratch.fits[word] &= above[word];
            }
        }
        each(scratch.fits, fits);
        each(scratch.grows, grows);
    }

    template <class Visit>
    void visit_live(Visit&& visit) const {
        each(live_, visit);
    }

  private:
    static void set(std::uint64_t& word, std::int32_t group, bool is_on) {
        const std::uint64_t bit = std::uint64_t{1} << (group % 64);
        word = is_on ? word | bit : word & ~bit;
    }
    template <class Visit>
    static void each(const std::vector<std::uint64_t>& words, Visit&& visit) {
        for (std::size_t word = 0; word < words.size(); ++word)
            for (std::uint64_t left = words[word]; left != 0; left &= left - 1) visit(static_cast<std::int32_t>(word * 64) + std::countr_zero(left));
    }
    std::int32_t place_of(std::size_t column, std::int32_t leaf) const {
        return static_cast<std::int32_t>(std::ranges::lower_bound(seen_[column], leaf) - seen_[column].begin());
    }
    void mark(std::int32_t group, std::size_t column, std::int32_t first, std::int32_t end, bool is_on) {
        if (first >= end) return;
        const std::int32_t stop = place_of(column, end);
        for (std::int32_t place = place_of(column, first); place < stop; ++place) set(bits_[column][place * n_words_ + group / 64], group, is_on);
    }

    std::span<const CostColumn> columns_;
    std::vector<std::vector<std::int32_t>> seen_;   // the leaves of any row, in order, by column
    std::vector<std::vector<std::uint64_t>> bits_;  // by column, place of a leaf, and word of groups
    std::vector<std::int32_t> place_;               // of each row's leaves
    std::vector<std::uint64_t> live_;
    std::size_t n_words_ = 0;
};

// ---- Groups ----

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
