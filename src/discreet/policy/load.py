"""The table a policy speaks of, read as the policy says."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from discreet.data.files.find import inner_suffix
from discreet.data.load import load
from discreet.data.read import EXCEL, read_table
from discreet.data.roles import suggest_roles
from discreet.data.table import Table
from discreet.errors import DataError, DiscreetError, DiscreetWarning, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from discreet.policy.model import Policy


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
        _refuse_unknown(policy, _columns(policy, path))
        raise
    _refuse_unknown(policy, table.columns)
    if not table.n_rows:
        raise DataError(f"{path} has no rows to protect.")
    if len(table.identifying) == table.n_columns:
        raise ParameterError(
            f"{policy.where('roles')}All columns are identifying, so that nothing would be "
            "released. Give some another role."
        )
    warn_of_identifying(policy, table)
    return table


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
    """Return the table in the file."""
    source = policy.source
    suffix = inner_suffix(path)
    if suffix == ".dat":
        raise DataError(f"{path} holds transactions; policies are about tables.")
    if suffix == ".num":
        items = load(path, bins=source.bins, categorical=source.categorical)
        assert isinstance(items, Table)
        chosen = items if source.columns is None else items.select(source.columns)
        return chosen.with_roles(policy.roles)
    return read_table(
        path,
        delimiter=source.delimiter,
        encoding=source.encoding,
        header=source.header,
        null_values=source.null_values,
        roles=policy.roles,
        missing=source.missing,
        bins=source.bins,
        categorical=source.categorical,
        columns=source.columns,
        sheet=source.sheet if suffix in EXCEL else None,
    )


def _columns(policy: Policy, path: Path) -> tuple[str, ...] | None:
    """Return the columns of a file that could not be read as the policy says, if it can be."""
    source = policy.source
    try:
        table = read_table(
            path,
            delimiter=source.delimiter,
            encoding=source.encoding,
            header=source.header,
            categorical=True,
            sheet=source.sheet,
        )
    except DiscreetError:
        return None
    return table.columns


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
    for number, name in enumerate(method.columns or ()):
        yield name, ("method", "columns", number)


def _refuse_unknown(policy: Policy, columns: Collection[str] | None) -> None:
    """Raise ParameterError for the first column that is named and is not there."""
    if columns is None:
        return
    for name, place in _named_columns(policy):
        if name not in columns:
            kept = policy.source.columns
            left_out = " among those kept" if kept and name not in kept else ""
            raise ParameterError(
                f"{policy.where(*place)}There is no column '{name}'{left_out} in "
                f"{policy.source_path}. {did_you_mean(name, columns)}"
            )
