// The frequent itemsets that no superset equals in support.
#pragma once

#include "frequent/search.hpp"

namespace discreet {

inline Itemsets closed(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return list_itemsets<Task::closed>(database, min_support, max_size, control);
}

// How many there are of each size; nothing is stored.
inline std::vector<std::int64_t> count_closed(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return count_itemsets<Task::closed>(database, min_support, max_size, control);
}

}  // namespace discreet
