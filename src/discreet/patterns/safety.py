"""The lowest support at which a collection can be published as it is, without any channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet import checks
from discreet.data.frames import as_kind
from discreet.mine.database import Database, one_per_person
from discreet.mine.frequent import closed, count_frequent
from discreet.patterns.channels import channels, projected
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    import altair as alt

    from discreet.data.column import FrameKind
    from discreet.limits import Limits
    from discreet.mine.database import PerPerson

STEP_DOWN = 0.8  # from one support that is safe to the next one tried


class Point(NamedTuple):
    """What a support would publish and disclose; the empty itemset is counted."""

    support: int
    n_itemsets: int
    n_maximal_channels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportForSafety(Result):
    """The lowest support without channels, and how many there are at other supports.

    Attributes
    ----------
    k : int
        Groups of fewer rows are channels.
    support : int or None
        The lowest safe support; None if there are fewer than ``k`` rows, which no support hides.
    n_itemsets : int or None
        Itemsets published at this support, the empty one counted.
    curve : tuple of Point
        All supports that were looked at, falling.
    n_rows : int
        Rows of the data.
    """

    k: int
    support: int | None
    n_itemsets: int | None
    curve: tuple[Point, ...]
    n_rows: int

    @property
    def sentence(self) -> str:
        """The answer in one plain sentence."""
        if self.support is None:
            return f"With fewer than {self.k} rows no support is safe."
        n = self.n_itemsets
        share = self.support / max(self.n_rows, 1)
        return (
            f"From support {self.support:,} ({share:.1%}) upwards no group of fewer than {self.k} "
            f"rows is disclosed; that publishes {n:,} itemset{'' if n == 1 else 's'}, the "
            "empty one counted."
        )

    def __repr__(self) -> str:
        return f"SupportForSafety({self.sentence})"

    def preview(self) -> Preview:
        """Return the curve."""
        rows = [
            (f"{p.support:,}", f"{p.n_itemsets:,}", f"{p.n_maximal_channels:,}") for p in self.curve
        ]
        return Preview(title=self.sentence, header=("support", "itemsets", "channels"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the answer and the curve as plain values."""
        return {
            "k": self.k,
            "n_rows": self.n_rows,
            "support": self.support,
            "n_itemsets": self.n_itemsets,
            "curve": [point._asdict() for point in self.curve],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with columns support, n_itemsets and n_maximal_channels."""
        import polars as pl

        return as_kind(pl.DataFrame(self.curve, schema=list(Point._fields), orient="row"), kind)

    def plot(self) -> alt.Chart:
        """Return the number of maximal channels by support."""
        import altair as alt

        chart: alt.Chart = alt.Chart(self.to_frame("polars")).mark_line(point=True)
        return chart.encode(
            x=alt.X("support:Q", title="support"),
            y=alt.Y("n_maximal_channels:Q", title="maximal channels"),
            tooltip=list(Point._fields),
        )


def support_for_safety(
    data: object,
    *,
    k: int,
    columns: Iterable[str] | None = None,
    supports: Iterable[int] = (),
    per_person: PerPerson | None = None,
    **limits: Unpack[Limits],
) -> SupportForSafety:
    r"""Return the lowest support at which the frequent itemsets have no inference channel.

    .. math:: \sigma^* = \min \{ \sigma \ge k : 0 < f_I^J < k \text{ for no } I \subseteq J \in
        F(D, \sigma) \}

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        The data.
    k : int
        Groups of fewer rows are channels, at least 2.
    columns : iterable of str, optional
        Columns of a table to publish itemsets of, such as the quasi-identifiers; all by default.
    supports : iterable of int, optional
        Supports that the curve shall have besides those that were tried on the way.
    per_person : {"unite", "one"}, optional
        What becomes of several rows of one person, as in :func:`discreet.mine.one_per_person`.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    SupportForSafety
        The support, and the number of maximal channels at all supports that were tried.

    Raises
    ------
    LimitError
        If a support that has to be tried has more closed itemsets than ``max_itemsets``.

    Notes
    -----
    **Guarantee.** As for a collection without channels, see
    :func:`discreet.patterns.channels.channels`; the support itself is computed from the data.

    The number of *maximal* channels rises and falls with the support. Whether there is a channel
    does not: a channel :math:`(I, J)` stays one at every lower support, because :math:`J` stays
    frequent and :math:`f_I^J` is what it was; and where there is a channel there is a maximal
    one. So every support from :math:`\sigma^*` up is safe, none below is, and bisection is right.
    It starts from above, in steps of a fifth, because low supports may have any number of
    itemsets: nothing much below :math:`\sigma^*` is ever mined.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, section 6.1 and figure 4.

    Examples
    --------
    >>> import discreet as dc
    >>> rows = ["ab"] * 6 + ["a"] * 5 + ["b"] + [""] * 8
    >>> found = support_for_safety(dc.Transactions.from_iterable(map(set, rows)), k=3)
    >>> found.support, found.n_itemsets
    (7, 3)
    >>> [(point.support, point.n_maximal_channels) for point in found.curve]
    [(16, 0), (12, 0), (9, 0), (7, 0), (6, 1), (5, 1)]
    """
    k = checks.whole("k", k, at_least=2)
    wanted = sorted({checks.whole("supports", support, at_least=1) for support in supports})
    if not isinstance(data, Database):
        data = one_per_person(data, per_person=per_person).data
    database = projected(data, columns, **limits)
    curve: dict[int, Point] = {}

    def is_safe(support: int) -> bool:
        if support not in curve:
            curve[support] = _point(database, k, support, **limits)
        return not curve[support].n_maximal_channels

    for support in wanted:
        is_safe(support)
    answer = None
    if database.n_rows >= k:
        safe, unsafe = database.n_rows, k - 1  # what all rows have is no small group
        while safe - unsafe > 1:
            tried = max(unsafe + 1, min(int(safe * STEP_DOWN), safe - 1))
            if unsafe >= k:
                tried = (safe + unsafe) // 2
            if is_safe(tried):
                safe = tried
            else:
                unsafe = tried
        answer = safe
        is_safe(answer)
    return SupportForSafety(
        k=k,
        support=answer,
        n_itemsets=None if answer is None else curve[answer].n_itemsets,
        curve=tuple(curve[support] for support in sorted(curve, reverse=True)),
        n_rows=database.n_rows,
    )


def _point(database: Database, k: int, support: int, **limits: Unpack[Limits]) -> Point:
    """Return what a support publishes and discloses."""
    found = channels(
        closed(database, min_support=support, **limits), k=k, count_all=False, **limits
    )
    n_itemsets = 1 + count_frequent(database, min_support=support, **limits).total
    return Point(support, n_itemsets, len(found))
