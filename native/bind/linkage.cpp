// Clusters of near rows: forests and agglomeration.
#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "linkage/agglomerative.hpp"
#include "linkage/forest.hpp"

namespace discreet {

namespace {

using Ints = std::vector<InputArray<std::int32_t>>;
using Codes = std::vector<InputArray<std::uint32_t>>;

// Copies of rows over hierarchies with costs, checked.
class OwnedColumns {
  public:
    OwnedColumns(const Ints& parents, const Ints& costs, const Codes& leaves, std::int64_t k) {
        if (parents.empty() || parents.size() != costs.size() || parents.size() != leaves.size())
            throw nb::value_error("parents, costs and leaves must have one array per column each, and at least one");
        std::int64_t total = 0;
        for (std::size_t column = 0; column < parents.size(); ++column) {
            parents_.push_back(copy(parents[column]));
            costs_.push_back(copy(costs[column]));
            leaves_.push_back(copy(leaves[column]));
            std::string what = problem(parents_.back(), leaves_.back());
            if (what.empty() && costs_.back().size() != parents_.back().size()) what = "there must be one cost per node";
            if (what.empty() && leaves_.back().size() != leaves_[0].size()) what = "it has other rows than column 0";
            if (what.empty() && *std::min_element(costs_.back().begin(), costs_.back().end()) < 0) what = "a cost is below 0";
            if (!what.empty()) throw nb::value_error(("column " + std::to_string(column) + ": " + what).c_str());
            total += *std::max_element(costs_.back().begin(), costs_.back().end());
        }
        if (total >= (std::int64_t{1} << 31)) throw nb::value_error("the costs of a row can add up to 2^31 or more");
        if (n_rows() >= (std::size_t{1} << 31)) throw nb::value_error("there are 2^31 rows or more");
        if (k < 1 || static_cast<std::size_t>(k) > n_rows()) throw nb::value_error("k must be at least 1 and at most the number of rows");
    }
    std::size_t n_rows() const { return leaves_[0].size(); }
    std::vector<CostColumn> view() const {
        std::vector<CostColumn> columns;
        for (std::size_t column = 0; column < parents_.size(); ++column) columns.push_back({parents_[column], costs_[column], leaves_[column]});
        return columns;
    }

  private:
    std::vector<std::vector<std::int32_t>> parents_, costs_;
    std::vector<std::vector<std::uint32_t>> leaves_;
};

template <class Distance>
std::vector<std::int64_t> agglomerate(const OwnedColumns& columns, std::span<const double> weights, std::int64_t k, bool modified, Distance distance,
                                      Control& control) {
    const Nodes nodes(columns.view(), control);
    return Agglomeration<Distance>(nodes, weights, k, modified, distance, control).run();
}

}  // namespace

void bind_linkage(nb::module_& m) {
    m.def(
        "grow_forest",
        [](const Ints& parents, const Ints& costs, const Codes& leaves, std::int64_t k, Control& control, const nb::object& progress) {
            const OwnedColumns columns(parents, costs, leaves, k);
            return to_numpy(run(control, progress, [&] { return grow_forest(columns.view(), k, control); }));
        },
        "parents"_a.noconvert(), "costs"_a.noconvert(), "leaves"_a.noconvert(), "k"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def grow_forest(parents: list[NDArray[numpy.int32]], costs: list[NDArray[numpy.int32]], leaves: list[NDArray[numpy.uint32]], k: int, "
                "control: Control, progress: Callable[[float], object] | None = None) -> NDArray[numpy.int64]"),
        "The row that each row points at, -1 for none: trees of at least k rows, of near rows.");
    m.def(
        "cut_forest",
        [](const InputArray<std::int64_t>& targets, std::int64_t k, Control& control, const nb::object& progress) {
            const std::vector<std::int64_t> owned = copy(targets);
            if (k < 1 || k >> 31 != 0) throw nb::value_error("k must be from 1 to 2^31 - 1");
            if (const std::string what = problem_of_forest(owned); !what.empty()) throw nb::value_error(what.c_str());
            return to_numpy(run(control, progress, [&] { return TreeCutter(owned, k).cut(control); }));
        },
        "targets"_a.noconvert(), "k"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def cut_forest(targets: NDArray[numpy.int64], k: int, control: Control, progress: Callable[[float], object] | None = None) "
                "-> NDArray[numpy.int64]"),
        "The part of each row: trees cut into parts of k to 3(k - 1) rows.");
    m.def(
        "agglomerative",
        [](const Ints& parents, const Ints& costs, const Codes& leaves, const InputArray<double>& weights, std::int64_t k, bool modified,
           const std::string& linkage, double least, Control& control, const nb::object& progress) {
            const OwnedColumns columns(parents, costs, leaves, k);
            const std::vector<double> owned = copy(weights);
            if (owned.size() != columns.n_rows()) throw nb::value_error("there must be one weight per row");
            if (!std::all_of(owned.begin(), owned.end(), [](double weight) { return weight > 0 && weight < 1e18; }))
                throw nb::value_error("a weight is not between 0 and 1e18");
            if (linkage != "change" && linkage != "ratio") throw nb::value_error("linkage must be 'change' or 'ratio'");
            if (!(least > 0)) throw nb::value_error("least must be more than 0");
            return to_numpy(run(control, progress, [&] {
                return linkage == "change" ? agglomerate(columns, owned, k, modified, ChangeOfLoss{}, control)
                                           : agglomerate(columns, owned, k, modified, RatioOfLoss{least}, control);
            }));
        },
        "parents"_a.noconvert(), "costs"_a.noconvert(), "leaves"_a.noconvert(), "weights"_a.noconvert(), "k"_a, "modified"_a, "linkage"_a, "least"_a,
        "control"_a, "progress"_a = nb::none(),
        nb::sig("def agglomerative(parents: list[NDArray[numpy.int32]], costs: list[NDArray[numpy.int32]], leaves: list[NDArray[numpy.uint32]], "
                "weights: NDArray[numpy.float64], k: int, modified: bool, linkage: str, least: float, control: Control, "
                "progress: Callable[[float], object] | None = None) -> NDArray[numpy.int64]"),
        "The cluster of each row: the closest two are united until they have k rows.");
}

}  // namespace discreet
