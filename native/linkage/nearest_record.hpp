// Finds the record that costs least to join with a given one, without looking at them all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "linkage/nodes.hpp"

namespace discreet {

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

}  // namespace discreet
