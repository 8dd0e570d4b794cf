// The miners of minimal infrequent itemsets, and of the cells in itemsets.
#include "bind/miner.hpp"
#include "infrequent/mark_cells.hpp"
#include "infrequent/mark_itemsets.hpp"
#include "infrequent/minimal_infrequent.hpp"
#include "infrequent/of_people.hpp"

namespace discreet {

namespace {

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

// Binds kernel(database, people, theta, max_size, control).
template <class Kernel>
void bind_of_people(nb::module_& m, const char* name, const char* returns, const char* doc, Kernel kernel) {
    const std::string signature = std::string("def ") + name + "(database: Database, people: NDArray[numpy.int32], theta: int, max_size: int, control: Control, " +
                                  "progress: Callable[[float], object] | None = None) -> " + returns;
    m.def(
        name,
        [kernel](const OwnedDatabase& database, const InputArray<std::int32_t>& people, std::int64_t theta, std::int32_t max_size, Control& control, const nb::object& progress) {
            if (theta < 0) throw nb::value_error("theta must be at least 0");
            if (max_size < 1) throw nb::value_error("max_size must be at least 1");
            const std::vector<std::int32_t> person_of = copy(people);
            if (const std::string what = problem(database.view(), person_of); !what.empty()) throw nb::value_error(what.c_str());
            return to_numpy(run(control, progress, [&] { return kernel(database.view(), person_of, theta, max_size, control); }));
        },
        "database"_a, "people"_a.noconvert(), "theta"_a, "max_size"_a, "control"_a, "progress"_a = nb::none(), nb::sig(signature.c_str()), doc);
}

}  // namespace

void bind_infrequent(nb::module_& m) {
    const auto below = [&](const char* name, const char* returns, const char* doc, auto kernel) { bind_miner(m, {name, "theta", returns, doc, 0}, kernel); };
    below("minimal_infrequent", itemset_arrays,
          "Itemsets in 1 to theta rows whose proper subsets, the empty one included, are in more: (offsets, items, supports).", minimal_infrequent);
    below("count_minimal_infrequent", itemset_counts, "Number of minimal infrequent itemsets of each size.", count_minimal_infrequent);
    below("mark_cells", "NDArray[numpy.uint8]",
          "1 for each entry of the database's items that lies in a minimal infrequent itemset within its transaction, else 0.", mark_cells);
    bind_of_people(m, "minimal_infrequent_of_people", itemset_arrays,
                   "Itemsets that 1 to theta people have whose proper subsets, the empty one included, more have: (offsets, items, supports).", minimal_infrequent_of_people);
    bind_of_people(m, "mark_cells_of_people", "NDArray[numpy.uint8]",
                   "1 for each entry of the database's items that lies in a minimal infrequent itemset of people within its transaction, else 0.", mark_cells_of_people);
    bind_mark_itemsets(m);
}

}  // namespace discreet
