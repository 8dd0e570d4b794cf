// What closed sets cost, and their order from the cheapest on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
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

// Sorts numbers of sets by their keys, then by number.
template <class Key>
void sort_by(std::vector<std::uint32_t>& numbers, const std::vector<Key>& keys) {
    std::vector<std::pair<Key, std::uint32_t>> pairs;
    pairs.reserve(numbers.size());
    for (const std::uint32_t number : numbers) pairs.emplace_back(keys[number], number);
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < pairs.size(); ++i) numbers[i] = pairs[i].second;
}

}  // namespace discreet
