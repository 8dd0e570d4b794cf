// Lengths in bits of a database and its code table, and how they change with the usages.
//
// With usages u, their sum S and K used elements, the total is
//   L = (S + K) log S - sum over used elements of ((u + 1) log u - standard length),
// data and code table together: codes cost log(S / u) each time, and once in the table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace discreet::krimp {

// A difference below this is a tie: sums of logarithms tell no less.
inline constexpr double tie = 1e-6;

class Lengths {
  public:
    explicit Lengths(std::int64_t largest_usage) : table_(static_cast<std::size_t>(std::min<std::int64_t>(largest_usage, most_in_table)) + 1, 0.0) {
        for (std::size_t u = 1; u < table_.size(); ++u) table_[u] = (static_cast<double>(u) + 1) * std::log2(static_cast<double>(u));
    }

    // (v + 1) log v - (u + 1) log u, taking an unused element's as 0.
    double gained(std::int64_t u, std::int64_t v) const {
        const auto last = static_cast<std::int64_t>(table_.size()) - 1;
        if (u <= last && v <= last) return table_[static_cast<std::size_t>(v)] - table_[static_cast<std::size_t>(u)];
        if (u == 0) return change(1, v, 1);
        if (v == 0) return -change(1, u, 1);
        return change(u, v, 1);
    }

    // The change of (S + K) log S.
    static double lost(std::int64_t sum, std::int64_t used, std::int64_t new_sum, std::int64_t new_used) {
        if (sum == 0 || new_sum == 0) return 0;
        return static_cast<double>(new_sum + new_used - sum - used) * std::log2(static_cast<double>(new_sum)) +
               static_cast<double>(sum + used) * std::log1p(static_cast<double>(new_sum - sum) / static_cast<double>(sum)) / std::log(2.0);
    }

  private:
    static constexpr std::int64_t most_in_table = std::int64_t{1} << 18;  // larger values would lose the digits after the point

    static double change(std::int64_t u, std::int64_t v, std::int64_t more) { return lost(u, more, v, more); }

    std::vector<double> table_;
};

}  // namespace discreet::krimp
