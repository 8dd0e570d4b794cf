// What closed sets cost, and their order from the cheapest on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace discreet {

// Set i has node nodes[i * columns + column]; it costs the sum of its nodes' costs.
inline std::vector<std::int64_t> set_costs(std::span<const std::int32_t> nodes,
                                           const std::vector<std::vector<std::int64_t>>& node_costs) {
    std::vector<std::int64_t> costs;
    costs.reserve(nodes.size() / node_costs.size());
    for (std::size_t from = 0; from < nodes.size(); from += node_costs.size()) {
        std::int64_t sum = 0;
        for (std::size_t c = 0; c < node_costs.size(); ++c) sum += node_costs[c][static_cast<std::size_t>(nodes[from + c])];
        costs.push_back(sum);
    }
    return costs;
}

// The numbers of the sets by key, then by number.
template <class Key>
std::vector<std::uint32_t> sorted_by(const std::vector<Key>& keys) {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
    });
    return order;
}

}  // namespace discreet
