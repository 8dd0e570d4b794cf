"""What is published: data, the guarantee it comes with, and what was done to get there.

On disk a release is a folder with the data, ``certificate.json`` and, if given, the report, the
policy and the hierarchies. It appears there whole or not at all, and says when a file was changed
later.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from discreet.data.table import Table
from discreet.data.write import write_table
from discreet.errors import GuaranteeError, ParameterError, did_you_mean
from discreet.release.certificate import (
    CERTIFICATE_FILE,
    HIERARCHIES_FILE,
    hierarchies_text,
    refuse_for_text,
    stated_hierarchy,
)
from discreet.release.folder import (
    DATA_FILES,
    POLICY_FILE,
    RELEASE_FILES,
    REPORT_FILE,
    atomic_folder,
    certify,
    read_release_files,
    table_columns,
)
from discreet.result import Preview, Result

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.release.event import Event
    from discreet.release.fingerprint import Fingerprint
    from discreet.release.guarantee import Guarantee


def this_second() -> datetime:
    """Return the time in whole seconds of UTC."""
    return datetime.now(UTC).replace(microsecond=0)


def this_version() -> str:
    """Return the version of discreet."""
    import discreet

    return discreet.__version__


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Release(Result):
    """Protected data together with its guarantee, what was done, and the input's fingerprint.

    Parameters
    ----------
    data : Table
        What is published. Types of the frame it came from are left out: a categorical type
        lists values that were suppressed.
    guarantee : Guarantee
        The claim; its columns are columns of the data.
    events : tuple of Event
        What was done, in order.
    fingerprint : Fingerprint, optional
        Of the input.
    created : datetime, optional
        Whole seconds of UTC; now by default.
    version : str, optional
        The version of discreet that made it; this one by default.
    input_rows : array of int, optional
        The row of the input that each row came from, to measure loss with. It is kept in
        memory only, never written: it says who is who.
    loss : Result, optional
        What the release lost, as the mechanism measured it. It is kept in memory only, never
        written: it describes the input.
    hierarchies : mapping of str to Hierarchy
        By which released columns were generalized, as they were given: published with the data.

    Raises
    ------
    GuaranteeError
        If the data has identifying columns, or lacks a column that the guarantee or a hierarchy
        speaks of.
    HierarchyError
        If a hierarchy cannot be stated in a file.
    ParameterError
        If the time of creation is not in whole seconds of UTC.

    Examples
    --------
    >>> import tempfile
    >>> from discreet.release.guarantee import Guarantee
    >>> claim = Guarantee(
    ...     model="k-anonymity", parameters={"k": 2}, unit="one row", columns=("sex",),
    ...     not_protected=("What a class has in common can be learnt.",),
    ... )
    >>> release = Release(data=Table.from_frame({"sex": ["f", "f"]}), guarantee=claim)
    >>> folder = release.save(Path(tempfile.mkdtemp()) / "out")
    >>> sorted(path.name for path in folder.iterdir()), Release.load(folder) == release
    (['certificate.json', 'data.parquet'], True)
    """

    data: Table
    guarantee: Guarantee
    events: tuple[Event, ...] = ()
    fingerprint: Fingerprint | None = None
    created: datetime = field(default_factory=this_second)
    version: str = field(default_factory=this_version)
    input_rows: NDArray[np.int64] | None = field(default=None, compare=False)
    loss: Result | None = field(default=None, compare=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what must not be published, and drop what data carries unseen."""
        if self.data.identifying:
            raise GuaranteeError(
                f"Column '{self.data.identifying[0]}' is identifying and cannot be released. "
                "Leave it out of the data, or give it another role if it identifies nobody."
            )
        if not self.data.n_columns:
            raise GuaranteeError("There is nothing to release: the data has no columns.")
        if self.created.utcoffset() != timedelta(0) or self.created.microsecond:
            raise ParameterError(f"created is in whole seconds of UTC, not {self.created}.")
        if "patterns" not in self.guarantee.model:  # itemsets are of the input's columns
            self._refuse_unknown("The guarantee", self.guarantee.columns)
        self._refuse_unknown("A hierarchy", self.hierarchies)
        stated = {name: stated_hierarchy(name, tree) for name, tree in self.hierarchies.items()}
        object.__setattr__(self, "hierarchies", stated)
        bare = Table.from_codes(
            {name: self.data.codes(name) for name in self.data.columns},
            {name: self.data.values(name) for name in self.data.columns},
            self.data.roles,
        )
        object.__setattr__(self, "data", replace(bare, frame_kind=self.data.frame_kind))
        object.__setattr__(self, "events", tuple(self.events))
        if self.input_rows is not None and len(self.input_rows) != self.data.n_rows:
            raise ParameterError(
                f"input_rows names {len(self.input_rows)} rows for {self.data.n_rows} rows of data."
            )

    def _refuse_unknown(self, what: str, columns: Iterable[str]) -> None:
        for name in columns:
            if name not in self.data.columns:
                raise GuaranteeError(
                    f"{what} speaks of column '{name}', which is not in the data. "
                    f"{did_you_mean(name, self.data.columns)}"
                )

    def __repr__(self) -> str:
        return f"Release of {self.data.n_rows:,} rows: {self.guarantee.sentence}"

    def after(
        self, event: Event, *, data: Table | None = None, guarantee: Guarantee | None = None
    ) -> Release:
        """Return a new release with one more step; this one stays as it is.

        New data has the same rows in the same order, if ``input_rows`` is to stay true; other
        rows need a release of their own.
        """
        return replace(
            self,
            events=(*self.events, event),
            data=self.data if data is None else data,
            guarantee=self.guarantee if guarantee is None else guarantee,
            input_rows=None
            if data is not None and len(data) != len(self.data)
            else self.input_rows,
            loss=self.loss if data is None else None,
        )

    def preview(self) -> Preview:
        """Return the claim and the steps."""
        rows = [
            (event.name, ", ".join(f"{name} = {count}" for name, count in event.counts.items()))
            for event in self.events
        ]
        return Preview(title=repr(self), header=("step", "counts"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all but the data as plain values."""
        return claims_of(self)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        format: Literal["parquet", "csv"] = "parquet",  # noqa: A002  what people call it
        overwrite: bool = False,
        report: str | None = None,
        policy: str | None = None,
    ) -> Path:
        """Write the release as a folder, whole or not at all, and return its path.

        Parameters
        ----------
        folder : path
            Must not exist, or be empty.
        format : {"parquet", "csv"}
            The kind of the data file.
        overwrite : bool
            Whether another release there may be replaced; nothing else ever is.
        report : str, optional
            The page to write as ``report.html``.
        policy : str, optional
            The policy to write as ``policy.toml``.

        Returns
        -------
        Path
            The folder. It never holds the key of the fingerprint.

        Raises
        ------
        ParameterError
            If the folder exists and may not be replaced, or the format is unknown.
        DataError
            If it cannot be written, or the data cannot be told from a CSV file.
        """
        if format not in DATA_FILES:
            raise ParameterError(
                f"There is no format {format!r}. {did_you_mean(format, DATA_FILES)}"
            )
        if format == "csv":
            refuse_for_text(self.data)
        texts = {REPORT_FILE: report, POLICY_FILE: policy}
        if self.hierarchies:
            texts[HIERARCHIES_FILE] = hierarchies_text(self.hierarchies)
        with atomic_folder(folder, files=RELEASE_FILES, overwrite=overwrite) as temporary:
            data = write_table(self.data, temporary / DATA_FILES[format])
            for name, text in texts.items():
                if text is not None:
                    (temporary / name).write_bytes(text.encode())
            certificate = certify(
                temporary,
                data.name,
                columns=table_columns(self.data),
                n_rows=self.data.n_rows,
                claims=self.to_dict(),
            )
            (temporary / CERTIFICATE_FILE).write_bytes(certificate.to_json().encode())
        return Path(folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Release:
        """Return the release in a folder, after checking that no file of it was changed.

        Parameters
        ----------
        folder : path
            A folder that :meth:`save` wrote, with this or an older version of discreet.

        Returns
        -------
        Release
            As it was saved, values of each column sorted; without the key of the fingerprint.

        Raises
        ------
        DataError
            If there is no release, or its certificate is damaged or of a newer version.
        GuaranteeError
            If files differ from the certificate; each is named.
        """
        data, certificate, hierarchies = read_release_files(Path(folder))
        return cls(
            data=data,
            guarantee=certificate.read_guarantee(),
            events=certificate.read_events(),
            fingerprint=certificate.read_fingerprint(),
            created=certificate.created,
            version=certificate.discreet_version,
            hierarchies=hierarchies,
        )


# What releases have in common, whatever kind of data they publish.


class AnyRelease(Protocol):
    """A release of a table, of patterns or of randomized transactions."""

    @property
    def guarantee(self) -> Guarantee:
        """The claim."""

    @property
    def events(self) -> tuple[Event, ...]:
        """What was done."""

    @property
    def fingerprint(self) -> Fingerprint | None:
        """Of the input."""

    @property
    def created(self) -> datetime:
        """When."""

    @property
    def version(self) -> str:
        """With which discreet."""

    def to_dict(self) -> dict[str, object]:
        """Return all but the data as plain values."""


def claims_of(release: AnyRelease) -> dict[str, object]:
    """Return all of a release but its data as plain values: what its certificate says."""
    return {
        "guarantee": release.guarantee.to_dict(),
        "events": [event.to_dict() for event in release.events],
        "fingerprint": None if release.fingerprint is None else release.fingerprint.to_dict(),
        "created": release.created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "discreet_version": release.version,
    }


# Rows as they may be published: without identifying columns, in an order that tells nothing.


def publishable(table: Table, *, without: Iterable[str] = ()) -> Table:
    """Return the table without its identifying columns and others, or refuse if none is left.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> people = Table.from_frame({"name": ["a"], "sex": ["f"]}, roles={"name": "identifying"})
    >>> publishable(people).columns
    ('sex',)
    """
    hidden = {*table.identifying, *without}
    names = [name for name in table.columns if name not in hidden]
    if not names:
        raise GuaranteeError("There is nothing to release: every column is identifying.")
    return table.select(names)


def sorted_rows(table: Table) -> NDArray[np.int64]:
    """Return the rows in the order of their values, first column first.

    The order of a sorted table tells nothing that the rows without any order would not.

    Examples
    --------
    >>> from discreet import Table
    >>> sorted_rows(Table.from_frame({"a": ["y", "x", "x"], "b": ["u", "v", "u"]})).tolist()
    [2, 1, 0]
    """
    keys = [table.codes(name) for name in reversed(table.columns)]
    return np.lexsort(keys) if keys else np.arange(table.n_rows)
