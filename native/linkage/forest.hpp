// Forests of rows: every row points at a near one until trees are large, then trees are cut.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "linkage/nodes.hpp"

namespace discreet {

// ---- The nearest record ----
// Finds the record that costs least to join with a given one, without looking at them all.

// Records in lexicographic order, columns with few nodes first, so that those that begin alike
// stand together. A search adds up costs column by column and, as soon as they are too much,
// passes over all records that begin alike.
class NearestRecord {
  public:
    static constexpr std::int32_t none = -1;

    NearestRecord(const Nodes& nodes, Control& control) : nodes_(nodes), width_(nodes.width()), sums_(width_ + 1) {
        const std::size_t n = nodes.n_records();
        control.claim(static_cast<std::int64_t>(n * (2 * width_ + 3) * sizeof(std::int32_t)));
        std::vector<std::size_t> columns(width_);
        std::iota(columns.begin(), columns.end(), std::size_t{0});
        std::stable_sort(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) { return nodes.n_nodes(a) < nodes.n_nodes(b); });
        records_.resize(n);
        std::iota(records_.begin(), records_.end(), 0);
        std::sort(records_.begin(), records_.end(), [&](std::int32_t a, std::int32_t b) {
            for (const std::size_t c : columns)
                if (nodes.record(a)[c] != nodes.record(b)[c]) return nodes.record(a)[c] < nodes.record(b)[c];
            return false;
        });
        place_of_.resize(n);
        for (std::size_t place = 0; place < n; ++place) {
            place_of_[static_cast<std::size_t>(records_[place])] = static_cast<std::int32_t>(place);
            for (const std::size_t c : columns) shown_.push_back(nodes.record(records_[place])[c]);
        }
        alike_.resize(n);
        after_.resize(n * width_);
        for (std::size_t place = n; place-- > 0;) {
            const std::size_t next = place + 1;
            if (next < n) alike_[next] = static_cast<std::int32_t>(std::mismatch(at(place), at(place) + width_, at(next)).first - at(place));
            for (std::size_t c = 0; c < width_; ++c) {
                const bool begins_alike = next < n && static_cast<std::size_t>(alike_[next]) > c;
                after_[place * width_ + c] = begins_alike ? after_[next * width_ + c] : static_cast<std::int32_t>(next);
            }
        }
    }

    struct Found {
        std::int32_t record = none;
        std::int32_t cost = std::numeric_limits<std::int32_t>::max();
    };

    // The cheapest to join with `record` among the records that accept(record) takes, of equally
    // cheap ones the one with the smallest number. The record itself takes part.
    template <class Accept>
    Found find(std::int32_t record, Accept&& accept) {
        nodes_.price(nodes_.record(record), prices_);
        Found best;
        const auto take = [&](std::size_t place, std::int32_t cost) {
            const std::int32_t other = records_[place];
            if ((cost < best.cost || (cost == best.cost && other < best.record)) && accept(other)) best = {other, cost};
        };
        // Its neighbours in order are like it: after them most others are seen to be too dear.
        const auto here = static_cast<std::size_t>(place_of_[static_cast<std::size_t>(record)]), n = records_.size();
        for (std::size_t place = here - std::min(here, nearby); place < std::min(n, here + nearby + 1); ++place) take(place, cost_at(place));
        for (std::size_t place = 0, column = 0; place < n;) {
            const std::int32_t* shown = at(place);
            while (column < width_ && sums_[column] <= best.cost) {
                sums_[column + 1] = sums_[column] + prices_[static_cast<std::size_t>(shown[column])];
                ++column;
            }
            if (sums_[column] <= best.cost) {
                take(place, sums_[column]);
                ++place;
            } else {
                place = static_cast<std::size_t>(after_[place * width_ + column - 1]);
            }
            if (place < n) column = static_cast<std::size_t>(alike_[place]);
        }
        return best;
    }

  private:
    static constexpr std::size_t nearby = 8;

    const std::int32_t* at(std::size_t place) const { return shown_.data() + place * width_; }
    std::int32_t cost_at(std::size_t place) const {
        std::int32_t sum = 0;
        for (std::size_t c = 0; c < width_; ++c) sum += prices_[static_cast<std::size_t>(at(place)[c])];
        return sum;
    }

    const Nodes& nodes_;
    std::size_t width_;
    std::vector<std::int32_t> records_, place_of_;  // in order, and back
    std::vector<std::int32_t> shown_;               // width_ nodes of each, in the order of columns used here
    std::vector<std::int32_t> alike_;               // first columns that a record shares with the one before
    std::vector<std::int32_t> after_;               // of each record and column: the next that differs so far
    std::vector<std::int32_t> prices_, sums_;
};

// ---- The forest ----

// Trees as sets of rows that only grow together.
class Trees {
  public:
    explicit Trees(std::size_t n) : above_(n), size_(n, 1) { std::iota(above_.begin(), above_.end(), 0); }
    std::int32_t of(std::int32_t row) {
        while (above_[row] != row) row = above_[row] = above_[above_[row]];
        return row;
    }
    std::int32_t size(std::int32_t tree) const { return size_[tree]; }
    void join(std::int32_t tree, std::int32_t other) {
        above_[tree] = other;
        size_[other] += size_[tree];
    }

  private:
    std::vector<std::int32_t> above_, size_;
};

// The row that each row points at, -1 for none: trees with at least k rows each. Rows in their
// order, each that is the root of a tree with fewer than k rows points at the row outside its
// tree that costs least to join with; among equally cheap ones at an equal row if there is one,
// else at the first row of the record that comes first. Needs at least k rows.
inline std::vector<std::int64_t> grow_forest(std::span<const CostColumn> columns, std::int64_t k, Control& control) {
    const Nodes nodes(columns, control);
    NearestRecord nearest(nodes, control);
    const std::size_t n_rows = nodes.n_rows();
    control.claim(static_cast<std::int64_t>(n_rows * (sizeof(std::int64_t) + 4 * sizeof(std::int32_t))));
    const auto [start, rows] = nodes.rows_by_record();
    Trees trees(n_rows);
    std::vector<std::int64_t> target(n_rows, -1);
    control.expect(static_cast<std::int64_t>(n_rows));
    for (std::size_t row = 0; row < n_rows; ++row, control.advance()) {
        control.check();
        const std::int32_t tree = trees.of(static_cast<std::int32_t>(row)), record = nodes.groups.group_of[row];
        if (trees.size(tree) >= k) continue;
        const auto outside = [&](std::int32_t of) {
            for (std::size_t i = start[of]; i < start[of + 1]; ++i)
                if (trees.of(rows[i]) != tree) return rows[i];
            return std::int32_t{-1};
        };
        std::int32_t other = outside(record);
        if (other < 0) other = outside(nearest.find(record, [&](std::int32_t of) { return outside(of) >= 0; }).record);
        target[row] = other;
        trees.join(tree, trees.of(other));
    }
    return target;
}

// What is wrong with a forest given as the row that each row points at; empty if nothing is.
inline std::string problem_of_forest(std::span<const std::int64_t> target) {
    const auto n = static_cast<std::int64_t>(target.size());
    if (n >= (std::int64_t{1} << 31)) return "there are 2^31 rows or more";
    std::vector<std::int32_t> n_children(target.size(), 0);
    for (std::int64_t row = 0; row < n; ++row) {
        if (target[row] < -1 || target[row] >= n) return "row " + std::to_string(row) + " points at what is not a row";
        if (target[row] >= 0) ++n_children[target[row]];
    }
    std::vector<std::int64_t> bare;  // rows to which nothing points any more
    for (std::int64_t row = 0; row < n; ++row)
        if (n_children[row] == 0) bare.push_back(row);
    for (std::size_t i = 0; i < bare.size(); ++i)
        if (const std::int64_t above = target[bare[i]]; above >= 0 && --n_children[above] == 0) bare.push_back(above);
    return bare.size() == target.size() ? "" : "rows point at each other in a circle";
}

// Cuts trees of rows, given as the row that each points at, into parts of at least k rows and, if
// k > 1, at most 3(k - 1).
//
// As long as it works: u is the deepest row of a tree with k rows at and under it, of several the
// first; so there are fewer than k under each of its children. If the rest of the tree has k rows,
// the tree is cut above u. Else children of u are cut off together with all under them, those
// with most rows first, of several the first, until these are k; not if that left fewer than k.
class TreeCutter {
  public:
    // A row that points at none is a root; there must be no circles.
    TreeCutter(std::span<const std::int64_t> target, std::int64_t k)
        : target_(target.begin(), target.end()), k_(k), root_(target.size(), -1), size_(target.size(), 1), part_(target.size(), -1) {
        order_deepest_first();
        list_children();
    }

    // The part of each row.
    std::vector<std::int64_t> cut(Control& control) {
        std::vector<std::int64_t> left(target_.size(), 0);  // at roots: rows not cut off yet
        for (const std::int32_t row : order_) ++left[root_[row]];
        for (const std::int32_t row : order_) {
            control.check();
            for (std::size_t i = start_[row]; i < start_[row + 1]; ++i)
                if (part_[children_[i]] < 0) size_[row] += size_[children_[i]];
            if (size_[row] < k_) continue;
            std::int64_t& tree = left[root_[row]];
            if (tree - size_[row] >= k_) {
                tree -= size_[row];
                cut_children(row, size_[row]);
                part_[row] = n_parts_++;
            } else {
                tree -= cut_children(row, tree);
            }
        }
        for (std::size_t i = order_.size(); i-- > 0;) {  // parents before children
            const std::int32_t row = order_[i];
            if (part_[row] < 0) part_[row] = target_[row] < 0 ? n_parts_++ : part_[target_[row]];
        }
        return std::move(part_);
    }

  private:
    void order_deepest_first() {
        std::vector<std::int32_t> depth(target_.size(), 0), path;
        for (std::int32_t row = 0; row < static_cast<std::int32_t>(target_.size()); ++row) {
            std::int32_t known = row;
            for (; root_[known] < 0 && target_[known] >= 0; known = static_cast<std::int32_t>(target_[known])) path.push_back(known);
            if (root_[known] < 0) root_[known] = known;
            for (; !path.empty(); path.pop_back()) {
                root_[path.back()] = root_[known];
                depth[path.back()] = depth[known] + 1;
                known = path.back();
            }
        }
        order_.resize(target_.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::stable_sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) { return depth[a] > depth[b]; });
    }

    void list_children() {
        start_.assign(target_.size() + 1, 0);
        for (const std::int64_t above : target_)
            if (above >= 0) ++start_[above + 1];
        std::partial_sum(start_.begin(), start_.end(), start_.begin());
        children_.resize(start_.back());
        std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
        for (std::size_t row = 0; row < target_.size(); ++row)
            if (target_[row] >= 0) children_[next[target_[row]]++] = static_cast<std::int32_t>(row);
    }

    // Cuts children of u off, in groups, from a tree with so many rows; the number of rows cut off.
    std::int64_t cut_children(std::int32_t u, std::int64_t tree) {
        std::vector<std::int32_t> some(children_.begin() + start_[u], children_.begin() + start_[u + 1]);
        std::erase_if(some, [&](std::int32_t child) { return part_[child] >= 0; });
        std::stable_sort(some.begin(), some.end(), [&](std::int32_t a, std::int32_t b) { return size_[a] > size_[b]; });
        std::int64_t gone = 0;
        for (std::size_t first = 0, end = 0; size_[u] >= k_; first = end, ++n_parts_) {
            std::int64_t rows = 0;
            while (rows < k_ && end < some.size()) rows += size_[some[end++]];  // minimal j with s_1 + ... + s_j >= k
            if (rows < k_ || tree - gone - rows < k_) break;
            for (std::size_t i = first; i < end; ++i) part_[some[i]] = n_parts_;
            gone += rows;
            size_[u] -= rows;
        }
        return gone;
    }

    std::vector<std::int64_t> target_;
    std::int64_t k_, n_parts_ = 0;
    std::vector<std::int32_t> root_, order_, children_;
    std::vector<std::size_t> start_;   // of each row's children
    std::vector<std::int64_t> size_;   // rows at and under each that are not cut off
    std::vector<std::int64_t> part_;   // -1 if not cut off itself
};

}  // namespace discreet
