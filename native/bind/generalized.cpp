// Itemsets over hierarchies.
#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "generalized/generalized_closed.hpp"

namespace discreet {

namespace {

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

}  // namespace

void bind_generalized(nb::module_& m) {
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

}  // namespace discreet
