"""What a release shows, as a chart: drawn from what is published alone, whatever its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.data.table import Table
from discreet.data.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Mapping

    import altair as alt
    import polars as pl
    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.mine.itemsets import Itemsets
    from discreet.release.hierarchies import StatedHierarchy

SHOWN = ("value", "group", "suppressed or missing")  # what a released cell shows
ROOT = "*"


def draw(
    data: Table | Itemsets | Transactions,
    *,
    are_synthetic: bool,
    stated: Mapping[str, StatedHierarchy],
    sizes: NDArray[np.int32] | None,
) -> alt.Chart:
    """Return the chart of a release.

    Parameters
    ----------
    data : Table, Itemsets or Transactions
        What is published.
    are_synthetic : bool
        Whether rows were drawn from a model. Then the chart shows the values of each column,
        and otherwise how much of each column was generalized or suppressed.
    stated : mapping of str to StatedHierarchy
        By which columns were generalized.
    sizes : array of int, optional
        Of transactions, the true size of each.
    """
    import altair as alt

    chart: alt.Chart
    if isinstance(data, Transactions):
        bars = alt.Chart(sizes_frame(data, sizes), title="Transactions by size").mark_bar()
        chart = bars.encode(
            x=alt.X("items:O", title="items"),
            xOffset="size:N",
            y=alt.Y("transactions:Q", title="transactions"),
            color=alt.Color("size:N", title="size"),
        )
    elif not isinstance(data, Table):
        ticks = alt.Chart(itemsets_frame(data), title="Supports of the itemsets").mark_tick()
        chart = ticks.encode(
            x=alt.X("support:Q", title="support"),
            y=alt.Y("items:O", title="items"),
            tooltip=["itemset", "support"],
        )
    elif are_synthetic:
        bars = alt.Chart(values_frame(data), title="Values of each column").mark_bar(stroke="white")
        chart = bars.encode(
            x=alt.X("share:Q", title="share of the rows", axis=alt.Axis(format="%")),
            y=alt.Y("column:N", title=None, sort=list(data.columns)),
            detail="value:N",
            order=alt.Order("share:Q", sort="descending"),
            tooltip=["column", "value", alt.Tooltip("share:Q", format=".1%")],
        )
    else:
        frame = cells_frame(data, stated)
        bars = alt.Chart(frame, title="What released cells show").mark_bar()
        chart = bars.encode(
            x=alt.X("share:Q", title="share of the cells", axis=alt.Axis(format="%")),
            y=alt.Y("column:N", title=None, sort=list(data.columns)),
            color=alt.Color("shows:N", title=None, sort=list(SHOWN)),
            order="place:Q",
            tooltip=["column", "shows", alt.Tooltip("share:Q", format=".1%")],
        )
    return chart


def cells_frame(table: Table, stated: Mapping[str, StatedHierarchy]) -> pl.DataFrame:
    """Return the share of the cells of each column that show a value, a group or nothing.

    Examples
    --------
    >>> from discreet.data.hierarchy.tree import Hierarchy
    >>> from discreet.release.hierarchies import stated_hierarchy
    >>> jobs = Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "tech": ["coder"]}})
    >>> table = Table.from_frame({"job": ["food", "food", "coder", "*"], "sex": [*"ffm", None]})
    >>> stated = stated_hierarchy("job", jobs, table.values("job"))
    >>> cells_frame(table, {"job": stated}).drop("place").rows()
    [('job', 'value', 0.25), ('job', 'group', 0.5), ('job', 'suppressed or missing', 0.25),
     ('sex', 'value', 0.75), ('sex', 'group', 0.0), ('sex', 'suppressed or missing', 0.25)]
    """
    import polars as pl

    rows = []
    for name in table.columns:
        tree = stated.get(name)
        kinds = np.array([_shows(label, tree) for label in table.values(name)], np.int64)
        counts = np.bincount(kinds[table.codes(name)], minlength=len(SHOWN))
        shares = counts / max(table.n_rows, 1)
        rows += [(name, SHOWN[place], place, float(shares[place])) for place in range(len(SHOWN))]
    schema = {"column": pl.String, "shows": pl.String, "place": pl.Int64, "share": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _shows(label: Label, tree: StatedHierarchy | None) -> int:
    """Return the place in SHOWN of what a label shows."""
    if label is None or label == (ROOT if tree is None else tree.nodes[0].label):
        return 2
    node = None if tree is None else tree.find(label)
    return 0 if node is None or node.height == 0 else 1


def values_frame(table: Table) -> pl.DataFrame:
    """Return the share of the rows that have each value, column by column.

    Examples
    --------
    >>> values_frame(Table.from_frame({"sex": ["f", "m", "f", None]})).rows()
    [('sex', 'f', 0.5), ('sex', 'm', 0.25), ('sex', '(missing)', 0.25)]
    """
    import polars as pl

    rows = []
    for name in table.columns:
        labels = table.values(name)
        counts = np.bincount(table.codes(name), minlength=len(labels)) / max(table.n_rows, 1)
        shown = ["(missing)" if label is None else str(label) for label in labels]
        rows += [(name, *pair) for pair in zip(shown, counts.tolist(), strict=True)]
    schema = {"column": pl.String, "value": pl.String, "share": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def itemsets_frame(itemsets: Itemsets) -> pl.DataFrame:
    """Return one row for each itemset: its number of items, its text and its support.

    Examples
    --------
    >>> from discreet.mine.itemsets import Itemsets
    >>> itemsets_frame(Itemsets.from_mapping({frozenset(["tea"]): 3}, n_rows=5)).rows()
    [(1, 'tea', 3)]
    """
    import polars as pl

    rows = [
        (len(items), ", ".join(sorted(map(str, items))), support) for items, support in itemsets
    ]
    schema = {"items": pl.Int64, "itemset": pl.String, "support": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def sizes_frame(transactions: Transactions, sizes: NDArray[np.int32] | None) -> pl.DataFrame:
    """Return the number of transactions of each size, as published and as it was.

    Examples
    --------
    >>> sets = Transactions.from_iterable([["tea"], ["tea", "jam"]])
    >>> sizes_frame(sets, np.array([1, 1], np.int32)).rows()
    [(1, 'published', 1), (2, 'published', 1), (1, 'true', 2)]
    """
    import polars as pl

    rows = []
    known = {"published": transactions.sizes} | ({} if sizes is None else {"true": sizes})
    for what, found in known.items():
        size, counts = np.unique(found, return_counts=True)
        rows += [(int(n), what, int(count)) for n, count in zip(size, counts, strict=True)]
    schema = {"items": pl.Int64, "size": pl.String, "transactions": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")
