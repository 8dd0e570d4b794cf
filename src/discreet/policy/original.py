"""The file that a release was made from, read again as it was read for the release."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.files.find import find_file, inner_suffix
from discreet.data.load import load
from discreet.errors import DiscreetError, DiscreetWarning
from discreet.policy.load import read_like
from discreet.policy.read import read_policy
from discreet.release.files import POLICY_FILE

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from discreet.data.binning import BinsLike
    from discreet.data.table import Table
    from discreet.data.transactions import Transactions


def read_original(
    file: str | os.PathLike[str],
    *,
    release: str | os.PathLike[str],
    bins: Mapping[str, BinsLike] | None = None,
    names: Sequence[str] | None = None,
) -> Table | Transactions:
    """Return the original of a release, cut and coded as the policy in its folder says.

    Parameters
    ----------
    file : path
        The file that the release was made from.
    release : path
        The folder of the release, or a file without a policy beside it.
    bins : mapping, optional
        Column to edges or step width, in place of the policy's.
    names : sequence of str, optional
        Of all columns of a file without a header, in place of the policy's.

    Returns
    -------
    Table or Transactions
        Without a policy, or with bins, all other numbers are taken as codes.

    Raises
    ------
    DataError
        If the file cannot be read so.

    Warns
    -----
    DiscreetWarning
        If the policy in the folder cannot be read.
    """
    policy = Path(release) / POLICY_FILE
    if bins or not policy.is_file() or inner_suffix(find_file(file)) == ".dat":
        return load(file, bins=bins, names=names, categorical=True)
    try:
        known = read_policy(policy)
    except DiscreetError:
        warnings.warn(
            f"{policy} is not a policy that can be read, so that numbers of {file} are taken as "
            "they are. Were they cut into bins? Say how.",
            DiscreetWarning,
            stacklevel=2,
        )
        return load(file, names=names, categorical=True)
    if names:
        source = known.source.model_copy(update={"names": list(names)})
        known = known.model_copy(update={"source": source})
    return read_like(known, str(Path(file).absolute()))
