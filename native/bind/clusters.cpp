// Groups of rows joined until they obey, and made better.
#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "clusters/improve.hpp"
#include "clusters/repair.hpp"

namespace discreet {

namespace {

using clusters::CostTable;
using clusters::Rule;

CostTable cost_table(const std::vector<InputArray<std::int32_t>>& parents, const std::vector<InputArray<std::int64_t>>& costs,
                     const std::vector<InputArray<std::int32_t>>& leaves, const InputArray<std::int64_t>& weights) {
    if (parents.size() != costs.size() || parents.size() != leaves.size()) throw nb::value_error("parents, costs and leaves must have one array per column each");
    CostTable table{{}, std::vector<std::int32_t>(weights.size() * parents.size()), copy(weights)};
    if (weights.size() >= (std::size_t{1} << 31)) throw nb::value_error("there must be fewer than 2^31 rows");
    for (const std::int64_t weight : table.weights)
        if (weight < 1) throw nb::value_error("a weight is below 1");
    double most = 0;
    for (std::size_t column = 0; column < parents.size(); ++column) {
        std::vector<std::int32_t> parent = copy(parents[column]);
        std::vector<std::int64_t> cost = copy(costs[column]);
        std::string what = clusters::column_problem(parent, cost);
        if (what.empty() && leaves[column].size() != weights.size()) what = "there must be one leaf per weight";
        if (what.empty()) {
            table.columns.emplace_back(std::move(parent), std::move(cost));
            const clusters::CostColumn& tree = table.columns.back();
            for (std::size_t row = 0; row < weights.size() && what.empty(); ++row) {
                const std::int32_t leaf = leaves[column].data()[row];
                if (leaf < 0 || leaf >= tree.n_leaves) what = "the value of row " + std::to_string(row) + " is not a leaf";
                table.leaves[row * parents.size() + column] = leaf;
            }
            most += static_cast<double>(tree.highest_cost());
        }
        if (!what.empty()) throw nb::value_error(("column " + std::to_string(column) + ": " + what).c_str());
    }
    double heavy = 0;
    for (const std::int64_t weight : table.weights) heavy += static_cast<double>(weight);
    if (heavy * most >= 0x1p62) throw nb::value_error("costs times weights add up to 2^62 or more");
    return table;
}

// Of a rule that counts people, values stand for sets of members from 0 to n_values - 1.
Rule people_rule(Rule rule) {
    constexpr double most = 2147483647;
    if (rule.kind == Rule::Kind::share && !(rule.level >= 1 && rule.level <= most && rule.ratio >= 1 && rule.ratio <= most))
        throw nb::value_error("a share is of two numbers from 1 to 2^31 - 1");
    if (rule.units.size() != rule.values.size()) throw nb::value_error("there must be one unit per value");
    if (rule.offsets.empty() || rule.offsets.front() != 0 || static_cast<std::size_t>(rule.offsets.back()) != rule.members.size() || !std::ranges::is_sorted(rule.offsets))
        throw nb::value_error("offsets must rise from 0 to the number of members");
    for (const std::int32_t unit : rule.units)
        if (unit < 0) throw nb::value_error("a unit is below 0");
    for (const std::int32_t value : rule.values)
        if (value < 0 || static_cast<std::size_t>(value) + 1 >= rule.offsets.size() || rule.offsets[static_cast<std::size_t>(value)] == rule.offsets[static_cast<std::size_t>(value) + 1])
            throw nb::value_error("a value is no set of members");
    for (const std::int32_t member : rule.members)
        if (member < 0 || member >= rule.n_values) throw nb::value_error("a member is not from 0 to n_values - 1");
    rule.weigh();
    return rule;
}

Rule rule_of(const std::string& kind, double level, double ratio, const InputArray<std::int32_t>& values, std::int32_t n_values,
             const InputArray<std::int32_t>& starts, const InputArray<std::int32_t>& stops, const InputArray<double>& lengths,
             const InputArray<std::int32_t>& units, const InputArray<std::int32_t>& offsets, const InputArray<std::int32_t>& members) {
    Rule rule{kind == "distinct"           ? Rule::Kind::distinct
              : kind == "entropy"          ? Rule::Kind::entropy
              : kind == "recursive"        ? Rule::Kind::recursive
              : kind == "share"            ? Rule::Kind::share
              : kind == "member_closeness" ? Rule::Kind::member_closeness
                                           : Rule::Kind::closeness,
              level, ratio, copy(values), n_values, copy(starts), copy(stops), copy(lengths), {}, copy(units), copy(offsets), copy(members)};
    if (n_values < 1 || static_cast<std::size_t>(n_values) > std::max(rule.values.size(), std::size_t{1} << 24)) throw nb::value_error("n_values must be from 1 to the number of rows, or to 2^24");
    if (rule.counts_people()) return people_rule(std::move(rule));
    if (rule.kind == Rule::Kind::closeness && kind != "closeness") throw nb::value_error("there is no such kind of rule");
    if (rule.starts.size() != rule.stops.size() || rule.starts.size() != rule.lengths.size()) throw nb::value_error("there must be one start, stop and length per edge");
    for (const std::int32_t value : rule.values)
        if (value < 0 || value >= n_values) throw nb::value_error("a value is not from 0 to n_values - 1");
    for (std::size_t edge = 0; edge < rule.starts.size(); ++edge)
        if (rule.starts[edge] < 0 || rule.starts[edge] > n_values || rule.stops[edge] < 0 || rule.stops[edge] > n_values) throw nb::value_error("an edge is not from 0 to n_values");
    rule.weigh();
    return rule;
}

std::vector<Rule> checked(const std::vector<const Rule*>& rules, const CostTable& table) {
    std::vector<Rule> all;
    for (const Rule* rule : rules) {
        if (rule->values.size() != table.n_rows()) throw nb::value_error("a rule must have one value per row");
        all.push_back(*rule);
    }
    return all;
}

std::vector<std::int32_t> checked(const InputArray<std::int32_t>& clusters, const CostTable& table) {
    std::vector<std::int32_t> group_of = copy(clusters);
    if (group_of.size() != table.n_rows()) throw nb::value_error("there must be one cluster per row");
    for (const std::int32_t group : group_of)
        if (group < 0 || static_cast<std::size_t>(group) >= group_of.size()) throw nb::value_error("a cluster is not from 0 to the number of rows - 1");
    return group_of;
}

// Sizes of blocks are multiples of k: one far outside of any number of rows would overflow them.
void check_k(std::int64_t k) {
    if (k < 1 || k >> 31 != 0) throw nb::value_error("k must be at least 1, and less than 2^31");
}

}  // namespace

void bind_clusters(nb::module_& m) {
    nb::class_<CostTable>(m, "CostTable", "Rows as leaves of hierarchies whose nodes have costs, checked once.")
        .def("__init__",
             [](CostTable* table, const std::vector<InputArray<std::int32_t>>& parents, const std::vector<InputArray<std::int64_t>>& costs,
                const std::vector<InputArray<std::int32_t>>& leaves, const InputArray<std::int64_t>& weights) {
                 new (table) CostTable(cost_table(parents, costs, leaves, weights));
             },
             "parents"_a.noconvert(), "costs"_a.noconvert(), "leaves"_a.noconvert(), "weights"_a.noconvert(),
             nb::sig("def __init__(self, parents: list[NDArray[numpy.int32]], costs: list[NDArray[numpy.int64]], leaves: list[NDArray[numpy.int32]], "
                     "weights: NDArray[numpy.int64]) -> None"));
    nb::class_<Rule>(m, "GroupRule", "A condition on the values of one column in a group of rows.")
        .def("__init__",
             [](Rule* rule, const std::string& kind, double level, double ratio, const InputArray<std::int32_t>& values, std::int32_t n_values,
                const InputArray<std::int32_t>& starts, const InputArray<std::int32_t>& stops, const InputArray<double>& lengths,
                const InputArray<std::int32_t>& units, const InputArray<std::int32_t>& offsets, const InputArray<std::int32_t>& members) {
                 new (rule) Rule(rule_of(kind, level, ratio, values, n_values, starts, stops, lengths, units, offsets, members));
             },
             "kind"_a, "level"_a, "ratio"_a, "values"_a.noconvert(), "n_values"_a, "starts"_a.noconvert(), "stops"_a.noconvert(), "lengths"_a.noconvert(),
             "units"_a.noconvert(), "offsets"_a.noconvert(), "members"_a.noconvert(),
             nb::sig("def __init__(self, kind: str, level: float, ratio: float, values: NDArray[numpy.int32], n_values: int, starts: NDArray[numpy.int32], "
                     "stops: NDArray[numpy.int32], lengths: NDArray[numpy.float64], units: NDArray[numpy.int32], offsets: NDArray[numpy.int32], "
                     "members: NDArray[numpy.int32]) -> None"))
        .def(
            "holds",
            [](const Rule& rule, const InputArray<std::int64_t>& rows) {
                for (std::size_t i = 0; i < rows.size(); ++i)
                    if (rows.data()[i] < 0 || static_cast<std::size_t>(rows.data()[i]) >= rule.values.size()) throw nb::value_error("there is no such row");
                if (rows.size() == 0) throw nb::value_error("there must be some rows");
                return clusters::Judge({&rule, 1}).holds(copy(rows));
            },
            "rows"_a.noconvert(), nb::sig("def holds(self, rows: NDArray[numpy.int64]) -> bool"), "Whether the group of these rows obeys.");
    m.def(
        "repair_clusters",
        [](const CostTable& table, const std::vector<const Rule*>& rules, std::int64_t k, const InputArray<std::int32_t>& clusters, Control& control, const nb::object& progress) {
            check_k(k);
            const std::vector<Rule> all = checked(rules, table);
            const std::vector<std::int32_t> group_of = checked(clusters, table);
            if (group_of.empty()) throw nb::value_error("there must be some rows");
            return to_numpy(run(control, progress, [&] { return clusters::Repair(table, all, k, group_of, control)(); }));
        },
        "table"_a, "rules"_a, "k"_a, "clusters"_a.noconvert(), "control"_a, "progress"_a = nb::none(),
        nb::sig("def repair_clusters(table: CostTable, rules: list[GroupRule], k: int, clusters: NDArray[numpy.int32], control: Control, "
                "progress: Callable[[float], object] | None = None) -> NDArray[numpy.int32]"),
        "The cluster of each row after joining clusters until each has k rows and obeys the rules, or one is left.");
    m.def(
        "improve_clusters",
        [](const CostTable& table, const std::vector<const Rule*>& rules, std::int64_t k, const InputArray<std::int32_t>& clusters, Control& control, const nb::object& progress) {
            check_k(k);
            const std::vector<Rule> all = checked(rules, table);
            std::vector<std::int32_t> group_of = checked(clusters, table);
            return to_numpy(run(control, progress, [&] { return clusters::improve(table, all, k, std::move(group_of), control); }));
        },
        "table"_a, "rules"_a, "k"_a, "clusters"_a.noconvert(), "control"_a, "progress"_a = nb::none(),
        nb::sig("def improve_clusters(table: CostTable, rules: list[GroupRule], k: int, clusters: NDArray[numpy.int32], control: Control, "
                "progress: Callable[[float], object] | None = None) -> NDArray[numpy.int32]"),
        "The cluster of each row after moving rows while the cost falls; clusters stay of k rows and obey the rules if they did.");
}

}  // namespace discreet
