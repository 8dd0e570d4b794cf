// The miners of frequent, closed and maximal itemsets.
#include "bind/miner.hpp"
#include "frequent/frequent.hpp"

namespace discreet {

void bind_frequent(nb::module_& m) {
    bind_above(m, "frequent", itemset_arrays, "Itemsets in at least min_support rows: (offsets, items, supports) in canonical order.", frequent);
    bind_above(m, "closed", itemset_arrays, "Frequent itemsets without a superset of equal support: (offsets, items, supports).", closed);
    bind_above(m, "maximal", itemset_arrays, "Frequent itemsets without a frequent superset: (offsets, items, supports).", maximal);
    bind_above(m, "count_frequent", itemset_counts, "Number of frequent itemsets of each size.", count_frequent);
    bind_above(m, "count_closed", itemset_counts, "Number of closed itemsets of each size.", count_closed);
    bind_above(m, "count_maximal", itemset_counts, "Number of maximal itemsets of each size.", count_maximal);
}

}  // namespace discreet
