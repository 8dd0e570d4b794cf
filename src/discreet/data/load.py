"""One call that reads any file discreet knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.files.find import inner_suffix
from discreet.data.fimi import read_num_table, read_transactions
from discreet.data.read import read_table
from discreet.data.table import Table
from discreet.errors import ParameterError

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping, Sequence

    from discreet.data.binning import BinsLike
    from discreet.data.transactions import Transactions


def load(
    path: str | os.PathLike[str],
    *,
    bins: Mapping[str, BinsLike] | None = None,
    categorical: Collection[str] | bool = (),
    roles: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
) -> Table | Transactions:
    r"""Return the table or the transactions in a file, by its ending.

    Parameters
    ----------
    path : path
        FIMI ``.dat`` for transactions; LUCS-KDD ``.num`` for a table of its rows of the
        commonest length; everything else goes to :func:`discreet.read_table`, which has
        options for unusual files. ``.gz``, ``.xz`` and ``.zst`` are read directly.
    bins : mapping, optional
        Column to edges or step width, for tables.
    categorical : collection of str, or bool
        Columns whose numbers are codes, not measurements; True for all columns.
    roles : mapping, optional
        Column to role, for tables. The numbers of identifying columns need no bins.
    names : sequence of str, optional
        Of all columns of a text or Excel table, in place of its header or of none.

    Returns
    -------
    Table or Transactions
        What the file holds.

    Raises
    ------
    DataError
        If the file cannot be read as it stands.
    ParameterError
        If ``bins``, ``categorical`` or ``roles`` name columns of a file that has none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "baskets.dat"
    >>> _ = path.write_text("1 2\n2\n")
    >>> [sorted(basket) for basket in load(path)]
    [[1, 2], [2]]
    """
    suffix = inner_suffix(Path(path))
    if suffix not in (".dat", ".num"):
        return read_table(path, bins=bins, categorical=categorical, roles=roles, names=names)
    if names is not None:
        raise ParameterError(f"{path}: {suffix} files hold items, not columns; leave out names.")
    if bins or (categorical and not isinstance(categorical, bool)):
        raise ParameterError(f"{path}: {suffix} files hold items, not numbers; leave out bins.")
    if suffix == ".dat":
        if roles:
            raise ParameterError(f"{path}: transactions have no columns; leave out roles.")
        return read_transactions(path)
    rows = read_num_table(path)
    table = Table.from_codes(
        dict(zip(rows.columns, rows.codes, strict=True)),
        dict(zip(rows.columns, rows.values, strict=True)),
    )
    return replace(table, n_dropped=rows.n_dropped).with_roles(roles or {})
