// The compiled module: exceptions, what every kernel call takes, and the groups of kernels.
// Only this folder knows Python.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/control.hpp"
#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "channels/search.hpp"

namespace discreet {

void run_beside(Control& control, const nb::object& progress, const std::function<void()>& kernel) {
    std::exception_ptr failure;
    bool finished = false;
    std::mutex mutex;
    std::condition_variable changed;
    nb::gil_scoped_release released;
    std::thread worker([&] {
        try {
            kernel();
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
}

}  // namespace discreet

using namespace discreet;

NB_MODULE(_native, m) {
    m.doc() = "Compiled kernels of discreet. Use discreet.mine; this module's names may change.";

    nb::object limit_reached = nb::steal(PyErr_NewException("discreet._native.LimitReached", nullptr, nullptr));
    m.attr("LimitReached") = limit_reached;
    nb::register_exception_translator(
        [](const std::exception_ptr& p, void* limit_reached) {
        try {
            std::rethrow_exception(p);
        } catch (const LimitReached& limit) {
            nb::object arguments = nb::make_tuple(limit.kind == LimitReached::Kind::itemsets ? "itemsets" : "memory", limit.limit);
            PyErr_SetObject(static_cast<PyObject*>(limit_reached), arguments.ptr());
        } catch (const Interrupted&) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
        },
        limit_reached.ptr());

    nb::object contradiction = nb::steal(PyErr_NewException("discreet._native.Contradiction", nullptr, nullptr));
    m.attr("Contradiction") = contradiction;
    nb::register_exception_translator(
        [](const std::exception_ptr& p, void* contradiction) {
        try {
            std::rethrow_exception(p);
        } catch (const Contradiction& found) {
            nb::object arguments = nb::make_tuple(found.itemset, nb::cast(found.items), found.count);
            PyErr_SetObject(static_cast<PyObject*>(contradiction), arguments.ptr());
        }
        },
        contradiction.ptr());

    nb::class_<Control>(m, "Control", "Threads, limits and progress of one kernel call.")
        .def(nb::init<int, std::int64_t, std::int64_t>(), "threads"_a = 1, "max_itemsets"_a = Control::unlimited, "max_memory"_a = Control::unlimited)
        .def_prop_ro("n_found", &Control::n_found, "Results found so far.")
        .def_prop_ro("peak_memory", &Control::peak_memory, "Most bytes claimed by the kernel at one time.")
        .def_prop_ro("fraction", &Control::fraction, "Share of the work done, from 0 to 1.");

    nb::class_<OwnedDatabase>(m, "Database", "Weighted transactions, checked once and read by every miner.")
        .def(nb::init<const InputArray<std::int64_t>&, const InputArray<std::int32_t>&, const InputArray<std::int64_t>&, std::int32_t,
                      const InputArray<std::int32_t>&>(),
             "offsets"_a.noconvert(), "items"_a.noconvert(), "weights"_a.noconvert(), "n_items"_a, "column_of"_a.noconvert())
        .def_prop_ro("total_weight", &OwnedDatabase::total_weight, "Number of rows, equal ones counted each.");

    bind_arrow_lists(m);
    bind_cover(m);
    bind_data(m);
    bind_frequent(m);
    bind_infrequent(m);
    bind_deduction(m);
    bind_generalized(m);
    bind_given_itemsets(m);
    bind_krimp(m);
    bind_linkage(m);
    bind_randomize(m);
    bind_rules(m);
    bind_synthesize(m);
    bind_channels(m);
    bind_clusters(m);
}
