// Opens a group with rows of others, and puts what is left of groups that became too small
// elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clusters/find_box.hpp"
#include "clusters/groups.hpp"
#include "clusters/prices.hpp"
#include "clusters/sources.hpp"
#include "clusters/team.hpp"

namespace discreet::clusters {

// The rows of a box by the groups that they are in now.
inline std::vector<std::vector<std::int32_t>> by_group(const Groups& groups, std::vector<std::int32_t> rows) {
    std::ranges::sort(rows, {}, [&](std::int32_t row) { return std::pair(groups.group_of(row), row); });
    std::vector<std::vector<std::int32_t>> parts;
    for (const std::int32_t row : rows) {
        if (parts.empty() || groups.group_of(parts.back()[0]) != groups.group_of(row)) parts.emplace_back();
        parts.back().push_back(row);
    }
    return parts;
}

// Moves rows into a new group; what remains of dissolved groups is in `left` and hidden.
inline void pull(Groups& groups, std::int32_t into, const std::vector<Source>& sources, std::vector<std::vector<std::int32_t>>& parts, std::vector<std::int32_t>& left) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
        std::vector<std::int32_t>& rows = parts[i];
        if (!sources[i].gives_all) {
            std::ranges::stable_sort(rows, {}, [&](std::int32_t row) { return -groups.saving(row); });
            rows.resize(sources[i].n_some);
        }
        for (const std::int32_t row : rows) groups.move(row, into);
        if (!sources[i].gives_all) continue;
        groups.show(sources[i].group, false);
        const auto rest = groups.members(sources[i].group);
        left.insert(left.end(), rest.begin(), rest.end());
    }
}

// True if the box was opened and the total has risen by less than `bearable`, or fallen; else
// nothing has changed.
inline bool open_box(Groups& groups, Prices& prices, Scout& scout, const Box& box, std::int64_t bearable) {
    std::vector<std::vector<std::int32_t>> parts = by_group(groups, box.rows);
    std::vector<Source> sources;
    for (const auto& rows : parts) {
        std::int64_t heavy = 0, worth = 0;
        for (const std::int32_t row : rows) heavy += groups.weight(row), worth += prices.of_row(row);
        sources.push_back(source(groups, prices, groups.group_of(rows[0]), static_cast<std::int64_t>(rows.size()), heavy, worth, box.loss));
    }
    if (fill(sources, groups.k).n_rows < groups.k) return false;
    const std::int64_t before = groups.total();
    groups.start_log();
    std::vector<std::int32_t> left;
    pull(groups, groups.empty_group(), sources, parts, left);
    bool is_good = true;
    for (const std::int32_t row : left) {
        Target target = scout.cheapest(row, Scout::no_limit);
        if (target.group < 0) target = scout.cheapest_of_all(row, Scout::no_limit);
        is_good = target.group >= 0;
        if (!is_good) break;
        groups.move(row, target.group);
    }
    std::vector<std::int32_t> changed;
    for (const auto& [row, from] : groups.log()) changed.push_back(from), changed.push_back(groups.group_of(row));
    std::ranges::sort(changed);
    changed.erase(std::ranges::unique(changed).begin(), changed.end());
    is_good = is_good && groups.total() < before + bearable && std::ranges::all_of(changed, [&](std::int32_t group) { return scout.is_legal(group); });
    if (!is_good) groups.take_back();
    for (const Source& from : sources) groups.show(from.group, true);
    if (is_good) prices.renew(scout, changed);
    return is_good;
}

}  // namespace discreet::clusters
