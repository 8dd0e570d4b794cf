"""The table a policy speaks of, read as the policy says."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from discreet.data.files.find import inner_suffix
from discreet.data.fimi import read_transactions
from discreet.data.load import load
from discreet.data.read import read_table
from discreet.data.roles import suggest_roles
from discreet.data.table import Table
from discreet.errors import DataError, DiscreetError, DiscreetWarning, ParameterError, did_you_mean
from discreet.policy.methods import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from discreet.data.transactions import Transactions
    from discreet.policy.model import Policy

_EMPTY = "{} has no rows to protect."


def load_data(policy: Policy) -> Table | Transactions:
    """Return the table of a policy, or its transactions if its method takes them.

    Parameters
    ----------
    policy : Policy
        The policy.

    Returns
    -------
    Table or Transactions
        What the method gets.

    Raises
    ------
    DataError
        If the file cannot be read as the policy says, or holds transactions for another method.
    ParameterError
        If the policy speaks of columns that the file has not.
    """
    path = policy.source_path
    if inner_suffix(path) != ".dat" or not isinstance(policy.method, Patterns):
        return load_source(policy)
    named = next(_named_columns(policy), None)
    if named is not None:
        name, place = named
        raise ParameterError(
            f"{policy.where(*place)}{path} holds transactions, which have no column '{name}'."
        )
    baskets = read_transactions(path)
    if not len(baskets):
        raise DataError(_EMPTY.format(path))
    return baskets


def load_source(policy: Policy) -> Table:
    """Return the table of a policy, columns binned and roles given.

    Parameters
    ----------
    policy : Policy
        The policy.

    Returns
    -------
    Table
        What the method gets.

    Raises
    ------
    DataError
        If the file cannot be read as the policy says.
    ParameterError
        If the policy names a column that the file has not; the line is named.

    Warns
    -----
    DiscreetWarning
        If a column without a role looks as if it identified people.
    """
    path = policy.source_path
    try:
        table = _read(policy, path)
    except DiscreetError:
        _refuse_unknown(policy, _bare(policy, path))
        raise
    if any(name not in table.columns for name, _ in _named_columns(policy)):
        _refuse_unknown(policy, _bare(policy, path))
    if not table.n_rows:
        raise DataError(_EMPTY.format(path))
    if len(table.identifying) == table.n_columns:
        raise ParameterError(
            f"{policy.where('roles')}All columns are identifying, so that nothing would be "
            "released. Give some another role."
        )
    warn_of_identifying(policy, table)
    return table


def read_like(policy: Policy, file: str) -> Table:
    """Return another table, such as a public one, read in the way of the policy's source."""
    return _read(policy, policy.folder / file)


def warn_of_identifying(policy: Policy, table: Table) -> None:
    """Warn of columns that look as if they identified people and have no role."""
    for suggestion in suggest_roles(table).suggestions:
        if suggestion.role == "identifying" and suggestion.column not in policy.roles:
            name = suggestion.column
            where = "" if policy.path is None else f" in [roles] of {policy.path}"
            warnings.warn(
                f"Column '{name}' looks identifying ({suggestion.reason}) and has no role, so it "
                f"would be published. Give it a role{where}: {name}=identifying leaves it out, "
                f"{name}=quasi keeps it.",
                DiscreetWarning,
                stacklevel=3,
            )


def _read(policy: Policy, path: Path) -> Table:
    """Return the table in the file; what is said of columns that are not kept is passed over."""
    source = policy.source
    kept = source.columns
    suffix = inner_suffix(path)
    roles = {name: r for name, r in policy.roles.items() if kept is None or name in kept}
    bins = {name: cut for name, cut in source.bins.items() if kept is None or name in kept}
    # A hierarchy groups the numbers of its column: they need no bins.
    named = dict.fromkeys((*source.categorical, *policy.hierarchies))
    codes = policy.method.lists_values or [
        name
        for name in named
        if (kept is None or name in kept)
        and (name in source.categorical or name not in source.bins)
    ]
    if suffix == ".dat":
        raise DataError(
            f"{path} holds transactions; this method is for tables. The methods for patterns take "
            "both."
        )
    if suffix == ".num":
        items = load(path, bins=bins, categorical=codes, names=source.names)
        assert isinstance(items, Table)
        return (items if kept is None else items.select(kept)).with_roles(roles)
    return read_table(
        path,
        delimiter=source.delimiter,
        encoding=source.encoding,
        header=source.header,
        names=source.names,
        null_values=source.null_values,
        roles=roles,
        missing=source.missing,
        bins=bins,
        categorical=codes,
        columns=kept,
        sheet=source.sheet,
    )


def _bare(policy: Policy, path: Path) -> Table | None:
    """Return all columns of a file, whatever they hold, if it can be read at all."""
    source = policy.source
    try:
        if inner_suffix(path) == ".num":
            items = load(path)
            return items if isinstance(items, Table) else None
        return read_table(
            path,
            delimiter=source.delimiter,
            encoding=source.encoding,
            header=source.header,
            names=source.names,
            categorical=True,
            sheet=source.sheet,
        )
    except DiscreetError:
        return None


def _named_columns(policy: Policy) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield every column that a policy names, with the place where it does."""
    source, method = policy.source, policy.method
    for number, name in enumerate(source.columns or ()):
        yield name, ("source", "columns", number)
    for number, name in enumerate(source.categorical):
        yield name, ("source", "categorical", number)
    for name in source.bins:
        yield name, ("source", "bins", name)
    for name in policy.roles:
        yield name, ("roles", name)
    for name in policy.hierarchies:
        yield name, ("hierarchies", name)
    for name, option in method.named_columns():
        yield name, ("method", *option)


def _refuse_unknown(policy: Policy, table: Table | None) -> None:
    """Raise for the first column that is named and is not there, or if there are no rows."""
    if table is None:
        return
    kept = policy.source.columns or table.columns
    for name, place in _named_columns(policy):
        known = kept if place[0] == "method" else table.columns
        if name not in known:
            among = " among those kept" if name in table.columns else ""
            raise ParameterError(
                f"{policy.where(*place)}There is no column '{name}'{among} in "
                f"{policy.source_path}. {did_you_mean(name, known)}"
            )
    if not table.n_rows:
        raise DataError(_EMPTY.format(policy.source_path))
