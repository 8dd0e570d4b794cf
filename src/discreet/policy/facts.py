"""What can be seen in a file before a method is chosen for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.assess.look import count_distinct_transactions
from discreet.data.files.find import find_file, inner_suffix
from discreet.data.fimi import read_transactions
from discreet.data.roles import suggest_roles
from discreet.errors import ParameterError
from discreet.mine import Database
from discreet.policy.understand import understand

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from discreet.data.roles import Role
    from discreet.data.table import Table
    from discreet.policy.cuts import Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A file in a few numbers; not for publication.

    Attributes
    ----------
    file : str
        As it was given.
    kind : {"table", "transactions"}
        What it holds.
    n_rows, n_alone : int
        Rows, or transactions, and how many are like no other; of a table in all columns that
        do not seem to be identifying.
    n_values : dict of str to int
        How many values each of these columns has; one entry, ``items``, for transactions.
    roles : dict of str to str
        Suggested role of every column.
    options : tuple of str
        Options by which a command reads the file: bins, codes, roles.
    is_cut : bool
        Whether bins are proposed, for which the data was looked at.
    """

    file: str
    kind: Literal["table", "transactions"]
    n_rows: int
    n_alone: int
    n_values: dict[str, int]
    roles: dict[str, Role]
    options: tuple[str, ...] = ()
    is_cut: bool = False

    @property
    def alone_rate(self) -> float:
        """Share of the rows that are like no other."""
        return self.n_alone / max(self.n_rows, 1)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Columns that seem to be sensitive."""
        return tuple(name for name, role in self.roles.items() if role == "sensitive")

    @property
    def sentence(self) -> str:
        """The file in one plain sentence."""
        alone = f"{self.n_alone:,} of them ({self.alone_rate:.1%}) are like no other"
        if self.kind == "transactions":
            items = self.n_values["items"]
            return f"{self.file}: {self.n_rows:,} transactions of {items:,} items; {alone}."
        values = sum(self.n_values.values())
        named = len(self.roles) - len(self.n_values)
        left = f", and {named} that seem to name people" if named else ""
        return (
            f"{self.file}: a table of {self.n_rows:,} rows, {len(self.n_values)} columns with "
            f"{values:,} values{left}; {alone}."
        )

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {**asdict(self), "options": list(self.options), "alone_rate": self.alone_rate}


def facts_of(file: str | os.PathLike[str], *, names: Sequence[str] | None = None) -> Facts:
    """Return what can be seen in a file: a table, or FIMI ``.dat`` transactions.

    Parameters
    ----------
    file : path
        The file.
    names : sequence of str, optional
        Of all columns of a table without a header.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    path = find_file(file)
    if inner_suffix(path) == ".dat":
        if names:
            raise ParameterError(f"{path} holds transactions, which have no columns to name.")
        return _of_transactions(path)
    found = table_facts(path, understand(path, names=names))
    return replace(found, options=("--names", ",".join(names), *found.options)) if names else found


def _of_transactions(path: Path) -> Facts:
    """Return the facts about transactions."""
    data = read_transactions(path)
    _, n_alone = count_distinct_transactions(data)
    return Facts(
        file=str(path),
        kind="transactions",
        n_rows=len(data),
        n_alone=n_alone,
        n_values={"items": len(data.labels)},
        roles={},
    )


def table_facts(path: Path, read: tuple[Mapping[str, Measured], list[str], Table]) -> Facts:
    """Return the facts about a table, with the cuts and codes by which it was read."""
    cuts, codes, table = read
    roles = suggest_roles(table).roles
    used = [name for name in table.columns if roles[name] != "identifying"]
    database = Database.from_table(table, columns=used)
    return Facts(
        file=str(path),
        kind="table",
        n_rows=table.n_rows,
        n_alone=int(np.sum(database.weights == 1)),
        n_values={name: len(table.values(name)) for name in used},
        roles=roles,
        options=_options(cuts, codes, roles),
        is_cut=bool(cuts),
    )


def _options(
    cuts: Mapping[str, Measured], codes: list[str], roles: Mapping[str, Role]
) -> tuple[str, ...]:
    """Return the options of a command that read a table so; quasi is the default role."""
    options: list[str] = []
    for name, role in roles.items():
        options += () if role == "quasi" else ("--role", f"{name}={role}")
    for name, cut in cuts.items():
        options += ("--bins", f"{name}={','.join(map(_number, cut.edges))}")
    for name in codes:
        options += ("--categorical", name) if roles[name] != "identifying" else ()
    return tuple(options)


def _number(edge: float) -> str:
    """Return a number in digits, without an exponent."""
    return str(edge) if isinstance(edge, int) else f"{Decimal(str(edge)):f}"
