// All itemsets in at least min_support rows.
#pragma once

#include "frequent/search.hpp"

namespace discreet {

inline Itemsets frequent(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return list_itemsets<Task::frequent>(database, min_support, max_size, control);
}

// How many there are of each size; nothing is stored.
inline std::vector<std::int64_t> count_frequent(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return count_itemsets<Task::frequent>(database, min_support, max_size, control);
}

}  // namespace discreet
