// Closed generalized itemsets: one hierarchy node per column, at least k rows, and no
// node that could be lowered without losing a row.
//
// generalized_closed, at the bottom, shares the search out to threads; above it are the search and what it finds.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/collapse.hpp"
#include "base/control.hpp"
#include "base/tasks.hpp"
#include "generalized/hierarchy.hpp"

namespace discreet {

// ---- Sets found ----
// Where closed generalized itemsets are kept, and their canonical order.

// Set i has node nodes[i * n_columns + column] and supports[i].
struct GeneralizedSets {
    std::int64_t n_columns = 0;
    std::int64_t n_sets = 0;
    std::vector<std::int32_t> nodes;
    std::vector<std::int64_t> supports;
};

// What one worker found, in pieces, so that growing never copies.
template <class Code>
struct FoundSets {
    static constexpr std::size_t piece = 1 << 15;
    std::vector<std::vector<Code>> nodes;
    std::vector<std::vector<std::uint32_t>> supports;

    void add(std::span<const Code> set, std::int64_t support, Control& control) {
        if (supports.empty() || supports.back().size() == piece) {
            control.claim(static_cast<std::int64_t>(piece * (set.size() * sizeof(Code) + sizeof(std::uint32_t))));
            nodes.emplace_back().reserve(piece * set.size());
            supports.emplace_back().reserve(piece);
        }
        nodes.back().insert(nodes.back().end(), set.begin(), set.end());
        supports.back().push_back(static_cast<std::uint32_t>(support));
    }
};

// Sorts by support, largest first, then by node ids column by column: a total order, so
// that neither the search order nor the number of threads shows. Column c of `found` is
// column column_of[c] of the result.
template <class Code>
void canonical(std::vector<FoundSets<Code>>&& found, const std::vector<Tree>& trees,
               std::span<const std::size_t> column_of, Control& control, GeneralizedSets& sets) {
    constexpr std::size_t piece = FoundSets<Code>::piece;
    std::vector<std::vector<Code>> nodes;
    std::vector<std::vector<std::uint32_t>> supports;
    for (FoundSets<Code>& one : found) {
        std::move(one.nodes.begin(), one.nodes.end(), std::back_inserter(nodes));
        std::move(one.supports.begin(), one.supports.end(), std::back_inserter(supports));
    }
    const std::size_t n_columns = trees.size(), n_sets = static_cast<std::size_t>(sets.n_sets);
    struct Entry {
        std::uint64_t key;  // support and first columns, as much as fits
        std::uint64_t where;
    };
    constexpr std::size_t support_bytes = sizeof(std::int64_t), node_bytes = sizeof(std::int32_t);
    control.claim(static_cast<std::int64_t>(n_sets * (sizeof(Entry) + n_columns * node_bytes + support_bytes)));
    std::vector<std::size_t> lane(n_columns);  // of each result column
    for (std::size_t c = 0; c < n_columns; ++c) lane[column_of[c]] = c;
    const auto node = [&](std::uint64_t where, std::size_t column) {
        const std::size_t l = lane[column];
        return trees[l].id[nodes[where / piece][(where % piece) * n_columns + l]];
    };
    std::uint32_t most = 0;
    for (const auto& some : supports)
        for (const std::uint32_t support : some) most = std::max(most, support);
    std::vector<int> bits(n_columns);
    int left = 64 - std::bit_width(most);
    std::size_t packed = 0;  // columns in the key
    for (; packed < n_columns; ++packed) {
        const Tree& tree = trees[lane[packed]];
        bits[packed] = std::bit_width(static_cast<std::uint32_t>(*std::max_element(tree.id.begin(), tree.id.end())));
        if (bits[packed] > left) break;
        left -= bits[packed];
    }
    std::vector<Entry> order(n_sets);
    std::vector<std::size_t> first{0};  // place of each piece
    for (const auto& some : supports) first.push_back(first.back() + some.size());
    for_each_task(control, static_cast<std::int64_t>(supports.size()), [&](int, std::int64_t task) {
        const auto p = static_cast<std::size_t>(task);
        for (std::size_t i = 0; i < supports[p].size(); ++i) {
            const std::uint64_t where = p * piece + i;
            std::uint64_t key = most - supports[p][i];
            for (std::size_t c = 0; c < packed; ++c) key = key << bits[c] | static_cast<std::uint32_t>(node(where, c));
            order[first[p] + i] = {key, where};
        }
    });
    const auto before = [&](const Entry& a, const Entry& b) {
        if (a.key != b.key) return a.key < b.key;
        for (std::size_t c = packed; c < n_columns; ++c)
            if (const std::int32_t x = node(a.where, c), y = node(b.where, c); x != y) return x < y;
        return false;
    };
    // Every thread sorts a share, then shares are merged two by two.
    std::size_t share = n_sets / static_cast<std::size_t>(control.threads) + 1;
    const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(std::min(i, n_sets)); };
    const auto n_shares = [&] { return static_cast<std::int64_t>((n_sets + share - 1) / share); };
    for_each_task(control, n_shares(), [&](int, std::int64_t s) {
        const std::size_t begin = static_cast<std::size_t>(s) * share;
        std::sort(at(begin), at(begin + share), before);
    });
    for (; share < n_sets; share *= 2)
        for (std::size_t begin = 0; begin + share < n_sets; begin += 2 * share)
            std::inplace_merge(at(begin), at(begin + share), at(begin + 2 * share), before);
    sets.nodes.resize(n_sets * n_columns);
    sets.supports.resize(n_sets);
    for_each_task(control, static_cast<std::int64_t>((n_sets + piece - 1) / piece), [&](int, std::int64_t task) {
        const std::size_t begin = static_cast<std::size_t>(task) * piece, end = std::min(begin + piece, n_sets);
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t where = order[i].where;
            sets.supports[i] = supports[where / piece][where % piece];
            for (std::size_t c = 0; c < n_columns; ++c) sets.nodes[i * n_columns + c] = node(where, c);
        }
    });
}

// ---- The search ----
// The search for closed generalized itemsets, one worker's part of it.

// Weighted rows of node numbers, each padded to whole vectors of eight.
template <class Code>
struct NodeRows {
    static constexpr std::size_t vector = 8;
    std::vector<Code> codes;  // row-major, `width` each
    std::vector<std::int64_t> weights;
    std::size_t width = 0;

    std::size_t size() const { return weights.size(); }
    const Code* row(std::size_t i) const { return codes.data() + i * width; }
    static std::size_t width_for(std::size_t columns) { return (columns + vector - 1) / vector * vector; }
};

// A closed set below which the search has still to go.
template <class Code>
struct ClosedTask {
    std::vector<Code> nodes;
    std::size_t column;  // extended last
    std::int64_t support;
};

// Depth-first search by prefix-preserving closure extension. From a closed set X last
// extended in column c, every column j >= c is lowered to each frequent child of X[j]
// and the result closed; it is taken only if the closure left all columns before j as
// they were. So each closed set is reached from exactly one other and nothing visited
// is remembered.
//
// A node of the search carries its own rows, fewer and fewer: only columns that can
// still change; values below which nothing is frequent lifted to the lowest frequent
// ancestor (k rows never have a lower common ancestor anyway); rows that became equal
// merged. Columns before c matter only for the test above, so in these the rows merged
// may differ and keep their common ancestor.
template <class Code>
class ClosedSearch {
  public:
    using Rows = NodeRows<Code>;
    using Task = ClosedTask<Code>;

    // With `found` null the sets are only counted.
    ClosedSearch(const std::vector<Tree>& trees, const Rows& all, std::int64_t k, FoundSets<Code>* found,
                 Control& control)
        : trees_(trees), all_(all), k_(k), found_(found), control_(control), set_(trees.size()) {
        std::size_t most = 1;
        for (const Tree& tree : trees) most = std::max(most, static_cast<std::size_t>(tree.size()));
        count_.assign(most, 0);
        place_.resize(most);
        child_at_.resize(most);
        lift_.resize(trees.size());
    }

    // Finds everything below the task's set, except below those sets that hold more
    // than `largest` rows or lie very deep: these are found but left in `later`.
    void search(const Task& task, std::int64_t largest, std::vector<Task>& later) {
        largest_ = largest;
        later_ = &later;
        set_ = task.nodes;
        Level& top = level(0);
        top.start(trees_.size(), all_.width);
        std::iota(top.column.begin(), top.column.end(), std::size_t{0});
        top.at = set_;
        kept_.clear();
        for (std::size_t c = 0; c < trees_.size(); ++c)
            if (set_[c] != 0) kept_.push_back(c);
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const Code* row = all_.row(i);
            const auto below = [&](std::size_t c) { return row[c] >= set_[c] && row[c] < trees_[c].end[set_[c]]; };
            if (std::all_of(kept_.begin(), kept_.end(), below)) top.add(row, all_.weights[i]);
        }
        account(top);
        extend(0, task.column);
        report();
    }

    void take(std::span<const Code> set, std::int64_t support) {
        if (found_) found_->add(set, support, control_);
        if (++unreported_ == 1024) report();
    }
    void report() {
        control_.found(unreported_);
        n_taken_ += unreported_;
        unreported_ = 0;
    }
    std::int64_t n_taken() const { return n_taken_; }

  private:
    // A frequent child of the lane being extended, with the rows below it.
    struct Child {
        Code node;
        std::int64_t support;
        std::size_t begin, end;  // in members
    };
    // Lane l of the rows is column[l], ascending, and the closed set has node at[l] there.
    struct Level {
        Rows rows;
        std::vector<std::size_t> column;
        std::vector<Code> at;
        std::vector<Child> children;
        std::vector<std::uint32_t> members;
        std::int64_t claimed = 0;  // bytes

        void start(std::size_t n_lanes, std::size_t width) {
            rows.codes.clear();
            rows.weights.clear();
            rows.width = width;
            column.resize(n_lanes);
            at.resize(n_lanes);
        }
        void add(const Code* row, std::int64_t weight) {
            rows.codes.insert(rows.codes.end(), row, row + rows.width);
            rows.weights.push_back(weight);
        }
    };
    static constexpr std::size_t few_rows = 32;  // below, lifting and merging cost more than they save
    static constexpr std::size_t deepest = 128;  // a hierarchy may be a long comb; the stack is short

    Level& level(std::size_t depth) {
        while (levels_.size() <= depth) levels_.emplace_back();
        return levels_[depth];
    }
    void account(Level& level) {
        const auto bytes = static_cast<std::int64_t>(level.rows.codes.capacity() * sizeof(Code) +
                                                     level.rows.weights.capacity() * sizeof(std::int64_t));
        if (bytes > level.claimed) control_.claim(bytes - std::exchange(level.claimed, bytes));
    }
    const Tree& tree(const Level& level, std::size_t lane) const { return trees_[level.column[lane]]; }

    void extend(std::size_t depth, std::size_t core) {
        control_.check();
        Level& here = level(depth);
        if (here.rows.size() > few_rows) condense(here, core);
        for (std::size_t lane = 0; lane < here.column.size(); ++lane) {
            if (here.column[lane] < core || tree(here, lane).is_leaf(here.at[lane])) continue;
            group_by_child(here, lane);
            for (const Child& child : here.children) try_child(depth, lane, child);
        }
    }

    // Fills here.children and here.members for one lane.
    void group_by_child(Level& here, std::size_t lane) {
        const Tree& own = tree(here, lane);
        const std::int32_t top = here.at[lane];
        const std::size_t n = here.rows.size();
        const bool look_up = n > static_cast<std::size_t>(own.end[top] - top);  // else climbing is cheaper
        for (std::int32_t child = top + 1; look_up && child < own.end[top]; child = own.end[child])
            std::fill(child_at_.begin() + child, child_at_.begin() + own.end[child], static_cast<Code>(child));
        child_of_.resize(n);
        seen_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            std::int32_t child = here.rows.row(i)[lane];
            if (child == top) {
                child_of_[i] = 0;  // lifted: below no child (and 0 is nobody's child)
                continue;
            }
            if (look_up) child = child_at_[child];
            while (own.parent[child] != top) child = own.parent[child];
            child_of_[i] = static_cast<Code>(child);
            if (count_[child] == 0) seen_.push_back(static_cast<Code>(child));
            count_[child] += here.rows.weights[i];
            ++place_[child];
        }
        here.children.clear();
        std::size_t end = 0;
        for (const Code child : seen_) {
            if (count_[child] < k_) continue;
            here.children.push_back({child, count_[child], end, end + place_[child]});
            end += place_[child];
        }
        for (const Child& child : here.children) place_[child.node] = child.begin;
        here.members.resize(end);
        for (std::size_t i = 0; i < n; ++i)
            if (const Code child = child_of_[i]; child != 0 && count_[child] >= k_)
                here.members[place_[child]++] = static_cast<std::uint32_t>(i);
        for (const Code child : seen_) count_[child] = 0, place_[child] = 0;
    }

    // Closes the set with `lane` lowered to the child; if it has not been found from
    // elsewhere, takes it and goes on below it.
    void try_child(std::size_t depth, std::size_t lane, const Child& child) {
        Level& here = level(depth);
        Level& next = level(depth + 1);
        const std::size_t n_lanes = here.column.size(), width = here.rows.width;
        const std::span<const std::uint32_t> members(here.members.data() + child.begin, child.end - child.begin);
        lowest_.resize(width);
        highest_.resize(width);
        for (std::size_t block = 0; block < width; block += Rows::vector) {
            std::array<Code, Rows::vector> low, high;
            low.fill(std::numeric_limits<Code>::max());
            high.fill(0);
            for (const std::uint32_t i : members) {
                const Code* row = here.rows.row(i) + block;
                for (std::size_t l = 0; l < Rows::vector; ++l) {
                    low[l] = std::min(low[l], row[l]);
                    high[l] = std::max(high[l], row[l]);
                }
            }
            std::copy(low.begin(), low.end(), lowest_.data() + block);
            std::copy(high.begin(), high.end(), highest_.data() + block);
        }
        for (std::size_t l = 0; l < lane; ++l)
            if (tree(here, l).common(lowest_[l], highest_[l]) != here.at[l]) return;
        next.start(n_lanes, width);
        bool may_go_on = false;
        for (std::size_t l = 0; l < n_lanes; ++l) {
            next.column[l] = here.column[l];
            next.at[l] = l < lane ? here.at[l] : static_cast<Code>(tree(here, l).common(lowest_[l], highest_[l]));
            may_go_on |= l >= lane && !tree(here, l).is_leaf(next.at[l]);
            set_[here.column[l]] = next.at[l];
        }
        take(set_, child.support);
        if (may_go_on && child.support > k_) {  // with k rows, any lower set has fewer
            if (child.support > largest_ || depth == deepest) {
                later_->push_back({set_, here.column[lane], child.support});
            } else {
                for (const std::uint32_t i : members) next.add(here.rows.row(i), here.rows.weights[i]);
                account(next);
                extend(depth + 1, here.column[lane]);
            }
        }
        for (std::size_t l = 0; l < n_lanes; ++l) set_[here.column[l]] = here.at[l];
    }

    // Drops lanes that have no frequent child left, lifts values, merges equal rows.
    void condense(Level& here, std::size_t core) {
        std::vector<std::size_t>& kept = kept_;
        kept.clear();
        const std::size_t n = here.rows.size();
        for (std::size_t lane = 0; lane < here.column.size(); ++lane) {
            const Tree& own = tree(here, lane);
            const std::int32_t top = here.at[lane], end = own.end[top];
            if (own.is_leaf(top)) continue;
            std::fill(count_.begin() + top, count_.begin() + end, 0);
            for (std::size_t i = 0; i < n; ++i) count_[here.rows.row(i)[lane]] += here.rows.weights[i];
            for (std::int32_t v = end - 1; v > top; --v) count_[own.parent[v]] += count_[v];
            std::vector<Code>& lift = lift_[kept.size()];
            lift.resize(own.parent.size());
            lift[top] = static_cast<Code>(top);
            bool frequent = false;
            for (std::int32_t v = top + 1; v < end; ++v) {
                lift[v] = count_[v] >= k_ ? static_cast<Code>(v) : lift[own.parent[v]];
                frequent |= count_[v] >= k_;
            }
            std::fill(count_.begin() + top, count_.begin() + end, 0);
            if (frequent) kept.push_back(lane);
        }
        std::size_t first = 0;  // lane that may be extended, after the others have gone
        while (first < kept.size() && here.column[kept[first]] < core) ++first;
        if (first == kept.size()) kept.clear(), first = 0;  // nothing more to find
        merge(here, kept, first);
        for (std::size_t l = 0; l < kept.size(); ++l) {
            here.column[l] = here.column[kept[l]];
            here.at[l] = here.at[kept[l]];
        }
        here.column.resize(kept.size());
        here.at.resize(kept.size());
    }

    // Rows equal in the kept lanes from `first` on become one. In place: a row is
    // written no later than where it was read.
    void merge(Level& here, const std::vector<std::size_t>& kept, std::size_t first) {
        Rows& rows = here.rows;
        const std::size_t n = kept.empty() ? 0 : rows.size(), width = Rows::width_for(kept.size());
        const std::size_t capacity = std::bit_ceil(2 * n + 1);
        slots_.assign(capacity, 0);  // 1 + row
        row_.assign(width, 0);
        std::size_t n_merged = 0;
        for (std::size_t i = 0; i < n; ++i) {
            std::uint64_t hash = 0x9e3779b97f4a7c15u;
            for (std::size_t l = 0; l < kept.size(); ++l) {
                row_[l] = lift_[l][rows.row(i)[kept[l]]];
                if (l >= first) hash = (hash ^ row_[l]) * 0xff51afd7ed558ccdu;
            }
            std::size_t slot = (hash ^ (hash >> 32)) & (capacity - 1);
            Code* other = nullptr;
            for (; slots_[slot] != 0; slot = (slot + 1) & (capacity - 1)) {
                other = rows.codes.data() + (slots_[slot] - 1) * width;
                if (std::equal(row_.data() + first, row_.data() + kept.size(), other + first)) break;
            }
            const std::int64_t weight = rows.weights[i];
            if (slots_[slot] != 0) {
                rows.weights[slots_[slot] - 1] += weight;
                for (std::size_t l = 0; l < first; ++l) {
                    const auto [low, high] = std::minmax(other[l], row_[l]);
                    other[l] = static_cast<Code>(tree(here, kept[l]).common(low, high));
                }
            } else {
                std::copy(row_.begin(), row_.end(), rows.codes.data() + n_merged * width);
                rows.weights[n_merged] = weight;
                slots_[slot] = static_cast<std::uint32_t>(++n_merged);
            }
        }
        rows.width = width;
        rows.codes.resize(n_merged * width);
        rows.weights.resize(n_merged);
    }

    const std::vector<Tree>& trees_;
    const Rows& all_;
    const std::int64_t k_;
    FoundSets<Code>* const found_;
    Control& control_;
    std::int64_t largest_ = 0, unreported_ = 0, n_taken_ = 0;
    std::vector<Task>* later_ = nullptr;
    std::vector<Code> set_;      // the closed set where the search is
    std::deque<Level> levels_;   // a deque: levels stay where they are while deeper ones are added
    std::vector<std::int64_t> count_;  // by node; all 0 between uses
    std::vector<std::size_t> place_;   // likewise
    std::vector<Code> child_of_, child_at_, seen_, lowest_, highest_, row_;
    std::vector<std::vector<Code>> lift_;
    std::vector<std::size_t> kept_;
    std::vector<std::uint32_t> slots_;
};

// ---- The miner ----

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
