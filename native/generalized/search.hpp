// The search for closed generalized itemsets, one worker's part of it.
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

#include "base/control.hpp"
#include "generalized/hierarchy.hpp"
#include "generalized/sets.hpp"

namespace discreet {

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

}  // namespace discreet
