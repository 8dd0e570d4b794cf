// The threads of one search, each with a scout of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "clusters/scout.hpp"

namespace discreet::clusters {

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
