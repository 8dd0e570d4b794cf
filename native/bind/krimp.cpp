// Krimp: code tables and covers.
#include "krimp/krimp.hpp"

#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "krimp/cover_rows.hpp"

namespace discreet {

void bind_krimp(nb::module_& m) {
    m.def(
        "krimp",
        [](const OwnedDatabase& database, const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, const InputArray<std::int64_t>& supports,
           bool prune, Control& control, const nb::object& progress) {
            const std::vector<std::int64_t> own_offsets = copy(offsets), own_supports = copy(supports);
            const std::vector<std::int32_t> own_items = copy(items);
            const krimp::Candidates candidates{own_offsets, own_items, own_supports};
            if (const std::string what = problem(candidates, database.view().n_items); !what.empty()) throw nb::value_error(what.c_str());
            krimp::Found found = run(control, progress, [&] { return krimp::krimp(database.view(), candidates, prune, control); });
            return nb::make_tuple(to_numpy(std::move(found.elements.offsets)), to_numpy(std::move(found.elements.items)), to_numpy(std::move(found.elements.supports)),
                                  to_numpy(std::move(found.usages)), to_numpy(std::move(found.alone)), found.n_accepted);
        },
        "database"_a, "offsets"_a.noconvert(), "items"_a.noconvert(), "supports"_a.noconvert(), "prune"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def krimp(database: Database, offsets: NDArray[numpy.int64], items: NDArray[numpy.int32], supports: NDArray[numpy.int64], prune: bool, "
                "control: Control, progress: Callable[[float], object] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], "
                "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], int]"),
        "Krimp's code table from candidates in canonical order: (offsets, items, supports, usages, usages of items alone, number accepted).");
    m.def(
        "krimp_cover",
        [](const OwnedDatabase& database, const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, Control& control, const nb::object& progress) {
            const std::vector<std::int64_t> own_offsets = copy(offsets);
            const std::vector<std::int32_t> own_items = copy(items);
            if (own_offsets.empty() || own_offsets.front() != 0 || own_offsets.back() != static_cast<std::int64_t>(own_items.size()) || !std::ranges::is_sorted(own_offsets))
                throw nb::value_error("offsets must rise from 0 to the number of items");
            for (const std::int32_t item : own_items)
                if (item < 0 || item >= database.view().n_items) throw nb::value_error("items must be from 0 to n_items - 1");
            krimp::RowCovers covers = run(control, progress, [&] { return krimp::cover_rows(database.view(), own_offsets, own_items, control); });
            return nb::make_tuple(to_numpy(std::move(covers.offsets)), to_numpy(std::move(covers.elements)));
        },
        "database"_a, "offsets"_a.noconvert(), "items"_a.noconvert(), "control"_a, "progress"_a = nb::none(),
        nb::sig("def krimp_cover(database: Database, offsets: NDArray[numpy.int64], items: NDArray[numpy.int32], control: Control, "
                "progress: Callable[[float], object] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]"),
        "Cover of each transaction by elements in the order given: (offsets, numbers of elements).");
}

}  // namespace discreet
