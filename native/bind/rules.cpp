// Association rules.
#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "rules/rules.hpp"

namespace discreet {

void bind_rules(nb::module_& m) {
    m.def(
        "rules",
        [](const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, const InputArray<std::int64_t>& supports, std::int64_t n_rows,
           std::int64_t min_confidence_numerator, std::int64_t min_confidence_denominator, std::int64_t min_support, Control& control,
           const nb::object& progress) {
            if (min_confidence_denominator < 1 || min_confidence_numerator < 0 || min_confidence_numerator > min_confidence_denominator)
                throw nb::value_error("the confidence must be a fraction from 0 to 1");
            if (min_support < 1) throw nb::value_error("min_support must be at least 1");
            const std::vector<std::int64_t> own_offsets = copy(offsets), own_supports = copy(supports);
            const std::vector<std::int32_t> own_items = copy(items);
            const Collection collection{own_offsets, own_items, own_supports};
            if (const std::string what = problem(collection, n_rows); !what.empty()) throw nb::value_error(what.c_str());
            const Confidence confidence{min_confidence_numerator, min_confidence_denominator};
            Rules found = run(control, progress, [&] { return rules(collection, confidence, min_support, control); });
            return nb::make_tuple(to_numpy(std::move(found.antecedents.offsets)), to_numpy(std::move(found.antecedents.items)),
                                  to_numpy(std::move(found.consequents.offsets)), to_numpy(std::move(found.consequents.items)),
                                  to_numpy(std::move(found.support)), to_numpy(std::move(found.antecedents.supports)),
                                  to_numpy(std::move(found.consequents.supports)));
        },
        "offsets"_a.noconvert(), "items"_a.noconvert(), "supports"_a.noconvert(), "n_rows"_a, "min_confidence_numerator"_a, "min_confidence_denominator"_a,
        "min_support"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def rules(offsets: NDArray[numpy.int64], items: NDArray[numpy.int32], supports: NDArray[numpy.int64], n_rows: int, "
                "min_confidence_numerator: int, min_confidence_denominator: int, min_support: int, control: Control, "
                "progress: Callable[[float], object] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], "
                "NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
        "Association rules: (antecedent offsets, items, consequent offsets, items, supports of union, antecedent, consequent).");
}

}  // namespace discreet
