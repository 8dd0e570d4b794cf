// Interruption, limits and progress: what every kernel shares with its caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace discreet {

// Thrown inside a kernel when the caller asked it to stop (Ctrl-C).
struct Interrupted {};

// Thrown inside a kernel when its output or its memory passes the limit given.
struct LimitReached {
    enum class Kind { itemsets, memory } kind;
    std::int64_t limit;
};

// One Control per call; workers share it. The calling thread sets `stop` and reads
// `fraction()` while the workers run; workers call the other functions.
class Control {
  public:
    static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

    explicit Control(int threads = 1, std::int64_t max_itemsets = unlimited,
                     std::int64_t max_memory = unlimited)
        : threads(threads < 1 ? 1 : threads), max_itemsets(max_itemsets), max_memory(max_memory) {}

    const int threads;
    const std::int64_t max_itemsets;
    const std::int64_t max_memory;

    // Asked by the caller; every kernel loop that can run for more than a few
    // milliseconds calls check().
    void request_stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
    void check() const {
        if (stop_.load(std::memory_order_relaxed)) throw Interrupted{};
    }

    // Announces `n` further results. Kernels may announce in batches.
    void found(std::int64_t n) {
        if (found_.fetch_add(n, std::memory_order_relaxed) + n > max_itemsets)
            throw LimitReached{LimitReached::Kind::itemsets, max_itemsets};
    }
    std::int64_t n_found() const noexcept { return found_.load(std::memory_order_relaxed); }

    // Accounts for large allocations; small fixed buffers need not be claimed.
    void claim(std::int64_t bytes) {
        const std::int64_t now = memory_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
        std::int64_t peak = peak_.load(std::memory_order_relaxed);
        while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
        }
        if (now > max_memory) throw LimitReached{LimitReached::Kind::memory, max_memory};
    }
    void release(std::int64_t bytes) noexcept { memory_.fetch_sub(bytes, std::memory_order_relaxed); }
    std::int64_t peak_memory() const noexcept { return peak_.load(std::memory_order_relaxed); }

    // Progress as finished tasks out of known tasks.
    void expect(std::int64_t tasks) noexcept { expected_.fetch_add(tasks, std::memory_order_relaxed); }
    void advance(std::int64_t tasks = 1) noexcept { done_.fetch_add(tasks, std::memory_order_relaxed); }
    double fraction() const noexcept {
        const std::int64_t expected = expected_.load(std::memory_order_relaxed);
        return expected == 0 ? 0.0 : static_cast<double>(done_.load(std::memory_order_relaxed)) / static_cast<double>(expected);
    }

  private:
    std::atomic<bool> stop_{false};
    std::atomic<std::int64_t> found_{0}, memory_{0}, peak_{0}, expected_{0}, done_{0};
};

}  // namespace discreet
