"""Synthetic rows: a model fitted once within a budget, then sampled at no further cost."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

import numpy as np

from discreet import checks
from discreet.data.column import code_dtype
from discreet.data.domains import (
    column_domains,
    listed_codes,
    listed_like,
    published_columns,
    refuse_cut_by_rows,
    rows_of_each,
)
from discreet.data.table import Table, as_table
from discreet.data.write import parquet_path, write_batches
from discreet.errors import ParameterError, did_you_mean
from discreet.noise import noise_from
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import chosen_of, unit_of
from discreet.release.method import resolve
from discreet.release.release import Release
from discreet.synthesize.budget import (
    FROM_DATA,
    PRIVATE,
    Spending,
    check_trust,
    exact_delta,
    exact_epsilon,
    measured_event,
    synthetic_claim,
)
from discreet.synthesize.marginals import (
    Learnt,
    check_noise,
    count_values,
    measure_marginals,
    measure_pairs,
    measure_values,
    reconcile,
)
from discreet.synthesize.pairs import fit_pairs
from discreet.synthesize.private_values import (
    budget_with_selection,
    check_lists_given,
    check_rows_per_person,
    check_sizes,
    list_event,
    select_values,
    selected_event,
    with_others,
)
from discreet.synthesize.rows import check_numbers

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.domains import Domains
    from discreet.data.write import Compression
    from discreet.limits import Progress
    from discreet.noise import Noise
    from discreet.synthesize.budget import Spent, Split, Trust
    from discreet.synthesize.marginals import Measured
    from discreet.synthesize.private_values import Threshold, ValuesLike
    from discreet.synthesize.rows import RowModel


Generator: TypeAlias = Literal["marginals", "krimp"]

# What takes the place of the model of pairs that every fit begins with, named by path so that each
# generator is read, changed and loaded alone. It is given the model, the randomized cells of local
# trust if there are any, and the seed.
GENERATORS: dict[Generator, str | None] = {
    "marginals": None,
    "krimp": "discreet.synthesize.krimp.code_tree:fit_krimp",
}

# What learns from a table that is measured by nobody: cells are randomized first.
LOCAL_TRUST = "discreet.synthesize.local:learn_locally"

COST_DIGITS = 10**12  # of the sum of all costs, whose denominator can be thousands of digits long

_RETIRED = {"pairs": "marginals", "code-tree": "krimp"}  # generators as version 0.1 called them


class Synthesizer:
    r"""Fits a differentially private model of a table and draws synthetic rows from it.

    Parameters
    ----------
    epsilon : Fraction or float
        The budget of a row, above 0; a float is the decimal it is written as.
    delta : Fraction or float
        For ``trust="central"``: 0 is pure differential privacy by Laplace noise; above 0 noise
        is Gaussian, and much smaller. A usual choice is far below 1 / rows.
    trust : {"central", "local"}
        Central: whoever runs this sees the rows, and only measured counts have noise. Local:
        every cell is randomized before anything is learned from it, as in the thesis, and
        nobody needs to be trusted; that costs much accuracy.
    generator : {"marginals", "krimp"}
        How rows are made: from the marginals of columns and pairs of them, or by the paper's
        code tree of the itemsets that Krimp finds, which is coarser. Both are post-processing.
    label : str, optional
        A column that rows will be asked for by ``sample(given={label: value})``; it is drawn
        first. It is measured like every other column, inside the budget.
    columns : iterable of str, optional
        The columns to publish; all but the identifying ones by default.
    domains : mapping or Table, optional
        The public list of values of each column. Lists read from the table disclose which values
        occur, and the guarantee does not cover that.
    split : {"equal", "pairs"} or mapping
        Of a local budget over columns.
    rows_per_person : int
        Of a table that says whose each row is, how many rows of a person are taken at most, at
        least 1 and chosen at random; a public number. With more, everything is measured with so
        many times the noise. With local trust 1.
    seed : int, optional
        For experiments that are repeated and not published.

    Attributes
    ----------
    model : RowModel
        After `fit`: what rows are drawn from.
    entries : tuple of Spent
        Every quantity measured by central trust, with its noise.
    threshold : Threshold or None
        With private lists, how values were selected.
    others : dict
        With private lists, for each column the name of all values that were not selected; None if
        hardly any row has one.
    learnt : Learnt
        After `fit`: the shares that the model was fitted to, what was done for them and at what
        cost, and with local trust the randomized cells.
    n_rows : int
        The number of rows as far as it may be released: estimated, or exact with local trust.
    lists : {"public", "private", "from-data"}
        Where the lists of values of the fitted table came from.
    unit : str
        The unit of privacy.
    is_secure : bool
        Whether no seed was used.

    Notes
    -----
    **Guarantee.** Central: (epsilon, delta)-differential privacy for adding or removing one row,
    of everything that is ever drawn. Local: epsilon-local differential privacy for a row; the
    number of rows is not protected. Of a table that says whose each row is: for all rows of one
    person.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, section 3.4. Z. Zhang
    et al. (2021), PrivSyn, for choosing and reconciling marginals.

    Examples
    --------
    >>> people = Table.from_frame({"sex": ["f", "m"] * 500, "job": ["nurse", "smith"] * 500})
    >>> made = Synthesizer(1, delta=1e-6, seed=1).fit(people)
    >>> drawn = made.sample(200)
    >>> drawn.n_rows, drawn.columns
    (200, ('sex', 'job'))
    """

    def __init__(
        self,
        epsilon: Fraction | float,
        *,
        delta: Fraction | float = 0,
        trust: Trust = "central",
        generator: Generator = "marginals",
        label: str | None = None,
        columns: Iterable[str] | None = None,
        domains: ValuesLike = PRIVATE,
        split: Split = "pairs",
        rows_per_person: int = 1,
        seed: int | None = None,
    ) -> None:
        self.epsilon, self.delta = exact_epsilon(epsilon), exact_delta(delta)
        check_trust(trust, self.delta)
        for old, new in _RETIRED.items():
            if generator == old:
                raise ParameterError(
                    f"{{generator}} is now {new!r}.",
                    parameter="generator",
                    options={"generator": old},
                )
        checks.one_of("generator", generator, GENERATORS)
        if isinstance(columns, str):
            raise ParameterError(
                f"columns is a list of names: use columns=['{columns}'].", parameter="columns"
            )
        self.trust, self.generator, self.label = trust, generator, label
        self.columns = None if columns is None else tuple(columns)
        self.domains, self.split = domains, split
        self.rows_per_person = check_rows_per_person(rows_per_person, trust)
        self.seed = None if seed is None else checks.whole("seed", seed, at_least=0)
        check_lists_given(domains, trust, self.delta)
        self.entries: tuple[Spent, ...] = ()
        self.threshold: Threshold | None = None
        self.others: dict[str, str | None] = {}
        self._learnt: Learnt | None = None
        self._model: RowModel | None = None

    def __repr__(self) -> str:
        state = "not fitted yet" if self._model is None else "fitted"
        budget = f"epsilon={float(self.epsilon):g}, delta={float(self.delta):g}"
        return f"Synthesizer({budget}, trust={self.trust!r}), {state}"

    @property
    def model(self) -> RowModel:
        """What rows are drawn from; raises ParameterError before `fit`."""
        if self._model is None:
            raise ParameterError("Nothing is fitted yet; call fit(table) first.")
        return self._model

    @property
    def learnt(self) -> Learnt:
        """What the model was fitted to; raises ParameterError before `fit`."""
        if self._learnt is None:
            raise ParameterError("Nothing is fitted yet; call fit(table) first.")
        return self._learnt

    def fit(
        self,
        table: object,
        *,
        person: str | None = None,
        one_row_per_person: bool = False,
        progress: Progress | None = None,
    ) -> Self:
        """Measure a table within the budget and fit the model; return self.

        Parameters
        ----------
        table : Table or frame
            If it says whose each row is, ``rows_per_person`` rows of each person are chosen at
            random and all others are passed over. It is not kept.
        person, one_row_per_person
            As in :meth:`~discreet.data.table.Table.from_frame`, of a frame.
        progress : callable, optional
            Called with the share of the fitting done.

        Raises
        ------
        ParameterError
            If the label is not a column, or the budget too small to speak of.
        DataError
            If a cell has a value that is not listed, or nothing is left to publish.
        LimitError
            If the columns have too many values in all.
        """
        whole = as_table(table, person=person, one_row_per_person=one_row_per_person)
        self.unit = unit_of(whole)
        names = self._columns(whole)
        if self.domains != FROM_DATA:
            refuse_cut_by_rows(whole, names)
        noise = noise_from(self.seed)
        # Before anything is looked at: all that is proved of so many rows then holds of a person.
        given = rows_of_each(whole, self.rows_per_person, noise.permutation)
        self._model = self._learnt = None  # none of an earlier table beside what is measured now
        self.is_secure = noise.is_secure
        self.lists: str = self.domains if isinstance(self.domains, str) else "public"
        if self.domains == PRIVATE:
            domain, learnt = self._select(given, names, noise)
        else:
            lists = None if self.domains == FROM_DATA else self.domains
            domain = column_domains(given, columns=names, domains=lists)
            count_values(domain)  # before anything is spent
            if self.trust == "central":
                learnt = self._measure(given, domain, noise)
            else:
                learnt = self._randomize(given, domain)
        self._learnt, agreed = learnt, learnt.agreed
        self._like = listed_like(domain, given)
        first = None if self.label is None else list(domain).index(self.label)
        # Local trust protects cells; that somebody sent a row is known to whoever received it.
        self.n_rows = given.n_rows if self.trust == "local" else round(agreed.n_rows)
        self._order = tuple(domain)
        model = fit_pairs(agreed, domain=domain, noise=noise, first=first, progress=progress)
        self._model = self._refitted(model)
        return self

    def sample(
        self,
        n_rows: int | None = None,
        *,
        given: Mapping[str, Label] | None = None,
        seed: int | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Table:
        """Return synthetic rows, with the columns and roles of the table that was fitted.

        Types follow from the lists of values alone.

        Parameters
        ----------
        n_rows : int, optional
            How many, at least 0; the estimated number of rows by default.
        given : mapping, optional
            ``{label: value}``: the value of the label in all rows. The others are drawn in its
            context, about as they go with it.
        seed : int, optional
            To repeat a draw; by default that of the synthesizer, else unforeseeable.
        threads : int, optional
            All cores by default. The rows do not depend on it.
        progress : callable, optional
            Called with the share of the rows drawn.
        """
        model = self.model
        n = self._number(n_rows, threads, n_columns=len(model.domain))
        codes = {name: np.empty(n, code_dtype(len(v))) for name, v in model.domain.items()}
        begin = 0
        for batch in self._batches(n, given, seed, threads, progress):
            for column, drawn in zip(codes.values(), batch, strict=True):
                column[begin : begin + len(drawn)] = drawn
            begin += batch.shape[1]
        ordered = {name: codes[name] for name in self._order}
        return Table.from_codes(ordered, dict(model.domain), like=self._like)

    def write(
        self,
        path: str | os.PathLike[str],
        n_rows: int | None = None,
        *,
        given: Mapping[str, Label] | None = None,
        seed: int | None = None,
        compression: Compression = "zstd",
        overwrite: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Path:
        """Write synthetic rows to a Parquet file in the memory of a few thousand; return its path.

        The rows are those of `sample` with the same seed, and so are the other options.
        """
        target, n = parquet_path(path), self._number(n_rows, threads)
        values = self._like.to_frame("polars")
        labels = {name: values[name].head(len(of)) for name, of in self.model.domain.items()}
        return write_batches(
            self._batches(n, given, seed, threads, progress), target, labels=labels,
            columns=self._order, compression=compression, overwrite=overwrite,
        )  # fmt: skip

    def _number(
        self, n_rows: int | None, threads: int | None, *, n_columns: int | None = None
    ) -> int:
        _ = self.model  # says so if nothing is fitted
        n = self.n_rows if n_rows is None else n_rows
        check_numbers(n, threads=threads, n_columns=n_columns)
        return n

    def _batches(
        self,
        n_rows: int,
        given: Mapping[str, Label] | None,
        seed: int | None,
        threads: int | None,
        progress: Progress | None,
    ) -> Iterator[NDArray[np.int32]]:
        return self.model.batches(
            n_rows, given=given, seed=self.seed if seed is None else seed, threads=threads,
            progress=progress,
        )  # fmt: skip

    def _columns(self, table: Table) -> list[str]:
        """Return the columns to publish."""
        names = published_columns(table, self.columns)
        if self.label is not None and self.label not in names:
            if self.label in table.columns:
                raise ParameterError(
                    f"label: column {self.label!r} is not published.",
                    parameter="label",
                    column=self.label,
                    remedy=f"Take one that is: {', '.join(names)}.",
                )
            raise ParameterError(
                f"label: there is no column {self.label!r}.",
                parameter="label",
                column=self.label,
                remedy=did_you_mean(self.label, names),
            )
        return names

    def _measure(self, table: Table, domain: Domains, noise: Noise) -> Learnt:
        sizes = [len(values) for values in domain.values()]
        spending = Spending.of(
            epsilon=self.epsilon, delta=self.delta, noise=noise,
            rows_per_person=self.rows_per_person,
        )  # fmt: skip
        check_noise(sizes, spending)
        codes = [listed_codes(table, name, values) for name, values in domain.items()]
        found = measure_marginals(codes, names=list(domain), sizes=sizes, spending=spending)
        return self._agree(found, sizes, spending)

    def _select(self, table: Table, names: list[str], noise: Noise) -> tuple[Domains, Learnt]:
        """Return the values that are selected within the budget, and what is measured of them."""
        spending, self.threshold = budget_with_selection(
            names, epsilon=self.epsilon, delta=self.delta, noise=noise,
            rows_per_person=self.rows_per_person,
        )  # fmt: skip
        check_sizes(len(names), spending)
        selected = select_values(table, self.threshold, noise=noise)
        codes, sizes = [one.codes for one in selected], [len(one.values) + 1 for one in selected]
        found = measure_values(codes, names=names, sizes=sizes, spending=spending)
        lists = with_others(
            selected, found, variance=self.threshold.variance, are_rows=table.people is None
        )
        self.others = dict(zip(names, lists.others, strict=True))
        sizes = [len(values) for values in lists.values]
        measured = measure_pairs(
            lists.codes, names=names, sizes=sizes, spending=spending, found=lists.marginals
        )
        domain = dict(zip(names, lists.values, strict=True))
        return domain, self._agree(measured, sizes, spending)

    def _agree(self, found: Measured, sizes: list[int], spending: Spending) -> Learnt:
        self.entries = tuple(spending.entries)
        return Learnt(
            agreed=reconcile(found.marginals, sizes=sizes, dependences=found.dependences),
            events=tuple(measured_event(entry) for entry in spending.entries),
            spent=spending.spent,
        )

    def _randomize(self, table: Table, domain: Domains) -> Learnt:
        learn: Callable[..., Learnt] = resolve(LOCAL_TRUST)
        return learn(
            table, domain, epsilon=self.epsilon, split=self.split,
            is_public=self.lists == "public", seed=self.seed,
        )  # fmt: skip

    def _refitted(self, model: RowModel) -> RowModel:
        """Return the model that the generator makes in place of that of pairs."""
        path = GENERATORS[self.generator]
        if path is None:
            return model
        refit: Callable[..., RowModel] = resolve(path)
        return refit(model, sanitized=self.learnt.cells, seed=self.seed)


# From a table to a release of synthetic rows: fitted, drawn, and claimed for what it is.


def synthetic_release(
    table: object,
    *,
    epsilon: Fraction | float,
    delta: Fraction | float = 0,
    trust: Trust = "central",
    n_rows: int | None = None,
    label: str | None = None,
    columns: Iterable[str] | None = None,
    domains: ValuesLike = PRIVATE,
    generator: Generator = "marginals",
    split: Split = "pairs",
    rows_per_person: int = 1,
    person: str | None = None,
    one_row_per_person: bool = False,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Return a release of synthetic rows in place of a table, with the claim that holds for it.

    Parameters
    ----------
    table : Table or frame
        If it says whose each row is, ``rows_per_person`` rows of each person are chosen at random
        and all others are passed over. Identifying columns are not published.
    epsilon, delta, trust, label, columns, domains, generator, split, rows_per_person, seed
        As in :class:`~discreet.synthesize.Synthesizer`.
    n_rows : int, optional
        How many rows to draw, at least 0; about as many as the table has by default.
    person, one_row_per_person
        As in :meth:`~discreet.data.table.Table.from_frame`, of a frame.
    threads : int, optional
        All cores by default. The rows do not depend on it.
    progress : callable, optional
        Called with the share of the fitting done.

    Returns
    -------
    Release
        Save it with :meth:`~discreet.release.release.Release.save`. Its events list every
        quantity that was measured, with its noise.

    Raises
    ------
    ParameterError
        If an option is out of its range.
    DataError
        If a cell has a value that is not listed, or nothing is left to publish.
    LimitError
        If the columns have too many values in all, or there are more rows than memory holds.

    Notes
    -----
    **Guarantee.** Central trust: (epsilon, delta)-differential privacy for adding or removing
    one row, the selection of values included. Local trust: epsilon-local differential privacy for
    a row. Of a table that says whose each row is: for all rows of one person. With
    ``domains="from-data"`` both hold only if the values that occur are public.

    Examples
    --------
    >>> people = Table.from_frame({"sex": ["f", "m"] * 500, "job": ["nurse", "smith"] * 500})
    >>> release = synthetic_release(people, epsilon=1, delta=1e-6, n_rows=200, seed=1)
    >>> release.data.n_rows, release.guarantee.experimental
    (200, True)
    >>> print(release.guarantee.model)
    (epsilon, delta)-differential privacy
    """
    given = as_table(table, person=person, one_row_per_person=one_row_per_person)
    names = published_columns(given, columns)
    check_numbers(0 if n_rows is None else n_rows, threads=threads, n_columns=len(names))
    made = Synthesizer(
        epsilon, delta=delta, trust=trust, generator=generator, label=label, columns=names,
        domains=domains, split=split, rows_per_person=rows_per_person, seed=seed,
    ).fit(given, progress=progress)  # fmt: skip
    n_drawn = made.n_rows if n_rows is None else n_rows
    check_numbers(n_drawn, n_columns=len(names))
    drawn = made.sample(n_drawn, threads=threads)
    return Release(
        data=drawn,
        kind="synthetic rows",
        guarantee=synthetic_claim(made, columns=drawn.columns),
        events=synthetic_events(
            made, domain={name: tuple(made.model.domain[name]) for name in drawn.columns}
        ),
        fingerprint=Fingerprint.of(given),
    )


def synthetic_events(
    made: Synthesizer, *, domain: Mapping[str, tuple[Label, ...]]
) -> tuple[Event, ...]:
    """Return what was done: choice of rows, lists of values, all that was measured, and the draw.

    Parameters
    ----------
    made : Synthesizer
        Fitted.
    domain : mapping of str to tuple
        The values of each published column.

    Notes
    -----
    Lists that were read from the table are not repeated here, only how long they are; those that
    were selected with noise are.
    """
    listed = [
        list_event(name, values, is_public=made.lists == "public")
        if made.threshold is None
        else selected_event(name, values, other=made.others[name])
        for name, values in domain.items()
    ]
    if made.threshold is not None:
        listed.insert(0, made.threshold.event)
    learnt = made.learnt
    law = "randomized response"
    if made.trust == "central":
        law = "gaussian" if made.delta else "laplace"
    drawn = Event(
        name="draw_rows",
        parameters={
            "trust": made.trust, "generator": made.generator, "label": made.label, "law": law,
            "n_measured": len(learnt.events), "spent": _up(learnt.spent),
            "spent_in": "rho" if law == "gaussian" else "epsilon",
        },
    )  # fmt: skip
    return (*chosen_of(made.unit, made.rows_per_person)[0], *listed, *learnt.events, drawn)


def _up(cost: Fraction) -> Fraction:
    """Return a cost rounded up to twelve digits after the point.

    Examples
    --------
    >>> _up(Fraction(1, 3))
    Fraction(166666666667, 500000000000)
    """
    return Fraction(ceil(cost * COST_DIGITS), COST_DIGITS)


def check_lists(options: Mapping[str, object]) -> None:
    """Raise ParameterError if the values of columns are listed twice."""
    given = [name for name in ("domains", "public") if options[name] is not None]
    if len(given) > 1:
        raise ParameterError("the values of columns are in domains or in public: give one")
    if given and options["values"] is not None:
        raise ParameterError(f"values is for a table without lists, and {given[0]} gives them")
