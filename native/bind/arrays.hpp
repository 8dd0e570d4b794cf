// Numpy arrays in and out of kernels: copied and checked on the way in, never on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "base/database.hpp"
#include "base/itemsets.hpp"

namespace discreet {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using InputArray = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using OutputArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::vector<T> copy(const InputArray<T>& array) {
    return {array.data(), array.data() + array.size()};
}

template <class T>
OutputArray<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return OutputArray<T>(kept->data(), {kept->size()}, owner);
}

// The values as a matrix, row by row.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_numpy(std::vector<T>&& values, std::size_t n_columns, std::size_t n_rows) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {kept->data(), {n_rows, n_columns}, owner};
}

inline nb::tuple to_numpy(Itemsets&& itemsets) {
    return nb::make_tuple(to_numpy(std::move(itemsets.offsets)), to_numpy(std::move(itemsets.items)), to_numpy(std::move(itemsets.supports)));
}

// Its own copy of the arrays, checked once: nothing Python does later can change it
// under a running kernel.
class OwnedDatabase {
  public:
    OwnedDatabase(const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, const InputArray<std::int64_t>& weights,
                  std::int32_t n_items, const InputArray<std::int32_t>& column_of)
        : offsets_(copy(offsets)), items_(copy(items)), weights_(copy(weights)), column_of_(copy(column_of)), n_items_(n_items) {
        if (const std::string what = problem(view()); !what.empty()) throw nb::value_error(what.c_str());
    }
    Database view() const { return {offsets_, items_, weights_, n_items_, column_of_}; }
    std::int64_t total_weight() const { return view().total_weight(); }

  private:
    std::vector<std::int64_t> offsets_;
    std::vector<std::int32_t> items_;
    std::vector<std::int64_t> weights_;
    std::vector<std::int32_t> column_of_;
    std::int32_t n_items_;
};

}  // namespace discreet
