// Clusters of rows that grow by uniting the closest two, until they have k rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "linkage/nodes.hpp"

namespace discreet {

// ---- Living clusters ----
// Clusters that still grow, packed for the search of the closest.

// What a cluster weighs and what each of its rows loses.
struct ClusterLoss {
    double weight, cost;
};

// How much more is lost in all when two clusters become one whose rows lose `joint` each.
struct ChangeOfLoss {
    double operator()(const ClusterLoss& a, const ClusterLoss& b, double joint) const {
        return (a.weight + b.weight) * joint - a.weight * a.cost - b.weight * b.cost;
    }
};

// How many times more a row then loses; `least` is added so that losing nothing can be compared.
struct RatioOfLoss {
    double least;
    double operator()(const ClusterLoss& a, const ClusterLoss& b, double joint) const { return joint / (a.cost + b.cost + least); }
};

// Clusters are numbered as they come, and stay in that order. Memory for those that live.
class LivingClusters {
  public:
    explicit LivingClusters(const Nodes& nodes) : nodes_(nodes), width_(nodes.width()) {}

    std::int64_t count() const { return n_living_; }
    bool lives(std::int64_t number) const { return place_of_[number] != gone; }
    const std::int32_t* shown(std::int64_t number) const { return shown_.data() + place_of_[number] * width_; }
    const ClusterLoss& loss(std::int64_t number) const { return losses_[place_of_[number]]; }

    // Adds a cluster that shows these nodes; its number.
    std::int64_t add(const std::int32_t* shown, double weight) {
        const auto number = static_cast<std::int64_t>(place_of_.size());
        place_of_.push_back(numbers_.size());
        numbers_.push_back(number);
        losses_.push_back({weight, static_cast<double>(nodes_.cost_of(shown))});
        shown_.insert(shown_.end(), shown, shown + width_);
        ++n_living_;
        return number;
    }

    void remove(std::int64_t number) {
        numbers_[place_of_[number]] = -1;
        place_of_[number] = gone;
        --n_living_;
        if (numbers_.size() > 64 + static_cast<std::size_t>(n_living_) * 5 / 4) pack();
    }

    struct Closest {
        std::int64_t number = -1;
        double distance = std::numeric_limits<double>::infinity();
    };

    // The closest cluster with a smaller number, of equally close ones the first. None is closer
    // than `bound`, so that one as close ends the search. Distances must not fall with what is
    // lost, and no node may cost less than 0: then a partial sum of costs tells enough.
    template <class Distance>
    Closest closest_before(std::int64_t number, const Distance& distance, double bound, std::vector<std::int32_t>& prices) const {
        nodes_.price(shown(number), prices);
        const ClusterLoss own = loss(number);
        const std::size_t end = place_of_[number], half = width_ / 2;
        Closest best;
        for (std::size_t place = 0; place < end; ++place) {
            if (numbers_[place] < 0) continue;
            const std::int32_t* other = shown_.data() + place * width_;
            std::int32_t joint = 0;
            std::size_t c = 0;
            for (; c < half; ++c) joint += prices[other[c]];
            if (distance(own, losses_[place], joint) >= best.distance) continue;
            for (; c < width_; ++c) joint += prices[other[c]];
            const double found = distance(own, losses_[place], joint);
            if (found >= best.distance) continue;
            best = {numbers_[place], found};
            if (found <= bound) break;
        }
        return best;
    }

  private:
    static constexpr std::size_t gone = std::numeric_limits<std::size_t>::max();

    void pack() {
        std::size_t kept = 0;
        for (std::size_t place = 0; place < numbers_.size(); ++place) {
            if (numbers_[place] < 0) continue;
            std::copy_n(shown_.begin() + place * width_, width_, shown_.begin() + kept * width_);
            numbers_[kept] = numbers_[place];
            losses_[kept] = losses_[place];
            place_of_[numbers_[kept]] = kept;
            ++kept;
        }
        numbers_.resize(kept);
        losses_.resize(kept);
        shown_.resize(kept * width_);
    }

    const Nodes& nodes_;
    std::size_t width_;
    std::int64_t n_living_ = 0;
    std::vector<std::size_t> place_of_;  // of every number given so far
    std::vector<std::int64_t> numbers_;  // at each place; -1 where one was removed
    std::vector<ClusterLoss> losses_;
    std::vector<std::int32_t> shown_;  // width_ nodes at each place
};

// ---- Agglomeration ----

// One run of the algorithm. Equal rows are united first, k by k as far as they go. Then of
// equally close pairs the one whose younger cluster is oldest, then whose older one is. A cluster
// looks for its closest among older ones only, so that each pair is seen once; what it found
// stays a lower bound when that one is gone, and it looks again when this bound is the least.
template <class Distance>
class Agglomeration {
  public:
    Agglomeration(const Nodes& nodes, std::span<const double> weights, std::int64_t k, bool shrinks, Distance distance, Control& control)
        : nodes_(nodes), weights_(weights), k_(static_cast<std::size_t>(k)), shrinks_(shrinks), distance_(distance), control_(control), living_(nodes) {}

    // The cluster of each row. Needs k > 1 and at least k rows.
    std::vector<std::int64_t> run() {
        control_.claim(static_cast<std::int64_t>(nodes_.n_rows() * (sizeof(std::int64_t) + sizeof(std::int32_t)) +
                                                 nodes_.n_records() * (nodes_.width() * sizeof(std::int32_t) + sizeof(ClusterLoss) + 3 * sizeof(Pair))));
        cluster_of_.assign(nodes_.n_rows(), -1);
        unite_equal_rows();
        look_for_all();
        while (living_.count() > 1) {
            control_.check();
            const Pair closest = pairs_.top();
            pairs_.pop();
            if (!living_.lives(closest.younger)) continue;
            if (living_.lives(closest.older))
                unite(closest);
            else
                look(closest.younger, closest.distance);
        }
        place_leftovers();
        return std::move(cluster_of_);
    }

  private:
    using Rows = std::vector<std::int32_t>;
    using Shown = std::vector<std::int32_t>;
    struct Pair {
        double distance;
        std::int64_t younger, older;
        bool operator<(const Pair& other) const {  // the first to unite is the largest
            return distance != other.distance ? distance > other.distance : younger > other.younger;
        }
    };

    std::int32_t record_of(std::int32_t row) const { return nodes_.groups.group_of[row]; }
    const std::int32_t* shown_by(std::int32_t row) const { return nodes_.record(record_of(row)); }

    void unite_equal_rows() {
        const auto [start, rows] = nodes_.rows_by_record();
        for (std::size_t g = 0; g < nodes_.n_records(); ++g) {
            auto first = rows.begin() + start[g];
            const auto last = rows.begin() + start[g + 1];
            for (; static_cast<std::size_t>(last - first) >= k_; first += k_) finish({first, first + k_});
            if (first != last) add({first, last});
        }
    }

    void look_for_all() {
        constexpr std::int64_t share = 64;
        const std::int64_t n = living_.count(), n_tasks = (n + share - 1) / share;
        std::vector<LivingClusters::Closest> found(n);
        std::vector<Shown> prices(control_.threads);
        for_each_task(control_, n_tasks, [&](int worker, std::int64_t task) {
            const std::int64_t end = n - task * share;  // young ones have most to look at
            for (std::int64_t number = std::max<std::int64_t>(end - share, 0); number < end; ++number)
                found[number] = living_.closest_before(number, distance_, -infinite, prices[worker]);
        });
        for (std::int64_t number = 1; number < n; ++number) pairs_.push({found[number].distance, number, found[number].number});
    }

    void look(std::int64_t number, double bound) {
        const LivingClusters::Closest found = living_.closest_before(number, distance_, bound, prices_);
        if (found.number >= 0) pairs_.push({found.distance, number, found.number});
    }

    // A new cluster of equal rows.
    std::int64_t add(Rows rows) {
        double weight = 0;
        for (const std::int32_t row : rows) weight += weights_[row];
        rows_.push_back(std::move(rows));
        control_.expect(1);
        return living_.add(shown_by(rows_.back()[0]), weight);
    }

    void unite(const Pair& pair) {
        Shown shown(nodes_.width());
        for (std::size_t c = 0; c < shown.size(); ++c) shown[c] = nodes_.join(living_.shown(pair.older)[c], living_.shown(pair.younger)[c]);
        const double weight = living_.loss(pair.older).weight + living_.loss(pair.younger).weight;
        Rows rows = std::move(rows_[pair.older]);
        rows.insert(rows.end(), rows_[pair.younger].begin(), rows_[pair.younger].end());
        Rows().swap(rows_[pair.younger]);
        living_.remove(pair.older);
        living_.remove(pair.younger);
        control_.advance();
        if (rows.size() < k_) {
            rows_.push_back(std::move(rows));
            look(living_.add(shown.data(), weight), -infinite);
            return;
        }
        std::sort(rows.begin(), rows.end());
        const Rows out = shrinks_ ? shrink(rows) : Rows();
        finish(rows);
        control_.advance();
        for (std::size_t first = 0, last = 0; first < out.size(); first = last) {  // equal rows return together
            while (last < out.size() && record_of(out[last]) == record_of(out[first])) ++last;
            look(add({out.begin() + first, out.begin() + last}), -infinite);
        }
    }

    // Takes rows out until k are left, each time the one without which the rest loses least, of
    // several the first. Returns them, equal ones together.
    Rows shrink(Rows& rows) const {
        Rows out;
        while (rows.size() > k_) {
            const auto least = rows.begin() + cheapest_without(rows);
            out.push_back(*least);
            rows.erase(least);
        }
        std::sort(out.begin(), out.end(), [&](std::int32_t a, std::int32_t b) { return std::pair(record_of(a), a) < std::pair(record_of(b), b); });
        return out;
    }

    std::size_t cheapest_without(const Rows& rows) const {
        std::vector<std::int64_t> costs(rows.size(), 0);
        for (std::size_t c = 0; c < nodes_.width(); ++c) {
            std::int32_t first = std::numeric_limits<std::int32_t>::max(), second = first, last = -1, last_but_one = -1;
            for (const std::int32_t row : rows) {
                const std::int32_t node = shown_by(row)[c];
                second = std::min(second, std::max(first, node));
                first = std::min(first, node);
                last_but_one = std::max(last_but_one, std::min(last, node));
                last = std::max(last, node);
            }
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const std::int32_t node = shown_by(rows[i])[c];
                costs[i] += nodes_.cost(nodes_.common(node == first ? second : first, node == last ? last_but_one : last));
            }
        }
        return static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    }

    // Rows that stay together.
    void finish(const Rows& rows) {
        Shown shown(shown_by(rows[0]), shown_by(rows[0]) + nodes_.width());
        double weight = 0;
        for (const std::int32_t row : rows) {
            for (std::size_t c = 0; c < shown.size(); ++c) shown[c] = nodes_.join(shown[c], shown_by(row)[c]);
            weight += weights_[row];
            cluster_of_[row] = static_cast<std::int64_t>(finished_losses_.size());
        }
        finished_losses_.push_back({weight, static_cast<double>(nodes_.cost_of(shown.data()))});
        finished_.insert(finished_.end(), shown.begin(), shown.end());
    }

    // The rows of a cluster that found no other, one by one, each to where least more is lost.
    void place_leftovers() {
        control_.advance(living_.count());
        for (std::int32_t row = 0; row < static_cast<std::int32_t>(cluster_of_.size()); ++row) {
            if (cluster_of_[row] >= 0) continue;
            const ClusterLoss own{weights_[row], static_cast<double>(nodes_.cost_of(shown_by(row)))};
            nodes_.price(shown_by(row), prices_);
            std::size_t best = 0;
            double least = infinite;
            for (std::size_t f = 0; f < finished_losses_.size(); ++f) {
                std::int32_t joint = 0;
                for (std::size_t c = 0; c < nodes_.width(); ++c) joint += prices_[finished_[f * nodes_.width() + c]];
                const double more = ChangeOfLoss()(own, finished_losses_[f], joint);
                if (more < least) least = more, best = f;
            }
            std::int32_t* shown = finished_.data() + best * nodes_.width();
            for (std::size_t c = 0; c < nodes_.width(); ++c) shown[c] = nodes_.join(shown[c], shown_by(row)[c]);
            finished_losses_[best] = {finished_losses_[best].weight + own.weight, static_cast<double>(nodes_.cost_of(shown))};
            cluster_of_[row] = static_cast<std::int64_t>(best);
        }
    }

    static constexpr double infinite = std::numeric_limits<double>::infinity();

    const Nodes& nodes_;
    std::span<const double> weights_;
    const std::size_t k_;
    const bool shrinks_;
    const Distance distance_;
    Control& control_;
    LivingClusters living_;
    std::vector<Rows> rows_;  // of each living cluster, by number
    std::priority_queue<Pair> pairs_;
    std::vector<std::int32_t> prices_;
    std::vector<ClusterLoss> finished_losses_;
    std::vector<std::int32_t> finished_;  // what each finished cluster shows
    std::vector<std::int64_t> cluster_of_;
};

}  // namespace discreet
