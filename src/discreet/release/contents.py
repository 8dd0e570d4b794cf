"""What a release publishes as the rows of its data file, for each kind of data, and back.

Rows and synthetic rows are a table. Patterns have a row for each itemset, and the rows of a
witness follow. Transactions have a row each: the true size, and the randomized set as numbers that
count from 0 in the list of items of ``operator.json``.
"""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet import checks
from discreet.data.binning import bounds_of
from discreet.data.domains import draw_numbers
from discreet.data.item_sets import check_labels
from discreet.data.read import read_table
from discreet.data.table import Table
from discreet.data.transactions import Transactions
from discreet.data.write import write_table
from discreet.errors import DataError, DiscreetError, GuaranteeError, ParameterError
from discreet.mine.itemsets import Itemsets
from discreet.release.certificate import restore_types
from discreet.release.folder import EXPORTS, OPERATOR_FILE
from discreet.release.hierarchies import HIERARCHIES_FILE, read_hierarchies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.item_sets import Label, Labels
    from discreet.release.certificate import AnyCertificate
    from discreet.release.event import Event
    from discreet.release.hierarchies import StatedHierarchy
    from discreet.release.method import Publication


def read_contents(folder: Path, certificate: AnyCertificate) -> dict[str, Any]:
    """Return what a folder publishes, by the names of the fields of a release.

    Parameters
    ----------
    folder : Path
        Its files are as certified.
    certificate : Certificate
        Says what kind of data there is.

    Raises
    ------
    GuaranteeError
        If the data is not of that kind.
    """
    try:
        return _READERS[certificate.publishes](folder, certificate)
    except GuaranteeError:
        raise
    except DiscreetError as error:
        path = folder / certificate.data.file
        raise GuaranteeError(f"{path} is not as certified: {error}") from error


def _read_rows(folder: Path, certificate: AnyCertificate) -> dict[str, Any]:
    """Return the table, with roles and types as certified, and its hierarchies."""
    stated, whole = _read_stated_hierarchies(folder / HIERARCHIES_FILE)
    return {"data": _read_table(folder, certificate), "stated": stated, "hierarchies": whole}


def _read_patterns(folder: Path, certificate: AnyCertificate) -> dict[str, Any]:
    """Return the itemsets, and the rows of the witness if there is one."""
    n_rows = certificate.guarantee.parameters.get("n_rows")
    if not isinstance(n_rows, int):
        raise DataError("The claim does not say how many rows the itemsets are of.")
    patterns, witness = read_pattern_table(_read_table(folder, certificate), n_rows=n_rows)
    return {"data": patterns, "witness": witness}


def _read_transactions(folder: Path, certificate: AnyCertificate) -> dict[str, Any]:
    """Return the transactions, their true sizes, and how they were randomized."""
    if certificate.operator_sha256 is None:
        raise DataError(f"There is no {OPERATOR_FILE}, which says how they were randomized.")
    try:
        operator, labels, n_null = read_operator_text((folder / OPERATOR_FILE).read_bytes())
    except DataError as error:
        raise GuaranteeError(f"{folder} is not as certified: {error}") from error
    offsets, items, sizes = _read_sets(folder / certificate.data.file)
    sets = Transactions.from_csr(offsets, items, labels)
    _check_number(folder, certificate, columns=("size", "items"), n_rows=len(sets))
    return {"data": sets, "sizes": sizes, "operator": operator, "n_null_items": n_null}


_READERS: dict[Publication, Callable[[Path, AnyCertificate], dict[str, Any]]] = {
    "rows": _read_rows,
    "synthetic rows": _read_rows,
    "patterns": _read_patterns,
    "transactions": _read_transactions,
}


def _read_table(folder: Path, certificate: AnyCertificate) -> Table:
    """Return the table of the data file, with the roles and types that are certified."""
    path, roles = folder / certificate.data.file, certificate.read_roles()
    if path.suffix == ".parquet":
        table = read_table(path, roles=roles, categorical=True)
    else:
        types = {column.name: column.type for column in certificate.data.columns}
        text = read_table(
            path, delimiter=",", encoding="utf-8", header=True, names=list(types), roles=roles,
            categorical=True, max_cell_length=2**31,
        )  # fmt: skip
        table = restore_types(text, types)
    _check_number(folder, certificate, columns=table.columns, n_rows=table.n_rows)
    return table.with_sets(certificate.read_sets())


def _check_number(
    folder: Path, certificate: AnyCertificate, *, columns: tuple[str, ...], n_rows: int
) -> None:
    """Raise GuaranteeError if there are other columns or rows than certified."""
    claimed = certificate.data
    names = [column.name for column in claimed.columns]
    if list(columns) != names or n_rows != claimed.n_rows:
        raise GuaranteeError(
            f"{folder / claimed.file} has {n_rows} rows of {', '.join(columns)}; its certificate "
            f"says {claimed.n_rows} rows of {', '.join(names)}."
        )


def _read_stated_hierarchies(
    path: Path,
) -> tuple[dict[str, StatedHierarchy], dict[str, Hierarchy]]:
    """Return the hierarchies that a release states; none if it has no such file."""
    if not path.exists():
        return {}, {}
    try:
        return read_hierarchies(path.read_bytes().decode())
    except (DiscreetError, UnicodeDecodeError) as error:
        raise GuaranteeError(f"{path} is not as certified: {error}") from error


# Patterns as a table.

PATTERN, WITNESS = "pattern", "witness"

PATTERN_COLUMNS = ("items", "support", "kind")


def pattern_table(patterns: Itemsets, witness: Itemsets | None = None) -> Table:
    """Return itemsets as a table, and the rows of a witness below them.

    Parameters
    ----------
    patterns : Itemsets
        With texts as items, which are sorted within a cell.
    witness : Itemsets, optional
        Rows with their numbers as supports.

    Examples
    --------
    >>> patterns = Itemsets.from_mapping({frozenset("a"): 5, frozenset("ab"): 3}, n_rows=9)
    >>> pattern_table(patterns).to_frame().rows()
    [('["a"]', 5, 'pattern'), ('["a", "b"]', 3, 'pattern')]
    """
    columns: dict[str, list[str] | list[int]] = {"items": [], "support": [], "kind": []}
    for kind, itemsets in ((PATTERN, patterns), (WITNESS, witness)):
        for items, support in () if itemsets is None else itemsets:
            cells = (json.dumps(sorted(map(str, items)), ensure_ascii=False), support, kind)
            for name, cell in zip(PATTERN_COLUMNS, cells, strict=True):
                columns[name].append(cell)  # type: ignore[arg-type]  # of its column's type
    roles = dict.fromkeys(PATTERN_COLUMNS, "insensitive")
    return Table.from_frame(columns, roles=roles, categorical=True)


def read_pattern_table(table: Table, *, n_rows: int) -> tuple[Itemsets, Itemsets | None]:
    """Return the itemsets in a table, and the witness if there is one.

    Parameters
    ----------
    table : Table
        As :func:`pattern_table` makes it.
    n_rows : int
        How many rows the itemsets are of.

    Raises
    ------
    DataError
        If a row is no itemset, or one is there twice.
    """
    if table.columns != PATTERN_COLUMNS:
        raise DataError(
            f"A release of patterns has columns {', '.join(PATTERN_COLUMNS)}, not "
            f"{', '.join(table.columns)}."
        )
    found: dict[object, dict[frozenset[str], int]] = {PATTERN: {}, WITNESS: {}}
    for number, (text, support, kind) in enumerate(table.to_frame("polars").rows(), 1):
        items = _read_items(text)
        if items is None or type(support) is not int or kind not in found:
            raise DataError(f"Row {number} is not an itemset with its support.")
        if items in found[kind]:
            raise DataError(f"Row {number} states an itemset again.")
        found[kind][items] = support
    patterns = Itemsets.from_mapping(found[PATTERN], n_rows=n_rows, kind="frequent")
    if not found[WITNESS]:
        return patterns, None
    return patterns, Itemsets.from_mapping(found[WITNESS], n_rows=n_rows, kind=WITNESS)


def _read_items(text: object) -> frozenset[str] | None:
    """Return the items of a JSON array of different texts, or None if it is none."""
    try:
        items = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return None
    return frozenset(items) if len(set(items)) == len(items) else None


# Transactions as a frame, and the file that says how they were randomized.

SET_COLUMNS = (
    {"name": "size", "role": "quasi", "type": "integer"},
    {"name": "items", "role": "sensitive", "type": "items"},
)

_OPERATOR_KEYS = {"items", "null_items", "operator"}


def sized_frame(transactions: Transactions, sizes: NDArray[np.int32]) -> pl.DataFrame:
    """Return a row for each transaction: its true size, and the set as numbers of items.

    Examples
    --------
    >>> baskets = Transactions.from_iterable([["tea", "milk"], []])
    >>> sized_frame(baskets, np.array([1, 2], np.int32)).rows()
    [(1, [0, 1]), (2, [])]
    """
    import polars as pl

    numbered = Transactions(
        offsets=transactions.offsets,
        items=transactions.items,
        labels=tuple(range(transactions.n_items)),
    )
    lists = numbered.to_frame()["items"].cast(pl.List(pl.Int32))
    return pl.DataFrame({"size": pl.Series(sizes, dtype=pl.Int32), "items": lists})


def _read_sets(path: Path) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Return offsets, items and sizes of a data file."""
    import polars as pl

    from discreet.data.transaction_frames import csr_of_lists

    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    if frame.columns != ["size", "items"]:
        raise GuaranteeError(f"{path} does not hold sizes and items, as certified.")
    offsets, codes, numbers = csr_of_lists(frame, "items")
    return offsets, np.asarray(numbers, np.int64)[codes], frame["size"].to_numpy()


def operator_text(operator: Mapping[str, object], *, labels: Sequence[Label], n_null: int) -> str:
    """Return the content of ``operator.json``.

    Examples
    --------
    >>> text = operator_text({"operator": "uniform", "p": "1/4"}, labels=["milk", "tea"], n_null=0)
    >>> read_operator_text(text.encode())
    ({'operator': 'uniform', 'p': '1/4'}, ('milk', 'tea'), 0)
    """
    values = {"items": list(labels), "null_items": n_null, "operator": dict(operator)}
    return json.dumps(values, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def read_operator_text(content: bytes) -> tuple[dict[str, Any], Labels, int]:
    """Return the options of the operator, the items (null ones last), and how many are null.

    Raises
    ------
    DataError
        If the content is not such a file.
    """
    try:
        values = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise DataError(f"operator.json is not whole JSON: {error}.") from None
    if not isinstance(values, dict) or set(values) != _OPERATOR_KEYS:
        raise DataError(f"operator.json has {', '.join(sorted(_OPERATOR_KEYS))}, and nothing else.")
    labels, n_null = values["items"], values["null_items"]
    if not isinstance(labels, list) or type(n_null) is not int or not 0 <= n_null <= len(labels):
        raise DataError("operator.json: items is a list, null_items the number of null ones in it.")
    if not isinstance(values["operator"], dict):
        raise DataError("operator.json: operator is a table of options.")
    try:
        return values["operator"], check_labels(labels), n_null
    except DiscreetError as error:
        raise DataError(f"operator.json: {error}") from error


# The rows of a release as those who use them want to open them: beside what is certified.


def exported_table(table: Table, *, bounds: bool = False) -> Table:
    """Return the rows of a release as an export has them.

    Parameters
    ----------
    table : Table
        What is published.
    bounds : bool
        Whether columns that show intervals of numbers or dates are followed by where each begins
        and ends, ``NAME_lower`` and ``NAME_upper``. A suppressed cell has neither.

    Examples
    --------
    >>> ages = Table.from_frame({"age": ["[20, 40)", ">= 60", None]})
    >>> exported_table(ages, bounds=True).to_frame().rows()
    [('[20, 40)', 20, 40), ('>= 60', 60, None), (None, None, None)]
    """
    if not bounds:
        return table
    codes: dict[str, NDArray[np.integer]] = {}
    values: dict[str, Sequence[Any]] = {}
    for name in table.columns:
        codes[name], values[name] = table.codes(name), table.values(name)
        for end, ends in zip(("lower", "upper"), _ends(table.values(name)), strict=False):
            own = f"{name}_{end}"
            while own in table.columns:
                own += "_"
            distinct = [*dict.fromkeys(ends)]
            place = {value: code for code, value in enumerate(distinct)}
            codes[own] = np.array([place[value] for value in ends], np.int64)[table.codes(name)]
            values[own] = distinct
    return Table.from_codes(codes, values)


def check_export(export: str | None, table: Table | None, *, bounds: bool) -> None:
    """Raise an error for an export that cannot be made."""
    if export is None:
        if bounds:
            raise ParameterError(
                "Bounds stand in an export: say of which kind.", parameter="bounds",
                remedy="Add {export}.", options={"export": "xlsx"},
            )  # fmt: skip
        return
    checks.one_of("export", export, EXPORTS)
    if table is None:
        raise ParameterError(
            "Randomized transactions are sets of items, which no export holds.", parameter="export"
        )


def shown_in_export(kind: Publication, *, bounds: bool) -> str:
    """Return in the words of a certificate what an export shows."""
    if bounds:
        return "cells and bounds"
    return DRAWN if kind == "synthetic rows" else "cells"


DRAWN = "numbers drawn inside bins"


def write_export(table: Table, path: Path, *, shows: str) -> None:
    """Write what is published once more, as a kind of file that programs open."""
    if shows == DRAWN:
        exported = draw_numbers(table)
    else:
        exported = exported_table(table, bounds=shows != "cells")
    write_table(exported, path, bom=path.suffix == ".csv")


_SUPPRESSED = ("*", None)


def _ends(labels: Sequence[object]) -> tuple[list[object], ...]:
    """Return the lower and the upper ends of labels that are intervals, or nothing."""
    found = [None if label in _SUPPRESSED else bounds_of(label) for label in labels]
    known = [each for each in found if each is not None]
    kinds = {isinstance(end, date) for each in known for end in each if end is not None}
    if len(kinds) != 1 or len(known) < sum(label not in _SUPPRESSED for label in labels):
        return ()
    if all(low == high for low, high in known):  # numbers and dates themselves
        return ()
    number = float if any(isinstance(end, float) for each in known for end in each) else None
    ends = [(None, None) if each is None else each for each in found]
    return tuple(
        [end if end is None or number is None else float(end) for end in side]
        for side in zip(*ends, strict=True)
    )


# What the rows of a release show: groups, and suppressed cells.


class Rows(Protocol):
    """What is read of a release of rows."""

    @property
    def data(self) -> Table:
        """The rows."""

    @property
    def events(self) -> Sequence[Event]:
        """What was done."""

    @property
    def stated(self) -> Mapping[str, StatedHierarchy]:
        """What is published of hierarchies."""

    @property
    def hierarchies(self) -> Mapping[str, Hierarchy]:
        """Whole hierarchies, where they are known."""


def generalized_columns(release: Rows) -> tuple[str, ...]:
    """Return the columns that were generalized, as the release says; none of other releases.

    Examples
    --------
    >>> import discreet as dc
    >>> generalized_columns(dc.k_mii(dc.Table.from_frame({"sex": ["f", "f"]}), k=2))
    ()
    """
    for event in release.events:
        columns = event.parameters.get("columns")
        if event.name == "generalize" and isinstance(columns, tuple):
            return tuple(name for name in columns if name in release.data.columns)
    return ()


def shown_cells(release: Rows) -> Table:
    """Return the rows of a release, a suppressed cell of every column missing.

    Columns that were generalized without a hierarchy show ``*`` in their place. The root of a
    hierarchy stays: it is a group, and whoever has the hierarchy reads it as one.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["a", "a", "b"]})
    >>> release = dc.mondrian(people, k=3)
    >>> release.data.values("sex"), shown_cells(release).values("sex")
    (('*',), (None,))
    """
    data = release.data
    for name in generalized_columns(release):
        if name in release.stated or name in release.hierarchies or "*" not in data.values(name):
            continue
        values = [None if value == "*" else value for value in data.values(name)]
        place = {value: code for code, value in enumerate(dict.fromkeys(values))}
        codes = np.array([place[value] for value in values], np.int64)[data.codes(name)]
        data = data.with_column(name, codes, [*place])
    return data
