// The frequent itemsets without a frequent superset.
#pragma once

#include "frequent/search.hpp"

namespace discreet {

inline Itemsets maximal(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return list_itemsets<Task::maximal>(database, min_support, max_size, control);
}

// How many there are of each size; nothing is stored.
inline std::vector<std::int64_t> count_maximal(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return count_itemsets<Task::maximal>(database, min_support, max_size, control);
}

}  // namespace discreet
