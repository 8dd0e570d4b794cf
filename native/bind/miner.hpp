// The binding that miners share: a database, a threshold, a largest size.
#pragma once

#include <string>

#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"

namespace discreet {

// What a miner's binding checks, and the Python signature it has.
struct MinerText {
    std::string name, threshold, returns, doc;
    std::int64_t least_threshold;

    std::string signature() const {
        return "def " + name + "(database: Database, " + threshold + ": int, max_size: int, control: Control, " +
               "progress: Callable[[float], object] | None = None) -> " + returns;
    }
};

inline constexpr auto itemset_arrays = "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]";

// Binds kernel(database, threshold, max_size, control), which returns something to_numpy takes.
template <class Kernel>
void bind_miner(nb::module_& m, const MinerText& text, Kernel kernel) {
    m.def(
        text.name.c_str(),
        [text, kernel](const OwnedDatabase& database, std::int64_t threshold, std::int32_t max_size, Control& control, const nb::object& progress) {
            if (threshold < text.least_threshold) throw nb::value_error((text.threshold + " must be at least " + std::to_string(text.least_threshold)).c_str());
            if (max_size < 1) throw nb::value_error("max_size must be at least 1");
            return to_numpy(run(control, progress, [&] { return kernel(database.view(), threshold, max_size, control); }));
        },
        "database"_a, nb::arg(text.threshold.c_str()), "max_size"_a, "control"_a, "progress"_a = nb::none(), nb::sig(text.signature().c_str()), text.doc.c_str());
}

inline constexpr auto itemset_counts = "NDArray[numpy.int64]";

// Binds a miner of itemsets that are in at least min_support rows.
template <class Kernel>
void bind_above(nb::module_& m, const char* name, const char* returns, const char* doc, Kernel kernel) {
    bind_miner(m, {name, "min_support", returns, doc, 1}, kernel);
}

}  // namespace discreet
