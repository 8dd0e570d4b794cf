"""Differentially private suppression: a sample, with rare combinations of values cleared.

What is rare is learnt from a public table, or with noise from a part of the rows, or as it is
from a part of the rows; the rest of the rows is sampled, suppressed, and released where at
least k rows have become equal.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes
from discreet.data.domains import one_row_of_each, refuse_cut_by_rows
from discreet.data.suggest_roles import warn_of_people
from discreet.data.table import as_table
from discreet.errors import LimitError, ParameterError, WeakGuaranteeWarning
from discreet.limits import check_limits, most_itemsets
from discreet.mine.database import table_columns
from discreet.noise import noise_from
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import (
    IF_PUBLIC,
    NEIGHBOURS_OF,
    SEVERAL_ROWS,
    Guarantee,
    assumed_of,
    chosen_of,
    unit_of,
)
from discreet.release.release import Release
from discreet.suppress.dp_plan import make_plan
from discreet.suppress.schemes import (
    ColumnTexts,
    DomainItemsets,
    DpScheme,
    PublicScheme,
    SplitScheme,
    column_domains,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.checks import Number
    from discreet.data.domains import DomainsLike
    from discreet.data.table import Table
    from discreet.limits import Limits
    from discreet.noise import Noise
    from discreet.release.event import Option
    from discreet.suppress import schemes
    from discreet.suppress.dp_plan import Plan
    from discreet.suppress.sampling import SchemeName
    from discreet.suppress.schemes import ColumnDomains, Scheme


def dp_mii_suppress(
    table: object,
    *,
    epsilon: Number,
    delta: Number,
    k: int = 20,
    scheme: SchemeName = "dp",
    columns: Iterable[str] | None = None,
    domains: DomainsLike | None = None,
    public: object = None,
    split_rate: Number | None = None,
    scheme_epsilon: Number | None = None,
    theta: int | None = None,
    beta: Number | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    noise: Noise | None = None,
    seed: int | None = None,
    **limits: Unpack[Limits],
) -> Release:
    r"""Return a sample of a table, rare combinations suppressed, with differential privacy.

    .. math:: \mathrm{P}[M(D) \in S] \le e^\varepsilon \, \mathrm{P}[M(D') \in S] + \delta

    where :math:`D` and :math:`D'` are tables that differ in one row added or removed,
    :math:`M` is this function and :math:`S` any set of releases. Four steps make it:

    1. a *scheme* says which cells of a row are suppressed;
    2. every row, those that trained the scheme excepted, is sampled with probability
       :math:`\beta`;
    3. the scheme's cells are suppressed in the sample;
    4. rows that fewer than ``k`` rows of the sample now equal are dropped, the rest is sorted.

    =========== ============================================ ================================
    scheme      which cells                                  total, for everybody
    =========== ============================================ ================================
    ``public``  in minimal infrequent itemsets of ``public`` epsilon, delta
    ``dp``      in rare values and pairs, by noisy counts    max(scheme_epsilon, epsilon),
                in a share of the rows                       delta
    ``split``   in minimal infrequent itemsets of a share    epsilon,
                of the rows, as they are                     split_rate + (1 - split_rate) delta
    =========== ============================================ ================================

    Parameters
    ----------
    table : Table or frame
        The protected table. If it says whose each row is, one row of each person is chosen at
        random and all others are passed over.
    epsilon, delta : float, Fraction or Decimal
        Of the published part: epsilon above 0, delta above 0 and below 1, and well below one
        over the number of rows. A float is the decimal it is written as.
    k : int
        Smallest class that is released, at least 1. A larger k allows a larger
        sample.
    scheme : {"dp", "public", "split"}
        Where it comes from.
    columns : iterable of str, optional
        The columns to release; all but the identifying ones by default. No other column is in
        the release: there is no harmless column. Fewer columns keep more rows.
    domains : mapping or Table, optional
        For ``"dp"``: the values that each column can have, from public knowledge, as lists or
        hierarchies, or a public table that has them all. Read from the table if not given: the
        claim then begins "Only if the lists of values are public".
    public : Table or frame, optional
        For ``"public"``: a table of the same kind that may be shown to everybody.
    split_rate : number, optional
        For ``"dp"`` and ``"split"``: probability of a row to train the scheme and not to be
        published; 0.3 and 0.1 by default.
    scheme_epsilon : number, optional
        For ``"dp"``: epsilon of the rows that train; that of the others by default.
    theta : int, optional
        What is in at most ``theta`` rows of the training part, or of the public table, is
        infrequent. By default :func:`theta_1` of ``k - 1``, for ``"dp"`` and a margin that
        noise passes once in a hundred times, for ``"public"`` as if both tables had the same
        number of rows.
    beta : number, optional
        Sampling rate; by default the largest that delta allows, and never a larger one.
    person, one_row_per_person
        As in :meth:`~discreet.data.table.Table.from_frame`, of a frame.
    noise : Noise, optional
        Where the draws come from; the operating system by default.
    seed : int, optional
        For experiments that are repeated; the certificate then says that it is not for
        publication.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Release
        Rows sorted by their values, without index. ``input_rows`` is for measuring
        information loss, in memory only: it is never written, and must not be published.

    Raises
    ------
    ParameterError
        If an option is out of its range or does not belong to the scheme.
    DataError
        If a value is not in the list of its column. Nothing has been released then; but the
        error itself discloses something of the table, so keep it confidential.
    LimitError
        If the columns have more than ``max_itemsets`` values and pairs of values.

    Warns
    -----
    WeakGuaranteeWarning
        If delta is at least one over the number of rows, and for ``"split"`` always.

    Notes
    -----
    **Guarantee.** (epsilon, delta)-differential privacy of one row, added or removed; see the
    table, and ``docs/guarantees`` for proofs. Of a table that says whose each row is, of all rows
    of one person. Not protected: several rows of one person, if nothing says whose they are; rows
    against an attacker who knows the sample; what follows from other people's rows; for ``"split"``
    the rows that train. Sorting does what shuffling does.

    A missing cell is a value of its own for the scheme; in the release it is null, as a
    suppressed cell is. A value that the public table, or the training part of ``"split"``,
    does not have is suppressed: it is in 0 of its rows. If the training part of ``"split"`` has
    at most ``theta`` rows, everything is suppressed.

    With ``"dp"``, one row is in n values and n (n - 1) / 2 pairs of n columns, so each support
    gets discrete Laplace noise of scale (n + n (n - 1) / 2) / scheme_epsilon. A value that is
    not above ``theta`` is suppressed; of a pair that is not, though its values are, both cells
    are. Time O(rows n^2) and one draw for each value and pair of values in the lists.

    References
    ----------
    The thesis this family follows, algorithm 3, with Bernoulli sampling, one suppression by
    equality after it, and a scheme that protects the rows that train it. N. Li, W. Qardaji,
    D. Su (2012), On sampling, anonymization, and differential privacy, theorem 1.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(5000, seed=1).select(["sex", "marital_status", "education"])
    >>> domains = dc.datasets.census_hierarchies()
    >>> release = dp_mii_suppress(people, epsilon=1, delta=1e-6, domains=domains, seed=1)
    >>> print(release.guarantee.parameters["epsilon"], release.guarantee.parameters["delta"])
    1 1/1000000
    >>> [event.name for event in release.events]
    ['split_rows', 'learn_scheme', 'suppress_by_scheme', 'bernoulli_sample', 'k_suppress']
    """
    check_limits(limits)
    whole = as_table(table, person=person, one_row_per_person=one_row_per_person)
    whole.refuse_carried("differential privacy covers every column")
    warn_of_people(whole)
    plan = make_plan(
        columns=table_columns(whole, columns), scheme=scheme, k=k, epsilon=epsilon, delta=delta,
        beta=beta, theta=theta, split_rate=split_rate, scheme_epsilon=scheme_epsilon,
    )  # fmt: skip
    if noise is not None and seed is not None:
        raise ParameterError(
            "noise and seed are two sources of draws: give one of them.", parameter="noise"
        )
    # `noise` is for audits, which put every possible draw in its place.
    source = noise_from(seed) if noise is None else noise
    chosen = whole.select(plan.columns)
    if domains is not None or plan.scheme != "dp":
        refuse_cut_by_rows(chosen, plan.columns)
    if domains is not None and scheme != "dp":
        raise ParameterError(
            "domains does not belong to {scheme}: it asks no list.",
            parameter="scheme",
            options={"scheme": scheme},
        )
    if (public is None) == (plan.scheme == "public"):
        raise ParameterError(
            "{public}, a public table, belongs to {scheme} and to no other.",
            parameter="public",
            options={"public": ..., "scheme": "public"},
        )
    learnt_from = None if public is None else as_table(public).select(plan.columns)
    # Before the first draw: what is refused here is refused whatever is drawn later.
    if plan.scheme == "dp":
        known: ColumnDomains | ColumnTexts = column_domains(
            chosen, columns=plan.columns, domains=domains
        )
    else:
        known = ColumnTexts.of(chosen, public=learnt_from)
        chosen = known.as_texts(chosen)
        learnt_from = None if learnt_from is None else known.as_texts(learnt_from)
    codes = known.encode(chosen)
    # One row of each person, before rows are split: what is proved of a row holds of a person.
    chosen, places = one_row_of_each(chosen, lambda n: source.permutation(n))  # noqa: PLW0108
    codes = codes[places]
    learner = _scheme(
        plan, table=chosen, codes=codes, sizes=known.sizes, public=learnt_from, limits=limits
    )
    _warn(plan, chosen.n_rows)
    found = sample_and_suppress(
        codes, suppressed=known.suppressed, scheme=learner, beta=plan.beta, k=plan.k, noise=source
    )
    return Release(
        data=known.decode(found.rows, like=whole),
        guarantee=dp_guarantee(
            plan,
            domain_is_public=domains is not None,
            is_secure=source.is_secure,
            unit=unit_of(whole),
        ),
        events=(*chosen_of(unit_of(whole))[0], *dp_events(plan)),
        fingerprint=Fingerprint.of(whole),
        input_rows=places[found.input_rows],
    )


def _scheme(
    plan: Plan,
    *,
    table: Table,
    codes: NDArray[np.int64],
    sizes: tuple[int, ...],
    public: Table | None,
    limits: Limits,
) -> schemes.Scheme:
    """Return the scheme of a plan, nothing learnt yet."""
    if plan.split_rate is None:
        assert public is not None
        if public.n_rows <= plan.theta:
            raise ParameterError(
                f"The public table has {public.n_rows:,} rows, and {{theta}} makes "
                "everything infrequent that at most so many have.",
                parameter="theta",
                remedy="Give more rows, or theta.",
                options={"theta": plan.theta},
            )
        return PublicScheme(table=table, public=public, theta=plan.theta, limits=limits)
    if plan.scheme == "split":
        return SplitScheme(table=table, split_rate=plan.split_rate, theta=plan.theta, limits=limits)
    itemsets = DomainItemsets(sizes)
    most = most_itemsets(limits)
    if len(itemsets) > most:
        raise LimitError(
            f"The columns can have {len(itemsets):,} values and pairs of values, more than "
            f"{most:,}, and each needs noise. Use fewer columns, group values, or raise "
            "max_itemsets."
        )
    return DpScheme(
        codes=codes, itemsets=itemsets, split_rate=plan.split_rate, theta=plan.theta,
        scale=plan.scale,
    )  # fmt: skip


def _warn(plan: Plan, n_rows: int) -> None:
    """Warn the curator of a weak guarantee."""
    if plan.delta * n_rows >= 1:
        warnings.warn(
            f"delta={float(plan.delta):g} is at least one over the {n_rows:,} rows: publishing "
            "some rows as they are would satisfy it. Choose a delta well below.",
            WeakGuaranteeWarning,
            stacklevel=3,
        )
    if plan.scheme == "split":
        warnings.warn(
            f"scheme='split' does not protect rows of the training part, so that delta is "
            f"{float(plan.total_delta):g} in total. scheme='dp' protects all rows.",
            WeakGuaranteeWarning,
            stacklevel=3,
        )


# What a differentially private release says of itself: its steps and its guarantee.
#
# Both follow from the plan alone. No number in them was counted in the protected table.

MODEL = "(epsilon, delta)-differential privacy"

SEEDED = "made with a seed, from which all draws can be repeated"

N_TIMES = "Several rows of one person: n rows together have n times the epsilon, and more delta."

NOT_PROTECTED = (
    "A row, against an attacker who knows which rows were sampled or trained the scheme.",
    "What can be inferred about a person from the rows of others, such as relatives.",
    "The approximate number of rows of the table, which the number of released rows discloses.",
)


def dp_events(plan: Plan) -> tuple[Event, ...]:
    """Return the steps of a plan, in order."""
    learnt: dict[str, Option] = {
        "scheme": plan.scheme,
        "epsilon": plan.scheme_epsilon,
        "delta": None if plan.scheme_epsilon is None else Fraction(0),
        "theta": plan.theta,
    }
    if plan.scheme == "dp":
        learnt |= {
            "max_size": 2,
            "n_columns": len(plan.columns),
            "sensitivity": plan.sensitivity,
            "noise": "discrete Laplace",
            "scale": plan.scale,
        }
    steps = [
        Event(name="learn_scheme", parameters=learnt),
        Event(name="suppress_by_scheme", parameters={"columns": plan.columns}),
        Event(name="bernoulli_sample", parameters={"beta": plan.beta}),
        Event(
            name="k_suppress",
            parameters={"k": plan.k, "epsilon": plan.epsilon, "delta": plan.delta},
        ),
    ]
    if plan.split_rate is not None:
        steps.insert(0, Event(name="split_rows", parameters={"split_rate": plan.split_rate}))
    return tuple(steps)


def dp_guarantee(plan: Plan, *, domain_is_public: bool, is_secure: bool, unit: str) -> Guarantee:
    """Return the guarantee of a plan."""
    assumptions = [
        *assumed_of(unit),
        *chosen_of(unit)[1],
        "The options and the edges of bins were chosen without looking at the table.",
        "Which rows were sampled, the random draws and the key of the fingerprint stay secret.",
    ]
    not_protected = [*(() if unit == SEVERAL_ROWS else (N_TIMES,)), *NOT_PROTECTED]
    # The other schemes ask for no list: codes are compared for equality only, the rule is learnt
    # from the public table or the training rows, and a value is released with a sampled row.
    is_conditional = plan.scheme == "dp" and not domain_is_public
    if plan.scheme == "public":
        assumptions.append(
            "The scheme comes from a public table, which was not made from the protected one."
        )
    elif plan.scheme == "split":
        not_protected.insert(
            0,
            "Rows of the training part, which every row is in with the probability that delta "
            "begins with: the scheme shows what they hold.",
        )
    elif domain_is_public:
        assumptions.append("The lists of values that columns can have are public.")
    else:
        assumptions.append(
            "The lists of values were read from the data, which the guarantee does not cover."
        )
    return Guarantee(
        model=IF_PUBLIC + MODEL if is_conditional else MODEL,
        parameters={"epsilon": plan.total_epsilon, "delta": plan.total_delta},
        unit=unit,
        neighbours=NEIGHBOURS_OF[unit],
        columns=plan.columns,
        assumptions=tuple(assumptions),
        not_protected=tuple(not_protected),
        experimental=not is_secure,
        experimental_reason=None if is_secure else SEEDED,
    )


# Split, learn, suppress, sample, drop small classes: the mechanism with its draws from outside.
#
# Everything random comes from ``noise``, so that an audit can put every possible draw in its
# place and add up the exact distribution of what is released.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleasedRows:
    """Rows as they are published, and in memory where they came from."""

    rows: NDArray[np.int64]
    input_rows: NDArray[np.int64]


def sample_and_suppress(
    codes: NDArray[np.int64],
    *,
    suppressed: NDArray[np.int64],
    scheme: Scheme,
    beta: Fraction,
    k: int,
    noise: Noise,
) -> ReleasedRows:
    """Return the rows that a scheme, Bernoulli sampling and k-suppression leave.

    Parameters
    ----------
    codes : array of int, rows by columns
        The protected table.
    suppressed : array of int
        The code of a suppressed cell, for each column.
    scheme : Scheme
        Which cells are suppressed; at most it sees the rows that train it.
    beta : Fraction
        Rate at which the rows that do not train are sampled.
    k : int
        Smallest class that is released.
    noise : Noise
        Where all draws come from: who trains, the scheme's noise, who is sampled.

    Returns
    -------
    ReleasedRows
        Sorted by their values.

    Notes
    -----
    Draws are made for every row, whether it trains or not: their number discloses nothing.
    """
    trains = np.zeros(len(codes), np.bool_)
    if scheme.split_rate is not None:
        trains = noise.bernoulli(scheme.split_rate, len(codes))
    # The rule is learnt before any published row is looked at, so that it depends on training rows
    # alone.
    marks_of = scheme.learn(np.flatnonzero(trains), noise)
    # A coin for every row, also for those that train: what is drawn for a row must not depend on
    # how many others train.
    sampled = np.flatnonzero(noise.bernoulli(beta, len(codes)) & ~trains)
    rows = np.where(marks_of(sampled), suppressed, codes[sampled])
    kept = k_suppress(rows, k=k)
    return ReleasedRows(rows=rows[kept], input_rows=sampled[kept])


# Equality k-suppression: rows that fewer than k share are dropped, the rest is sorted.
#
# Sorting takes the place of shuffling: an order that follows from the released values alone
# discloses as little as a random one.


def k_suppress(rows: NDArray[np.int64], *, k: int) -> NDArray[np.int64]:
    """Return the places of rows that at least k rows equal, sorted by the rows themselves.

    Parameters
    ----------
    rows : array of int, rows by columns
        Codes; a suppressed cell is a code as any other, equal to other suppressed cells and
        to nothing else.
    k : int
        Smallest class that is kept, at least 1.

    Returns
    -------
    array of int
        Places in ``rows``. ``rows[places]`` depends on which rows there are, and not on their
        order.

    Notes
    -----
    One pass is enough: dropping a whole class changes the size of no other. Classes by
    equality, not by containment: a row is not protected by rows that contain it.

    Examples
    --------
    >>> rows = np.array([[1, 0], [0, 0], [1, 0], [0, 1]])
    >>> k_suppress(rows, k=2)
    array([0, 2])
    """
    classes = equal_codes(list(rows.T), len(rows))
    distinct = rows[classes.first]
    # Sorted by the released values alone, never by the place in the input.
    order = np.lexsort(distinct.T[::-1]) if len(distinct) else np.empty(0, np.int64)
    rank = np.empty(len(distinct), np.int64)
    rank[order] = np.arange(len(distinct))
    kept = np.flatnonzero(classes.sizes[classes.class_of] >= k)
    sorted_places: NDArray[np.int64] = kept[np.argsort(rank[classes.class_of[kept]], kind="stable")]
    return sorted_places
