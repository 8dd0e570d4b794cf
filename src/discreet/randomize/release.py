"""Randomized transactions as a release: a folder with data, operator and certificate.

The data has a row for each transaction: its true size, and the randomized set as numbers that
count from 0 in the list of items of ``operator.json``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.frames.transaction_frames import csr_of_lists
from discreet.data.transactions import Transactions
from discreet.errors import DataError, GuaranteeError
from discreet.randomize.claims import claim_of, randomize_event
from discreet.randomize.operator_file import operator_text, read_operator
from discreet.randomize.randomized import Randomized
from discreet.release.any_release import claims_of, this_second, this_version
from discreet.release.certificate import CERTIFICATE_FILE
from discreet.release.files import (
    DATA_FILES,
    OPERATOR_FILE,
    RELEASE_FILES,
    REPORT_FILE,
    certify,
    read_certified,
)
from discreet.release.folder import atomic_folder
from discreet.result import Preview, Result

if TYPE_CHECKING:
    import os
    from datetime import datetime

    import polars as pl
    from numpy.typing import NDArray

    from discreet.release.event import Event
    from discreet.release.fingerprint import Fingerprint
    from discreet.release.guarantee import Guarantee

COLUMNS = (
    {"name": "size", "role": "quasi", "type": "integer"},
    {"name": "items", "role": "sensitive", "type": "items"},
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RandomizedRelease(Result):
    """Randomized transactions with their guarantee and what was done.

    Parameters
    ----------
    data : Randomized
        What is published.
    guarantee : Guarantee
        The claim.
    events : tuple of Event
        What was done, in order.
    fingerprint : Fingerprint, optional
        Of the input, if there was one place that had it.
    created : datetime, optional
        Whole seconds of UTC; now by default.
    version : str, optional
        The version of discreet that made it; this one by default.

    Examples
    --------
    >>> import tempfile
    >>> import discreet as dc
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = dc.Transactions.from_iterable([["tea", "milk"], ["milk"]] * 50)
    >>> release = randomized_release(
    ...     CutAndPaste(cutoff=3, rho="1/4").randomize(baskets), items_are_public=True)
    >>> folder = release.save(Path(tempfile.mkdtemp()) / "out")
    >>> sorted(path.name for path in folder.iterdir())
    ['certificate.json', 'data.parquet', 'operator.json']
    >>> RandomizedRelease.load(folder).data.n_of_size()
    {1: 50, 2: 50}
    """

    data: Randomized
    guarantee: Guarantee
    events: tuple[Event, ...]
    fingerprint: Fingerprint | None = None
    created: datetime = field(default_factory=this_second)
    version: str = field(default_factory=this_version)

    def __repr__(self) -> str:
        return f"Release of {len(self.data)} randomized transactions: {self.guarantee.sentence}"

    def preview(self) -> Preview:
        """Return the claim and the steps."""
        rows = [(event.name, f"{len(self.data):,} transactions") for event in self.events]
        return Preview(title=repr(self), header=("step", "counts"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all but the data as plain values."""
        return claims_of(self)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        report: str | None = None,
    ) -> Path:
        """Write the release as a folder, whole or not at all, and return its path.

        Parameters
        ----------
        folder : path
            Must not exist, or be empty.
        overwrite : bool
            Whether another release there may be replaced; nothing else ever is.
        report : str, optional
            The page to write as ``report.html``.

        Raises
        ------
        ParameterError
            If the folder exists and may not be replaced.
        DataError
            If it cannot be written.
        """
        sets = self.data.transactions
        name = DATA_FILES["parquet"]
        with atomic_folder(folder, files=RELEASE_FILES, overwrite=overwrite) as temporary:
            sized_frame(self.data).write_parquet(temporary / name)
            text = operator_text(self.data.operator, labels=sets.labels, dummies=self.data.dummies)
            (temporary / OPERATOR_FILE).write_bytes(text.encode())
            if report is not None:
                (temporary / REPORT_FILE).write_bytes(report.encode())
            certificate = certify(
                temporary, name, columns=COLUMNS, n_rows=len(self.data), claims=self.to_dict()
            )
            (temporary / CERTIFICATE_FILE).write_bytes(certificate.to_json().encode())
        return Path(folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> RandomizedRelease:
        """Return the release in a folder, after checking that no file of it was changed.

        Raises
        ------
        DataError
            If there is no release of randomized transactions, or its certificate is damaged.
        GuaranteeError
            If files differ from the certificate; each is named.
        """
        place = Path(folder)
        certificate = read_certified(place)
        if certificate.operator_sha256 is None:
            raise DataError(f"{place} is a release, but not one of randomized transactions.")
        operator, labels, dummies = read_operator((place / OPERATOR_FILE).read_bytes().decode())
        offsets, items, sizes = _read_sets(place / certificate.data.file)
        data = Randomized(
            transactions=Transactions.from_csr(offsets, items, labels),
            sizes=sizes,
            operator=operator,
            experimental=certificate.experimental,
            dummies=dummies,
        )
        return cls(
            data=data,
            guarantee=certificate.read_guarantee(),
            events=certificate.read_events(),
            fingerprint=certificate.read_fingerprint(),
            created=certificate.created,
            version=certificate.discreet_version,
        )


def randomized_release(
    randomized: Randomized,
    *,
    items_are_public: bool,
    fingerprint: Fingerprint | None = None,
    events: tuple[Event, ...] = (),
    assumptions: tuple[str, ...] = (),
) -> RandomizedRelease:
    """Return randomized transactions with the claim that holds for them.

    Parameters
    ----------
    randomized : Randomized
        Made by an operator that every person can apply alone.
    items_are_public : bool
        Whether the list of items was made without looking at the transactions; if not, the
        certificate says what that gives away.
    fingerprint : Fingerprint, optional
        Of the input, if there was one place that had it.
    events : tuple of Event
        What was done before.
    assumptions : tuple of str
        What else must be true for the claim to hold, a sentence each.

    Raises
    ------
    GuaranteeError
        If the operator gives no finite local epsilon.
    DataError
        If there are no transactions.
    """
    if not len(randomized):
        raise DataError("There is nothing to release: no transaction was sent.")
    return RandomizedRelease(
        data=randomized,
        guarantee=claim_of(randomized, items_are_public=items_are_public, assumptions=assumptions),
        events=(*events, randomize_event(randomized, items_are_public=items_are_public)),
        fingerprint=fingerprint,
    )


def sized_frame(randomized: Randomized) -> pl.DataFrame:
    """Return a row for each transaction: its true size, and the randomized set as numbers.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], []])
    >>> sized_frame(CutAndPaste(cutoff=1, rho=0.5).randomize(baskets)).columns
    ['size', 'items']
    """
    import polars as pl

    sets = randomized.transactions
    numbered = Transactions(
        offsets=sets.offsets, items=sets.items, labels=tuple(range(sets.n_items))
    )
    lists = numbered.to_frame()["items"].cast(pl.List(pl.Int32))
    return pl.DataFrame({"size": pl.Series(randomized.sizes, dtype=pl.Int32), "items": lists})


def _read_sets(path: Path) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Return offsets, items and sizes of a data file."""
    import polars as pl

    frame = pl.read_parquet(path)
    if frame.columns != ["size", "items"]:
        raise GuaranteeError(f"{path} does not hold sizes and items, as certified.")
    offsets, codes, numbers = csr_of_lists(frame, "items")
    return offsets, np.asarray(numbers, np.int64)[codes], frame["size"].to_numpy()
