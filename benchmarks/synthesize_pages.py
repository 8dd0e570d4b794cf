"""The tables and plots of the synthesis benchmark, from what is known of the runs."""

from __future__ import annotations

from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl
from results_page import header, line
from synthesize_methods import PEERS, WITHOUT_BUDGET
from synthesize_paper import (
    ABOUT,
    METHOD,
    PRINTED,
    attack_lines,
    compression_lines,
    learning_lines,
    support_lines,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from synthesize_paper import Printed
    from synthesize_runs import Run

    Known = list[tuple[Run, dict[str, Any]]]

NOTES = {
    "bootstrap": "rows drawn with replacement: no privacy, the least error there can be",
    "shuffled columns": "each column in an order of its own: no dependence at all, no privacy",
    "central": "Synthesizer, noise on what is measured, (epsilon, delta) per row",
    "local": "Synthesizer, cells randomized first, epsilon per row is the sum over its cells",
    "MST": "dpmm's with 1,000 steps of inference, domains public, neighbours add or remove a row",
    "AIM": "dpmm's with its degree of 2 and 100 steps of inference a round, domains public, "
    "neighbours add or remove a row",
    "PrivBayes": "dpmm's with its degree of 2 (by graphical model) and 1,000 steps of inference, "
    "domains public, neighbours add or remove a row",
}
# Marks of the goals on LUCS Adult, measured elsewhere: 2-way, 3-way, FN, FP, NFD, forest, CPU s.
MARKS: list[tuple[str, str, tuple[str, ...]]] = [
    ("bootstrap", "-", ("0.004", "0.007", "166", "284", "0.007", "0.860", "-")),
    ("MST", "1", ("0.0155", "0.036", "2,342", "1,718", "0.061", "0.818", "74")),
    ("MST", "0.1", ("0.028", "0.054", "2,232", "1,694", "0.063", "0.800", "65")),
    ("PrivBayes", "1", ("0.0205", "0.045", "1,836", "1,324", "0.054", "0.842", "129")),
]


def quality_text(found: Known, with_seeds: Known, folder: Path) -> str:
    """Return the tables of all runs known, and draw their plots."""
    sections = (
        ("Supports (tables 2 and 3 of the paper, and marginals)", support_table),
        (
            "Classifiers trained on the synthetic data, tested on rows held out (table 4)",
            learning_table,
        ),
        ("What it discloses, beside records held out (tables 5 and 6)", attack_table),
        ("Cross-compression by Krimp (tables 7 and 8)", compression_table),
    )
    lines: list[str] = []
    for title, table in sections:
        lines += [f"## {title}", "", *table(found), ""]
    lines += ["## Chance: ours with several seeds", "", *chance_table(with_seeds), ""]
    return "\n".join([*lines, *plots(found, folder), "", f"- {METHOD}: {ABOUT}", *_notes(found)])


def support_table(found: Known) -> Iterator[str]:
    """Yield distances of marginals, itemsets missed and wrongly found, and seconds."""
    names = (
        "1-way", "2-way", "3-way", "frequent", "made", "both", "FN", "FP", "NFD",
        "NFD both / FN / FP", "CPU s: learn", "draw",
    )  # fmt: skip
    counts = ("n_frequent", "n_made", "n_both", "false_negatives", "false_positives")

    def cells(run: Run, result: dict[str, Any]) -> list[str] | None:
        seen = result.get("fidelity")
        return seen and [
            *(f"{seen['ways'][size]:.4f}" for size in "123"),
            *(f"{seen[name]:,}" for name in counts),
            _share(seen["nfd"]),
            " / ".join(_share(value) for value in seen["nfd_by_group"].values()),
            *_seconds(run, result.get("cpu of whole", {})),
        ]

    return _table(("method", "epsilon", *names), found, cells, support_lines)


def learning_table(found: Known) -> Iterator[str]:
    """Yield accuracies on the rows held out."""
    names = ("Krimp", "decision tree", "naive Bayes", "random forest", "commonest value")
    models = ("krimp", "decision_tree", "naive_bayes", "random_forest", "majority")

    def cells(_: Run, result: dict[str, Any]) -> list[str] | None:
        seen = result.get("learning")
        return seen and [_share(seen[model]) for model in models]

    return _table(("trained on", "epsilon", *names), found, cells, learning_lines)


def attack_table(found: Known) -> Iterator[str]:
    """Yield what attacks find of members and of controls, with intervals."""
    names = (
        "records: members", "controls", "held by one: members", "controls",
        "rare itemsets: members", "controls", "membership AUC", "advantage",
        "class inferred: members", "controls", "difference",
    )  # fmt: skip

    def cells(_: Run, result: dict[str, Any]) -> list[str] | None:
        seen = result.get("attacks")
        if not seen:
            return None
        records, rare, inferred = seen["records"], seen["rare"], seen["attribute"]
        groups = ("members", "controls", "single", "control_single")
        return [
            *(_rate(records[name]) for name in groups),
            *(_rate(_all_sizes(rare[name])) for name in ("members", "controls")),
            *(_interval(seen["membership"][name]) for name in ("auc", "advantage")),
            *(_rate(inferred[name]) for name in ("members", "controls")),
            "{:.3f} ({:.3f} to {:.3f})".format(*inferred["excess"]),
        ]

    return _table(("method", "epsilon", *names), found, cells, attack_lines)


def compression_table(found: Known) -> Iterator[str]:
    """Yield the ratios of both tables by the code tables of both."""
    names = ("original by original", "made by original", "made by made", "original by made")

    def cells(_: Run, result: dict[str, Any]) -> list[str] | None:
        seen = result.get("compression")
        return seen and [f"{seen[name]:.1%}" for name in names]

    return _table(("method", "epsilon", *names), found, cells, compression_lines)


def _table(
    names: Sequence[str],
    found: Known,
    cells: Callable[[Run, dict[str, Any]], list[str] | None],
    printed: Callable[[Printed], list[list[str]]],
) -> Iterator[str]:
    """Yield a table: of each data set what the paper prints, then a line for each run."""
    yield from header(["data", *names])
    for data, group in groupby(found, key=lambda each: each[0].data):
        if data in PRINTED:
            yield from (line([data, *each]) for each in printed(PRINTED[data]))
        for run, result in group:
            own = cells(run, result)
            if own:
                yield line([*_who(run), *own])


def chance_table(found: Known) -> Iterator[str]:
    """Yield mean, least and most over seeds, for each budget."""
    yield from header(["data", "epsilon", "seeds", "1-way", "2-way", "3-way", "FN + FP", "NFD"])
    for data, epsilon in dict.fromkeys((run.data, run.epsilon) for run, _ in found):
        seen = [
            result["fidelity"]
            for run, result in found
            if (run.data, run.epsilon) == (data, epsilon)
        ]
        yield line(
            [
                data,
                f"{epsilon:g}",
                str(len(seen)),
                *(_spread([one["ways"][size] for one in seen], ".4f") for size in "123"),
                _spread([one["false_negatives"] + one["false_positives"] for one in seen], ",.0f"),
                _spread([one["nfd"] for one in seen], ".3f"),
            ]
        )


def peers_text(found: Known) -> str:
    """Return our synthetic data beside those of peers at the same budget, with the goals."""
    names = (
        "data", "epsilon", "method", "2-way", "3-way", "FN", "FP", "NFD", "forest on real rows",
        "forest on rows held out", "CPU s", "3-way: / ours", "CPU: / ours", "measured",
    )  # fmt: skip
    lines = [*header(names)]
    for method, epsilon, figures in MARKS:
        about = ["adult", epsilon, f"{method}, mark of the goals"]
        lines.append(line([*about, *figures[:6], "-", figures[6], "-", "-", "elsewhere"]))
    measured = [(run, result) for run, result in found if "fidelity" in result]
    data = dict.fromkeys(run.data for run, _ in measured if run.method in PEERS)
    ours = {(run.data, run.epsilon): result for run, result in measured if run.method == "central"}
    for run, result in sorted(measured, key=lambda each: (each[0].data, each[0].epsilon or 0.0)):
        if run.data in data:
            lines.append(line(_beside(run, result, ours.get((run.data, run.epsilon)))))
    versions = {
        f"{run.method}: {result['version']}, on {result['processor']}"
        for run, result in found
        if run.method in PEERS and "version" in result
    }
    return "\n".join([*lines, "", *_notes(found), *(f"- {each}" for each in sorted(versions))])


def _beside(run: Run, result: dict[str, Any], ours: dict[str, Any] | None) -> list[str]:
    """Return one line of figures, with ratios to ours at the same budget."""
    seen, learnt = result["fidelity"], result.get("learning", {})
    ratios = ["-", "-"]
    if ours is not None and run.method in PEERS:
        errors = seen["ways"]["3"] / ours["fidelity"]["ways"]["3"]
        ratios = [f"{errors:.1f}", f"{_cpu(result) / _cpu(ours):.1f}"]
    name, method, epsilon = _who(run)
    return [
        name, epsilon, method,
        *(f"{seen['ways'][size]:.4f}" for size in "23"),
        *(f"{seen[count]:,}" for count in ("false_negatives", "false_positives")),
        _share(seen["nfd"]),
        _share(result.get("forest", {}).get("accuracy")),
        _share(learnt.get("random_forest")),
        "-" if run.method in WITHOUT_BUDGET else f"{_cpu(result):.1f}",
        *ratios,
        result.get("date", "-"),
    ]  # fmt: skip


def _cpu(result: dict[str, Any]) -> float:
    """Return the CPU seconds of making synthetic data for all rows."""
    return float(sum(result["cpu of whole"].values()))


def plots(found: Known, folder: Path) -> Iterator[str]:
    """Draw errors against epsilon, a picture for each data set, and yield the links to them."""
    folder.mkdir(parents=True, exist_ok=True)
    for data in dict.fromkeys(run.data for run, _ in found):
        points = list(_points(found, data))
        if not points:
            continue
        frame = pl.DataFrame(points, schema=("measure", "method", "epsilon", "error"), orient="row")
        charts = [
            alt.Chart(frame.filter(measure=measure), title=measure, width=260, height=200)
            .mark_line(point=True)
            .encode(
                x=alt.X("epsilon:Q", scale=alt.Scale(type="log")),
                y=alt.Y("error:Q", title=None, scale=alt.Scale(type="log")),
                color=alt.Color("method:N", title=None),
            )
            for measure in frame["measure"].unique(maintain_order=True)
        ]
        file = folder / f"synthesize-{data.lower()}.svg"
        alt.concat(*charts, columns=3).save(str(file))
        yield f"![{data}: error against epsilon](plots/{file.name})"


def _points(found: Known, data: str) -> Iterator[tuple[str, str, float, float]]:
    """Yield what is plotted of a data set: what should be small."""
    budgets = sorted({run.epsilon for run, _ in found if run.data == data and run.epsilon})
    best = max(
        (
            result["learning"]["random_forest"]
            for run, result in found
            if run.data == data and run.method == "original" and "learning" in result
        ),
        default=None,
    )
    for run, result in found:
        if run.data != data or run.method == "original":
            continue
        seen = result.get("fidelity")
        errors: dict[str, float | None] = {}
        if seen:
            errors = {f"{size}-way distance": seen["ways"][size] for size in "123"}
            errors["FN + FP"] = seen["false_negatives"] + seen["false_positives"]
            errors["NFD"] = seen["nfd"]
        if best is not None and "learning" in result:
            errors["forest: accuracy lost"] = best - result["learning"]["random_forest"]
        for measure, error in errors.items():
            for epsilon in [run.epsilon] if run.epsilon else budgets:
                if error is not None and error > 0:  # the axis is logarithmic
                    yield measure, run.method, epsilon, error


def _notes(found: Known) -> Iterable[str]:
    methods = dict.fromkeys(run.method for run, _ in found)
    yield from (f"- {name}: {NOTES[name]}" for name in methods if name in NOTES)
    yield from (
        f"- {run.data}, {run.method}, epsilon {run.epsilon}: {result['absent']}"
        for run, result in found
        if "absent" in result
    )


def _who(run: Run) -> list[str]:
    return [run.data, run.method, "-" if run.epsilon is None else f"{run.epsilon:g}"]


def _seconds(run: Run, cpu: dict[str, float]) -> list[str]:
    if run.method in WITHOUT_BUDGET or not cpu:
        return ["-", "-"]
    return [f"{cpu['fit']:.1f}", f"{cpu['sample']:.2f}"]


def _spread(values: list[float], form: str) -> str:
    mean, least, most = (f"{each:{form}}" for each in (fmean(values), min(values), max(values)))
    return f"{mean} ({least} to {most})"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _rate(rate: dict[str, float]) -> str:
    return f"{rate['n_hits'] / rate['n_trials']:.2%}" if rate["n_trials"] else "-"


def _all_sizes(rates: dict[str, dict[str, float]]) -> dict[str, float]:
    return {name: sum(rate[name] for rate in rates.values()) for name in ("n_hits", "n_trials")}


def _interval(result: dict[str, float]) -> str:
    return f"{result['value']:.3f} ({result['low']:.3f} to {result['high']:.3f})"
