// Runs numbered tasks on several threads, each thread taking the next free task.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "base/control.hpp"

namespace discreet {

// Calls run(worker, task) once for each task in [0, n_tasks), on control.threads
// workers, or fewer if that is asked for. Give large tasks the small numbers. The first
// exception thrown by a task stops the others and is thrown again here. Results that must
// not depend on the number of threads are kept per task, not per worker. No template: it would
// be compiled again for every kernel, and a call of a task costs nothing beside the task.
inline void for_each_task(Control& control, std::int64_t n_tasks, const std::function<void(int, std::int64_t)>& run,
                          int most_workers = std::numeric_limits<int>::max()) {
    control.expect(n_tasks);
    std::atomic<std::int64_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_mutex;
    auto work = [&](int worker) {
        try {
            for (std::int64_t task; (task = next.fetch_add(1)) < n_tasks;) {
                control.check();
                run(worker, task);
                control.advance();
            }
        } catch (...) {
            const std::lock_guard lock(failure_mutex);
            if (!failure) failure = std::current_exception();
            next.store(n_tasks);
        }
    };
    const int n_workers = static_cast<int>(std::min<std::int64_t>(std::min(control.threads, most_workers), n_tasks));
    std::vector<std::thread> workers;
    for (int worker = 1; worker < n_workers; ++worker) workers.emplace_back(work, worker);
    work(0);
    for (std::thread& worker : workers) worker.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace discreet
