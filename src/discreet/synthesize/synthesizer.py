"""Stand-in tables: fitted once within a budget, then drawn for ever at no further cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

import numpy as np

from discreet.data.column import code_dtype
from discreet.data.listed_values import listed_codes
from discreet.data.table import Table
from discreet.data.typed_like import typed_like
from discreet.errors import ParameterError, did_you_mean
from discreet.noise import noise_from
from discreet.synthesize.check_noise import check_noise
from discreet.synthesize.domains import column_domains, published_columns
from discreet.synthesize.fit_pairs import count_values, fit_pairs
from discreet.synthesize.fit_tree import fit_tree
from discreet.synthesize.local_pairs import local_marginals
from discreet.synthesize.measured import measure_marginals
from discreet.synthesize.parameters import (
    GENERATORS,
    check_trust,
    check_word,
    exact_delta,
    exact_epsilon,
)
from discreet.synthesize.reconcile import reconcile
from discreet.synthesize.response import randomized_response
from discreet.synthesize.row_drawer import check_numbers
from discreet.synthesize.shares import counted_shares, estimated_shares
from discreet.synthesize.spending import Spending
from discreet.synthesize.write_rows import parquet_path, write_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from fractions import Fraction
    from pathlib import Path

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.listed_values import DomainsLike
    from discreet.noise import Noise
    from discreet.progress import Progress
    from discreet.synthesize.budget import Split
    from discreet.synthesize.domains import Domains
    from discreet.synthesize.reconcile import Agreed
    from discreet.synthesize.response import Sanitized
    from discreet.synthesize.row_model import RowModel
    from discreet.synthesize.spending import Spent
    from discreet.synthesize.write_rows import Compression

Trust: TypeAlias = Literal["central", "local"]
Generator: TypeAlias = Literal["pairs", "code-tree"]
N_FOR_KRIMP = 20_000


class KrimpSynthesizer:
    r"""Fits a differentially private model of a table and draws stand-in rows from it.

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
    generator : {"pairs", "code-tree"}
        How rows are made: from pair marginals, or by the paper's code tree of Krimp itemsets,
        which is coarser. Both are post-processing.
    label : str, optional
        A column that rows will be asked for by ``sample(given={label: value})``; it is drawn
        first. It is measured like every other column, inside the budget.
    columns : iterable of str, optional
        The columns to publish; all but the identifying ones by default.
    domains : mapping or Table, optional
        The public list of values of each column. Lists read from the table tell which values
        occur, and the guarantee does not cover that.
    split : {"equal", "pairs"} or mapping
        Of a local budget over columns.
    seed : int, optional
        For experiments that are repeated and not published.

    Attributes
    ----------
    model : RowModel
        After `fit`: what rows are drawn from.
    entries : tuple of Spent
        Every quantity measured by central trust, with its noise.
    sanitized : Sanitized or None
        The randomized cells of local trust.
    n_rows : int
        The number of rows as far as it may be told: estimated, or exact with local trust.
    domains_are_public : bool
        Whether all lists of values were given.
    is_secure : bool
        Whether no seed was used.

    Notes
    -----
    **Guarantee.** Central: (epsilon, delta)-differential privacy for adding or removing one row,
    of everything that is ever drawn. Local: epsilon-local differential privacy for a row; the
    number of rows is not protected.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, section 3.4. Z. Zhang
    et al. (2021), PrivSyn, for choosing and reconciling marginals.

    Examples
    --------
    >>> people = Table.from_frame({"sex": ["f", "m"] * 500, "job": ["nurse", "smith"] * 500})
    >>> made = KrimpSynthesizer(1, delta=1e-6, seed=1).fit(people)
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
        generator: Generator = "pairs",
        label: str | None = None,
        columns: Iterable[str] | None = None,
        domains: DomainsLike | None = None,
        split: Split = "pairs",
        seed: int | None = None,
    ) -> None:
        self.epsilon, self.delta = exact_epsilon(epsilon), exact_delta(delta)
        check_trust(trust, self.delta)
        check_word("generator", generator, GENERATORS)
        if isinstance(columns, str):
            raise ParameterError(f"columns is a list of names: use columns=['{columns}'].")
        self.trust, self.generator, self.label = trust, generator, label
        self.columns = None if columns is None else tuple(columns)
        self.domains, self.split, self.seed = domains, split, seed
        self.entries: tuple[Spent, ...] = ()
        self.sanitized: Sanitized | None = None
        self._model: RowModel | None = None

    def __repr__(self) -> str:
        state = "not fitted yet" if self._model is None else "fitted"
        budget = f"epsilon={float(self.epsilon):g}, delta={float(self.delta):g}"
        return f"KrimpSynthesizer({budget}, trust={self.trust!r}), {state}"

    @property
    def model(self) -> RowModel:
        """What rows are drawn from; raises ParameterError before `fit`."""
        if self._model is None:
            raise ParameterError("Nothing is fitted yet; call fit(table) first.")
        return self._model

    def fit(self, table: object, *, progress: Progress | None = None) -> Self:
        """Measure a table within the budget and fit the model; return self.

        Parameters
        ----------
        table : Table or frame
            One row per person. It is not kept.
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
        given = table if isinstance(table, Table) else Table.from_frame(table)
        domain = self._domain(given)
        count_values(domain)  # before anything is spent
        noise = noise_from(self.seed)
        self._model = None  # none of an earlier table beside what is measured now
        self.is_secure, self.domains_are_public = noise.is_secure, self.domains is not None
        agreed = (
            self._measure(given, domain, noise)
            if self.trust == "central"
            else self._randomize(given, domain)
        )
        first = None if self.label is None else list(domain).index(self.label)
        self.n_rows = given.n_rows if self.trust == "local" else round(agreed.n_rows)
        self._order = tuple(domain)
        self._like = typed_like(domain, given, is_public=self.domains_are_public)
        model = fit_pairs(agreed, domain=domain, noise=noise, first=first, progress=progress)
        self._model = model if self.generator == "pairs" else self._tree(model)
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
        """Return drawn rows, with the columns, types and roles of the table that was fitted.

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
        """Write drawn rows to a Parquet file in the memory of a few thousand; return its path.

        The rows are those of `sample` with the same seed, and so are the other options.
        """
        target, n = parquet_path(path), self._number(n_rows, threads)
        values = self._like.to_frame("polars")
        labels = {name: values[name].head(len(of)) for name, of in self.model.domain.items()}
        return write_rows(
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

    def _domain(self, table: Table) -> Domains:
        """Return the columns to publish with their values."""
        names = published_columns(table, self.columns)
        if self.label is not None and self.label not in names:
            is_there = self.label in table.columns
            raise ParameterError(
                f"label: column {self.label!r} is not published. Take one that is: "
                f"{', '.join(names)}."
                if is_there
                else f"label: there is no column {self.label!r}. {did_you_mean(self.label, names)}"
            )
        return column_domains(table, columns=names, domains=self.domains)

    def _measure(self, table: Table, domain: Domains, noise: Noise) -> Agreed:
        sizes = [len(values) for values in domain.values()]
        spending = Spending.of(epsilon=self.epsilon, delta=self.delta, noise=noise)
        check_noise(sizes, spending)
        codes = [listed_codes(table, name, values) for name, values in domain.items()]
        found = measure_marginals(codes, names=list(domain), sizes=sizes, spending=spending)
        self.entries = tuple(spending.entries)
        return reconcile(found.marginals, sizes=sizes, dependences=found.dependences)

    def _randomize(self, table: Table, domain: Domains) -> Agreed:
        randomized = randomized_response(
            table, epsilon=self.epsilon, split=self.split, domains=domain, columns=domain,
            seed=self.seed,
        )  # fmt: skip
        self.sanitized = replace(randomized, domains_are_public=self.domains_are_public)
        sizes = [len(values) for values in domain.values()]
        return reconcile(local_marginals(self.sanitized), sizes=sizes)

    def _tree(self, model: RowModel) -> RowModel:
        """Return the code tree, learned from randomized cells or from rows of the pair model."""
        if self.sanitized is not None:
            shares = estimated_shares(self.sanitized)
            return fit_tree(self.sanitized.table, domain=model.domain, probability=shares)
        batches = list(model.batches(N_FOR_KRIMP, seed=self.seed))
        codes = dict(zip(model.domain, np.concatenate(batches, axis=1), strict=True))
        rows = Table.from_codes(codes, dict(model.domain))
        return fit_tree(rows, domain=model.domain, probability=counted_shares(rows))
