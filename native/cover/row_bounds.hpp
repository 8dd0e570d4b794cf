// What every row pays at least, whatever the clusters are: a feasible solution of the dual
// of the linear program of covers.
#pragma once

#include <algorithm>
#include <cstdint>
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
// R of k cost(S) / (the k largest weights in S). Whatever the weights, that is feasible;
// and if the weights are bounds themselves, no bound falls.
class RowBounds {
  public:
    RowBounds(const PreorderTable& table, std::span<const std::int32_t> nodes, const std::vector<std::int64_t>& costs,
              std::int64_t k, Control& control)
        : table_(table), nodes_(nodes), costs_(costs), k_(k), control_(control), factors_(costs.size()) {
        control.claim(static_cast<std::int64_t>(costs.size() * (sizeof(double) + sizeof(std::uint32_t))));
    }

    std::vector<double> round(const std::vector<double>& weights) {
        set_factors(weights);
        std::vector<double> bounds(table_.n_rows, 0);  // of a row under no set
        RowIndex left(table_, control_);
        RowIndex::Reader reader;
        for (const std::uint32_t number : sorted_by(factors_)) {
            control_.check();
            if (left.size() == 0) break;
            const auto rows = left.list(set(number), left.size(), reader);
            for (const std::uint32_t row : rows) bounds[row] = weights[row] * factors_[number];
            left.remove(rows);
        }
        return bounds;
    }

  private:
    RowIndex::Set set(std::size_t number) const { return nodes_.subspan(number * table_.n_columns(), table_.n_columns()); }

    // With rows by falling weight, the first k found under a set are the largest.
    void set_factors(const std::vector<double>& weights) {
        std::vector<std::uint32_t> rows(table_.n_rows);
        std::iota(rows.begin(), rows.end(), 0u);
        std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return weights[a] > weights[b]; });
        const RowIndex index(table_, std::move(rows), control_);
        std::vector<RowIndex::Reader> readers(static_cast<std::size_t>(control_.threads));
        constexpr std::size_t piece = 1 << 12;
        for_each_task(control_, static_cast<std::int64_t>((costs_.size() + piece - 1) / piece), [&](int worker, std::int64_t task) {
            const std::size_t begin = static_cast<std::size_t>(task) * piece, end = std::min(begin + piece, costs_.size());
            for (std::size_t number = begin; number < end; ++number) {
                double largest = 0;
                for (const std::uint32_t row : index.list(set(number), k_, readers[static_cast<std::size_t>(worker)])) largest += weights[row];
                factors_[number] = largest > 0 ? static_cast<double>(k_) * static_cast<double>(costs_[number]) / largest : 0;
            }
        });
    }

    const PreorderTable& table_;
    const std::span<const std::int32_t> nodes_;
    const std::vector<std::int64_t>& costs_;
    const std::int64_t k_;
    Control& control_;
    std::vector<double> factors_;
};

}  // namespace discreet
