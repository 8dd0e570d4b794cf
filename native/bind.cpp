// The only file that knows Python: checks arrays, runs kernels without the GIL, polls
// for Ctrl-C and progress, hands results back as numpy arrays without copying.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/collapse.hpp"
#include "base/control.hpp"
#include "base/database.hpp"
#include "base/itemsets.hpp"
#include "channels/condense.hpp"
#include "channels/count.hpp"
#include "channels/of_collection.hpp"
#include "channels/of_rows.hpp"
#include "deduction/bounds.hpp"
#include "deduction/non_derivable.hpp"
#include "frequent/closed.hpp"
#include "frequent/frequent.hpp"
#include "frequent/maximal.hpp"
#include "generalized/generalized_closed.hpp"
#include "infrequent/mark_cells.hpp"
#include "infrequent/mark_itemsets.hpp"
#include "infrequent/minimal_infrequent.hpp"
#include "rules/rules.hpp"
#include "text/fimi.hpp"

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

// The values as a matrix, row by row.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_numpy(std::vector<T>&& values, std::size_t n_columns, std::size_t n_rows) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {kept->data(), {n_rows, n_columns}, owner};
}

nb::tuple to_numpy(Itemsets&& itemsets) {
    return nb::make_tuple(to_numpy(std::move(itemsets.offsets)), to_numpy(std::move(itemsets.items)), to_numpy(std::move(itemsets.supports)));
}

nb::tuple to_numpy(NonDerivable&& found) {
    return nb::make_tuple(to_numpy(std::move(found.itemsets.offsets)), to_numpy(std::move(found.itemsets.items)), to_numpy(std::move(found.itemsets.supports)),
                          to_numpy(std::move(found.lower)), to_numpy(std::move(found.upper)));
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
        "columns"_a.noconvert(), "n_rows"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def collapse(columns: list[NDArray[numpy.uint32]], n_rows: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32]]"),
        "Group equal rows: (first row of each group, rows in each group, group of each row).");
}

void bind_fimi(nb::module_& m) {
    m.def(
        "parse_transactions",
        [](const nb::bytes& text, std::int64_t longest, Control& control, const nb::object& progress) {
            const std::string_view view(text.c_str(), text.size());
            TransactionText parsed = run(control, progress, [&] { return parse_transactions(view, longest, control); });
            return nb::make_tuple(to_numpy(std::move(parsed.offsets)), to_numpy(std::move(parsed.codes)), to_numpy(std::move(parsed.begin)),
                                  to_numpy(std::move(parsed.end)), to_numpy(std::move(parsed.line)));
        },
        "text"_a, "longest"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def parse_transactions(text: bytes, longest: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
        "Cut one transaction per line into numbered tokens: (offsets of the lines, token numbers, begin, end and first line of each distinct token).");
}

// What a miner's binding checks, and the Python signature it has.
struct MinerText {
    std::string name, threshold, returns, doc;
    std::int64_t least_threshold;

    std::string signature() const {
        return "def " + name + "(database: Database, " + threshold + ": int, max_size: int, control: Control, " +
               "progress: Callable[[float], object] | None = None) -> " + returns;
    }
};

constexpr auto itemset_arrays = "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]";

// Binds kernel(database, threshold, max_size, control), which returns something to_numpy takes.
template <class Kernel>
void bind_miner(nb::module_& m, const MinerText& text, Kernel kernel) {
    m.def(
        text.name.c_str(),
        [text, kernel](const OwnedDatabase& database, std::int64_t threshold, std::int32_t max_size, Control& control, const nb::object& progress) {
            if (threshold < text.least_threshold) throw nb::value_error((text.threshold + " must be at least " + std::to_string(text.least_threshold)).c_str());
            if (max_size < 1) throw nb::value_error("max_size must be at least 1");
            return to_numpy(run(control, progress, [&] { return kernel(database.view(), threshold, max_size, control); }));
        },
        "database"_a, nb::arg(text.threshold.c_str()), "max_size"_a, "control"_a, "progress"_a = nb::none(), nb::sig(text.signature().c_str()), text.doc.c_str());
}

void bind_miners(nb::module_& m) {
    const auto above = [&](const char* name, const char* returns, const char* doc, auto kernel) { bind_miner(m, {name, "min_support", returns, doc, 1}, kernel); };
    const auto below = [&](const char* name, const char* returns, const char* doc, auto kernel) { bind_miner(m, {name, "theta", returns, doc, 0}, kernel); };
    constexpr auto counts = "NDArray[numpy.int64]";
    above("frequent", itemset_arrays, "Itemsets in at least min_support rows: (offsets, items, supports) in canonical order.", frequent);
    above("closed", itemset_arrays, "Frequent itemsets without a superset of equal support: (offsets, items, supports).", closed);
    above("maximal", itemset_arrays, "Frequent itemsets without a frequent superset: (offsets, items, supports).", maximal);
    above("non_derivable", "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]",
          "Frequent itemsets whose bounds differ: (offsets, items, supports, lower bounds, upper bounds).", non_derivable);
    above("count_frequent", counts, "Number of frequent itemsets of each size.", count_frequent);
    above("count_closed", counts, "Number of closed itemsets of each size.", count_closed);
    above("count_maximal", counts, "Number of maximal itemsets of each size.", count_maximal);
    below("minimal_infrequent", itemset_arrays,
          "Itemsets in 1 to theta rows whose proper subsets, the empty one included, are in more: (offsets, items, supports).", minimal_infrequent);
    below("count_minimal_infrequent", counts, "Number of minimal infrequent itemsets of each size.", count_minimal_infrequent);
    below("mark_cells", "NDArray[numpy.uint8]",
          "1 for each entry of the database's items that lies in a minimal infrequent itemset within its transaction, else 0.", mark_cells);
}

void bind_mark_itemsets(nb::module_& m) {
    m.def(
        "mark_itemsets",
        [](const OwnedDatabase& database, const OwnedDatabase& itemsets, Control& control, const nb::object& progress) {
            if (itemsets.view().n_items != database.view().n_items) throw nb::value_error("database and itemsets must have the same items");
            return to_numpy(run(control, progress, [&] { return mark_itemsets(database.view(), itemsets.view(), control); }));
        },
        "database"_a, "itemsets"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def mark_itemsets(database: Database, itemsets: Database, control: Control, progress: Callable[[float], object] | None = None) -> "
                "NDArray[numpy.uint8]"),
        "1 for each entry of the database's items that lies in one of the itemsets within its transaction, else 0.");
}

void bind_bounds(nb::module_& m) {
    m.def(
        "bounds",
        [](const InputArray<std::int64_t>& supports) {
            if (supports.size() < 2 || !std::has_single_bit(supports.size()) || supports.size() > (std::size_t{1} << 24))
                throw nb::value_error("supports must have 2^n entries, n from 1 to 24");
            std::vector<std::int64_t> used = copy(supports);
            used.back() = 0;  // the set's own support is what is asked for
            const auto [least, most] = std::minmax_element(used.begin(), used.end());
            if (used[0] < 0 || *least < -1 || *most >= (std::int64_t{1} << 31)) throw nb::value_error("supports must be from 0 to 2^31 - 1, or -1 if unknown");
            const Bounds found = *least < 0 ? bounds_from_some(used) : bounds(used);
            return nb::make_tuple(found.lower, found.upper);
        },
        "supports"_a.noconvert(), nb::sig("def bounds(supports: NDArray[numpy.int64]) -> tuple[int, int]"),
        "Lowest and highest support of an itemset, from those of its proper subsets by bit mask (-1: unknown; the last entry is ignored).");
}

// Copies of a table over hierarchies, checked: nothing Python does later can change it
// under a running kernel.
class OwnedHierarchyTable {
  public:
    OwnedHierarchyTable(const std::vector<InputArray<std::int32_t>>& parents, const std::vector<InputArray<std::uint32_t>>& leaves,
                        const InputArray<std::int64_t>& weights, std::int64_t k)
        : weights_(copy(weights)) {
        if (k < 1) throw nb::value_error("k must be at least 1");
        if (parents.size() != leaves.size()) throw nb::value_error("parents and leaves must have one array per column each");
        std::int64_t total = 0;
        for (const std::int64_t weight : weights_) {
            if (weight < 1) throw nb::value_error("a weight is below 1");
            if (weight >= (std::int64_t{1} << 31) || (total += weight) >= (std::int64_t{1} << 31)) throw nb::value_error("the weights add up to 2^31 rows or more");
        }
        for (std::size_t column = 0; column < parents.size(); ++column) {
            parents_.push_back(copy(parents[column]));
            leaves_.push_back(copy(leaves[column]));
            std::string what = problem(parents_.back(), leaves_.back());
            if (leaves_.back().size() != weights_.size()) what = "there must be one code per weight";
            if (!what.empty()) throw nb::value_error(("column " + std::to_string(column) + ": " + what).c_str());
        }
    }
    GeneralizedSets mine(std::int64_t k, bool keep, Control& control) const {
        std::vector<HierarchyColumn> columns;
        for (std::size_t column = 0; column < parents_.size(); ++column) columns.push_back({parents_[column], leaves_[column]});
        return generalized_closed(columns, weights_, k, keep, control);
    }

  private:
    std::vector<std::vector<std::int32_t>> parents_;
    std::vector<std::vector<std::uint32_t>> leaves_;
    std::vector<std::int64_t> weights_;
};

void bind_generalized_closed(nb::module_& m) {
    m.def(
        "generalized_closed",
        [](const std::vector<InputArray<std::int32_t>>& parents, const std::vector<InputArray<std::uint32_t>>& leaves, const InputArray<std::int64_t>& weights,
           std::int64_t k, Control& control, const nb::object& progress) {
            const OwnedHierarchyTable table(parents, leaves, weights, k);
            GeneralizedSets sets = run(control, progress, [&] { return table.mine(k, true, control); });
            return nb::make_tuple(to_numpy(std::move(sets.nodes), static_cast<std::size_t>(sets.n_columns), static_cast<std::size_t>(sets.n_sets)),
                                  to_numpy(std::move(sets.supports)));
        },
        "parents"_a.noconvert(), "leaves"_a.noconvert(), "weights"_a.noconvert(), "k"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def generalized_closed(parents: list[NDArray[numpy.int32]], leaves: list[NDArray[numpy.uint32]], weights: NDArray[numpy.int64], k: int, "
                "control: Control, progress: Callable[[float], object] | None = None) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]"),
        "Closed generalized itemsets: (node of each set and column, supports), by support, largest first, then nodes.");
    m.def(
        "count_generalized_closed",
        [](const std::vector<InputArray<std::int32_t>>& parents, const std::vector<InputArray<std::uint32_t>>& leaves, const InputArray<std::int64_t>& weights,
           std::int64_t k, Control& control, const nb::object& progress) {
            const OwnedHierarchyTable table(parents, leaves, weights, k);
            return run(control, progress, [&] { return table.mine(k, false, control); }).n_sets;
        },
        "parents"_a.noconvert(), "leaves"_a.noconvert(), "weights"_a.noconvert(), "k"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def count_generalized_closed(parents: list[NDArray[numpy.int32]], leaves: list[NDArray[numpy.uint32]], weights: NDArray[numpy.int64], k: int, "
                "control: Control, progress: Callable[[float], object] | None = None) -> int"),
        "Number of closed generalized itemsets.");
}

void bind_rules(nb::module_& m) {
    m.def(
        "rules",
        [](const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, const InputArray<std::int64_t>& supports, std::int64_t n_rows,
           std::int64_t min_confidence_numerator, std::int64_t min_confidence_denominator, std::int64_t min_support, Control& control,
           const nb::object& progress) {
            if (min_confidence_denominator < 1 || min_confidence_numerator < 0 || min_confidence_numerator > min_confidence_denominator)
                throw nb::value_error("the confidence must be a fraction from 0 to 1");
            if (min_support < 1) throw nb::value_error("min_support must be at least 1");
            const std::vector<std::int64_t> own_offsets = copy(offsets), own_supports = copy(supports);
            const std::vector<std::int32_t> own_items = copy(items);
            const Collection collection{own_offsets, own_items, own_supports};
            if (const std::string what = problem(collection, n_rows); !what.empty()) throw nb::value_error(what.c_str());
            const Confidence confidence{min_confidence_numerator, min_confidence_denominator};
            Rules found = run(control, progress, [&] { return rules(collection, confidence, min_support, control); });
            return nb::make_tuple(to_numpy(std::move(found.antecedents.offsets)), to_numpy(std::move(found.antecedents.items)),
                                  to_numpy(std::move(found.consequents.offsets)), to_numpy(std::move(found.consequents.items)),
                                  to_numpy(std::move(found.support)), to_numpy(std::move(found.antecedents.supports)),
                                  to_numpy(std::move(found.consequents.supports)));
        },
        "offsets"_a.noconvert(), "items"_a.noconvert(), "supports"_a.noconvert(), "n_rows"_a, "min_confidence_numerator"_a, "min_confidence_denominator"_a,
        "min_support"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def rules(offsets: NDArray[numpy.int64], items: NDArray[numpy.int32], supports: NDArray[numpy.int64], n_rows: int, "
                "min_confidence_numerator: int, min_confidence_denominator: int, min_support: int, control: Control, "
                "progress: Callable[[float], object] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], "
                "NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
        "Association rules: (antecedent offsets, items, consequent offsets, items, supports of union, antecedent, consequent).");
}

// A published collection: copies of its arrays, checked once.
class OwnedCollection {
  public:
    OwnedCollection(const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, const InputArray<std::int64_t>& supports, std::int64_t n_rows)
        : n_rows(n_rows), offsets_(copy(offsets)), items_(copy(items)), supports_(copy(supports)) {
        if (const std::string what = problem(view(), n_rows); !what.empty()) throw nb::value_error(what.c_str());
    }
    Collection view() const { return {offsets_, items_, supports_}; }
    void check_sizes(std::size_t most) const {
        for (std::int64_t i = 0; i < view().size(); ++i)
            if (view()[i].size() > most) throw nb::value_error(("an itemset has more than " + std::to_string(most) + " items").c_str());
    }
    const std::int64_t n_rows;

  private:
    std::vector<std::int64_t> offsets_;
    std::vector<std::int32_t> items_;
    std::vector<std::int64_t> supports_;
};

nb::tuple to_numpy(Channels&& found) {
    return nb::make_tuple(to_numpy(std::move(found.sets.offsets)), to_numpy(std::move(found.sets.items)), to_numpy(std::move(found.sets.supports)),
                          to_numpy(std::move(found.of)));
}

void bind_channels(nb::module_& m) {
    constexpr auto text = "(offsets, items and supports of the inner sets, number of each one's maximal set)";
    nb::class_<OwnedCollection>(m, "Collection", "Itemsets with supports, checked once.")
        .def(nb::init<const InputArray<std::int64_t>&, const InputArray<std::int32_t>&, const InputArray<std::int64_t>&, std::int64_t>(), "offsets"_a.noconvert(),
             "items"_a.noconvert(), "supports"_a.noconvert(), "n_rows"_a);
    m.def(
        "channels_of_rows",
        [](const OwnedDatabase& database, const OwnedCollection& maximal, std::int64_t k, Control& control, const nb::object& progress) {
            maximal.check_sizes(channels::most_items);
            if (channels::n_items(maximal.view()) > database.view().n_items) throw nb::value_error("a maximal set has items that the database has not");
            return to_numpy(run(control, progress, [&] { return channels_of_rows(database.view(), maximal.view(), k, control); }));
        },
        "database"_a, "maximal"_a, "k"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def channels_of_rows(database: Database, maximal: Collection, k: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]]"),
        (std::string("Groups of 1 to k - 1 rows that hold the same part of a maximal set: ") + text + ".").c_str());
    m.def(
        "rows_in_channels",
        [](const OwnedDatabase& database, const OwnedCollection& maximal, std::int64_t k, Control& control, const nb::object& progress) {
            maximal.check_sizes(channels::most_items);
            if (channels::n_items(maximal.view()) > database.view().n_items) throw nb::value_error("a maximal set has items that the database has not");
            return to_numpy(run(control, progress, [&] { return rows_in_channels(database.view(), maximal.view(), k, control); }));
        },
        "database"_a, "maximal"_a, "k"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def rows_in_channels(database: Database, maximal: Collection, k: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "NDArray[numpy.uint8]"),
        "1 for each transaction that is in a group of 1 to k - 1 rows with the same part of a maximal set.");
    m.def(
        "channels_of_collection",
        [](const OwnedCollection& closed, const OwnedCollection& maximal, std::int64_t k, Control& control, const nb::object& progress) {
            maximal.check_sizes(channels::most_items);
            return to_numpy(run(control, progress, [&] { return channels_of_collection(closed.view(), maximal.view(), closed.n_rows, k, control); }));
        },
        "closed"_a, "maximal"_a, "k"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def channels_of_collection(closed: Collection, maximal: Collection, k: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]]"),
        (std::string("The same from the supports of the closed sets alone: ") + text + ".").c_str());
    m.def(
        "condense",
        [](const OwnedCollection& collection, Control& control, const nb::object& progress) {
            Condensed found = run(control, progress, [&] { return condense(collection.view(), collection.n_rows, control); });
            return nb::make_tuple(to_numpy(std::move(found.is_closed)), to_numpy(std::move(found.is_maximal)), found.lacking, found.without, found.contradicts);
        },
        "collection"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def condense(collection: Collection, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.uint8], NDArray[numpy.uint8], int, int, bool]"),
        "Which sets are closed and which maximal; then a set, an item without which it is missing or less frequent (else -1), and whether the latter.");
    m.def(
        "maximal_among",
        [](const OwnedCollection& collection, Control& control, const nb::object& progress) {
            return to_numpy(run(control, progress, [&] { return maximal_among(collection.view(), control); }));
        },
        "collection"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def maximal_among(collection: Collection, control: Control, progress: Callable[[float], object] | None = None) -> NDArray[numpy.uint8]"),
        "1 for each set without a superset in the collection.");
    m.def(
        "count_channels",
        [](const OwnedCollection& collection, std::int64_t k, Control& control, const nb::object& progress) {
            collection.check_sizes(24);
            return run(control, progress, [&] { return count_channels(collection.view(), collection.n_rows, k, control); });
        },
        "collection"_a, "k"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def count_channels(collection: Collection, k: int, control: Control, progress: Callable[[float], object] | None = None) -> int"),
        "Number of pairs of a set and one of its subsets that 1 to k - 1 rows tell apart; the collection has all subsets of its members.");
}

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

    bind_collapse(m);
    bind_fimi(m);
    bind_miners(m);
    bind_mark_itemsets(m);
    bind_generalized_closed(m);
    bind_bounds(m);
    bind_rules(m);
    bind_channels(m);
}
