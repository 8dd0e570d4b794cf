// The miners of minimal infrequent itemsets, and of the cells in itemsets.
#include "bind/miner.hpp"
#include "infrequent/mark_cells.hpp"
#include "infrequent/mark_itemsets.hpp"
#include "infrequent/minimal_infrequent.hpp"

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

}  // namespace

void bind_infrequent(nb::module_& m) {
    const auto below = [&](const char* name, const char* returns, const char* doc, auto kernel) { bind_miner(m, {name, "theta", returns, doc, 0}, kernel); };
    below("minimal_infrequent", itemset_arrays,
          "Itemsets in 1 to theta rows whose proper subsets, the empty one included, are in more: (offsets, items, supports).", minimal_infrequent);
    below("count_minimal_infrequent", itemset_counts, "Number of minimal infrequent itemsets of each size.", count_minimal_infrequent);
    below("mark_cells", "NDArray[numpy.uint8]",
          "1 for each entry of the database's items that lies in a minimal infrequent itemset within its transaction, else 0.", mark_cells);
    bind_mark_itemsets(m);
}

}  // namespace discreet
