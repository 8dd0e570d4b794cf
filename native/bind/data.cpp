// Tables and transactions as they are read: equal rows, lines of items.
#include "base/collapse.hpp"
#include "bind/arrays.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "text/fimi.hpp"

namespace discreet {

namespace {

void bind_collapse(nb::module_& m) {
    m.def(
        "collapse",
        [](const std::vector<InputArray<std::uint32_t>>& columns, std::int64_t n_rows, Control& control, const nb::object& progress) {
            if (n_rows < 0 || n_rows >= (std::int64_t{1} << 31)) throw nb::value_error("n_rows must be from 0 to 2^31 - 1");
            std::vector<std::span<const std::uint32_t>> views;
            for (const auto& column : columns) {
                if (static_cast<std::int64_t>(column.size()) != n_rows) throw nb::value_error("every column must have n_rows codes");
                views.emplace_back(column.data(), column.size());
            }
            RowGroups groups = run(control, progress, [&] { return collapse(views, n_rows, control); });
            return nb::make_tuple(to_numpy(std::move(groups.first)), to_numpy(std::move(groups.count)), to_numpy(std::move(groups.group_of)));
        },
        "columns"_a.noconvert(), "n_rows"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def collapse(columns: list[NDArray[numpy.uint32]], n_rows: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32]]"),
        "Group equal rows: (first row of each group, rows in each group, group of each row).");
}

void bind_fimi(nb::module_& m) {
    m.def(
        "parse_transactions",
        [](const nb::bytes& text, std::int64_t longest, Control& control, const nb::object& progress) {
            const std::string_view view(text.c_str(), text.size());
            TransactionText parsed = run(control, progress, [&] { return parse_transactions(view, longest, control); });
            return nb::make_tuple(to_numpy(std::move(parsed.offsets)), to_numpy(std::move(parsed.codes)), to_numpy(std::move(parsed.begin)),
                                  to_numpy(std::move(parsed.end)), to_numpy(std::move(parsed.line)));
        },
        "text"_a, "longest"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def parse_transactions(text: bytes, longest: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
        "Cut one transaction per line into numbered tokens: (offsets of the lines, token numbers, begin, end and first line of each distinct token).");
}

}  // namespace

void bind_data(nb::module_& m) {
    bind_collapse(m);
    bind_fimi(m);
}

}  // namespace discreet
