// A cheap cover of all rows by closed sets: Gen-Cover-CF (algorithm 18 of Kenig 2009) by
// exact lazy greedy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <queue>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/control.hpp"
#include "cover/row_index.hpp"
#include "cover/set_costs.hpp"

namespace discreet {

// ---- Clusters ----
// From a cover to disjoint clusters of k to 2k-1 rows: algorithm 2 of Kenig (2009), set by set.

// Sets are added one by one, each of k to 2k-1 rows; after each the clusters are disjoint.
class CoverClusters {
  public:
    CoverClusters(std::size_t n_rows, std::int64_t k) : k_(k), cluster_of_(n_rows, none) {}

    std::size_t size() const { return size_.size(); }  // emptied clusters included
    bool has(std::uint32_t row) const { return cluster_of_[row] != none; }
    std::int32_t cluster_of(std::uint32_t row) const { return cluster_of_[row]; }
    // Rows that the row's cluster can give away and still have k.
    std::int64_t spare(std::uint32_t row) const { return size_[cluster_of_[row]] - k_; }

    void add(std::span<const std::uint32_t> set) {
        const auto own = static_cast<std::int32_t>(size_.size());
        size_.push_back(static_cast<std::int64_t>(set.size()));
        rows_.emplace_back();
        for (std::size_t i = 0; i < set.size(); ++i) {
            const std::int32_t other = cluster_of_[set[i]];
            if (other == own) continue;  // came with a cluster that was joined
            if (other != none && size_[other] == k_) {
                if (size_[own] > k_)
                    --size_[own];  // the row stays where it was
                else
                    join(own, other, set.subspan(i));
                continue;
            }
            if (other != none) --size_[other];
            put(set[i], own);
        }
    }

    // The cluster of each row, numbered by their first rows.
    std::vector<std::int64_t> numbered() const {
        std::vector<std::int64_t> number(size_.size(), -1), clusters;
        std::int64_t next = 0;
        for (const std::int32_t cluster : cluster_of_) {
            if (cluster != none && number[cluster] < 0) number[cluster] = next++;
            clusters.push_back(cluster == none ? -1 : number[cluster]);
        }
        return clusters;
    }

  private:
    static constexpr std::int32_t none = -1;

    void put(std::uint32_t row, std::int32_t cluster) {
        cluster_of_[row] = cluster;
        rows_[cluster].push_back(row);
    }
    // Both have k rows and share one, so together at most 2k-1.
    void join(std::int32_t own, std::int32_t other, std::span<const std::uint32_t> rest) {
        size_[own] += size_[other];
        for (const std::uint32_t row : rest) size_[own] -= cluster_of_[row] == other;
        for (const std::uint32_t row : rows_[other])
            if (cluster_of_[row] == other) put(row, own);
        rows_[other] = {};
    }

    const std::int64_t k_;
    std::vector<std::int32_t> cluster_of_;
    std::vector<std::int64_t> size_;
    std::vector<std::vector<std::uint32_t>> rows_;  // and some that have left
};

// ---- The cover ----

__extension__ using Wide = __int128;

// What a chosen set costs: the cost of its nodes for each of its rows, or once.
enum class Price { rows, set };

// Set i is rows[offsets[i] .. offsets[i+1]), ascending, chosen from closed set sets[i].
struct Cover {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> sets;
};

class GreedyCover {
  public:
    // Set i has node nodes[i * n_columns + column] and cost costs[i] >= 0; each must hold k
    // rows or more, and k is at least 2. Costs are below 2^62, so that products fit.
    GreedyCover(const PreorderTable& table, std::span<const std::int32_t> nodes, const std::vector<std::int64_t>& costs,
                std::int64_t k, Price price, Control& control)
        : n_columns_(table.n_columns()), nodes_(nodes), costs_(costs), k_(k), most_(2 * k - 1), price_(price),
          control_(control), all_(table, control), left_(table, control), clusters_(table.n_rows, k) {}

    Cover find() {
        control_.expect(left_.size());
        control_.claim(static_cast<std::int64_t>(costs_.size() * (sizeof(std::uint32_t) + sizeof(Entry))));
        unseen_.resize(costs_.size());
        std::iota(unseen_.begin(), unseen_.end(), 0u);
        sort_by(unseen_, costs_);
        while (left_.size() > 0) {
            control_.check();
            if (!has_next()) throw std::invalid_argument("the sets do not cover all rows");
            Entry entry = next();
            entry.n_new = left_.count(set(entry.number), most_, reader_);
            if (entry.n_new == 0) continue;
            if (!has_next() || !is_before(peek(), entry)) choose(entry.number);
            seen_.push(entry);
        }
        return std::move(cover_);
    }

  private:
    // A set as it was last seen. Rows left under it can only have become fewer since, so
    // that it can only have moved back.
    struct Entry {
        std::int64_t cost;
        std::int64_t n_new;  // rows it would cover anew, at most 2k-1
        std::uint32_t number;
    };
    // By price for each row newly covered, then more of these, then by number.
    bool is_before(const Entry& a, const Entry& b) const {
        const Wide one = Wide{a.cost} * size(a) * b.n_new, other = Wide{b.cost} * size(b) * a.n_new;
        if (one != other) return one < other;
        return a.n_new != b.n_new ? a.n_new > b.n_new : a.number < b.number;
    }
    std::int64_t size(const Entry& entry) const { return price_ == Price::set ? 1 : std::max(k_, entry.n_new); }
    struct IsAfter {
        const GreedyCover* cover;
        bool operator()(const Entry& a, const Entry& b) const { return cover->is_before(b, a); }
    };

    // Sets not seen yet wait in the order of cost, the others in a heap.
    bool has_next() const { return n_seen_ < unseen_.size() || !seen_.empty(); }
    Entry first_unseen() const { return {costs_[unseen_[n_seen_]], most_, unseen_[n_seen_]}; }
    bool next_is_unseen() const { return seen_.empty() || (n_seen_ < unseen_.size() && is_before(first_unseen(), seen_.top())); }
    Entry peek() const { return next_is_unseen() ? first_unseen() : seen_.top(); }
    Entry next() {
        const Entry first = peek();
        if (next_is_unseen())
            ++n_seen_;
        else
            seen_.pop();
        return first;
    }
    RowIndex::Set set(std::uint32_t number) const { return nodes_.subspan(number * n_columns_, n_columns_); }

    void choose(std::uint32_t number) {
        const auto listed = left_.list(set(number), 3 * k_ - 1, reader_);
        std::vector<std::uint32_t> chosen(listed.begin(), listed.end());
        const auto n = static_cast<std::int64_t>(chosen.size());
        // Priced by rows, k are left for the next set rather than fewer, which would be dearer.
        if (n > most_) chosen.resize(static_cast<std::size_t>(price_ == Price::set ? most_ : std::min(most_, n - k_)));
        left_.remove(chosen);
        control_.advance(static_cast<std::int64_t>(chosen.size()));
        if (n < (price_ == Price::set ? most_ : k_)) fill(number, chosen);
        clusters_.add(chosen);
        cover_.sets.push_back(number);
        cover_.rows.insert(cover_.rows.end(), chosen.begin(), chosen.end());
        cover_.offsets.push_back(static_cast<std::int64_t>(cover_.rows.size()));
    }

    // Adds rows covered before: up to k, or priced once all if that is at most 2k-1. Those
    // first whose clusters have more than k, so that algorithm 2 need not join clusters.
    void fill(std::uint32_t number, std::vector<std::uint32_t>& chosen) {
        const auto listed = all_.list(set(number), all_.size(), reader_);
        const auto support = static_cast<std::int64_t>(listed.size()), n_new = static_cast<std::int64_t>(chosen.size());
        if (support < k_) throw std::invalid_argument("set " + std::to_string(number) + " holds fewer than k rows");
        std::int64_t wanted = std::max(k_, n_new) - n_new;
        if (price_ == Price::set && support <= most_) wanted = support - n_new;
        asked_.resize(clusters_.size(), 0);
        std::vector<std::uint32_t> others;
        for (const std::uint32_t row : listed) {
            if (!clusters_.has(row)) continue;
            std::int64_t& asked = asked_[clusters_.cluster_of(row)];
            if (wanted > 0 && clusters_.spare(row) > asked) {
                chosen.push_back(row);
                ++asked;
                --wanted;
            } else {
                others.push_back(row);
            }
        }
        for (const std::uint32_t row : std::span(chosen).subspan(static_cast<std::size_t>(n_new))) asked_[clusters_.cluster_of(row)] = 0;
        chosen.insert(chosen.end(), others.begin(), others.begin() + wanted);
        std::sort(chosen.begin(), chosen.end());
    }

    const std::size_t n_columns_;
    const std::span<const std::int32_t> nodes_;
    const std::vector<std::int64_t>& costs_;
    const std::int64_t k_, most_;
    const Price price_;
    Control& control_;
    RowIndex all_, left_;
    RowIndex::Reader reader_;
    CoverClusters clusters_;
    Cover cover_;
    std::vector<std::uint32_t> unseen_;
    std::size_t n_seen_ = 0;
    std::priority_queue<Entry, std::vector<Entry>, IsAfter> seen_{IsAfter{this}};
    std::vector<std::int64_t> asked_;  // of each cluster, while rows are chosen
};

}  // namespace discreet
