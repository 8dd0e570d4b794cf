// Itemsets that are given, not searched for: merged, and counted in other rows.
#include <cstdint>
#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "frequent/merge.hpp"
#include "frequent/supports.hpp"

namespace discreet {

namespace {

// Its own copy of some sets, checked once.
struct OwnedSets {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> items;

    OwnedSets(const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items) : offsets(copy(offsets)), items(copy(items)) {
        refuse(problem(view()));
    }
    SetsView view() const { return {offsets, items}; }
    static void refuse(const std::string& what) {
        if (!what.empty()) throw nb::value_error(what.c_str());
    }
};

std::string problem_of_choice(const Database& database, const SetsView& sets, std::span<const std::int64_t> which) {
    for (const std::int32_t item : sets.items)
        if (item >= database.n_items) return "item " + std::to_string(item) + " is not one of the database";
    for (const std::int64_t i : which) {
        if (i < 0 || i >= sets.size()) return "there is no itemset " + std::to_string(i);
        if (sets[i].empty()) return "itemset " + std::to_string(i) + " is empty";
    }
    return "";
}

}  // namespace

void bind_given_itemsets(nb::module_& m) {
    m.def(
        "merge_itemsets",
        [](const InputArray<std::int64_t>& first_offsets, const InputArray<std::int32_t>& first_items, const InputArray<std::int64_t>& second_offsets,
           const InputArray<std::int32_t>& second_items, Control& control, const nb::object& progress) {
            const OwnedSets first(first_offsets, first_items), second(second_offsets, second_items);
            Merged merged = run(control, progress, [&] { return merge(first.view(), second.view(), control); });
            return nb::make_tuple(to_numpy(std::move(merged.offsets)), to_numpy(std::move(merged.items)), to_numpy(std::move(merged.first)),
                                  to_numpy(std::move(merged.second)));
        },
        "first_offsets"_a.noconvert(), "first_items"_a.noconvert(), "second_offsets"_a.noconvert(), "second_items"_a.noconvert(), "control"_a,
        "progress"_a = nb::none(),
        nb::sig("def merge_itemsets(first_offsets: NDArray[numpy.int64], first_items: NDArray[numpy.int32], second_offsets: NDArray[numpy.int64], "
                "second_items: NDArray[numpy.int32], control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]]"),
        "Itemsets of either list, each once, in canonical order: (offsets, items, places of the first list's, places of the second's).");
    m.def(
        "supports",
        [](const OwnedDatabase& database, const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items,
           const InputArray<std::int64_t>& which, Control& control, const nb::object& progress) {
            const OwnedSets sets(offsets, items);
            const std::vector<std::int64_t> chosen = copy(which);
            OwnedSets::refuse(problem_of_choice(database.view(), sets.view(), chosen));
            return to_numpy(run(control, progress, [&] { return supports(database.view(), sets.view(), chosen, control); }));
        },
        "database"_a, "offsets"_a.noconvert(), "items"_a.noconvert(), "which"_a.noconvert(), "control"_a, "progress"_a = nb::none(),
        nb::sig("def supports(database: Database, offsets: NDArray[numpy.int64], items: NDArray[numpy.int32], which: NDArray[numpy.int64], "
                "control: Control, progress: Callable[[float], object] | None = None) -> NDArray[numpy.int64]"),
        "In how many rows each of the itemsets numbered in `which` is.");
}

}  // namespace discreet
