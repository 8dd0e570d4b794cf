// The only file that knows Python: checks arrays, runs kernels without the GIL, polls
// for Ctrl-C and progress, hands results back as numpy arrays without copying.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "closed.hpp"
#include "collapse.hpp"
#include "control.hpp"
#include "database.hpp"
#include "frequent.hpp"
#include "itemsets.hpp"
#include "maximal.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace discreet;

namespace {

template <class T>
using InputArray = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using OutputArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::vector<T> copy(const InputArray<T>& array) {
    return {array.data(), array.data() + array.size()};
}

template <class T>
OutputArray<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return OutputArray<T>(kept->data(), {kept->size()}, owner);
}

nb::tuple to_numpy(Itemsets&& itemsets) {
    return nb::make_tuple(to_numpy(std::move(itemsets.offsets)), to_numpy(std::move(itemsets.items)), to_numpy(std::move(itemsets.supports)));
}

// Its own copy of the arrays, checked once: nothing Python does later can change it
// under a running kernel.
class OwnedDatabase {
  public:
    OwnedDatabase(const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, const InputArray<std::int64_t>& weights,
                  std::int32_t n_items, const InputArray<std::int32_t>& column_of)
        : offsets_(copy(offsets)), items_(copy(items)), weights_(copy(weights)), column_of_(copy(column_of)), n_items_(n_items) {
        if (const std::string what = problem(view()); !what.empty()) throw nb::value_error(what.c_str());
    }
    Database view() const { return {offsets_, items_, weights_, n_items_, column_of_}; }
    std::int64_t total_weight() const { return view().total_weight(); }

  private:
    std::vector<std::int64_t> offsets_;
    std::vector<std::int32_t> items_;
    std::vector<std::int64_t> weights_;
    std::vector<std::int32_t> column_of_;
    std::int32_t n_items_;
};

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
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return finished; })) {
        lock.unlock();
        {
            nb::gil_scoped_acquire acquired;
            try {
                if (!asked && PyErr_CheckSignals() != 0) throw nb::python_error();
                if (!asked && !progress.is_none()) progress(control.fraction());
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

void bind_collapse(nb::module_& m) {
    m.def(
        "collapse",
        [](const std::vector<InputArray<std::uint32_t>>& columns, std::int64_t n_rows, Control& control, const nb::object& progress) {
            if (n_rows < 0 || n_rows >= (std::int64_t{1} << 31)) throw nb::value_error("n_rows must be from 0 to 2^31 - 1");
            std::vector<std::span<const std::uint32_t>> views;
            for (const auto& column : columns) {
                if (static_cast<std::int64_t>(column.size()) != n_rows) throw nb::value_error("every column must have n_rows codes");
                views.emplace_back(column.data(), column.size());
            }
            RowGroups groups = run(control, progress, [&] { return collapse(views, n_rows, control); });
            return nb::make_tuple(to_numpy(std::move(groups.first)), to_numpy(std::move(groups.count)), to_numpy(std::move(groups.group_of)));
        },
        "columns"_a, "n_rows"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def collapse(columns: list[NDArray[numpy.uint32]], n_rows: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32]]"),
        "Group equal rows: (first row of each group, rows in each group, group of each row).");
}

using ListKernel = Itemsets (*)(const Database&, std::int64_t, std::int32_t, Control&);
using CountKernel = std::vector<std::int64_t> (*)(const Database&, std::int64_t, std::int32_t, Control&);

// Binds one pattern kind as <name> and count_<name>.
void bind_itemset_miner(nb::module_& m, const char* name, const char* list_sig, const char* list_doc, ListKernel list, const char* count_name,
                        const char* count_sig, const char* count_doc, CountKernel count) {
    static const auto check = [](std::int64_t min_support, std::int32_t max_size) {
        if (min_support < 1) throw nb::value_error("min_support must be at least 1");
        if (max_size < 1) throw nb::value_error("max_size must be at least 1");
    };
    m.def(
        name,
        [list](const OwnedDatabase& database, std::int64_t min_support, std::int32_t max_size, Control& control, const nb::object& progress) {
            check(min_support, max_size);
            return to_numpy(run(control, progress, [&] { return list(database.view(), min_support, max_size, control); }));
        },
        "database"_a, "min_support"_a, "max_size"_a, "control"_a, "progress"_a = nb::none(), nb::sig(list_sig), list_doc);
    m.def(
        count_name,
        [count](const OwnedDatabase& database, std::int64_t min_support, std::int32_t max_size, Control& control, const nb::object& progress) {
            check(min_support, max_size);
            return to_numpy(run(control, progress, [&] { return count(database.view(), min_support, max_size, control); }));
        },
        "database"_a, "min_support"_a, "max_size"_a, "control"_a, "progress"_a = nb::none(), nb::sig(count_sig), count_doc);
}

#define DISCREET_MINER_ARGUMENTS \
    "(database: Database, min_support: int, max_size: int, control: Control, progress: Callable[[float], object] | None = None) -> "
#define DISCREET_MINER_LIST DISCREET_MINER_ARGUMENTS "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]"
#define DISCREET_MINER_COUNT DISCREET_MINER_ARGUMENTS "NDArray[numpy.int64]"

void bind_frequent(nb::module_& m) {
    bind_itemset_miner(m, "frequent", "def frequent" DISCREET_MINER_LIST,
                       "Itemsets in at least min_support rows: (offsets, items, supports), by size, then lexicographic.", frequent, "count_frequent",
                       "def count_frequent" DISCREET_MINER_COUNT, "Number of frequent itemsets of each size.", count_frequent);
    bind_itemset_miner(m, "closed", "def closed" DISCREET_MINER_LIST,
                       "Frequent itemsets without a superset of equal support: (offsets, items, supports).", closed, "count_closed",
                       "def count_closed" DISCREET_MINER_COUNT, "Number of closed itemsets of each size.", count_closed);
    bind_itemset_miner(m, "maximal", "def maximal" DISCREET_MINER_LIST,
                       "Frequent itemsets without a frequent superset: (offsets, items, supports).", maximal, "count_maximal",
                       "def count_maximal" DISCREET_MINER_COUNT, "Number of maximal itemsets of each size.", count_maximal);
}

#undef DISCREET_MINER_ARGUMENTS
#undef DISCREET_MINER_LIST
#undef DISCREET_MINER_COUNT

}  // namespace

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

    nb::class_<Control>(m, "Control", "Threads, limits and progress of one kernel call.")
        .def(nb::init<int, std::int64_t, std::int64_t>(), "threads"_a = 1, "max_itemsets"_a = Control::unlimited, "max_memory"_a = Control::unlimited)
        .def_prop_ro("n_found", &Control::n_found, "Results found so far.")
        .def_prop_ro("peak_memory", &Control::peak_memory, "Most bytes claimed by the kernel at one time.")
        .def_prop_ro("fraction", &Control::fraction, "Share of the work done, from 0 to 1.");

    nb::class_<OwnedDatabase>(m, "Database", "Weighted transactions, checked once and read by every miner.")
        .def(nb::init<const InputArray<std::int64_t>&, const InputArray<std::int32_t>&, const InputArray<std::int64_t>&, std::int32_t,
                      const InputArray<std::int32_t>&>(),
             "offsets"_a, "items"_a, "weights"_a, "n_items"_a, "column_of"_a)
        .def_prop_ro("total_weight", &OwnedDatabase::total_weight, "Number of rows, equal ones counted each.");

    bind_collapse(m);
    bind_frequent(m);
}
