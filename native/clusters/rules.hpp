// Conditions on the values of one column in a group of rows: l-diversity, t-closeness, several
// people or households. Where a person may have several rows, or a cell several members, a person
// holds what any of their rows in the group does, and people are counted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace discreet::clusters {

struct Rule {
    enum class Kind { distinct, entropy, recursive, closeness, share, member_closeness } kind;
    double level, ratio;               // of share: a member is held by at most ratio / level of the people
    std::vector<std::int32_t> values;  // of each row, from 0
    std::int32_t n_values;
    std::vector<std::int32_t> starts, stops;  // of closeness: the values on one side of each edge
    std::vector<double> lengths, overall;     // of closeness: of each edge; share of each value in the table

    // Of share and member_closeness: the person of each row, and the members of each value.
    std::vector<std::int32_t> units, offsets, members;

    bool counts_people() const { return kind == Kind::share || kind == Kind::member_closeness; }

    void weigh() {
        overall.assign(static_cast<std::size_t>(n_values), 0.0);
        if (counts_people()) return weigh_people();
        for (const std::int32_t value : values) overall[value] += 1;
        for (double& share : overall) share /= std::max(static_cast<double>(values.size()), 1.0);
    }

    // Adds (person, member) of a row.
    void list(std::size_t row, std::vector<std::uint64_t>& pairs) const {
        const auto value = static_cast<std::size_t>(values[row]);
        for (auto at = static_cast<std::size_t>(offsets[value]); at < static_cast<std::size_t>(offsets[value + 1]); ++at)
            pairs.push_back(static_cast<std::uint64_t>(units[row]) << 32 | static_cast<std::uint32_t>(members[at]));
    }

    // Calls each(member) once for each person and member that the person holds; how many people.
    template <class Each>
    static std::int64_t for_each_held(std::vector<std::uint64_t>& pairs, Each&& each) {
        std::ranges::sort(pairs);
        std::int64_t n_people = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            n_people += i == 0 || pairs[i] >> 32 != pairs[i - 1] >> 32;
            if (i == 0 || pairs[i] != pairs[i - 1]) each(static_cast<std::int32_t>(pairs[i] & 0xffffffffu));
        }
        return n_people;
    }

  private:
    void weigh_people() {
        std::vector<std::uint64_t> pairs;
        for (std::size_t row = 0; row < values.size(); ++row) list(row, pairs);
        const std::int64_t n_people = for_each_held(pairs, [&](std::int32_t member) { overall[static_cast<std::size_t>(member)] += 1; });
        for (double& share : overall) share /= std::max(static_cast<double>(n_people), 1.0);
    }
};

// Judges groups of rows. It holds counters, so every thread has its own.
class Judge {
  public:
    explicit Judge(std::span<const Rule> rules) : rules_(rules) {
        std::size_t most = 0;
        for (const Rule& rule : rules_) most = std::max(most, static_cast<std::size_t>(rule.n_values));
        counts_.assign(most, 0);
        below_.assign(most + 1, 0.0);
    }

    // Whether the rows obey every rule; there must be some.
    bool holds(std::span<const std::int64_t> rows) {
        return std::ranges::all_of(rules_, [&](const Rule& rule) { return holds(rule, rows); });
    }

    bool holds(const Rule& rule, std::span<const std::int64_t> rows) {
        seen_.clear();
        if (rule.counts_people()) {
            pairs_.clear();
            for (const std::int64_t row : rows) rule.list(static_cast<std::size_t>(row), pairs_);
            const std::int64_t n_people = Rule::for_each_held(pairs_, [&](std::int32_t member) {
                if (counts_[member]++ == 0) seen_.push_back(member);
            });
            const bool good = judge_people(rule, n_people);
            for (const std::int32_t member : seen_) counts_[member] = 0;
            return good;
        }
        for (const std::int64_t row : rows) {
            const std::int32_t value = rule.values[row];
            if (counts_[value]++ == 0) seen_.push_back(value);
        }
        const bool good = judge(rule, static_cast<double>(rows.size()));
        for (const std::int32_t value : seen_) counts_[value] = 0;
        return good;
    }

  private:
    // Half of what the definition allows for rounding: what holds here holds there.
    static constexpr double slack = 0.5e-12;

    bool judge(const Rule& rule, double n_rows) {
        switch (rule.kind) {
            case Rule::Kind::distinct: return static_cast<double>(seen_.size()) >= rule.level;
            case Rule::Kind::entropy: return nats(n_rows) >= std::log(rule.level) - slack;
            case Rule::Kind::recursive: return is_mixed(rule);
            default: return distance(rule, n_rows) <= rule.level + slack;
        }
    }

    bool judge_people(const Rule& rule, std::int64_t n_people) const {
        if (rule.kind == Rule::Kind::share) {
            const auto level = static_cast<std::int64_t>(rule.level), ratio = static_cast<std::int64_t>(rule.ratio);
            return std::ranges::all_of(seen_, [&](std::int32_t member) { return counts_[member] * level <= n_people * ratio; });
        }
        for (std::size_t member = 0; member < rule.overall.size(); ++member)
            if (std::abs(static_cast<double>(counts_[member]) / static_cast<double>(n_people) - rule.overall[member]) > rule.level + slack) return false;
        return true;
    }

    double nats(double n_rows) const {
        double sum = 0;
        for (const std::int32_t value : seen_) {
            const double share = static_cast<double>(counts_[value]) / n_rows;
            sum -= share * std::log(share);
        }
        return sum;
    }

    bool is_mixed(const Rule& rule) {
        sorted_.clear();
        for (const std::int32_t value : seen_) sorted_.push_back(counts_[value]);
        std::ranges::sort(sorted_, std::greater<>());
        std::int64_t tail = 0;
        for (std::size_t i = 0; i < sorted_.size(); ++i)
            if (static_cast<double>(i) >= rule.level - 1) tail += sorted_[i];
        return static_cast<double>(sorted_[0]) < rule.ratio * static_cast<double>(tail);
    }

    double distance(const Rule& rule, double n_rows) {
        double sum = 0;
        for (std::size_t value = 0; value < rule.overall.size(); ++value) {
            below_[value] = sum;
            sum += static_cast<double>(counts_[value]) / n_rows - rule.overall[value];
        }
        below_[rule.overall.size()] = sum;
        double moved = 0;
        for (std::size_t edge = 0; edge < rule.lengths.size(); ++edge)
            moved += rule.lengths[edge] * std::abs(below_[rule.stops[edge]] - below_[rule.starts[edge]]);
        return moved;
    }

    std::span<const Rule> rules_;
    std::vector<std::int64_t> counts_, sorted_;
    std::vector<std::int32_t> seen_;
    std::vector<std::uint64_t> pairs_;  // person and member
    std::vector<double> below_;
};

}  // namespace discreet::clusters
