// Where the rows of a new group come from. A group gives what it has above k, or all it has
// been asked for; in that case it is dissolved, and its other rows go to their cheapest groups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "clusters/groups.hpp"
#include "clusters/prices.hpp"

namespace discreet::clusters {

// What one group is asked for, and what is won if it gives some, or all and is dissolved.
struct Source {
    std::int32_t group;
    std::int64_t n_rows;     // asked for
    std::int64_t n_some;     // that it can give and stay
    std::int64_t some, all;  // won
    bool gives_all;

    std::int64_t n_given() const { return gives_all ? n_rows : n_some; }
    std::int64_t won() const { return gives_all ? all : some; }
    // What each row more costs if the group is dissolved after all.
    double dearness() const { return static_cast<double>(some - all) / static_cast<double>(n_rows - n_some); }
};

// `heavy` are the weights of the rows asked for, `worth` the sum of their prices, `loss` that of
// the new group.
inline Source source(const Groups& groups, const Prices& prices, std::int32_t group, std::int64_t n_rows, std::int64_t heavy, std::int64_t worth, std::int64_t loss) {
    const std::int64_t spare = groups.size(group) - groups.k, gap = groups.loss(group) - loss;
    Source from{group, n_rows, 0, 0, worth - heavy * loss - prices.of_group(group), false};
    if (spare > 0 && gap > 0) {
        from.n_some = std::min(spare, n_rows);
        from.some = from.n_some == n_rows ? gap * heavy : static_cast<std::int64_t>(static_cast<double>(gap * heavy) * static_cast<double>(from.n_some) / static_cast<double>(n_rows));
    }
    from.gives_all = from.all > 0 && from.all >= from.some;
    return from;
}

// What is won with all sources together.
struct Won {
    std::int64_t total, n_rows;
};

inline Won won(const std::vector<Source>& sources) {
    Won sum{0, 0};
    for (const Source& from : sources) sum.total += from.won(), sum.n_rows += from.n_given();
    return sum;
}

// Dissolves more groups until k rows are given, the least dear first.
inline Won fill(std::vector<Source>& sources, std::int64_t k) {
    Won sum = won(sources);
    while (sum.n_rows < k) {
        Source* next = nullptr;
        for (Source& from : sources)
            if (!from.gives_all && from.n_some < from.n_rows && (next == nullptr || from.dearness() < next->dearness())) next = &from;
        if (next == nullptr) break;
        sum.total += next->all - next->some;
        sum.n_rows += next->n_rows - next->n_some;
        next->gives_all = true;
    }
    return sum;
}

}  // namespace discreet::clusters
