// Covers of all rows by closed sets, and what they become.
#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "cover/gen_cover.hpp"
#include "cover/row_bounds.hpp"

namespace discreet {

namespace {

using Parents = std::vector<InputArray<std::int32_t>>;
using Leaves = std::vector<InputArray<std::uint32_t>>;
using NodeCosts = std::vector<InputArray<std::int64_t>>;
using Nodes = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Copies of rows over hierarchies and of closed sets, checked: nothing Python does later
// can change them under a running kernel.
struct OwnedCoverInput {
    PreorderTable table;
    std::vector<std::int32_t> nodes;
    std::vector<std::int64_t> costs;  // of the sets
    std::int64_t bytes;

    OwnedCoverInput(const Parents& parents, const Leaves& leaves, const NodeCosts& node_costs, const Nodes& given, std::int64_t k)
        : nodes(given.data(), given.data() + given.size()) {
        const std::size_t n_columns = parents.size();
        if (n_columns == 0 || leaves.size() != n_columns || node_costs.size() != n_columns || given.shape(1) != n_columns)
            throw nb::value_error("there must be parents, leaves, costs and nodes of each column, and a column");
        if (given.shape(0) >> 32 != 0) throw nb::value_error("there are 2^32 sets or more");
        std::vector<std::vector<std::int64_t>> own_costs;
        for (std::size_t c = 0; c < n_columns; ++c) {
            own_costs.push_back(copy(node_costs[c]));
            add(c, copy(parents[c]), copy(leaves[c]), own_costs.back(), n_columns);
        }
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i] < 0 || static_cast<std::size_t>(nodes[i]) >= own_costs[i % n_columns].size())
                throw nb::value_error(("a node of set " + std::to_string(i / n_columns) + " is none of its column").c_str());
        if (k < 1 || static_cast<std::size_t>(k) > table.n_rows) throw nb::value_error("k must be from 1 to the number of rows");
        costs = set_costs(nodes, own_costs);
        bytes = static_cast<std::int64_t>(nodes.size() * sizeof(std::int32_t) + costs.size() * sizeof(std::int64_t));
    }

  private:
    void add(std::size_t c, const std::vector<std::int32_t>& parent, const std::vector<std::uint32_t>& leaves,
             const std::vector<std::int64_t>& costs_of_column, std::size_t n_columns) {
        std::string what = problem(parent, leaves);
        if (leaves.size() >> 31 != 0) what = "there are 2^31 rows or more";
        if (c > 0 && leaves.size() != table.n_rows) what = "there must be as many rows in every column";
        if (costs_of_column.size() != parent.size()) what = "there must be one cost per node";
        const std::int64_t most = (std::int64_t{1} << 62) / static_cast<std::int64_t>(n_columns);
        for (const std::int64_t cost : costs_of_column)
            if (cost < 0 || cost > most) what = "a cost is negative or too large";
        if (!what.empty()) throw nb::value_error(("column " + std::to_string(c) + ": " + what).c_str());
        table.add(parent, leaves);
    }
};

// Algorithm 2 on a cover that is checked first.
std::vector<std::int64_t> clusters_of_cover(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& rows, std::int64_t n_rows, std::int64_t k) {
    if (k < 1 || k >> 31 != 0 || n_rows < 0 || n_rows >> 31 != 0) throw nb::value_error("k must be at least 1, and rows fewer than 2^31");
    if (static_cast<std::int64_t>(rows.size()) < n_rows) throw nb::value_error("the cover leaves out a row");
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(rows.size())) throw nb::value_error("offsets do not fit the rows");
    CoverClusters clusters(static_cast<std::size_t>(n_rows), k);
    std::vector<std::uint32_t> set;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const std::string where = "set " + std::to_string(i);
        if (offsets[i + 1] < offsets[i]) throw nb::value_error((where + " ends before it begins").c_str());
        const std::int64_t size = offsets[i + 1] - offsets[i];
        if (size < k || size >= 2 * k || offsets[i + 1] > offsets.back()) throw nb::value_error((where + " has not k to 2k-1 rows").c_str());
        set.clear();
        for (std::int64_t at = offsets[i]; at < offsets[i + 1]; ++at) {
            const std::int64_t row = rows[static_cast<std::size_t>(at)];
            if (row < 0 || row >= n_rows || (!set.empty() && row <= set.back())) throw nb::value_error((where + " is not ascending rows").c_str());
            set.push_back(static_cast<std::uint32_t>(row));
        }
        clusters.add(set);
    }
    std::vector<std::int64_t> numbered = clusters.numbered();
    if (std::any_of(numbered.begin(), numbered.end(), [](std::int64_t cluster) { return cluster < 0; })) throw nb::value_error("the cover leaves out a row");
    return numbered;
}

}  // namespace

void bind_cover(nb::module_& m) {
    m.def(
        "gen_cover",
        [](const Parents& parents, const Leaves& leaves, const NodeCosts& costs, const Nodes& nodes, std::int64_t k, bool by_rows, Control& control, const nb::object& progress) {
            const OwnedCoverInput input(parents, leaves, costs, nodes, k);
            Cover cover = run(control, progress, [&] {
                control.claim(input.bytes);
                return GreedyCover(input.table, input.nodes, input.costs, k, by_rows ? Price::rows : Price::set, control).find();
            });
            return nb::make_tuple(to_numpy(std::move(cover.offsets)), to_numpy(std::move(cover.rows)), to_numpy(std::move(cover.sets)));
        },
        "parents"_a.noconvert(), "leaves"_a.noconvert(), "costs"_a.noconvert(), "nodes"_a.noconvert(), "k"_a, "by_rows"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def gen_cover(parents: list[NDArray[numpy.int32]], leaves: list[NDArray[numpy.uint32]], costs: list[NDArray[numpy.int64]], nodes: NDArray[numpy.int32], "
                "k: int, by_rows: bool, control: Control, progress: Callable[[float], object] | None = None) "
                "-> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
        "A cover of all rows by sets of k to 2k-1 rows of closed sets: (offsets, rows, closed set of each), in the order of choice.");
    m.def(
        "cover_to_clusters",
        [](const InputArray<std::int64_t>& offsets, const InputArray<std::int64_t>& rows, std::int64_t n_rows, std::int64_t k) {
            return to_numpy(clusters_of_cover(copy(offsets), copy(rows), n_rows, k));
        },
        "offsets"_a.noconvert(), "rows"_a.noconvert(), "n_rows"_a, "k"_a,
        nb::sig("def cover_to_clusters(offsets: NDArray[numpy.int64], rows: NDArray[numpy.int64], n_rows: int, k: int) -> NDArray[numpy.int64]"),
        "The cluster of each row, numbered by their first rows, of a cover by sets of k to 2k-1 rows.");
    m.def(
        "row_bounds",
        [](const Parents& parents, const Leaves& leaves, const NodeCosts& costs, const Nodes& nodes, std::int64_t k, const InputArray<double>& weights, int rounds,
           Control& control, const nb::object& progress) {
            const OwnedCoverInput input(parents, leaves, costs, nodes, k);
            std::vector<double> bounds = copy(weights);
            if (bounds.size() != input.table.n_rows) throw nb::value_error("there must be one weight per row");
            if (!std::all_of(bounds.begin(), bounds.end(), [](double weight) { return weight >= 0 && weight < 1e18; })) throw nb::value_error("a weight is not from 0 to 1e18");
            if (rounds < 1) throw nb::value_error("there must be a round");
            bounds = run(control, progress, [&] {
                control.claim(input.bytes);
                RowBounds(input.table, input.nodes, input.costs, k, control).find(bounds, rounds);
                return std::move(bounds);
            });
            return to_numpy(std::move(bounds));
        },
        "parents"_a.noconvert(), "leaves"_a.noconvert(), "costs"_a.noconvert(), "nodes"_a.noconvert(), "k"_a, "weights"_a.noconvert(), "rounds"_a, "control"_a,
        "progress"_a = nb::none(),
        nb::sig("def row_bounds(parents: list[NDArray[numpy.int32]], leaves: list[NDArray[numpy.uint32]], costs: list[NDArray[numpy.int64]], nodes: NDArray[numpy.int32], "
                "k: int, weights: NDArray[numpy.float64], rounds: int, control: Control, progress: Callable[[float], object] | None = None) -> NDArray[numpy.float64]"),
        "What each row pays at least in any clustering, from all closed sets; weights are a first guess of it.");
}

}  // namespace discreet
