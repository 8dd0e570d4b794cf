// A column's hierarchy: checked, and cut down to the nodes a closure can be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace discreet {

// A tree whose nodes are numbered in preorder, so that the nodes under v are exactly
// v .. end[v]-1 and the lowest common ancestor of any set of nodes is that of its
// smallest and its largest number. Node 0 is the root.
struct Tree {
    std::vector<std::int32_t> parent;  // -1 at the root
    std::vector<std::int32_t> end;
    std::vector<std::int32_t> id;  // the caller's number of the node

    std::int32_t size() const { return static_cast<std::int32_t>(parent.size()); }
    bool is_leaf(std::int32_t v) const { return end[v] == v + 1; }
    // Lowest common ancestor of all nodes from lowest to highest; needs lowest <= highest.
    std::int32_t common(std::int32_t lowest, std::int32_t highest) const {
        while (end[lowest] <= highest) lowest = parent[lowest];
        return lowest;
    }
};

// The caller's nodes in preorder, children by number. Shorter than `parent` if some
// node cannot be reached from the root, that is, if there is a cycle.
inline std::vector<std::int32_t> preorder(std::span<const std::int32_t> parent) {
    const std::size_t n = parent.size();
    std::vector<std::int32_t> first(n, -1), next(n, -1), stack, order;
    for (std::size_t v = n; v-- > 0;) {
        if (parent[v] < 0) {
            stack.push_back(static_cast<std::int32_t>(v));
            continue;
        }
        next[v] = first[static_cast<std::size_t>(parent[v])];
        first[static_cast<std::size_t>(parent[v])] = static_cast<std::int32_t>(v);
    }
    order.reserve(n);
    while (!stack.empty()) {
        std::int32_t v = stack.back();
        stack.pop_back();
        order.push_back(v);
        if (next[static_cast<std::size_t>(v)] >= 0) stack.push_back(next[static_cast<std::size_t>(v)]);
        if (first[static_cast<std::size_t>(v)] >= 0) stack.push_back(first[static_cast<std::size_t>(v)]);
    }
    return order;
}

// What is wrong with a column's hierarchy or codes, in words; empty if nothing is.
inline std::string problem(std::span<const std::int32_t> parent, std::span<const std::uint32_t> leaves) {
    const auto n = static_cast<std::int64_t>(parent.size());
    if (n == 0) return "the hierarchy has no nodes";
    if (n >= (std::int64_t{1} << 31)) return "the hierarchy has 2^31 nodes or more";
    std::vector<bool> inner(parent.size(), false);
    std::int64_t roots = 0;
    for (std::int64_t v = 0; v < n; ++v) {
        const std::int64_t above = parent[static_cast<std::size_t>(v)];
        if (above < -1 || above >= n) return "the parent of node " + std::to_string(v) + " is not a node";
        if (above < 0)
            ++roots;
        else
            inner[static_cast<std::size_t>(above)] = true;
    }
    if (roots != 1) return "the hierarchy has " + std::to_string(roots) + " roots instead of one";
    if (static_cast<std::int64_t>(preorder(parent).size()) != n) return "the hierarchy has a cycle";
    for (std::size_t row = 0; row < leaves.size(); ++row) {
        if (leaves[row] >= parent.size()) return "the code of row " + std::to_string(row) + " is not a node";
        if (inner[leaves[row]]) return "the code of row " + std::to_string(row) + " is not a leaf";
    }
    return "";
}

struct CutColumn {
    Tree tree;
    std::vector<std::uint32_t> codes;  // the lowest node kept above or at each row's leaf
};

// Keeps a node if at least k rows lie under it and no child holds all of them: exactly
// the nodes that are the lowest common ancestor of some set of k or more rows. So
// unary chains, infrequent values and values never seen are gone, and no closure has
// changed. There must be at least k rows in all.
inline CutColumn cut(std::span<const std::int32_t> parent, std::span<const std::uint32_t> leaves,
                     std::span<const std::int64_t> weights, std::int64_t k) {
    const std::vector<std::int32_t> order = preorder(parent);
    std::vector<std::int64_t> support(parent.size(), 0), heaviest(parent.size(), 0);  // heaviest child's
    for (std::size_t row = 0; row < leaves.size(); ++row) support[leaves[row]] += weights[row];
    for (std::size_t i = order.size(); i-- > 1;) {
        const auto v = static_cast<std::size_t>(order[i]), above = static_cast<std::size_t>(parent[v]);
        support[above] += support[v];
        heaviest[above] = std::max(heaviest[above], support[v]);
    }
    CutColumn cut;
    Tree& tree = cut.tree;
    std::vector<std::int32_t> kept(parent.size(), -1);  // number of the lowest node kept at or above
    for (const std::int32_t node : order) {
        const auto v = static_cast<std::size_t>(node);
        const std::int32_t above = parent[v] < 0 ? -1 : kept[static_cast<std::size_t>(parent[v])];
        kept[v] = above;
        if (support[v] < k || heaviest[v] == support[v]) continue;
        kept[v] = tree.size();
        tree.parent.push_back(above);
        tree.id.push_back(node);
    }
    tree.end.resize(tree.parent.size());
    for (std::int32_t v = tree.size(); v-- > 0;) {
        tree.end[v] = std::max(tree.end[v], v + 1);
        if (v > 0) tree.end[tree.parent[v]] = std::max(tree.end[tree.parent[v]], tree.end[v]);
    }
    cut.codes.reserve(leaves.size());
    for (const std::uint32_t leaf : leaves) cut.codes.push_back(static_cast<std::uint32_t>(kept[leaf]));
    return cut;
}

}  // namespace discreet
