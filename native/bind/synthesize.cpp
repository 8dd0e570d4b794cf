// Rows drawn from dependent code trees.
#include "synthesize/generate.hpp"

#include "bind/arrays.hpp"
#include "bind/bytes.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"

namespace discreet {

void bind_synthesize(nb::module_& m) {
    using Offsets = InputArray<std::int64_t>;
    using Numbers = InputArray<std::int32_t>;
    using Weights = InputArray<std::uint64_t>;
    using synthesize::Contexts;
    nb::class_<Contexts>(m, "Contexts", "A dependent code tree as generation reads it, checked once.")
        .def(
            "__init__",
            [](Contexts* made, const Offsets& value_offsets, const Weights& weights, const Offsets& node_offsets, const Numbers& node_contexts, const Numbers& columns,
               const Offsets& law_offsets, const Numbers& law_values, const Weights& law_below, const Weights& rest, const Offsets& step_offsets, const Numbers& step_values,
               const Numbers& step_nodes) {
                Contexts tree{copy(value_offsets), copy(weights),   copy(node_offsets), copy(node_contexts), copy(columns),     copy(law_offsets),
                              copy(law_values),    copy(law_below), copy(rest),         copy(step_offsets),  copy(step_values), copy(step_nodes)};
                if (const std::string what = problem(tree); !what.empty()) throw nb::value_error(what.c_str());
                new (made) Contexts(std::move(tree));
            },
            "value_offsets"_a.noconvert(), "weights"_a.noconvert(), "node_offsets"_a.noconvert(), "node_contexts"_a.noconvert(), "columns"_a.noconvert(),
            "law_offsets"_a.noconvert(), "law_values"_a.noconvert(), "law_below"_a.noconvert(), "rest"_a.noconvert(), "step_offsets"_a.noconvert(),
            "step_values"_a.noconvert(), "step_nodes"_a.noconvert())
        .def("__repr__", [](const Contexts& tree) {
            return "Contexts(" + std::to_string(tree.n_contexts()) + " contexts of " + std::to_string(tree.n_nodes()) + " nodes, " + std::to_string(tree.n_columns()) + " columns)";
        });
    m.def(
        "generate",
        [](const Contexts& tree, const Numbers& given, const nb::bytes& key, std::int64_t first_block, std::int64_t n_rows, Control& control, const nb::object& progress) {
            const std::vector<std::int32_t> fixed = copy(given);
            if (fixed.size() > tree.n_columns()) throw nb::value_error("more values are given than there are columns");
            for (std::size_t column = 0; column < fixed.size(); ++column)
                if (fixed[column] < 0 || fixed[column] >= tree.n_values(column)) throw nb::value_error("a value given is not in its column");
            if (n_rows < 0 || first_block < 0) throw nb::value_error("n_rows and first_block must be at least 0");
            const randomize::Key words = words_of<8>(key);
            std::vector<std::int32_t> drawn = run(control, progress, [&] { return synthesize::generate(tree, fixed, words, first_block, n_rows, control); });
            return to_numpy(std::move(drawn), static_cast<std::size_t>(n_rows), tree.n_columns());
        },
        "tree"_a, "given"_a.noconvert(), "key"_a, "first_block"_a, "n_rows"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def generate(tree: Contexts, given: NDArray[numpy.int32], key: bytes, first_block: int, n_rows: int, control: Control, "
                "progress: Callable[[float], object] | None = None) -> NDArray[numpy.int32]"),
        "Rows drawn from a dependent code tree, the codes of one column after the other.");
    m.attr("GENERATE_BLOCK") = synthesize::block_size;
}

}  // namespace discreet
