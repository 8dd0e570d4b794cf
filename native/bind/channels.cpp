// Inference channels of published collections.
#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "channels/condense.hpp"
#include "channels/count.hpp"
#include "channels/detect.hpp"
#include "channels/of_collection.hpp"
#include "channels/of_rows.hpp"

namespace discreet {

namespace {

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

using discreet::to_numpy;

nb::tuple to_numpy(Channels&& found) {
    return nb::make_tuple(to_numpy(std::move(found.sets.offsets)), to_numpy(std::move(found.sets.items)), to_numpy(std::move(found.sets.supports)),
                          to_numpy(std::move(found.of)));
}

}  // namespace

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
        "detect_channels",
        [](const OwnedCollection& collection, std::int64_t k, std::int64_t max_pairs, Control& control, const nb::object& progress) {
            collection.check_sizes(channels::most_items);
            Detected found = run(control, progress, [&] { return detect(collection.view(), collection.n_rows, k, max_pairs, control); });
            return nb::make_tuple(to_numpy(std::move(found.maximal)), found.n_channels, found.lacking, found.without, found.contradicts);
        },
        "collection"_a, "k"_a, "max_pairs"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def detect_channels(collection: Collection, k: int, max_pairs: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]], int, int, int, bool]"),
        "The same from all sets but the empty one, numbers those of the collection; then what count_channels returns, and what condense says is wrong.");
    m.def(
        "condense",
        [](const OwnedCollection& collection, Control& control, const nb::object& progress) {
            Condensed found = run(control, progress, [&] { return condense(collection.view(), collection.n_rows, control); });
            return nb::make_tuple(to_numpy(std::move(found.is_closed)), to_numpy(std::move(found.is_maximal)), found.lacking, found.without, found.contradicts);
        },
        "collection"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def condense(collection: Collection, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.uint8], NDArray[numpy.uint8], int, int, bool]"),
        "Which sets are closed and which maximal; then a set (else -1), an item without which it is missing or less frequent (-1 if the set is listed twice), and whether the latter.");
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
        [](const OwnedCollection& collection, std::int64_t k, std::int64_t max_pairs, Control& control, const nb::object& progress) {
            return run(control, progress, [&] { return count_channels(collection.view(), collection.n_rows, k, max_pairs, control); });
        },
        "collection"_a, "k"_a, "max_pairs"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def count_channels(collection: Collection, k: int, max_pairs: int, control: Control, progress: Callable[[float], object] | None = None) -> int"),
        "Number of pairs of a set and one of its subsets that 1 to k - 1 rows tell apart; the collection has all subsets of its members. "
        "-1 if there are more pairs than max_pairs, or a set has more than 24 items.");
}

}  // namespace discreet
