// The threads of one search, each with a scout of its own.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "clusters/groups.hpp"

namespace discreet::clusters {

// ---- Scout ----
// Asks where rows may go. It holds what it works with, so every thread has its own.

// A group and what it costs to put a row there.
struct Target {
    std::int64_t price;
    std::int32_t group;  // -1 for none
};

class Scout {
  public:
    static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

    explicit Scout(const Groups& groups) : groups_(groups), judge_(groups.rules) {}

    // The group other than its own that takes a row at the lowest price below `limit`, among
    // those that would have to grow in one column at most.
    Target cheapest(std::int32_t row, std::int64_t limit) {
        Target best{limit, -1};
        const std::int64_t weight = groups_.weight(row);
        groups_.finder().visit(
            row, scratch_, [&](std::int32_t group) { offer(row, group, weight * groups_.loss(group), best); },
            [&](std::int32_t group) {
                if (weight * groups_.loss(group) < best.price) offer(row, group, groups_.price(row, group), best);
            });
        return best;
    }
    // The same among all groups that are shown.
    Target cheapest_of_all(std::int32_t row, std::int64_t limit) {
        Target best{limit, -1};
        groups_.finder().visit_live([&](std::int32_t group) { offer(row, group, groups_.price(row, group), best); });
        return best;
    }

    bool may_leave(std::int32_t row) { return groups_.size(groups_.group_of(row)) > groups_.k && holds(groups_.group_of(row), row, -1); }
    bool may_enter(std::int32_t row, std::int32_t group) { return holds(group, -1, row); }
    // Whether a group is empty, or large enough and obeys the rules.
    bool is_legal(std::int32_t group) { return groups_.size(group) == 0 || (groups_.size(group) >= groups_.k && holds(group, -1, -1)); }

  private:
    void offer(std::int32_t row, std::int32_t group, std::int64_t price, Target& best) {
        if (price < best.price && group != groups_.group_of(row) && may_enter(row, group)) best = {price, group};
    }
    bool holds(std::int32_t group, std::int32_t without, std::int32_t with) {
        if (groups_.rules.empty()) return true;
        rows_.clear();
        for (const std::int32_t member : groups_.members(group))
            if (member != without) rows_.push_back(groups_.row_id(member));
        if (with >= 0) rows_.push_back(groups_.row_id(with));
        return judge_.holds(rows_);
    }

    const Groups& groups_;
    Judge judge_;
    Finder::Scratch scratch_;
    std::vector<std::int64_t> rows_;
};

// ---- Team ----

class Team {
  public:
    Team(const Groups& groups, int threads, const Control& control) : control(control), threads_(threads), scouts_(threads_.threads, Scout(groups)) {}

    const Control& control;  // of the whole call: asked whether to stop
    int size() const { return threads_.threads; }
    Scout& leader() { return scouts_[0]; }

    // Calls ask(scout, worker, task) for each task from 0; what it writes depends on the task
    // only, so that the number of threads does not show.
    template <class Ask>
    void for_each(std::int64_t n_tasks, Ask&& ask) {
        for_each_task(threads_, n_tasks, [&](int worker, std::int64_t task) {
            control.check();
            ask(scouts_[worker], worker, task);
        });
    }

  private:
    Control threads_;  // progress is told by who called, not by these tasks
    std::vector<Scout> scouts_;
};

}  // namespace discreet::clusters
