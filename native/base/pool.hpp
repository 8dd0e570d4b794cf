// Shares out a search among threads: numbered first branches, then whatever subproblems
// busy workers give away because others have run dry.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/control.hpp"

namespace discreet {

template <class Job>
class Pool {
  public:
    Pool(Control& control, std::int64_t n_branches) : control_(control), n_branches_(n_branches) { control.expect(n_branches); }

    // True if a worker waits and finds nothing in the queue: time to give a job away.
    bool hungry() const noexcept { return waiting_.load(std::memory_order_relaxed) > queued_.load(std::memory_order_relaxed); }

    void give(Job&& job) {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
        queued_.fetch_add(1, std::memory_order_relaxed);
        changed_.notify_one();
    }

    // Calls branch(worker, number) for every first branch and job(worker, job) for every
    // job given, on control.threads workers; the first exception stops all of them.
    template <class Branch, class Take>
    void run(Branch&& branch, Take&& take) {
        const int n_workers = control_.threads;
        busy_ = n_workers;
        auto work = [&](int worker) {
            try {
                for (std::int64_t number; (number = next_.fetch_add(1)) < n_branches_;) {
                    control_.check();
                    branch(worker, number);
                    control_.advance();
                }
                for (Job job; next_job(job);) take(worker, job);
            } catch (...) {
                const std::lock_guard lock(mutex_);
                if (!failure_) failure_ = std::current_exception();
                next_.store(n_branches_);
                jobs_.clear();
                failed_.store(true, std::memory_order_relaxed);
                changed_.notify_all();
            }
        };
        std::vector<std::thread> threads;
        for (int worker = 1; worker < n_workers; ++worker) threads.emplace_back(work, worker);
        work(0);
        for (std::thread& thread : threads) thread.join();
        if (failure_) std::rethrow_exception(failure_);
    }

    // Long searches call this often: another worker's failure, or the caller, ends them.
    void check() const {
        control_.check();
        if (failed_.load(std::memory_order_relaxed)) throw Interrupted{};
    }

  private:
    bool next_job(Job& job) {
        std::unique_lock lock(mutex_);
        --busy_;
        waiting_.fetch_add(1, std::memory_order_relaxed);
        if (busy_ == 0 && jobs_.empty()) changed_.notify_all();
        changed_.wait(lock, [&] { return failure_ || !jobs_.empty() || busy_ == 0; });
        if (failure_ || jobs_.empty()) return false;
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        queued_.fetch_sub(1, std::memory_order_relaxed);
        ++busy_;
        job = std::move(jobs_.front());
        jobs_.pop_front();
        return true;
    }

    Control& control_;
    const std::int64_t n_branches_;
    std::atomic<std::int64_t> next_{0};
    std::atomic<int> waiting_{0}, queued_{0};
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    int busy_ = 0;
    std::exception_ptr failure_;
};

}  // namespace discreet
