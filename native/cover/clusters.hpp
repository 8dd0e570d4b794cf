// From a cover to disjoint clusters of k to 2k-1 rows: algorithm 2 of Kenig (2009), set by set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace discreet {

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

}  // namespace discreet
