"""Several methods on one table, side by side: what each loses, at every size of class."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from discreet.assess.classes import equivalence_classes, quasi_columns
from discreet.data.frames import as_kind
from discreet.data.table import as_table
from discreet.errors import DiscreetWarning, InfeasibleError, ParameterError, did_you_mean
from discreet.limits import limit_shares
from discreet.policy.methods import Context, read_method
from discreet.policy.plan import sizes_of_class, with_people
from discreet.release.methods import METHODS
from discreet.result import Preview, Result
from discreet.utility.loss import loss

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    import altair as alt

    from discreet.data.column import FrameKind
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table
    from discreet.limits import Limits
    from discreet.policy.methods import MethodOptions
    from discreet.release.release import Release

METHODS_COMPARED = ("k-mii", "set-cover", "mondrian")
SIZES = (2, 5, 10)


def compare(
    table: object,
    *,
    methods: Iterable[str | Mapping[str, object]] = METHODS_COMPARED,
    k: int | Iterable[int] = SIZES,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    **limits: Unpack[Limits],
) -> Comparison:
    """Return loss, suppressed records, smallest class and time of methods at several k.

    Parameters
    ----------
    table : Table or frame
        If it says whose each row is, classes are of people.
    methods : iterable of str or mapping
        Names as in policies; or the ``[method]`` section of a policy as a mapping, for a method
        with options: ``{"name": "mondrian", "choose": "values"}``.
    k : int, or iterable of int
        Sizes of class to try, each at least 2. Methods with ``theta`` are tried with k - 1.
    hierarchies : mapping of str to Hierarchy, optional
        By which methods generalize, and by which the loss of all of them is measured.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Comparison
        One row for each method and k. Loss and smallest class are measured in the
        quasi-identifiers of the table, for all methods alike.

    Raises
    ------
    ParameterError
        If a method is unknown, makes no classes or lacks an option, or a k is below 2.

    Notes
    -----
    Not for publication: a comparison describes the original. Nothing is written. Every method
    is run in full at every k, one after the other. A method that finds no release at some k is
    a row that says so.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(500).select(["sex", "region", "education"])
    >>> found = compare(people, methods=["k-mii", "mondrian"], k=[2, 5])
    >>> [(each.method, each.k, each.smallest_class >= each.k) for each in found.runs]
    [('k-mii', 2, True), ('k-mii', 5, True), ('mondrian', 2, True), ('mondrian', 5, True)]
    """
    data, trees = as_table(table), dict(hierarchies or {})
    columns = quasi_columns(data, None)
    tried = [
        (options.at(size), size)
        for options in _options(methods)
        for size in sizes_of_class(k if isinstance(k, Iterable) else [k], name="k")
    ]
    cuts = [place / len(tried) for place in range(len(tried) + 1)]
    runs = []
    for (options, size), share in zip(tried, limit_shares(limits, cuts), strict=True):
        started = time.perf_counter()
        release, failed = None, None
        with warnings.catch_warnings():
            # That no row is left is said by the row.
            warnings.simplefilter("ignore", DiscreetWarning)
            try:
                release = options.protect(data, context=Context(hierarchies=trees), **share)
            except InfeasibleError as error:
                failed = str(error)
        seconds = time.perf_counter() - started
        runs.append(
            Compared(
                method=options.name,
                k=size,
                loss=_loss(data, release, columns, trees),
                n_suppressed_records=None if release is None else data.n_rows - release.data.n_rows,
                smallest_class=_smallest_class(release, data, columns),
                seconds=seconds,
                failed=failed,
            )
        )
        report = share.get("progress")
        if report is not None:
            report(1.0)
    return Comparison(columns=columns, n_rows=data.n_rows, runs=tuple(runs))


def _options(methods: Iterable[str | Mapping[str, object]]) -> list[MethodOptions]:
    """Return the options of each method, with a size of class that is replaced later."""
    if isinstance(methods, str):
        raise ParameterError(
            f"methods takes a list of names: methods=['{methods}'].", parameter="methods"
        )
    chosen = []
    for given in methods:
        section = dict(given) if isinstance(given, Mapping) else {"name": given}
        record = METHODS.get(str(section.get("name")))
        if record is None:
            hint = did_you_mean(str(section.get("name")), METHODS)
            raise ParameterError(
                f"There is no method {section.get('name')!r}.", parameter="methods", remedy=hint
            )
        sizes = {each.name: 2 + each.of_k for each in record.options if each.of_k is not None}
        try:
            chosen.append(read_method({**sizes, **section}))
        except ValidationError as error:
            first = error.errors()[0]
            raise ParameterError(
                f"Method '{record.name}' cannot be compared as given: "
                f"{'.'.join(map(str, first['loc'][1:]))}: {first['msg']}.",
                parameter="methods",
            ) from None
    if not chosen:
        raise ParameterError("Give at least one method to compare.", parameter="methods")
    return chosen


def _loss(
    table: Table, release: Release | None, columns: Sequence[str], trees: Mapping[str, Hierarchy]
) -> float | None:
    """Return the mean LM loss of a cell; None if it is not known which row came from which."""
    if release is None or release.input_rows is None:
        return None
    used = {name: tree for name, tree in trees.items() if name in columns}
    return loss(table, release, hierarchies=used, columns=columns).mean


def _smallest_class(release: Release | None, table: Table, columns: Sequence[str]) -> int | None:
    """Return how many people, or rows, the smallest equivalence class has; 0 without rows."""
    if release is None:
        return None
    sizes = equivalence_classes(with_people(release, table), columns).members
    return int(sizes.min()) if len(sizes) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What one method costs at one size of class.

    Attributes
    ----------
    method : str
        The method.
    k : int
        The size of class.
    loss : float, optional
        Mean LM loss of a cell, from 0 to 1: of a suppressed cell, and every cell of a
        suppressed record, 1. None if rows cannot be matched.
    n_suppressed_records : int, optional
        Suppressed records: rows of the original that are not released.
    smallest_class : int, optional
        Rows of the smallest equivalence class; 0 without rows.
    seconds : float
        How long it took.
    failed : str, optional
        Why there is no release.
    """

    method: str
    k: int
    loss: float | None
    n_suppressed_records: int | None
    smallest_class: int | None
    seconds: float
    failed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Result):
    """Methods side by side; not for publication.

    Attributes
    ----------
    columns : tuple of str
        The quasi-identifiers that loss and classes are measured in.
    n_rows : int
        Rows of the original.
    runs : tuple of Compared
        By method, then by k.
    """

    columns: tuple[str, ...]
    n_rows: int
    runs: tuple[Compared, ...]

    @property
    def sentence(self) -> str:
        """Which method lost least at each k, in one plain sentence."""
        best = []
        for size in dict.fromkeys(each.k for each in self.runs):
            known = [each for each in self.runs if each.k == size and each.loss is not None]
            if known:
                least = min(known, key=lambda each: each.loss or 0.0)
                best.append(f"{least.method} at k = {size} ({least.loss:.3f})")
        return f"Least loss: {', '.join(best)}." if best else "No loss is known."

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(each.method for each in self.runs))
        return f"Comparison of {names} on {self.n_rows:,} rows. {self.sentence}"

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  a frame of the asked kind
        """Return one row for each method and k.

        Parameters
        ----------
        kind : {"polars", "pandas", "pyarrow", "duckdb"}
            The kind of frame.
        """
        import polars as pl

        schema = {
            "method": pl.String, "k": pl.Int64, "loss": pl.Float64,
            "n_suppressed_records": pl.Int64, "smallest_class": pl.Int64, "seconds": pl.Float64,
            "failed": pl.String,
        }  # fmt: skip
        assert list(schema) == [each.name for each in fields(Compared)]
        return as_kind(pl.DataFrame([asdict(each) for each in self.runs], schema=schema), kind)

    def preview(self) -> Preview:
        """Return one row for each method and k."""
        rows = [
            (
                each.method,
                str(each.k),
                "" if each.loss is None else f"{each.loss:.4f}",
                "" if each.n_suppressed_records is None else f"{each.n_suppressed_records:,}",
                "" if each.smallest_class is None else f"{each.smallest_class:,}",
                f"{each.seconds:.2f}",
                each.failed or "",
            )
            for each in self.runs
        ]
        header = ("method", "k", "loss", "suppressed records", "smallest class", "s", "")
        return Preview(title=repr(self), header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "runs": [asdict(each) for each in self.runs],
        }

    def plot(self) -> alt.FacetChart:
        """Return a chart for each measure, by k, with a line for each method."""
        import altair as alt
        import polars as pl

        measures = {
            "loss": "loss",
            "n_suppressed_records": "suppressed records",
            "seconds": "seconds",
        }
        frame = (
            self.to_frame("polars")
            .unpivot([*measures], index=["method", "k"], variable_name="measure")
            .drop_nulls("value")
            .with_columns(pl.col("measure").replace(measures))
        )
        lines = alt.Chart(frame).mark_line(point=True)
        chart: alt.FacetChart = (
            lines.encode(
                x=alt.X("k:O", title="k"),
                y=alt.Y("value:Q", title=None),
                color=alt.Color("method:N", title="method"),
            )
            .properties(width=180, height=180)
            .facet(column=alt.Column("measure:N", title=None, sort=[*measures.values()]))
            .resolve_scale(y="independent")
        )
        return chart
