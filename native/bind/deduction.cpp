// What the supports of its subsets tell of an itemset.
#include <algorithm>
#include <bit>

#include "bind/miner.hpp"
#include "deduction/bounds.hpp"
#include "deduction/non_derivable.hpp"

namespace discreet {

// Found by bind_miner where it is made for non_derivable.
static nb::tuple to_numpy(NonDerivable&& found) {
    return nb::make_tuple(to_numpy(std::move(found.itemsets.offsets)), to_numpy(std::move(found.itemsets.items)), to_numpy(std::move(found.itemsets.supports)),
                          to_numpy(std::move(found.lower)), to_numpy(std::move(found.upper)));
}

namespace {

void bind_bounds(nb::module_& m) {
    m.def(
        "bounds",
        [](const InputArray<std::int64_t>& supports) {
            if (supports.size() < 2 || !std::has_single_bit(supports.size()) || supports.size() > (std::size_t{1} << 24))
                throw nb::value_error("supports must have 2^n entries, n from 1 to 24");
            std::vector<std::int64_t> used = copy(supports);
            used.back() = 0;  // the set's own support is what is asked for
            const auto [least, most] = std::minmax_element(used.begin(), used.end());
            if (used[0] < 0 || *least < -1 || *most >= (std::int64_t{1} << 31)) throw nb::value_error("supports must be from 0 to 2^31 - 1, or -1 if unknown");
            const Bounds found = *least < 0 ? bounds_from_some(used) : bounds(used);
            return nb::make_tuple(found.lower, found.upper);
        },
        "supports"_a.noconvert(), nb::sig("def bounds(supports: NDArray[numpy.int64]) -> tuple[int, int]"),
        "Lowest and highest support of an itemset, from those of its proper subsets by bit mask (-1: unknown; the last entry is ignored).");
}

}  // namespace

void bind_deduction(nb::module_& m) {
    bind_above(m, "non_derivable", "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]",
               "Frequent itemsets whose bounds differ: (offsets, items, supports, lower bounds, upper bounds).", non_derivable);
    bind_bounds(m);
}

}  // namespace discreet
