// The miners of itemsets, and what the supports of subsets tell of one.
#include <algorithm>
#include <bit>

#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "deduction/bounds.hpp"
#include "deduction/non_derivable.hpp"
#include "frequent/closed.hpp"
#include "frequent/frequent.hpp"
#include "frequent/maximal.hpp"
#include "infrequent/mark_cells.hpp"
#include "infrequent/mark_itemsets.hpp"
#include "infrequent/minimal_infrequent.hpp"

namespace discreet {

namespace {

using discreet::to_numpy;

nb::tuple to_numpy(NonDerivable&& found) {
    return nb::make_tuple(to_numpy(std::move(found.itemsets.offsets)), to_numpy(std::move(found.itemsets.items)), to_numpy(std::move(found.itemsets.supports)),
                          to_numpy(std::move(found.lower)), to_numpy(std::move(found.upper)));
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

}  // namespace

void bind_mining(nb::module_& m) {
    bind_miners(m);
    bind_mark_itemsets(m);
    bind_bounds(m);
}

}  // namespace discreet
