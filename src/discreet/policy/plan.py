"""What a release would cost at several settings, before one is chosen."""

from __future__ import annotations

import os
import time
import warnings
from collections import deque
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet import checks
from discreet.assess.look import unique_words
from discreet.assess.risk import prosecutor_risk
from discreet.data.frames import as_kind
from discreet.data.table import as_table
from discreet.errors import DiscreetWarning, ParameterError
from discreet.generalize.release import LossSummary
from discreet.mine import Database
from discreet.policy.facts import width_of
from discreet.policy.load import load_data, load_source
from discreet.policy.methods import NOTHING, read_method
from discreet.policy.model import Policy, read_policy
from discreet.policy.run import context_of
from discreet.release.release import publishable
from discreet.result import Preview, Result
from discreet.utility import cells_changed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Unpack

    import altair as alt

    from discreet.assess.risk import Risk
    from discreet.data.column import FrameKind
    from discreet.data.table import Table
    from discreet.limits import Limits
    from discreet.policy.methods import MethodOptions
    from discreet.release.release import Release


KS = (2, 3, 5, 10, 20, 50)


def plan(
    what: Policy | str | os.PathLike[str] | Table | object,
    *,
    ks: Iterable[int] = KS,
    **limits: Unpack[Limits],
) -> Plan:
    """Return loss, risk and time of a method at several sizes of class; writes nothing.

    Parameters
    ----------
    what : Policy, path of one, Table or frame
        A policy is planned with its own method and options, and its file is read; a table
        with K-MII on all columns but the identifying ones.
    ks : iterable of int
        Sizes of class to try, each at least 2. Methods with ``theta`` are tried with k - 1.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Plan
        One setting for each k: suppressed cells and records, smallest class, risk, seconds; of
        methods that generalize, also the loss that they keep small.

    Raises
    ------
    ParameterError
        If a k is below 2, or none is given.

    Notes
    -----
    Not for publication: a plan describes the original. Every setting is run in full, one after
    the other; ``plan`` takes as long as all of them together.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(1000).select(["sex", "region", "education"])
    >>> found = plan(people, ks=(2, 5))
    >>> [setting.smallest_class >= setting.k for setting in found.settings]
    [True, True]
    """
    (found,) = deque(plan_each(what, ks=ks, **limits), maxlen=1)
    return found


def plan_each(
    what: Policy | str | os.PathLike[str] | Table | object,
    *,
    ks: Iterable[int] = KS,
    **limits: Unpack[Limits],
) -> Iterator[Plan]:
    """Yield the plan again whenever one more setting is known, smallest class first.

    Parameters
    ----------
    what, ks, **limits
        As in :func:`plan`. What is wrong with them is said at the first step.

    Yields
    ------
    Plan
        With the settings so far; a caller that has seen enough stops.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(1000).select(["sex", "region"])
    >>> [len(found.settings) for found in plan_each(people, ks=(2, 5))]
    [1, 2]
    """
    chosen = sizes_of_class(ks)
    if isinstance(what, str | os.PathLike):
        what = read_policy(what)
    method = what.method if isinstance(what, Policy) else read_method({"name": "k-mii", "k": 2})
    tried = [method.at(k) for k in chosen]
    if isinstance(what, Policy):
        table = load_source(what)
        context = context_of(what, table)
    else:
        table = as_table(what)
        context = NOTHING
    _warn_of_width(method, table)
    progress = limits.pop("progress", None)
    settings: list[Setting] = []
    before: Risk | None = None
    for place, (k, options) in enumerate(zip(chosen, tried, strict=True)):
        if progress is not None:

            def report(fraction: float, /, place: int = place) -> None:
                assert progress is not None
                progress((place + fraction) / len(chosen))

            limits["progress"] = report
        started = time.perf_counter()
        with warnings.catch_warnings():
            # That no row is left is said by the table.
            warnings.simplefilter("ignore", DiscreetWarning)
            release = options.protect(table, context=context, **limits)
        seconds = time.perf_counter() - started
        covered = release.guarantee.columns or release.data.columns
        settings.append(_setting(release, k, table, covered, seconds))
        if before is None:
            before = prosecutor_risk(table, columns=covered, threshold=_UNIQUE)
        if progress is not None:
            progress((place + 1) / len(chosen))
        yield Plan(
            method=method.name,
            columns=tuple(covered),
            n_rows=table.n_rows,
            n_unique=before.n_at_risk,
            mean_risk=before.mean,
            n_people=before.n_people,
            settings=tuple(settings),
            not_protected=release.guarantee.not_protected,
        )


def _warn_of_width(method: MethodOptions, table: Table) -> None:
    """Warn, before anything is run, that a search in so many columns can take very long."""
    options = {option.name for option in method.record.options}
    if method.record.family != "suppression" or "max_size" not in options or method.max_size:
        return
    columns = method.columns or publishable(table).columns
    found = width_of(Database.from_table(table, columns=columns))
    if found is None or found.is_done:
        return
    warnings.warn(
        f"{found.sentence} {method.name} with max_size = {found.max_size} looks for those of at "
        f"most {found.max_size} values; fewer columns, or a method that generalizes, such as "
        "agglomerative or mondrian, are other ways.",
        DiscreetWarning,
        stacklevel=3,
    )


def preview(policy: Policy | str | os.PathLike[str]) -> Result:
    """Return what a release would cost, without making one: nothing is spent.

    Parameters
    ----------
    policy : Policy or path of one
        Of a method whose cost can be computed; its file is read.

    Returns
    -------
    Result
        Of ``synthesize`` standard errors of the supports, of patterns the lowest support at
        which they can be published as they are.

    Raises
    ------
    ParameterError
        If the method is one that :func:`plan` tries at several k, or has no preview.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import discreet as dc
    >>> people = dc.datasets.census(2000).select(["sex", "region"])
    >>> file = dc.write_table(people, Path(tempfile.mkdtemp()) / "people.csv")
    >>> policy = dc.policy.make_policy(
    ...     {"source": {"file": str(file)},
    ...      "method": {"name": "synthesize", "epsilon": 1, "delta": 1e-6}}
    ... )
    >>> preview(policy).is_noise
    False
    """
    read = policy if isinstance(policy, Policy) else read_policy(policy)
    data = load_data(read)
    return read.method.preview(data, context=context_of(read, data))


# Methods with noise: what is expected to be off at several epsilons.

EPSILONS = tuple(map(Fraction, ("0.1", "0.25", "0.5", "1", "2", "4", "8")))


class AtEpsilon(NamedTuple):
    """What to expect of a release at one epsilon, as :func:`preview` says it."""

    epsilon: Fraction
    expected: Result

    @property
    def error(self) -> float:
        """How far off shares of two values together are; of one value if there is no pair."""
        found = self.expected.to_dict()
        errors = found.get("errors") or [found["value_error"], found["pair_error"]]
        assert isinstance(errors, list)
        return float(next(each for each in reversed(errors[:2]) if each is not None))

    @property
    def is_noise(self) -> bool:
        """Whether nothing but noise is to be expected, however small the error seems."""
        return bool(self.expected.to_dict()["is_noise"])


def plan_epsilons(
    policy: Policy | str | os.PathLike[str],
    *,
    epsilons: Iterable[Fraction] = EPSILONS,
    error: float | None = None,
    progress: Callable[[float], object] | None = None,
) -> Iterator[AtEpsilon]:
    """Yield what a policy with noise would cost at each epsilon, as soon as it is known.

    Parameters
    ----------
    policy : Policy or path of one
        Of a method with ``epsilon`` whose cost can be computed; its file is read once.
    epsilons : iterable of Fraction
        To look at, in this order.
    error : float, optional
        The most that shares of two values together may be off. The last one yielded is then the
        least epsilon of two digits, between 0.01 and 99, that promises as much; none if none does.
    progress : callable, optional
        Hears the share of the work done.

    Yields
    ------
    AtEpsilon
        Nothing is spent, and nothing is for publication.

    Raises
    ------
    ParameterError
        If the method has no epsilon, or no preview.
    """
    read = policy if isinstance(policy, Policy) else read_policy(policy)
    if "epsilon" not in {option.name for option in read.method.record.options}:
        raise ParameterError(f"{read.method.name} takes no epsilon.", parameter="epsilon")
    if error is not None:
        checks.exact("error", error, above=0)
    data = load_data(read)
    context = context_of(read, data)
    tried = list(epsilons)
    rest = (len(DIGITS)).bit_length() if error is not None else 0
    n_done = 0

    def at(epsilon: Fraction) -> AtEpsilon:
        nonlocal n_done
        method = read.method.model_copy(update={"epsilon": epsilon})
        found = AtEpsilon(epsilon, method.preview(data, context=context))
        n_done += 1
        if progress is not None:
            progress(min(1.0, n_done / (len(tried) + rest)))
        return found

    yield from map(at, tried)
    if error is not None:
        yield from _least_epsilon(at, error)


DIGITS = tuple(Fraction(n, 100) * Fraction(10) ** e for e in (-1, 0, 1, 2) for n in range(10, 100))


def _least_epsilon(at: Callable[[Fraction], AtEpsilon], error: float) -> Iterator[AtEpsilon]:
    """Yield the least epsilon that is good enough, found by bisection."""
    low, high, best = 0, len(DIGITS), None
    while low < high:
        middle = (low + high) // 2
        found = at(DIGITS[middle])
        if found.error <= error and not found.is_noise:
            high, best = middle, found
        else:
            low = middle + 1
    if best is not None:
        yield best


def _setting(
    release: Release, k: int, table: Table, covered: tuple[str, ...], seconds: float
) -> Setting:
    """Return what one setting costs."""
    lost = None
    if release.input_rows is not None:
        lost = cells_changed(
            table.select(release.data.columns), release.data, rows=release.input_rows
        )
    data = with_people(release, table)
    after = prosecutor_risk(data, columns=covered, threshold=_UNIQUE)
    return Setting(
        k=k,
        n_released=data.n_rows,
        n_suppressed_records=table.n_rows - data.n_rows,
        suppressed_rate=None if lost is None else lost.suppressed_rate,
        loss_rate=None if lost is None else lost.loss_rate,
        loss=release.loss.loss if isinstance(release.loss, LossSummary) else None,
        smallest_class=round(1 / after.highest) if data.n_rows else 0,
        n_unique=after.n_at_risk,
        mean_risk=after.mean,
        seconds=seconds,
    )


def with_people(release: Release, table: Table) -> Table:
    """Return released rows knowing whose they are, if the original knows it; in memory only."""
    data: Table = release.data
    if table.people is None or release.input_rows is None:
        return data
    return replace(data, people=table.people.take(release.input_rows))


def sizes_of_class(ks: Iterable[int], *, name: str = "ks") -> tuple[int, ...]:
    """Return the sizes in order, each once.

    Examples
    --------
    >>> sizes_of_class([5, 2, 5])
    (2, 5)
    """
    chosen = tuple(sorted({checks.whole(name, k, at_least=2) for k in ks}))
    if not chosen:
        raise ParameterError("Give at least one k to try.", parameter=name)
    return chosen


# Settings side by side: what each suppresses, loses and leaves at risk.

BAR = 8  # characters

_UNIQUE = 0.5  # a record is unique if the chance to find the right one is above


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a method costs at one size of class.

    Attributes
    ----------
    k : int
        The size of class.
    n_released, n_suppressed_records : int
        Rows released and records suppressed.
    suppressed_rate : float, optional
        Share of the released cells that are suppressed; None if rows cannot be matched.
    loss_rate : float, optional
        Share of the original's cells that are suppressed, generalized or in a suppressed record.
    loss : float, optional
        Of a method that generalizes: the mean loss of a cell, by the method's measure.
    smallest_class : int
        People of the smallest class that is released, where it is known whose each row is, else
        its rows; 0 without rows.
    n_unique : int
        Unique released rows, or people who have one.
    mean_risk : float
        Mean chance that a prosecutor finds the right row, or person, in the release.
    seconds : float
        How long it took.
    """

    k: int
    n_released: int
    n_suppressed_records: int
    suppressed_rate: float | None
    loss_rate: float | None
    smallest_class: int
    n_unique: int
    mean_risk: float
    seconds: float
    loss: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Result):
    """A method at several settings, beside the original; not for publication.

    Attributes
    ----------
    method : str
        The method.
    columns : tuple of str
        The columns that the claim covers and the risk is measured in.
    n_rows, n_unique : int
        Rows of the original, and how many are unique; people who have a unique one where it is
        known whose each row is.
    mean_risk : float
        Mean chance that a prosecutor finds the right row, or person, in the original.
    settings : tuple of Setting
        By k.
    not_protected : tuple of str
        What the claim of such a release does not cover, such as what a hierarchy that was made
        from the rows discloses.
    n_people : int or None
        People of the original, where it is known whose each row is: then people are counted.
    """

    method: str
    columns: tuple[str, ...]
    n_rows: int
    n_unique: int
    mean_risk: float
    settings: tuple[Setting, ...]
    not_protected: tuple[str, ...] = ()
    n_people: int | None = None

    @property
    def sentence(self) -> str:
        """The original in one plain sentence."""
        of, found = ("person", "record") if self.n_people is None else ("record", "person")
        return (
            f"Before: {unique_words(self.n_unique, self.n_rows, self.n_people)}; an attacker who "
            f"knows all {len(self.columns)} values of a {of} finds the {found} with a probability "
            f"of {self.mean_risk:.1%} on average."
        )

    def __repr__(self) -> str:
        sizes = ", ".join(str(each.k) for each in self.settings)
        return f"Plan of {self.method} for k = {sizes}. {self.sentence}"

    def preview(self) -> Preview:
        """Return one row for each setting, with a bar for what is lost."""
        generalizes = any(each.loss is not None for each in self.settings)
        rows = [
            (
                str(each.k),
                f"{each.loss:.4f}" if each.loss is not None else _share(each.suppressed_rate),
                f"{each.n_suppressed_records:,}",
                _share(each.loss_rate),
                _bar(each.loss_rate),
                f"{each.smallest_class:,}",
                f"{each.n_unique:,}",
                f"{each.mean_risk:.2%}",
                f"{each.seconds:.2f}",
            )
            for each in self.settings
        ]
        header = (
            "k", "loss" if generalizes else "suppressed", "records suppressed",
            "cells "
            "changed" if generalizes else "lost in all", "",
            "smallest class" if self.n_people is None else "people in smallest class",
            "unique" if self.n_people is None else "unique people", "risk", "s",
        )  # fmt: skip
        return Preview(title=f"{self.method}. {self.sentence}", header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "method": self.method,
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "n_people": self.n_people,
            "n_unique": self.n_unique,
            "mean_risk": self.mean_risk,
            "settings": [asdict(each) for each in self.settings],
            "not_protected": list(self.not_protected),
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  a frame of the asked kind
        """Return one row for each setting.

        Parameters
        ----------
        kind : {"polars", "pandas", "pyarrow", "duckdb"}
            The kind of frame.

        Examples
        --------
        >>> import discreet as dc
        >>> people = dc.datasets.census(1000).select(["sex", "region"])
        >>> plan(people, ks=(2, 5)).to_frame().columns[:3]
        ['k', 'n_released', 'n_suppressed_records']
        """
        import polars as pl

        whole, share = pl.Int64, pl.Float64
        schema = {
            "k": whole, "n_released": whole, "n_suppressed_records": whole,
            "suppressed_rate": share, "loss_rate": share, "smallest_class": whole,
            "n_unique": whole, "mean_risk": share, "seconds": share, "loss": share,
        }  # fmt: skip
        return as_kind(pl.DataFrame([asdict(each) for each in self.settings], schema=schema), kind)

    def plot(self) -> alt.LayerChart:
        """Return a chart of loss and risk by k."""
        import altair as alt
        import polars as pl

        frame = pl.DataFrame(
            [
                {"k": each.k, "share": share, "of": what}
                for each in self.settings
                for what, share in (
                    ("cells suppressed", each.loss_rate if each.loss is None else None),
                    ("mean loss of a cell", each.loss),
                    ("mean risk of a released row", each.mean_risk),
                )
                if share is not None
            ],
            schema={"k": pl.Int64, "share": pl.Float64, "of": pl.String},
        )
        lines = alt.Chart(frame, title=f"{self.method}: what is lost, what is left at risk").encode(
            x=alt.X("k:O", title="k"),
            y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%")),
            color=alt.Color("of:N", title=None),
        )
        chart: alt.LayerChart = lines.mark_line() + lines.mark_point(filled=True)
        return chart


def _share(rate: float | None) -> str:
    """Return a share in per cent."""
    return "" if rate is None else f"{rate:.1%}"


def _bar(rate: float | None) -> str:
    """Return a bar of blocks for a share."""
    if rate is None:
        return ""
    filled = min(BAR, round(rate * BAR))
    return "█" * filled + "░" * (BAR - filled)
