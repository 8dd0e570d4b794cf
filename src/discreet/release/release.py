"""What is published: data, the guarantee it comes with, and what was done to get there.

One class for rows, synthetic rows, patterns and transactions. On disk a release is a folder with
the data, ``certificate.json`` and, if given, the report, the policy, the hierarchies and the
operator. It appears there whole or not at all, and says when a file was changed later.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple

import numpy as np
from typing_extensions import TypeVar

from discreet import checks
from discreet.data.column import categories_of
from discreet.data.table import Table
from discreet.data.transactions import Transactions
from discreet.data.write import write_table
from discreet.errors import DataError, GuaranteeError, ParameterError, did_you_mean
from discreet.mine.itemsets import Itemsets
from discreet.release.certificate import (
    CERTIFICATE_FILE,
    SCHEMA_VERSION,
    refuse_for_text,
)
from discreet.release.charts import draw
from discreet.release.contents import (
    SET_COLUMNS,
    check_export,
    operator_text,
    pattern_table,
    read_contents,
    shown_in_export,
    sized_frame,
    write_export,
)
from discreet.release.folder import (
    DATA_FILES,
    EXPORTS,
    OPERATOR_FILE,
    POLICY_FILE,
    RELEASE_FILES,
    REPORT_FILE,
    atomic_folder,
    certify,
    read_certified,
    table_columns,
)
from discreet.release.hierarchies import (
    HIERARCHIES_FILE,
    hierarchies_text,
    restated,
    stated_hierarchy,
)
from discreet.result import Preview, Result

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    import altair as alt
    from numpy.typing import NDArray

    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.release.event import Event
    from discreet.release.fingerprint import Fingerprint
    from discreet.release.guarantee import Guarantee
    from discreet.release.hierarchies import StatedHierarchy
    from discreet.release.method import Publication

Data = TypeVar("Data", bound=Table | Itemsets | Transactions, default=Table)


class About(NamedTuple):
    """What is special to one kind of data."""

    data: type
    pieces: str  # what one piece of it is called
    parts: tuple[str, ...]  # the fields that other kinds do not have


KINDS: dict[Publication, About] = {
    "rows": About(Table, "rows", ("hierarchies",)),
    "synthetic rows": About(Table, "rows", ("hierarchies",)),
    "patterns": About(Itemsets, "itemsets", ("witness",)),
    "transactions": About(
        Transactions, "randomized transactions", ("operator", "sizes", "n_null_items")
    ),
}


def this_second() -> datetime:
    """Return the time in whole seconds of UTC."""
    return datetime.now(UTC).replace(microsecond=0)


def this_version() -> str:
    """Return the version of discreet."""
    import discreet

    return discreet.__version__


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Release(Result, Generic[Data]):  # noqa: PLW1641  tables inside: equal, but no keys
    """Protected data together with its guarantee, what was done, and the input's fingerprint.

    Parameters
    ----------
    data : Table, Itemsets or Transactions
        What is published. Types of the frame that a table came from are dropped; a column of
        categories stays one, which lists the values that are released and no others.
    guarantee : Guarantee
        The claim; for rows, its columns are columns of the data.
    kind : {"rows", "synthetic rows", "patterns", "transactions"}
        What the data is: rows of the input, rows drawn from a model, itemsets with supports, or
        randomized transactions.
    events : tuple of Event
        What was done, in order.
    fingerprint : Fingerprint, optional
        Of the input, if there was one place that had it. Of a differentially private release it
        is kept in memory and in the ledger, never written.
    created : datetime, optional
        Whole seconds of UTC; now by default.
    version : str, optional
        The version of discreet that made it; this one by default.
    input_rows : array of int, optional
        The row of the input that each row came from, to measure loss with. It is kept in
        memory only, never written: it says who is who.
    loss : Result, optional
        The information lost, as the mechanism measured it. It is kept in memory only, never
        written: it describes the input.
    hierarchies : mapping of str to Hierarchy
        By which released columns were generalized, as they were given. They are kept in memory
        only: they list values that nobody released.
    stated : mapping of str to StatedHierarchy
        What is published of them with the data: the released nodes and those above them. Worked
        out from ``hierarchies`` where they are given.
    witness : Itemsets, optional
        Of patterns: rows with their numbers that prove the collection safe, published with it.
    operator : mapping, optional
        Of transactions: how they were randomized, as ``operator.json`` states it.
    sizes : array of int, optional
        Of transactions: the true size of each, which is published.
    n_null_items : int
        Of transactions: how many items, the last ones, fill transactions up and mean nothing.

    Raises
    ------
    GuaranteeError
        If the data has identifying columns, or lacks a column that the guarantee or a hierarchy
        speaks of.
    HierarchyError
        If a hierarchy cannot be stated in a file.
    ParameterError
        If the data is not of its kind, or the time of creation is not in whole seconds of UTC.

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
    >>> release.kind, release.certificate["publishes"]
    ('rows', 'rows')
    """

    data: Data
    guarantee: Guarantee
    kind: Publication = "rows"
    events: tuple[Event, ...] = ()
    fingerprint: Fingerprint | None = None
    created: datetime = field(default_factory=this_second)
    version: str = field(default_factory=this_version)
    input_rows: NDArray[np.int64] | None = field(default=None, compare=False)
    loss: Result | None = field(default=None, compare=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, compare=False)
    stated: Mapping[str, StatedHierarchy] = field(default_factory=dict)
    witness: Itemsets | None = None
    operator: Mapping[str, object] | None = None
    sizes: NDArray[np.int32] | None = None
    n_null_items: int = 0

    def __post_init__(self) -> None:
        """Refuse what must not be published, and drop what data carries unseen."""
        if self.kind not in KINDS:
            raise ParameterError(
                f"There is no kind of release {self.kind!r}.",
                parameter="kind",
                remedy=did_you_mean(str(self.kind), KINDS),
            )
        about = KINDS[self.kind]
        if not isinstance(self.data, about.data):
            raise ParameterError(
                f"The data of a release of {self.kind} is of the class {about.data.__name__}, "
                f"not {type(self.data).__name__}.",
                parameter="data",
            )
        has = {
            "hierarchies": bool(self.hierarchies),
            "witness": self.witness is not None,
            "operator": self.operator is not None,
            "sizes": self.sizes is not None,
            "n_null_items": self.n_null_items != 0,
        }
        for name, is_there in has.items():
            if is_there and name not in about.parts:
                raise ParameterError(f"A release of {self.kind} has no {name}.", parameter=name)
        if self.created.utcoffset() != timedelta(0) or self.created.microsecond:
            raise ParameterError(
                f"created is in whole seconds of UTC, not {self.created}.", parameter="created"
            )
        if isinstance(self.data, Table):
            if self.data.people is not None or self.data.one_row_per_person:
                # Whose the rows are is known of the input only: it is not published.
                data = replace(self.data, people=None, one_row_per_person=False)
                object.__setattr__(self, "data", data)
            self._check_table(self.data)
        elif isinstance(self.data, Itemsets):
            self._check_itemsets(self.data)
        else:
            self._check_transactions(self.data)
        object.__setattr__(self, "events", tuple(self.events))
        if self.input_rows is not None and len(self.input_rows) != len(self.data):
            raise ParameterError(
                f"input_rows names {len(self.input_rows)} rows for {len(self.data)} rows of data.",
                parameter="input_rows",
            )

    def _check_table(self, table: Table) -> None:
        """Refuse a table that must not be published, and keep its codes, labels and roles only."""
        if table.identifying:
            raise GuaranteeError(
                f"Column '{table.identifying[0]}' is identifying and cannot be released.",
                column=table.identifying[0],
                remedy=("Drop it, or give it another role if it does not identify anyone."),
            )
        if not table.n_columns:
            raise GuaranteeError("There is nothing to release: the data has no columns.")
        self._refuse_unknown("The guarantee", self.guarantee.columns, table)
        self._refuse_unknown("A hierarchy", {**self.stated, **self.hierarchies}, table)
        left = {name: restated(tree, table.values(name)) for name, tree in self.stated.items()}
        whole = {
            name: stated_hierarchy(name, tree, table.values(name))
            for name, tree in self.hierarchies.items()
        }
        object.__setattr__(self, "stated", {**left, **whole})
        object.__setattr__(self, "data", bare_table(table, keep_categories=True))

    def _refuse_unknown(self, what: str, columns: Iterable[str], table: Table) -> None:
        for name in columns:
            if name not in table.columns:
                raise GuaranteeError(
                    f"{what} speaks of column '{name}', which is not in the data.",
                    column=name,
                    remedy=did_you_mean(name, table.columns),
                )

    def _check_itemsets(self, itemsets: Itemsets) -> None:
        """Refuse itemsets that could not be read back from a file."""
        if not len(itemsets):
            raise GuaranteeError("There is nothing to release: the data has no itemset.")
        n_rows = self.guarantee.parameters.get("n_rows")
        if n_rows != itemsets.n_rows:
            raise GuaranteeError(
                f"The guarantee is of n_rows = {n_rows}, and the itemsets of {itemsets.n_rows} "
                "rows."
            )
        for name, each in (("data", itemsets), ("witness", self.witness)):
            if each is not None and not all(isinstance(label, str) for label in each.labels):
                raise ParameterError(
                    f"The items of the {name} of a release are texts.", parameter=name
                )

    def _check_transactions(self, transactions: Transactions) -> None:
        """Refuse transactions without what is published beside them; forget whose they are."""
        if transactions.people is not None or transactions.one_row_per_person:
            data = replace(transactions, people=None, one_row_per_person=False)
            object.__setattr__(self, "data", data)
        if self.operator is None or self.sizes is None:
            raise ParameterError(
                "A release of transactions has the operator that randomized them and their true "
                "sizes."
            )
        if len(self.sizes) != len(transactions):
            raise ParameterError(
                f"sizes has {len(self.sizes)} numbers for {len(transactions)} transactions.",
                parameter="sizes",
            )
        if not 0 <= self.n_null_items <= transactions.n_items:
            raise ParameterError(
                f"{{n_null_items}} must be from 0 to the number of items, {transactions.n_items}.",
                parameter="n_null_items",
                options={"n_null_items": self.n_null_items},
            )

    @property
    def _published_fingerprint(self) -> dict[str, object] | None:
        """The fingerprint that the certificate states; under differential privacy none."""
        # It is made from the table without noise: one row more makes another. The ledger keeps it.
        if self.fingerprint is None or self.guarantee.is_differentially_private:
            return None
        return self.fingerprint.to_dict()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Release):
            return NotImplemented
        apart = {"sizes"}
        if self.guarantee.is_differentially_private:
            apart.add("fingerprint")  # kept in memory only
        names = [each.name for each in fields(self) if each.compare and each.name not in apart]
        return all(getattr(self, name) == getattr(other, name) for name in names) and (
            np.array_equal(self.sizes, other.sizes)  # type: ignore[arg-type]  # None equals None
        )

    def __repr__(self) -> str:
        return f"Release of {len(self.data):,} {KINDS[self.kind].pieces}: {self.guarantee.sentence}"

    def after(
        self, event: Event, *, data: Data | None = None, guarantee: Guarantee | None = None
    ) -> Release[Data]:
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
            (event.name, ", ".join(f"{name} = {n}" for name, n in event.all_counts.items()))
            for event in self.events
        ]
        return Preview(title=repr(self), header=("step", "counts"), rows=rows)

    def plot(self) -> alt.Chart:
        """Return a chart of what is published, drawn from the published data alone.

        Of rows it shows how much of each column is a value, a group or suppressed; of synthetic
        rows the values of each column; of patterns the supports by size; of transactions the
        sizes.
        """
        return draw(
            self.data,
            are_synthetic=self.kind == "synthetic rows",
            stated=self.stated,
            sizes=self.sizes,
        )

    def to_dict(self) -> dict[str, object]:
        """Return all but the data as plain values."""
        return {
            "publishes": self.kind,
            "guarantee": self.guarantee.to_dict(),
            "events": [event.to_dict() for event in self.events],
            "fingerprint": self._published_fingerprint,
            "created": self.created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "discreet_version": self.version,
        }

    @property
    def certificate(self) -> dict[str, object]:
        """What ``certificate.json`` says, but for the hashes of files, which are made on saving."""
        return self._certificate(self._table())

    def _certificate(self, table: Table | None) -> dict[str, object]:
        """Return what is certified of a table as the data file, or of sets of items."""
        columns = list(map(dict, SET_COLUMNS)) if table is None else table_columns(table)
        return {
            **self.to_dict(),
            "schema_version": SCHEMA_VERSION,
            "experimental": self.guarantee.experimental,
            "data": {"n_rows": len(self.data if table is None else table), "columns": columns},
        }

    def _table(self) -> Table | None:
        """Return the table that the data file holds; None if it holds sets of items."""
        if isinstance(self.data, Transactions):
            return None
        if isinstance(self.data, Itemsets):
            return pattern_table(self.data, self.witness)
        return self.data

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        format: Literal["parquet", "csv"] = "parquet",  # noqa: A002  what people call it
        overwrite: bool = False,
        report: str | None = None,
        policy: str | None = None,
        export: str | None = None,
        bounds: bool = False,
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
        export : {"xlsx", "dta", "sav", "csv", "parquet"}, optional
            The same data once more, as Excel, Stata or SPSS open it, in a file beside the data
            that no claim is about and no check reads. CSV has the mark of UTF-8 for Excel.
            Synthetic numbers and dates are such again, drawn inside their bins.
        bounds : bool
            Whether the export has bins and where they begin and end, in columns of their own.

        Returns
        -------
        Path
            The folder. It never holds the key of the fingerprint.

        Raises
        ------
        ParameterError
            If the folder exists and may not be replaced, or the format is unknown.
        DataError
            If it cannot be written, or the data cannot be read back from a CSV file.
        """
        checks.one_of("format", format, DATA_FILES)
        table, name = self._table(), DATA_FILES[format]
        if format == "csv":
            if table is None:
                raise DataError("A CSV file does not keep sets of items. Write Parquet.")
            refuse_for_text(table)
        check_export(export, table, bounds=bounds)
        shows = shown_in_export(self.kind, bounds=bounds)
        texts = {REPORT_FILE: report, POLICY_FILE: policy, **self._files()}
        with atomic_folder(folder, files=RELEASE_FILES, overwrite=overwrite) as temporary:
            if table is not None:
                write_table(bare_table(table), temporary / name)
            elif isinstance(self.data, Transactions) and self.sizes is not None:
                sized_frame(self.data, self.sizes).write_parquet(temporary / name)
            if export is not None and table is not None:
                write_export(bare_table(table), temporary / EXPORTS[export], shows=shows)
            for beside, text in texts.items():
                if text is not None:
                    (temporary / beside).write_bytes(text.encode())
            certificate = certify(temporary, name, {**self._certificate(table), "export": shows})
            (temporary / CERTIFICATE_FILE).write_bytes(certificate.to_json().encode())
        return Path(folder)

    def _files(self) -> dict[str, str]:
        """Return the texts of the files that belong to the data."""
        found = {}
        if self.stated:
            found[HIERARCHIES_FILE] = hierarchies_text(self.stated)
        if isinstance(self.data, Transactions) and self.operator is not None:
            found[OPERATOR_FILE] = operator_text(
                self.operator, labels=self.data.labels, n_null=self.n_null_items
            )
        return found

    def trees(self, given: Mapping[str, Hierarchy] | None = None) -> dict[str, Hierarchy]:
        """Return the whole hierarchies of the columns, to hold the release beside its original.

        Parameters
        ----------
        given : mapping of str to Hierarchy, optional
            Used before those that the release has.

        Raises
        ------
        ParameterError
            If one is not known: a loaded release has only what is published of it.
        """
        found = {**self.hierarchies, **(given or {})}
        for name in self.stated:
            if name not in found:
                raise ParameterError(
                    f"Column '{name}' was generalized by a hierarchy, of which the release states "
                    "only what it shows.",
                    parameter="hierarchies",
                    column=name,
                    remedy="Give the whole one: {hierarchies}.",
                    options={"hierarchies": ...},
                )
        return found

    @classmethod
    def load(
        cls,
        folder: str | os.PathLike[str],
        *,
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> Release[Any]:
        """Return the release in a folder, after checking that no file of it was changed.

        Parameters
        ----------
        folder : path
            A folder that :meth:`save` wrote, with this or an older version of discreet.
        hierarchies : mapping of str to Hierarchy, optional
            The whole hierarchies by which it was generalized, which it does not publish:
            measures and attacks that hold it beside its original need them.

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
        place = Path(folder)
        certificate = read_certified(place)
        contents = read_contents(place, certificate)
        if hierarchies:
            contents["hierarchies"] = {
                name: tree for name, tree in hierarchies.items() if name in contents["stated"]
            }
        return cls(
            **contents,
            kind=certificate.publishes,
            guarantee=certificate.read_guarantee(),
            events=certificate.read_events(),
            fingerprint=certificate.read_fingerprint(),
            created=certificate.created,
            version=certificate.discreet_version,
        )


# Rows as they may be published: without identifying columns, in an order that discloses nothing.


def publishable(table: Table, *, without: Iterable[str] = ()) -> Table:
    """Return the table without its identifying columns and others, or refuse if none is left.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> people = Table.from_frame({"name": ["a"], "sex": ["f"]}, roles={"name": "identifying"})
    >>> publishable(people).columns
    ('sex',)
    """
    dropped = {*table.identifying, *without}
    names = [name for name in table.columns if name not in dropped]
    if not names:
        raise GuaranteeError("There is nothing to release: every column is identifying.")
    return table.select(names)


def bare_table(table: Table, *, keep_categories: bool = False) -> Table:
    """Return codes, labels and roles of a table without what else it carries.

    Parameters
    ----------
    table : Table
        What is to be published.
    keep_categories : bool
        Whether columns of categories stay such in frames, with the labels that are left only.
        A data file has texts: what it has to say of categories stands in its certificate.
    """
    bare = Table.from_codes(
        {name: table.codes(name) for name in table.columns},
        {name: table.values(name) for name in table.columns},
        table.roles,
    ).with_sets(table.sets)
    if keep_categories:
        typed = {
            name: replace(bare.column(name), dtype=categories_of(old.dtype, bare.values(name)))
            for name, old in ((name, table.column(name)) for name in bare.columns)
        }
        bare = replace(bare, _columns=typed)
    return replace(bare, frame_kind=table.frame_kind)


def sorted_rows(table: Table) -> NDArray[np.int64]:
    """Return the rows in the order of their values, first column first.

    The order of a sorted table discloses nothing that the rows without any order would not.

    Examples
    --------
    >>> from discreet import Table
    >>> sorted_rows(Table.from_frame({"a": ["y", "x", "x"], "b": ["u", "v", "u"]})).tolist()
    [2, 1, 0]
    """
    keys = [table.codes(name) for name in reversed(table.columns)]
    return np.lexsort(keys) if keys else np.arange(table.n_rows)
