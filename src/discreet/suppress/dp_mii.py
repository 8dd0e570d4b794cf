"""Differentially private suppression: a sample, with rare combinations of values cleared.

What is rare is learnt from a public table, or with noise from a part of the rows, or as it is
from a part of the rows; the rest of the rows is sampled, suppressed, and released where at
least k rows have become equal.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from discreet.assess.classes import as_table
from discreet.errors import LimitError, ParameterError, WeakGuaranteeWarning
from discreet.mine.database import table_columns
from discreet.mine.limits import MAX_ITEMSETS
from discreet.noise import noise_from
from discreet.release.fingerprint import Fingerprint
from discreet.release.release import Release
from discreet.suppress.column_domains import column_domains
from discreet.suppress.domain_itemsets import DomainItemsets
from discreet.suppress.dp_claim import dp_events, dp_guarantee
from discreet.suppress.dp_plan import make_plan
from discreet.suppress.sampled_release import sampled_release
from discreet.suppress.schemes import DpScheme, PublicScheme, SplitScheme

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    import numpy as np
    from numpy.typing import NDArray

    from discreet.data.listed_values import DomainsLike
    from discreet.data.table import Table
    from discreet.mine.limits import Limits
    from discreet.noise import Noise
    from discreet.suppress import schemes
    from discreet.suppress.dp_plan import Number, Plan
    from discreet.suppress.split import Scheme


def dp_mii_suppress(
    table: object,
    *,
    epsilon: Number,
    delta: Number,
    k: int = 20,
    scheme: Scheme = "dp",
    columns: Iterable[str] | None = None,
    domains: DomainsLike | None = None,
    public: object = None,
    split_rate: Number | None = None,
    scheme_epsilon: Number | None = None,
    theta: int | None = None,
    beta: Number | None = None,
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
        The protected table, one row for each person.
    epsilon, delta : float, Fraction or Decimal
        Of the published part: epsilon above 0, delta above 0 and below 1, and well below one
        over the number of rows. A float is the decimal it is written as.
    k : int
        Least number of equal rows that are released, at least 1. A larger k allows a larger
        sample.
    scheme : {"dp", "public", "split"}
        Where it comes from.
    columns : iterable of str, optional
        The columns to release; all but the identifying ones by default. No other column is in
        the release: there is no harmless column. Fewer columns keep more rows.
    domains : mapping or Table, optional
        For ``"dp"``: the values that each column can have, from public knowledge, as lists or
        hierarchies, or a public table that has them all. Read from the table if not given,
        which the certificate says.
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
        Rows sorted by their values, without index. ``input_rows`` is for measuring what was
        lost, in memory only: it is never written, and must not be published.

    Raises
    ------
    ParameterError
        If an option is out of its range or does not belong to the scheme.
    DataError
        If a value is not in the list of its column. Nothing has been released then; but the
        error itself tells about the table, so keep it in the house.
    LimitError
        If the columns have more than ``max_itemsets`` values and pairs of values.

    Warns
    -----
    WeakGuaranteeWarning
        If delta is at least one over the number of rows, and for ``"split"`` always.

    Notes
    -----
    **Guarantee.** (epsilon, delta)-differential privacy of one row, added or removed; see the
    table, and ``docs/guarantees`` for proofs. Not protected: several rows of one person; rows
    against whoever knows the sample; what follows from other people's rows; for ``"split"``
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
    whole = as_table(table)
    plan = make_plan(
        columns=table_columns(whole, columns), scheme=scheme, k=k, epsilon=epsilon, delta=delta,
        beta=beta, theta=theta, split_rate=split_rate, scheme_epsilon=scheme_epsilon,
    )  # fmt: skip
    if noise is not None and seed is not None:
        raise ParameterError("noise and seed are two sources of draws: give one of them.")
    source = noise_from(seed) if noise is None else noise
    chosen = whole.select(plan.columns)
    if domains is not None and scheme != "dp":
        raise ParameterError(f"domains does not belong to scheme={scheme!r}: it asks no list.")
    known = column_domains(chosen, columns=plan.columns, domains=domains)
    codes = known.encode(chosen)
    learner = _scheme(
        plan, table=chosen, codes=codes, sizes=known.sizes, public=public, limits=limits
    )
    _warn(plan, whole.n_rows)
    found = sampled_release(
        codes, hidden=known.hidden, scheme=learner, beta=plan.beta, k=plan.k, noise=source
    )
    return Release(
        data=known.decode(found.rows, like=chosen),
        guarantee=dp_guarantee(plan, domain_is_public=known.is_public, is_secure=source.is_secure),
        events=dp_events(plan),
        fingerprint=Fingerprint.of(whole),
        input_rows=found.input_rows,
    )


def _scheme(
    plan: Plan,
    *,
    table: Table,
    codes: NDArray[np.int64],
    sizes: tuple[int, ...],
    public: object,
    limits: Limits,
) -> schemes.Scheme:
    """Return the scheme of a plan, nothing learnt yet."""
    if (public is None) == (plan.scheme == "public"):
        raise ParameterError("public=, a public table, belongs to scheme='public' and to no other.")
    if plan.split_rate is None:
        learnt_from = as_table(public).select(plan.columns)
        if learnt_from.n_rows <= plan.theta:
            raise ParameterError(
                f"The public table has {learnt_from.n_rows:,} rows, and theta={plan.theta} makes "
                "everything infrequent that at most so many have. Give more rows, or theta."
            )
        return PublicScheme(table=table, public=learnt_from, theta=plan.theta, limits=limits)
    if plan.scheme == "split":
        return SplitScheme(table=table, split_rate=plan.split_rate, theta=plan.theta, limits=limits)
    itemsets = DomainItemsets(sizes)
    most = limits.get("max_itemsets", MAX_ITEMSETS)
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
    """Tell the curator of a guarantee that says little."""
    if plan.delta * n_rows >= 1:
        warnings.warn(
            f"delta={float(plan.delta):g} is at least one over the {n_rows:,} rows: publishing "
            "some rows as they are would satisfy it. Choose a delta well below.",
            WeakGuaranteeWarning,
            stacklevel=3,
        )
    if plan.scheme == "split":
        warnings.warn(
            f"scheme='split' protects nobody who falls into the training part, so that delta is "
            f"{float(plan.total_delta):g} in total. scheme='dp' protects everybody.",
            WeakGuaranteeWarning,
            stacklevel=3,
        )
