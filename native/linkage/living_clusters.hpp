// Clusters that still grow, packed for the search of the closest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "linkage/nodes.hpp"

namespace discreet {

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

}  // namespace discreet
