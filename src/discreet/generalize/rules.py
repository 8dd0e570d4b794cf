"""Rules on groups of rows besides their size: several people, l-diversity, t-closeness.

Each is a condition on how often the values of one column occur in a group, so one form holds
all of them: a column of values, and a test of its counts. Where a person may have several rows or
a cell several members, a person holds what any of their rows in the group does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from discreet import checks
from discreet.data.hierarchy.check import encode_column
from discreet.data.table import as_table
from discreet.errors import ParameterError
from discreet.limits import Limits
from discreet.release.guarantee import HOUSEHOLD, unit_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table
    from discreet.utility.node_costs import CellMeasure

Kind = Literal["distinct", "entropy", "recursive", "closeness", "share", "member_closeness"]
SLACK = 1e-12  # a rounding error of sums of shares is no breach
_CELLS = 1 << 22  # of a dense block of groups by values


def _nothing() -> NDArray[np.int32]:
    return np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    r"""A condition on the values of one column in every group.

    Attributes
    ----------
    column : str
        The column.
    kind : {"distinct", "entropy", "recursive", "closeness", "share", "member_closeness"}
        ``distinct``: at least ``level`` values. ``entropy``:
        :math:`\exp(-\sum_v p(v) \ln p(v)) \ge` ``level``. ``recursive``:
        :math:`r_1 < c \, (r_l + \dots + r_m)` for counts :math:`r_1 \ge \dots \ge r_m`, with
        :math:`l` = ``level`` and :math:`c` = ``ratio``. ``closeness``: distance of the group's
        shares from those of the table at most ``level``. ``share``: each member is held by at
        most a share ``ratio / level`` of the people. ``member_closeness``: the share of the people
        who hold a member differs from that in the table by at most ``level``, for each.
    level : float
        :math:`l`, :math:`t`, or the number of people or households.
    ratio : float
        :math:`c` of a recursive rule; of a share what :math:`l` is divided by; else 0.
    values : array of int32
        The value of each row, from 0. For closeness they are numbered so that each edge
        parts a run of them from the others.
    n_values : int
        How many values there are; of the kinds that count people, how many members.
    starts, stops : array of int32
        Of closeness: the values on one side of each edge of the tree along which mass moves.
    lengths : array of float
        Of closeness: the length of each edge. The distance is
        :math:`\sum_e \text{length}_e \, | \sum_{v \in e} (p(v) - q(v)) |`.
    units : array of int32
        Of the kinds that count people: the person of each row.
    offsets, members : array of int32
        Of these: value ``i`` has the members ``members[offsets[i]:offsets[i + 1]]``.
    is_unit : bool
        Whether it says how many people or households a group has rows of.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam (2007), l-Diversity,
    definitions 4 and 5; N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.
    """

    column: str
    kind: Kind
    level: float
    ratio: float = 0.0
    values: NDArray[np.int32]
    n_values: int
    starts: NDArray[np.int32]
    stops: NDArray[np.int32]
    lengths: NDArray[np.float64]
    units: NDArray[np.int32] = field(default_factory=_nothing)
    offsets: NDArray[np.int32] = field(default_factory=_nothing)
    members: NDArray[np.int32] = field(default_factory=_nothing)
    is_unit: bool = False

    @property
    def counts_people(self) -> bool:
        """Whether people hold members, of which a row can have several."""
        return self.kind in ("share", "member_closeness")

    @property
    def is_kept_by_union(self) -> bool:
        """Whether a union of groups that obey obeys.

        Not if people are in several of them: two groups in which each of two people has another
        illness are diverse, and together both people have both.
        """
        return not self.counts_people or len(np.unique(self.units)) == len(self.units)

    @property
    def sentence(self) -> str:
        """The rule in a few words."""
        level = self.level / self.ratio if self.kind == "share" else self.level
        return f"{self.kind}, {level:g}"

    @property
    def overall(self) -> NDArray[np.float64]:
        """The share of each value in the table; of each member among its people."""
        if self.counts_people:
            _, held, n_people = self._held(np.zeros(len(self.values), np.int64), 1)
            return np.bincount(held, minlength=self.n_values) / max(int(n_people[0]), 1)
        return np.bincount(self.values, minlength=self.n_values) / max(len(self.values), 1)

    def of_rows(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Rule:
        """Return the rule of a table that has only these rows; closeness is then to them.

        A value that none of them has is no longer there: on a line its gap closes.
        """
        values = self.values[rows]
        if self.counts_people:
            return replace(self, values=values, units=self.units[rows])
        is_line = self.kind == "closeness" and not self.starts.any()
        if not is_line or len(np.unique(values)) == self.n_values:
            return replace(self, values=values)
        found, values = np.unique(values, return_inverse=True)
        each = np.arange(len(found), dtype=np.int32)
        return replace(
            self, values=values.reshape(-1).astype(np.int32), n_values=len(found),
            starts=np.zeros_like(each), stops=each + 1,
            lengths=np.full(len(found), 1 / max(len(found) - 1, 1)),
        )  # fmt: skip

    def holds(self, group_of: NDArray[np.integer], n_groups: int) -> NDArray[np.bool_]:
        """Return for each group of rows whether it obeys the rule.

        Parameters
        ----------
        group_of : array of int
            The group of each row of the table, from 0; -1 for rows in no group.
        n_groups : int
            How many there are; none is empty.
        """
        if self.counts_people:
            return self._people_hold(group_of, n_groups)
        used = np.flatnonzero(group_of >= 0)
        pairs = group_of[used].astype(np.int64) * self.n_values + self.values[used]
        found, counts = np.unique(pairs, return_counts=True)
        groups, values = np.divmod(found, self.n_values)
        if self.kind == "closeness":
            return self._is_close(groups, values, counts, n_groups)
        sizes = np.bincount(groups, counts, n_groups)
        if self.kind == "distinct":
            return np.asarray(np.bincount(groups, minlength=n_groups) >= self.level)
        if self.kind == "entropy":
            shares = counts / sizes[groups]
            nats = -np.bincount(groups, shares * np.log(shares), n_groups)
            is_diverse: NDArray[np.bool_] = nats >= np.log(self.level) - SLACK
            return is_diverse
        order = np.lexsort((-counts, groups))
        counts, groups = counts[order], groups[order]
        first = np.searchsorted(groups, np.arange(n_groups))
        is_tail = np.arange(len(groups)) - first[groups] >= self.level - 1
        tails = np.bincount(groups, counts * is_tail, n_groups)
        # A quotient of counts rounds to c where it is c; a product of c and a count may not.
        ratios = counts[first] / np.maximum(tails, 1)
        is_mixed: NDArray[np.bool_] = (tails > 0) & (ratios < self.ratio)
        return is_mixed

    def _held(
        self, group_of: NDArray[np.integer], n_groups: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return group and member, once for each person who holds it, and the people of groups."""
        used = np.flatnonzero(group_of >= 0)
        n_units = int(self.units.max(initial=0)) + 1
        pairs = group_of[used].astype(np.int64) * n_units + self.units[used]
        found, person = np.unique(pairs, return_inverse=True)
        starts = self.offsets[self.values[used]].astype(np.int64)
        sizes = self.offsets[self.values[used] + 1] - starts
        rows = np.repeat(np.arange(len(used)), sizes)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        member = self.members[np.repeat(starts, sizes) + within].astype(np.int64)
        each = np.unique(person.reshape(-1)[rows] * max(self.n_values, 1) + member)
        person_of, held = np.divmod(each, max(self.n_values, 1))
        groups = found // n_units
        return groups[person_of], held, np.bincount(groups, minlength=n_groups)

    def _people_hold(self, group_of: NDArray[np.integer], n_groups: int) -> NDArray[np.bool_]:
        groups, held, n_people = self._held(group_of, n_groups)
        keys, counts = np.unique(groups * max(self.n_values, 1) + held, return_counts=True)
        groups, held = np.divmod(keys, max(self.n_values, 1))
        good = np.ones(n_groups, bool)
        if self.kind == "share":
            is_over = counts * int(self.level) > n_people[groups] * int(self.ratio)
            good[groups[is_over]] = False
            return good
        overall = self.overall
        # A member that nobody in a group holds is as far away as it is common in the table.
        is_far = np.abs(counts / n_people[groups] - overall[held]) > self.level + SLACK
        good[groups[is_far]] = False
        common = np.flatnonzero(overall > self.level + SLACK)
        n_common = np.bincount(groups[np.isin(held, common)], minlength=n_groups)
        good[n_common < len(common)] = False
        return good

    def _is_close(
        self,
        groups: NDArray[np.int64],
        values: NDArray[np.int64],
        counts: NDArray[np.int64],
        n_groups: int,
    ) -> NDArray[np.bool_]:
        close = np.ones(n_groups, bool)
        overall = self.overall
        step = max(1, _CELLS // max(self.n_values, 1))
        for low in range(0, n_groups, step):
            part = slice(*np.searchsorted(groups, [low, low + step]))
            block = np.zeros((min(step, n_groups - low), self.n_values))
            block[groups[part] - low, values[part]] = counts[part]
            block /= block.sum(axis=1, keepdims=True)
            below = np.zeros((len(block), self.n_values + 1))
            np.cumsum(block - overall, axis=1, out=below[:, 1:])
            moved = np.abs(below[:, self.stops] - below[:, self.starts]) @ self.lengths
            close[low : low + step] = moved <= self.level + SLACK
        return close


# The options that every method takes, and the table they are about.


class Options(Limits, total=False):
    """Keyword arguments that every method of generalization takes besides ``k``.

    And ``threads``, ``max_itemsets``, ``max_memory``, ``progress``: those of every miner.

    Parameters
    ----------
    hierarchies : mapping of str to Hierarchy, optional
        Column to hierarchy; the values of other columns can only be kept or suppressed.
    columns : iterable of str, optional
        The columns to generalize, by default the quasi-identifiers. The claim is about them.
    loss : {"lm", "entropy", "tree", "suppression", "plain_entropy"}
        What is to be small; see :func:`~discreet.utility.node_costs.node_costs`.
    sensitive : iterable of str, optional
        The columns that ``l`` and ``t`` are about, by default those with that role.
    l : float, optional
        l-diversity of every sensitive column in every class, at least 1.
    diversity : {"distinct", "entropy", "recursive", "share"}, optional
        Which l-diversity. ``"share"``: every value is held by at most a share 1/l of the class,
        counted in people where they are known, and each member of a set column by itself; it is
        the only one, and the default, where a person may have several rows or a cell several
        members. Else ``"distinct"`` by default.
    c : float, optional
        The ratio of recursive (c, l)-diversity.
    t : float, optional
        t-closeness of every sensitive column in every class to all rows released, from 0 to 1.
    distance : {"equal", "ordered", "hierarchical", "members"}, optional
        Between values of a sensitive column: all alike, by their order in the table, or by
        their hierarchy. ``"members"``: the shares of those who hold it differ by at most t, for
        each value or member by itself; the only one, and the default, where ``"share"`` is.
        Else ``"equal"`` by default.
    weights : str, optional
        A column of numbers: how many people a row stands for. The loss counts each row so
        often; k counts rows.
    households : str, optional
        A column that says which rows belong together: every class has rows of at least ``k``,
        and a household is what the claim is about. Nobody has rows in two of them.
    person : str, optional
        Of a frame: the column that says whose each row is. Every class has rows of at least
        ``k`` people. It is never released. A table knows its people.
    one_row_per_person : bool
        Of a frame: whether every row is another person, if you know it.
    """

    hierarchies: Mapping[str, Hierarchy] | None
    columns: Iterable[str] | None
    loss: CellMeasure
    sensitive: Iterable[str] | None
    l: float | None  # noqa: E741  the paper's letter
    diversity: Literal["distinct", "entropy", "recursive", "share"] | None
    c: float | None
    t: float | None
    distance: Literal["equal", "ordered", "hierarchical", "members"] | None
    weights: str | None
    households: str | None
    person: str | None
    one_row_per_person: bool


def limits_of(options: Options) -> Limits:
    """Return the limits among the options of a method.

    Examples
    --------
    >>> limits_of({"loss": "lm", "threads": 2})
    {'threads': 2}
    """
    chosen = {name: value for name, value in options.items() if name in Limits.__annotations__}
    return cast("Limits", chosen)


def given_table(data: object, options: Options) -> Table:
    """Return the table that a method was given, knowing what its options say of people.

    Examples
    --------
    >>> visits = {"patient": [1, 1, 2], "ward": ["a", "b", "a"]}
    >>> given_table(visits, {"person": "patient"})
    Table of 3 rows of 2 people and 1 column: ward (2 values)
    """
    return as_table(
        data,
        person=options.get("person"),
        one_row_per_person=options.get("one_row_per_person", False),
    )


# From the options of a user to rules on groups of rows.

DIVERSITIES: tuple[Kind, ...] = ("distinct", "entropy", "recursive", "share")

DISTANCES = ("equal", "ordered", "hierarchical", "members")

MOST_PARTS = 1000  # of which l is a multiple, as a share

_NO_EDGES = (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))


def make_rules(table: Table, *, k: int, options: Options) -> tuple[Rule, ...]:
    """Return the rules that options ask for; none if they ask for k-anonymity only.

    Raises
    ------
    ParameterError
        If an option is out of its range, or names a column or a kind that there is not.

    Examples
    --------
    >>> import discreet as dc
    >>> sick = dc.Table.from_frame(
    ...     {"age": ["20s", "20s"], "illness": ["flu", "cold"]}, roles={"illness": "sensitive"})
    >>> [(rule.column, rule.kind, rule.level) for rule in make_rules(sick, k=2, options={"l": 2})]
    [('illness', 'distinct', 2.0)]
    """
    kind, low, near, ratio = _check_rules(table, options)
    rules = []
    units = unit_codes(table, options)
    for name in _sensitive(table, options):
        if low is not None:
            rules.append(
                share_rule(table, name, low, units)
                if kind == "share"
                else _plain(table, name, kind, float(low), ratio)
            )
        if near is not None:
            rules.append(_closeness(table, name, near, options, units))
    household = options.get("households")
    if household is not None:
        rules.append(replace(_plain(table, household, "distinct", float(k)), is_unit=True))
    elif table.people is not None:
        rules.append(people_rule(table, k))
    return tuple(rules)


def unit_words(table: Table, options: Options) -> str:
    """Return the unit of privacy of a claim about classes."""
    return HOUSEHOLD if options.get("households") is not None else unit_of(table)


def unit_codes(table: Table, options: Options) -> NDArray[np.int32]:
    """Return the unit of privacy that each row belongs to: a household, a person, or itself.

    Raises
    ------
    ParameterError
        If a person has rows in several households.
    """
    household = options.get("households")
    if household is None:
        if table.people is not None:
            return table.people.codes
        return np.arange(table.n_rows, dtype=np.int32)
    codes = table.codes(household).astype(np.int32)
    if table.people is not None:
        pairs = np.unique(np.column_stack([table.people.codes, codes]), axis=0)
        if len(pairs) > table.people.n_people:
            raise ParameterError(
                f"Column '{household}' says which rows are one household, and somebody of column "
                f"'{table.people.column}' has rows in several.",
                parameter="households",
                column=household,
                remedy="Give {households} a column in which everybody has one household.",
                options={"households": household},
            )
    return codes


def people_rule(table: Table, k: int) -> Rule:
    """Return the rule that a group has rows of at least k people."""
    assert table.people is not None
    starts, stops, lengths = _NO_EDGES
    return Rule(
        column=table.people.column, kind="distinct", level=float(k), values=table.people.codes,
        n_values=table.people.n_people, starts=starts, stops=stops, lengths=lengths, is_unit=True,
    )  # fmt: skip


def share_rule(table: Table, name: str, low: Fraction, units: NDArray[np.int32]) -> Rule:
    """Return the rule that each member of a column is held by at most 1/l of a group's people."""
    if MOST_PARTS % low.denominator:
        raise checks.refused("l", low, f"a multiple of 1/{MOST_PARTS:,} as a share")
    return replace(
        _of_members(table, name, "share", units),
        level=float(low.numerator), ratio=float(low.denominator),
    )  # fmt: skip


def _of_members(table: Table, name: str, kind: Kind, units: NDArray[np.int32]) -> Rule:
    members = table.members(name)
    starts, stops, lengths = _NO_EDGES
    return Rule(
        column=name, kind=kind, level=0.0, values=table.codes(name).astype(np.int32),
        n_values=len(members.values), starts=starts, stops=stops, lengths=lengths,
        units=np.ascontiguousarray(units, np.int32),
        offsets=members.offsets.astype(np.int32), members=members.codes.astype(np.int32),
    )  # fmt: skip


def check_together(options: Mapping[str, object]) -> None:
    """Raise ParameterError if options about l-diversity do not go together."""
    low, ratio, kind = options["l"], options["c"], options["diversity"]
    if (kind == "recursive" and low is not None) != (ratio is not None):
        raise ParameterError(
            "{c} belongs to {diversity} with an l, and only there",
            parameter="c",
            options={"c": ..., "diversity": "recursive"},
        )
    if isinstance(low, Fraction) and kind in ("distinct", "recursive") and low.denominator != 1:
        raise ParameterError(
            f"{{l}} is a whole number for {kind} diversity", parameter="l", options={"l": ...}
        )


def _check_rules(
    table: Table, options: Options
) -> tuple[Kind, Fraction | None, float | None, float]:
    """Return the kind of diversity, l, t and c; None for what is not asked for."""
    low, near, ratio = options.get("l"), options.get("t"), options.get("c")
    kind = diversity_of(table, options)
    distance_of(table, options)
    if (kind == "recursive" and low is not None) != (ratio is not None):
        raise ParameterError(
            "Give {c}, with {diversity} and {l} and only then.",
            parameter="c",
            options={"c": ..., "diversity": "recursive", "l": ...},
        )
    least = None if low is None else checks.exact("l", low, at_least=1)
    if least is not None and kind in ("distinct", "recursive") and least.denominator != 1:
        raise checks.refused("l", low, f"a whole number of values for {kind} diversity")
    return (
        kind,
        least,
        None if near is None else float(checks.share("t", near)),
        0.0 if ratio is None else float(checks.exact("c", ratio, above=0)),
    )


def diversity_of(table: Table, options: Options) -> Kind:
    """Return which l-diversity is asked for, or sound where none is named.

    Raises
    ------
    ParameterError
        If it counts values where people can hold several.
    """
    given = options.get("diversity")
    if given is not None:
        checks.one_of("diversity", given, DIVERSITIES)
    several = None if options.get("l") is None else _holds_several(table, options)
    if given not in (None, "share") and several is not None:
        raise ParameterError(
            f"{several}, so that {given} diversity would count what one person holds as several "
            "people's.",
            parameter="diversity",
            remedy="Take {diversity}: every member is held by at most a share 1/l of a class.",
            options={"diversity": "share"},
        )
    return given or ("distinct" if several is None else "share")


def distance_of(table: Table, options: Options) -> str:
    """Return which distance t-closeness is by; like :func:`diversity_of`."""
    given = options.get("distance")
    if given is not None:
        checks.one_of("distance", given, DISTANCES)
    several = None if options.get("t") is None else _holds_several(table, options)
    if given not in (None, "members") and several is not None:
        raise ParameterError(
            f"{several}, so that there is no one distribution over values to be {given} distances "
            "from.",
            parameter="distance",
            remedy="Take {distance}: the share of people who hold a member, for each by itself.",
            options={"distance": "members"},
        )
    return given or ("equal" if several is None else "members")


def _holds_several(table: Table, options: Options) -> str | None:
    """Return why one unit of privacy can hold several values, in words; None if none can."""
    for name in _sensitive(table, options):
        if name in table.sets:
            return f"Cells of column '{name}' have several members"
    units = unit_codes(table, options)
    if len(np.unique(units)) == len(units):
        return None
    return (
        "A household has several rows"
        if options.get("households") is not None
        else "A person has several rows"
    )


def _sensitive(table: Table, options: Options) -> tuple[str, ...]:
    if options.get("l") is None and options.get("t") is None:
        return ()
    given = options.get("sensitive")
    # A mean of a class has no diversity: a rule is about values that are shown as they are.
    table.refuse_carried("l and t are about the values that rows show", given or ())
    ruled = tuple(name for name in table.sensitive if name not in table.carried)
    names = ruled if given is None else table.select(given).columns
    if not names:
        raise ParameterError(
            "l and t are about sensitive columns, and no column has that role.",
            parameter="sensitive",
            remedy="Give {sensitive}.",
            options={"sensitive": ...},
        )
    return names


def _plain(table: Table, name: str, kind: Kind, level: float, ratio: float = 0.0) -> Rule:
    starts, stops, lengths = _NO_EDGES
    return Rule(
        column=name, kind=kind, level=level, ratio=ratio,
        values=table.codes(name).astype(np.int32), n_values=len(table.values(name)),
        starts=starts, stops=stops, lengths=lengths,
    )  # fmt: skip


def _closeness(
    table: Table, name: str, level: float, options: Options, units: NDArray[np.int32]
) -> Rule:
    distance = distance_of(table, options)
    if distance == "members":
        return replace(_of_members(table, name, "member_closeness", units), level=level)
    codes, n_values = table.codes(name).astype(np.int32), len(table.values(name))
    each = np.arange(n_values, dtype=np.int32)
    if distance == "equal":  # a star: half of all that differs
        edges = (each, each + 1, np.full(n_values, 0.5))
    elif distance == "ordered":  # a line: what has to pass each gap
        edges = (np.zeros_like(each), each + 1, np.full(n_values, 1 / max(n_values - 1, 1)))
    else:
        tree = (options.get("hierarchies") or {}).get(name)
        if tree is None:
            raise ParameterError(
                f"{{distance}} needs the hierarchy of column '{name}': give it in {{hierarchies}}.",
                parameter="hierarchies",
                column=name,
                options={"distance": "hierarchical", "hierarchies": ...},
            )
        codes, n_values = encode_column(tree, table, name)[codes], tree.n_leaves
        edges = _tree_edges(tree)
    return Rule(
        column=name, kind="closeness", level=level, values=codes.astype(np.int32),
        n_values=n_values, starts=edges[0], stops=edges[1], lengths=edges[2],
    )  # fmt: skip


def _tree_edges(
    tree: Hierarchy,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Return the edges of a hierarchy: the leaves under each node, and how far up its parent is.

    Two values are as far apart as their lowest common group is high; written per edge, this is
    section 5.2 of the paper on t-closeness.
    """
    height = np.zeros(tree.n_nodes, np.int64)
    for node, parent in enumerate(tree.parent[:-1].tolist()):  # children before parents
        height[parent] = max(height[parent], height[node] + 1)
    under = [tree.leaves_under(node) for node in range(tree.root)]
    starts = np.array([leaves.start for leaves in under], np.int32)
    stops = np.array([leaves.stop for leaves in under], np.int32)
    lengths = (height[tree.parent[:-1]] - height[:-1]) / (2 * max(int(height[-1]), 1))
    return starts, stops, lengths
