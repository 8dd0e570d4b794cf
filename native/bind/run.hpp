// Runs a kernel without the GIL, and looks for Ctrl-C and tells progress meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/control.hpp"

namespace discreet {

namespace nb = nanobind;

// Runs kernel() on a thread of its own while this one, about twenty times a second,
// looks for signals and calls progress(fraction). An exception from either side stops
// the kernel, is joined with it and travels on.
template <class Kernel>
auto run(Control& control, const nb::object& progress, Kernel&& kernel) {
    using Result = decltype(kernel());
    Result result{};
    std::exception_ptr failure;
    bool finished = false;
    std::mutex mutex;
    std::condition_variable changed;
    nb::gil_scoped_release released;
    std::thread worker([&] {
        try {
            result = kernel();
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex);
        finished = true;
        changed.notify_one();
    });
    std::exception_ptr asked;
    double told = 0;  // kernels may find more work on the way; what is told never falls
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return finished; })) {
        lock.unlock();
        {
            nb::gil_scoped_acquire acquired;
            try {
                if (!asked && PyErr_CheckSignals() != 0) throw nb::python_error();
                if (!asked && !progress.is_none()) progress(told = std::max(told, control.fraction()));
            } catch (...) {
                asked = std::current_exception();
                control.request_stop();
            }
        }
        lock.lock();
    }
    lock.unlock();
    worker.join();
    if (asked) {
        nb::gil_scoped_acquire acquired;  // a Python exception may only travel with the GIL held
        std::rethrow_exception(asked);
    }
    if (failure) std::rethrow_exception(failure);
    return result;
}

}  // namespace discreet
