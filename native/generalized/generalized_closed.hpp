// Closed generalized itemsets: one hierarchy node per column, at least k rows, and no
// node that could be lowered without losing a row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/collapse.hpp"
#include "base/control.hpp"
#include "base/tasks.hpp"
#include "generalized/hierarchy.hpp"
#include "generalized/search.hpp"
#include "generalized/sets.hpp"

namespace discreet {

// Searches from the set of all roots, which is closed because the trees are cut.
template <class Code>
GeneralizedSets search_closed(const std::vector<Tree>& trees, std::span<const std::size_t> column_of,
                              const NodeRows<Code>& rows, std::int64_t k, bool keep, Control& control) {
    const std::int64_t total = std::accumulate(rows.weights.begin(), rows.weights.end(), std::int64_t{0});
    std::vector<FoundSets<Code>> found(static_cast<std::size_t>(control.threads));
    std::deque<ClosedSearch<Code>> searches;
    for (FoundSets<Code>& own : found) searches.emplace_back(trees, rows, k, keep ? &own : nullptr, control);
    std::vector<ClosedTask<Code>> tasks{{std::vector<Code>(trees.size(), 0), 0, total}};
    searches[0].take(tasks[0].nodes, total);
    // Tasks are the children of the first set and, of those that are large, their
    // children again: enough to keep every thread busy, and few enough that picking a
    // task's rows anew from all rows does not show.
    for (std::int64_t round = 0; !tasks.empty(); ++round) {
        const std::int64_t largest = round == 0 ? 0 : round == 1 ? total / 8 : total;
        std::vector<std::vector<ClosedTask<Code>>> later(tasks.size());
        for_each_task(control, static_cast<std::int64_t>(tasks.size()), [&](int worker, std::int64_t number) {
            const auto task = static_cast<std::size_t>(number);
            searches[static_cast<std::size_t>(worker)].search(tasks[task], largest, later[task]);
        });
        tasks.clear();
        for (auto& some : later) std::move(some.begin(), some.end(), std::back_inserter(tasks));
        const auto larger = [](const auto& a, const auto& b) { return a.support > b.support; };
        std::stable_sort(tasks.begin(), tasks.end(), larger);
    }
    GeneralizedSets sets;
    sets.n_columns = static_cast<std::int64_t>(trees.size());
    for (const auto& search : searches) sets.n_sets += search.n_taken();
    searches.clear();
    if (keep) canonical(std::move(found), trees, column_of, control, sets);
    return sets;
}

// A hierarchy and the leaf of every row.
struct HierarchyColumn {
    std::span<const std::int32_t> parent;
    std::span<const std::uint32_t> leaves;
};

// All closed generalized itemsets with support at least k >= 1; with `keep` false only
// their number. Time about proportional to their number. The columns must be without
// problem() and the weights at least 1.
inline GeneralizedSets generalized_closed(std::span<const HierarchyColumn> columns,
                                          std::span<const std::int64_t> weights, std::int64_t k, bool keep,
                                          Control& control) {
    const std::size_t n_columns = columns.size();
    GeneralizedSets none;
    none.n_columns = static_cast<std::int64_t>(n_columns);
    if (std::accumulate(weights.begin(), weights.end(), std::int64_t{0}) < k) return none;
    std::vector<CutColumn> cuts;
    const auto bytes = static_cast<std::int64_t>(weights.size() * n_columns * (sizeof(std::uint32_t) + 2));
    control.claim(bytes);
    for (const HierarchyColumn& column : columns) {
        control.check();
        cuts.push_back(cut(column.parent, column.leaves, weights, k));
    }
    // Columns with many nodes first: they split the rows most, so that what follows is small.
    std::vector<std::size_t> column_of(n_columns);
    std::iota(column_of.begin(), column_of.end(), std::size_t{0});
    const auto larger = [&](std::size_t a, std::size_t b) { return cuts[a].tree.size() > cuts[b].tree.size(); };
    std::stable_sort(column_of.begin(), column_of.end(), larger);
    std::vector<Tree> trees;
    std::vector<std::span<const std::uint32_t>> codes;
    for (const std::size_t column : column_of) {
        trees.push_back(std::move(cuts[column].tree));
        codes.emplace_back(cuts[column].codes);
    }
    const RowGroups groups = collapse(codes, static_cast<std::int64_t>(weights.size()), control);
    const auto search = [&]<class Code>(Code) {
        NodeRows<Code> rows;
        rows.width = rows.width_for(n_columns);
        rows.codes.resize(groups.first.size() * rows.width);
        rows.weights.resize(groups.first.size());
        for (std::size_t row = 0; row < weights.size(); ++row)
            rows.weights[static_cast<std::size_t>(groups.group_of[row])] += weights[row];
        for (std::size_t group = 0; group < groups.first.size(); ++group) {
            const auto row = static_cast<std::size_t>(groups.first[group]);
            for (std::size_t c = 0; c < n_columns; ++c)
                rows.codes[group * rows.width + c] = static_cast<Code>(codes[c][row]);
        }
        return search_closed<Code>(trees, column_of, rows, k, keep, control);
    };
    const bool narrow = n_columns == 0 || trees[0].size() <= std::numeric_limits<std::uint16_t>::max();
    GeneralizedSets sets = narrow ? search(std::uint16_t{}) : search(std::int32_t{});
    control.release(bytes);
    return sets;
}

}  // namespace discreet
