// Rows drawn from dependent code trees, Gibbs sweeps over rows, and rows balanced.
#include "synthesize/generate.hpp"

#include "bind/arrays.hpp"
#include "bind/bytes.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "synthesize/balance.hpp"
#include "synthesize/sweeps.hpp"

namespace discreet {

namespace {

synthesize::Layers layers_of(const InputArray<std::int64_t>& value_offsets, const InputArray<float>& biases, const InputArray<float>& links) {
    synthesize::Layers layers{copy(value_offsets), 0, copy(biases), copy(links)};
    if (!layers.value_offsets.empty() && layers.value_offsets.back() > 0) layers.n_layers = static_cast<std::int64_t>(layers.biases.size() / layers.n_values());
    if (const std::string what = problem(layers); !what.empty()) throw nb::value_error(what.c_str());
    return layers;
}

// The number of rows of codes, given column after column.
std::size_t checked_rows(const std::vector<std::int32_t>& codes, const synthesize::Layers& layers) {
    const std::size_t n_columns = layers.n_columns(), n_rows = codes.size() / n_columns;
    if (codes.size() % n_columns != 0) throw nb::value_error("there must be a code for each column and row");
    for (std::size_t j = 0; j < n_columns; ++j)
        for (std::size_t row = 0; row < n_rows; ++row)
            if (const std::int32_t code = codes[j * n_rows + row]; code < 0 || code >= layers.value_offsets[j + 1] - layers.value_offsets[j])
                throw nb::value_error("a code is not in its column");
    return n_rows;
}

}  // namespace

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
            if (n_rows < 0 || n_rows >> 40 != 0 || first_block < 0 || first_block >> 62 != 0) throw nb::value_error("n_rows must be from 0 to 2^40 - 1, and first_block from 0 to 2^62 - 1");
            const randomize::Key words = words_of<8>(key);
            std::vector<std::int32_t> drawn = run(control, progress, [&] { return synthesize::generate(tree, fixed, words, first_block, n_rows, control); });
            return to_numpy(std::move(drawn), static_cast<std::size_t>(n_rows), tree.n_columns());
        },
        "tree"_a, "given"_a.noconvert(), "key"_a, "first_block"_a, "n_rows"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def generate(tree: Contexts, given: NDArray[numpy.int32], key: bytes, first_block: int, n_rows: int, control: Control, "
                "progress: Callable[[float], object] | None = None) -> NDArray[numpy.int32]"),
        "Rows drawn from a dependent code tree, the codes of one column after the other.");
    m.attr("GENERATE_BLOCK") = synthesize::block_size;
    m.def(
        "sweep_rows",
        [](const Offsets& value_offsets, const InputArray<float>& biases, const InputArray<float>& links, const Numbers& codes, const InputArray<std::uint8_t>& held,
           const nb::bytes& key, std::int64_t first_block, bool count, Control& control, const nb::object& progress) {
            const synthesize::Layers layers = layers_of(value_offsets, biases, links);
            std::vector<std::int32_t> swept = copy(codes);
            const std::vector<std::uint8_t> fixed = copy(held);
            const std::size_t n_rows = checked_rows(swept, layers);
            if (fixed.size() != layers.n_columns()) throw nb::value_error("each column must be held or not");
            if (first_block < 0 || first_block >> 62 != 0) throw nb::value_error("first_block must be from 0 to 2^62 - 1");
            const randomize::Key words = words_of<8>(key);
            std::vector<std::int64_t> counts = run(control, progress, [&] {
                return synthesize::sweep_rows(layers, swept, static_cast<std::int64_t>(n_rows), fixed, words, first_block, count, control);
            });
            const std::size_t width = count ? layers.n_values() : 0;
            return nb::make_tuple(to_numpy(std::move(swept), n_rows, layers.n_columns()), to_numpy(std::move(counts), width, width));
        },
        "value_offsets"_a.noconvert(), "biases"_a.noconvert(), "links"_a.noconvert(), "codes"_a.noconvert(), "held"_a.noconvert(), "key"_a, "first_block"_a, "count"_a,
        "control"_a, "progress"_a = nb::none(),
        nb::sig("def sweep_rows(value_offsets: NDArray[numpy.int64], biases: NDArray[numpy.float32], links: NDArray[numpy.float32], codes: NDArray[numpy.int32], "
                "held: NDArray[numpy.uint8], key: bytes, first_block: int, count: bool, control: Control, progress: Callable[[float], object] | None = None) "
                "-> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]"),
        "Rows after a Gibbs sweep by each layer, column after column, and their counts of pairs of values.");
    m.attr("SWEEP_BLOCK") = synthesize::sweep_block;
    m.def(
        "balance_rows",
        [](const Offsets& value_offsets, const InputArray<float>& biases, const InputArray<float>& links, const Numbers& codes, const InputArray<double>& shares,
           const InputArray<double>& slack, int n_rounds, const nb::bytes& key, std::int64_t first_chunk, Control& control, const nb::object& progress) {
            const synthesize::Layers layer = layers_of(value_offsets, biases, links);
            if (layer.n_layers != 1) throw nb::value_error("rows are balanced by one layer");
            const synthesize::Wanted wanted{copy(shares), copy(slack)};
            if (const std::string what = problem(wanted, layer.n_values()); !what.empty()) throw nb::value_error(what.c_str());
            std::vector<std::int32_t> balanced = copy(codes);
            const std::size_t n_rows = checked_rows(balanced, layer);
            if (first_chunk < 0 || first_chunk >> 62 != 0 || n_rounds < 0) throw nb::value_error("first_chunk must be from 0 to 2^62 - 1, and n_rounds at least 0");
            const randomize::Key words = words_of<8>(key);
            run(control, progress, [&] {
                synthesize::balance_rows(layer, wanted, balanced, static_cast<std::int64_t>(n_rows), n_rounds, words, first_chunk, control);
                return 0;
            });
            return to_numpy(std::move(balanced), n_rows, layer.n_columns());
        },
        "value_offsets"_a.noconvert(), "biases"_a.noconvert(), "links"_a.noconvert(), "codes"_a.noconvert(), "shares"_a.noconvert(), "slack"_a.noconvert(), "n_rounds"_a,
        "key"_a, "first_chunk"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def balance_rows(value_offsets: NDArray[numpy.int64], biases: NDArray[numpy.float32], links: NDArray[numpy.float32], codes: NDArray[numpy.int32], "
                "shares: NDArray[numpy.float64], slack: NDArray[numpy.float64], n_rounds: int, key: bytes, first_chunk: int, control: Control, "
                "progress: Callable[[float], object] | None = None) -> NDArray[numpy.int32]"),
        "Rows of which cells were drawn anew, column after column, where that brings counts of values and pairs nearer to the wanted ones.");
    m.attr("BALANCE_CHUNK") = synthesize::balance_chunk;
}

}  // namespace discreet
