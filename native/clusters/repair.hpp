// Groups joined until each has k rows and obeys the rules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "clusters/rules.hpp"
#include "clusters/table.hpp"

namespace discreet::clusters {

// The smallest group that does not obey, of equal ones the first, is joined with the one for
// which the cost grows least, of equal ones the first, until all obey or one is left.
class Repair {
  public:
    Repair(const CostTable& table, std::span<const Rule> rules, std::int64_t k, std::span<const std::int32_t> group_of, Control& control)
        : table_(table), k_(k), control_(control), judge_(rules), columns_(table.n_columns()) {
        // Columns of many values first: there most groups are seen to be too dear.
        std::iota(columns_.begin(), columns_.end(), std::size_t{0});
        std::ranges::stable_sort(columns_, [&](std::size_t a, std::size_t b) { return table.columns[a].n_leaves > table.columns[b].n_leaves; });
        const std::size_t n_groups = static_cast<std::size_t>(std::ranges::max(group_of)) + 1;
        control.claim(static_cast<std::int64_t>(group_of.size() * 12 + n_groups * (4 * columns_.size() + 100)));
        members_.resize(n_groups);
        for (std::size_t row = 0; row < group_of.size(); ++row) members_[group_of[row]].push_back(static_cast<std::int64_t>(row));
        nodes_.resize(members_.size() * columns_.size());
        losses_.resize(members_.size());
        weights_.resize(members_.size());
        for (std::int32_t group = 0; group < static_cast<std::int32_t>(members_.size()); ++group)
            if (!members_[group].empty()) add(group);
    }

    // The group of each row.
    std::vector<std::int32_t> operator()() {
        control_.expect(static_cast<std::int64_t>(broken_.size()));
        while (!broken_.empty() && live_.size() > n_dead_ + 1) {
            control_.check();
            const std::int32_t group = broken_.begin()->second;
            const std::int32_t target = nearest(group);
            broken_.erase(broken_.begin());
            const bool both = broken_.erase({size(target), target}) > 0;
            join(group, target);
            control_.advance(is_broken(target) ? !both : 1 + both);
        }
        std::vector<std::int32_t> group_of(table_.n_rows());
        for (std::int32_t group = 0; group < static_cast<std::int32_t>(members_.size()); ++group)
            for (const std::int64_t row : members_[group]) group_of[row] = group;
        return group_of;
    }

  private:
    std::int64_t size(std::int32_t group) const { return static_cast<std::int64_t>(members_[group].size()); }
    std::int32_t* nodes(std::int32_t group) { return &nodes_[group * columns_.size()]; }
    const CostColumn& column(std::size_t place) const { return table_.columns[columns_[place]]; }
    bool is_broken(std::int32_t group) const { return broken_.contains({size(group), group}); }

    void add(std::int32_t group) {
        const std::vector<std::int64_t>& rows = members_[group];
        for (std::size_t place = 0; place < columns_.size(); ++place) {
            std::int32_t node = table_.row(rows[0])[columns_[place]];
            for (const std::int64_t row : rows) node = column(place).join(node, table_.row(row)[columns_[place]]);
            nodes(group)[place] = node;
            losses_[group] += column(place).cost(node);
        }
        for (const std::int64_t row : rows) weights_[group] += table_.weights[row];
        live_.push_back(group);
        judge(group);
    }
    void judge(std::int32_t group) {
        if (size(group) < k_ || !judge_.holds(members_[group])) broken_.emplace(size(group), group);
    }

    // What each node of each column costs once joined with a group's.
    void price(std::int32_t group) {
        prices_.resize(columns_.size());
        for (std::size_t place = 0; place < columns_.size(); ++place) {
            prices_[place].resize(column(place).n_nodes);
            for (std::int32_t node = 0; node < column(place).n_nodes; ++node)
                prices_[place][node] = column(place).cost(column(place).join_nodes(nodes(group)[place], node));
        }
    }
    std::int32_t nearest(std::int32_t group) {
        price(group);
        std::int32_t best = -1;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const std::int32_t other : live_) {
            if (other == group || members_[other].empty()) continue;
            const std::int64_t weight = weights_[group] + weights_[other];
            const std::int32_t* node = nodes(other);
            std::int64_t growth = -weights_[other] * losses_[other];
            for (std::size_t place = 0; place < columns_.size() && growth < least; ++place) growth += weight * prices_[place][node[place]];
            if (growth < least) best = other, least = growth;
        }
        return best;
    }
    void join(std::int32_t group, std::int32_t target) {
        losses_[target] = 0;
        for (std::size_t place = 0; place < columns_.size(); ++place) {
            std::int32_t& node = nodes(target)[place];
            node = column(place).join_nodes(node, nodes(group)[place]);
            losses_[target] += column(place).cost(node);
        }
        weights_[target] += weights_[group];
        members_[target].insert(members_[target].end(), members_[group].begin(), members_[group].end());
        std::vector<std::int64_t>().swap(members_[group]);
        judge(target);
        if (++n_dead_ * 2 < live_.size()) return;
        std::erase_if(live_, [&](std::int32_t other) { return members_[other].empty(); });
        n_dead_ = 0;
    }

    const CostTable& table_;
    const std::int64_t k_;
    Control& control_;
    Judge judge_;
    std::vector<std::size_t> columns_;  // in the order used here
    std::vector<std::vector<std::int64_t>> members_;
    std::vector<std::int32_t> nodes_;                         // closures, group by group
    std::vector<std::int64_t> losses_, weights_;              // of groups
    std::vector<std::int32_t> live_;                          // in order; some are empty by now,
    std::size_t n_dead_ = 0;                                  // so many
    std::set<std::pair<std::int64_t, std::int32_t>> broken_;  // size and number
    std::vector<std::vector<std::int64_t>> prices_;
};

}  // namespace discreet::clusters
