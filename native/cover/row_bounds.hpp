// What every row pays at least, whatever the clusters are: a feasible solution of the dual
// of the linear program of covers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "cover/row_index.hpp"
#include "cover/set_costs.hpp"

namespace discreet {

// Bounds y such that for every closed set S no k rows of S have bounds that add up to more
// than k cost(S). A cluster T has at least k rows, so that its bounds add up to no more than
// |T| cost(closure of T), which is what it pays.
//
// One round takes weights w >= 0 and lets row R have w(R) times the least over sets S above
// R of the factor k cost(S) / (the k largest weights in S). Whatever the weights, that is
// feasible; and if the weights are bounds themselves, all factors are 1 or more and no bound
// falls. After the first round no row may grow more than a little in one, so that the factor of a
// set cannot fall much either, and most sets need not be looked at again. Smaller factors are
// feasible too, so that rows of nearly the same weight may be taken to have the largest of theirs.
class RowBounds {
  public:
    RowBounds(const PreorderTable& table, std::span<const std::int32_t> nodes, const std::vector<std::int64_t>& costs,
              std::int64_t k, Control& control)
        : table_(table), nodes_(nodes), costs_(costs), k_(k), control_(control), factor_(costs.size(), 0) {
        control.claim(static_cast<std::int64_t>(costs.size() * (2 * sizeof(double) + sizeof(std::uint64_t))));
    }

    // Weights in, bounds out; a row under no set has the bound 0. Fewer rounds if there is much
    // to do, and weights are then all the same if one round is too much.
    void find(std::vector<double>& rows, int rounds) {
        if (work(costs_.size()) > most_work) std::fill(rows.begin(), rows.end(), 1.0), rounds = 1;
        round(rows, 0, std::numeric_limits<double>::infinity());
        std::fill(factor_.begin(), factor_.end(), 0);
        for (int more = 1; more < rounds && work(n_looks_) < most_work; ++more) {
            round(rows, 1, most_growth);
            for (double& factor : factor_) factor /= most_growth;
        }
    }

  private:
    static constexpr double most_growth = 1.1;
    static constexpr double most_work = 2e10;

    // Words of bitmaps read in so many looks at sets, at most.
    double work(std::size_t looks) const {
        return static_cast<double>(looks) * static_cast<double>(bitmap::words_for(table_.n_rows) * table_.n_columns());
    }
    RowIndex::Set set(std::size_t number) const { return nodes_.subspan(number * table_.n_columns(), table_.n_columns()); }

    // Rows grow at least `least` and less than `growth` times.
    void round(std::vector<double>& rows, double least, double growth) {
        set_factors(rows, growth);
        std::vector<std::uint32_t> numbers;
        for (std::size_t number = 0; number < factor_.size(); ++number)
            if (factor_[number] < growth) numbers.push_back(static_cast<std::uint32_t>(number));
        sort_by(numbers, factor_);
        RowIndex left(table_, control_);
        RowIndex::Reader reader;
        for (const std::uint32_t number : numbers) {
            control_.check();
            if (left.size() == 0) return;
            const auto found = left.list(set(number), left.size(), reader);
            for (const std::uint32_t row : found) rows[row] *= std::max(factor_[number], least);
            left.remove(found);
        }
        const double rest = growth < std::numeric_limits<double>::infinity() ? growth : 0;
        for (std::size_t row = 0; row < rows.size(); ++row)
            if (left.holds(static_cast<std::uint32_t>(row))) rows[row] *= rest;
    }

    // Where factor_ is below `growth`, it is only known not to be too large, and found out.
    // With rows by falling weight, the first k under a set are the largest. Equal weights need
    // no look: every set has k rows.
    void set_factors(const std::vector<double>& weights, double growth) {
        if (const auto [least, most] = std::minmax_element(weights.begin(), weights.end()); *least == *most && *least > 0) {
            for (std::size_t number = 0; number < costs_.size(); ++number) factor_[number] = static_cast<double>(costs_[number]) / *least;
            return;
        }
        std::vector<std::uint32_t> order(table_.n_rows);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return weights[a] > weights[b]; });
        n_looks_ += static_cast<std::size_t>(std::count_if(factor_.begin(), factor_.end(), [&](double factor) { return factor < growth; }));
        std::vector<double> falling;
        for (const std::uint32_t row : order) falling.push_back(weights[row]);
        const RowIndex index(table_, std::move(order), control_);
        std::vector<RowIndex::Reader> readers(static_cast<std::size_t>(control_.threads));
        constexpr std::size_t piece = 1 << 12;
        for_each_task(control_, static_cast<std::int64_t>((costs_.size() + piece - 1) / piece), [&](int worker, std::int64_t task) {
            const std::size_t begin = static_cast<std::size_t>(task) * piece, end = std::min(begin + piece, costs_.size());
            for (std::size_t number = begin; number < end; ++number) {
                if (factor_[number] >= growth) continue;
                const double sum = index.sum_first(set(number), k_, falling, readers[static_cast<std::size_t>(worker)]);
                factor_[number] = sum > 0 ? static_cast<double>(k_) * static_cast<double>(costs_[number]) / sum : 0;
            }
        });
    }

    const PreorderTable& table_;
    const std::span<const std::int32_t> nodes_;
    const std::vector<std::int64_t>& costs_;
    const std::int64_t k_;
    Control& control_;
    std::size_t n_looks_ = 0;
    std::vector<double> factor_;  // of each set, or less
};

}  // namespace discreet
