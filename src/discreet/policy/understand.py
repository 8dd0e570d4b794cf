"""How a file can be read as a table: which numbers are cut where, and which ones are codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from discreet.data.files.find import inner_suffix
from discreet.data.load import load
from discreet.data.read import read_table
from discreet.data.roles import suggest_roles
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.policy.cuts import looks_like_code, suggest_cuts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from discreet.policy.cuts import Measured


class Understood(NamedTuple):
    """Edges for measured numbers, columns of codes, and the table with both applied."""

    cuts: dict[str, Measured]
    codes: list[str]
    table: Table


def understand(path: Path, *, names: Sequence[str] | None = None) -> Understood:
    """Return a table with proposed edges for its measured numbers, for a person to correct.

    Parameters
    ----------
    path : Path
        A file that exists and holds a table.
    names : sequence of str, optional
        Of all columns, for a file without a header.

    Returns
    -------
    Understood
        Columns that seem to be identifying are not cut: no release has them.

    Raises
    ------
    DataError
        If the file holds transactions, or cannot be read.
    """
    suffix = inner_suffix(path)
    if suffix == ".dat":
        raise DataError(
            f"{path} holds transactions, and this is for tables. To publish what is frequent: "
            "discreet patterns sanitize --help; each transaction changed at random: discreet "
            "randomize --help."
        )
    if suffix == ".num":
        table = load(path, names=names)
        assert isinstance(table, Table)
        return Understood({}, [], table)
    columns = read_table(path, names=names, categorical=True).columns
    # Identifying columns are never published, so that their numbers need no bins.
    typed = read_table(path, names=names, roles=dict.fromkeys(columns, "identifying"))
    measured = suggest_cuts(typed)
    codes = [name for name in measured if looks_like_code(name)]
    alone = suggest_roles(typed).roles
    cuts = {
        name: cut
        for name, cut in measured.items()
        if name not in codes and not (alone[name] == "identifying" and _is_whole(typed, name))
    }
    bins = {name: cut.edges for name, cut in cuts.items()}
    ids = {name: "identifying" for name in measured if name not in cuts and name not in codes}
    table = read_table(path, names=names, bins=bins, categorical=codes, roles=ids)
    final = suggest_roles(table).roles
    kept = {name: cut for name, cut in cuts.items() if final[name] != "identifying"}
    return Understood(kept, codes, table)


def _is_whole(table: Table, column: str) -> bool:
    """Say whether a column holds whole numbers only."""
    return all(isinstance(value, int) for value in table.values(column) if value is not None)
