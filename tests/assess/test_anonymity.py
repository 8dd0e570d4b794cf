"""Equivalence classes, l-diversity and t-closeness."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.anonymity import Anonymity, Diversity, anonymity
from discreet.errors import ParameterError
from tests.strategies import Record, hierarchies, tables

# A ward of twelve, after the idea of the l-diversity paper's inpatient table, values our own:
# 4-anonymous, but everybody over 60 in the north has the same illness.
WARD = {
    "age": ["<40"] * 4 + ["60+"] * 4 + ["40-59"] * 4,
    "area": ["north"] * 4 + ["north"] * 4 + ["south"] * 4,
    "illness": [
        *("gout", "gout", "flu", "asthma"),
        *("gout", "gout", "gout", "gout"),
        *("flu", "asthma", "gout", "flu"),
    ],
}


def as_table(records: list[Record], sensitive: str | None = None) -> dc.Table:
    n_columns = len(records[0]) if records else 2
    columns = {f"c{j}": [record[j] for record in records] for j in range(n_columns)}
    roles = {sensitive: "sensitive"} if sensitive else None
    return dc.Table.from_frame(columns, roles=roles)


def classes_of(records: list[Record]) -> list[list[str]]:
    """The last cell of each record, collected by the cells before it."""
    found: dict[Record, list[str]] = {}
    for record in records:
        found.setdefault(record[:-1], []).append(record[-1])
    return list(found.values())


def shares(values: list[str], domain: str) -> list[float]:
    return [values.count(value) / len(values) for value in domain]


def naive_hierarchical(p: list[float], q: list[float], tree: dc.Hierarchy) -> float:
    """Section 5.2 of the t-closeness paper as it is written: cost of each inner node."""

    def height(node: int) -> int:
        return 1 + max(map(height, tree.children(node))) if tree.children(node) else 0

    def extra(node: int) -> float:
        return sum(p[leaf] - q[leaf] for leaf in tree.leaves_under(node))

    total = 0.0
    for node in range(tree.n_leaves, tree.n_nodes):
        below = [extra(child) for child in tree.children(node)]
        moved = min(sum(e for e in below if e > 0), -sum(e for e in below if e < 0))
        total += height(node) / height(tree.root) * moved
    return total


@pytest.fixture
def ward() -> dc.Table:
    return dc.Table.from_frame(WARD, roles={"illness": "sensitive"})


def test_ward_is_four_anonymous_but_tells_an_illness(ward: dc.Table) -> None:
    found = anonymity(ward)
    assert (found.k, found.n_classes, found.n_rows) == (4, 3, 12)
    assert found.columns == ("age", "area")
    illness = found.of("illness")
    assert (illness.distinct, illness.entropy) == (1, 1.0)
    assert illness.t_equal == pytest.approx(5 / 12)  # all gout against 7 of 12
    assert "which is disclosed for each of its records" in found.sentence


def test_ward_without_the_telling_class(ward: dc.Table) -> None:
    illness = anonymity(ward.take([0, 1, 2, 3, 8, 9, 10, 11])).of("illness")
    assert illness.distinct == 3
    assert illness.entropy == pytest.approx(2 * math.sqrt(2))  # shares 1/2, 1/4, 1/4
    assert illness.recursive_ratios == (0.5, 1.0, 2.0)
    assert illness.is_recursive(c=1.01, l=2)
    assert not illness.is_recursive(c=1, l=2)  # strictly less than c times
    assert not illness.is_recursive(c=100, l=4)
    assert "at least 3 values of 'illness'" in illness.sentence


def test_ordered_distance_of_salaries() -> None:
    # The t-closeness paper's example of salaries from 3k to 11k: {3, 4, 5}k is 0.375 away.
    rows = {"a": [3, 4, 5], "b": [6, 8, 11], "c": [7, 9, 10]}
    columns = {
        "group": [name for name, values in rows.items() for _ in values],
        "salary": [value for values in rows.values() for value in values],
    }
    table = dc.Table.from_frame(columns, roles={"salary": "sensitive"})
    found = anonymity(table, orders={"salary": range(3, 12)}).of("salary")
    assert found.t_ordered == pytest.approx(0.375)
    turned = anonymity(table, orders={"salary": [6, 8, 11, 3, 4, 5, 7, 9, 10]}).of("salary")
    assert turned.t_ordered == pytest.approx(0.375)


@given(records=tables(max_columns=4, max_records=12))
def test_brute_force(records: list[Record]) -> None:
    sensitive = f"c{len(records[0]) - 1}" if records else "c1"
    table = as_table(records, sensitive)
    if not table.quasi:
        with pytest.raises(ParameterError, match="no quasi"):
            anonymity(table)
        return
    domain = "pqrs"
    found = anonymity(table, orders={sensitive: domain})
    sizes = Counter(record[:-1] for record in records)
    assert found.k == min(sizes.values(), default=0)
    assert found.n_classes == len(sizes)
    assert dict(found.n_classes_by_size) == Counter(sizes.values())
    for k in range(1, 5):
        below = sum(sizes[record[:-1]] < k for record in records)
        assert found.n_rows_below(k) == below
    classes = classes_of(records)
    diverse = found.of(sensitive)
    assert diverse.distinct == min((len(set(values)) for values in classes), default=0)
    if not records:
        return
    q = shares([record[-1] for record in records], domain)
    distributions = [shares(values, domain) for values in classes]
    entropies = [-sum(x * math.log(x) for x in p if x) for p in distributions]
    assert diverse.entropy == pytest.approx(math.exp(min(entropies)))
    for l in range(1, 5):  # noqa: E741
        for c in (0.7, 1.3, 2.9):
            tops = [sorted(map(values.count, set(values)), reverse=True) for values in classes]
            assert diverse.is_recursive(c=c, l=l) == all(
                top[0] < c * sum(top[l - 1 :]) for top in tops
            )
    equal = [sum(abs(x - y) for x, y in zip(p, q, strict=True)) / 2 for p in distributions]
    assert diverse.t_equal == pytest.approx(max(equal), abs=1e-12)
    steps = [
        [x - y for x, y in zip(itertools.accumulate(p), itertools.accumulate(q), strict=True)]
        for p in distributions
    ]
    assert diverse.t_ordered == pytest.approx(max(sum(map(abs, s)) / 3 for s in steps), abs=1e-12)


@given(records=tables(max_columns=2, max_records=10), parents=hierarchies())
def test_hierarchical_distance_brute_force(records: list[Record], parents: dict[str, str]) -> None:
    pairs: list[Record] = [(record[0], record[-1]) for record in records]
    tree = dc.Hierarchy.from_parents(parents)
    table = as_table(pairs, "c1")
    found = anonymity(table, hierarchies={"c1": tree}).of("c1")
    q = [sum(value == leaf for _, value in pairs) / max(len(pairs), 1) for leaf in tree.leaves]
    distances = [
        naive_hierarchical([values.count(str(leaf)) / len(values) for leaf in tree.leaves], q, tree)
        for values in classes_of(pairs)
    ]
    assert found.t_hierarchical == pytest.approx(max(distances, default=0), abs=1e-12)


@given(
    left=st.lists(st.sampled_from("pqrs"), min_size=4, max_size=4),
    right=st.lists(st.sampled_from("pqrs"), min_size=4, max_size=4),
)
def test_distances_are_those_of_the_earth_mover(left: list[str], right: list[str]) -> None:
    """Two classes of four: the mover carries units, so trying all assignments is exact."""
    tree = dc.Hierarchy.from_mapping({"*": {"pq": ["p", "q"], "rs": ["r", "s"]}})
    columns = {"side": ["l"] * 4 + ["r"] * 4, "value": [*left, *right]}
    table = dc.Table.from_frame(columns, roles={"value": "sensitive"})
    found = anonymity(table, orders={"value": "pqrs"}, hierarchies={"value": tree}).of("value")

    def far(x: str, y: str) -> tuple[float, float, float]:
        near = {x, y} <= set("pq") or {x, y} <= set("rs")
        return float(x != y), abs("pqrs".index(x) - "pqrs".index(y)) / 3, (x != y) * (1 - near / 2)

    # Against the whole (half left, half right) every class is half as far as from the other.
    whole = [
        min(
            sum(far(x, y)[kind] for x, y in zip(left, moved, strict=True)) / 8
            for moved in itertools.permutations(right)
        )
        for kind in range(3)
    ]
    assert [found.t_equal, found.t_ordered, found.t_hierarchical] == pytest.approx(whole)


def test_flat_hierarchy_is_the_equal_distance(ward: dc.Table) -> None:
    flat = dc.Hierarchy.flat(["gout", "flu", "asthma"])
    found = anonymity(ward, hierarchies={"illness": flat}).of("illness")
    assert found.t_hierarchical == pytest.approx(found.t_equal)


def test_suppressed_cells_are_a_value_of_their_own() -> None:
    table = dc.Table.from_frame({"a": ["x", None, None, "x"], "b": ["y", "y", "y", None]})
    found = anonymity(table)
    assert found.n_classes_by_size == ((1, 2), (2, 1))
    assert found.k == 1


@pytest.mark.parametrize(
    ("columns", "k", "n_classes"),
    [
        ({"a": []}, 0, 0),
        ({"a": ["x"]}, 1, 1),
        ({"a": ["x", "x", "x"], "b": ["y", "y", "y"]}, 3, 1),
        ({"a": [None, None], "b": [None, None]}, 2, 1),
    ],
    ids=["empty", "one row", "all equal", "all missing"],
)
def test_degenerate_tables(columns: dict[str, list[str | None]], k: int, n_classes: int) -> None:
    found = anonymity(columns)
    assert (found.k, found.n_classes) == (k, n_classes)
    assert found.sentence
    assert json.loads(json.dumps(found.to_dict()))["k"] == k
    assert found.plot().to_dict()
    assert found.to_frame()["n_rows"].sum() == found.n_rows


def test_degenerate_sensitive_columns() -> None:
    empty = dc.Table.from_frame({"a": [], "s": []}, roles={"s": "sensitive"})
    found = anonymity(empty, orders={"s": []}, hierarchies={"s": dc.Hierarchy.flat(["x"])})
    assert found.of("s") == Diversity(
        column="s", n_values=0, distinct=0, entropy=0.0, recursive_ratios=(), t_equal=0.0,
        t_ordered=0.0, t_hierarchical=0.0,
    )  # fmt: skip
    assert found.of("s").is_recursive(c=1, l=2)
    missing = dc.Table.from_frame({"a": ["x", "x"], "s": [None, None]}, roles={"s": "sensitive"})
    found = anonymity(missing, orders={"s": [None]})
    assert (found.of("s").distinct, found.of("s").t_ordered) == (1, 0.0)


def test_column_order_and_row_order_do_not_matter(ward: dc.Table) -> None:
    turned = ward.select(["illness", "area", "age"]).take(range(11, -1, -1))
    first, second = anonymity(ward), anonymity(turned)
    assert first.n_classes_by_size == second.n_classes_by_size
    assert first.diversity == second.diversity


def test_bad_options(ward: dc.Table) -> None:
    wrong: list[tuple[dict[str, object], str]] = [
        ({"columns": ["agee"]}, "Did you mean 'age'"),
        ({"columns": []}, "empty"),
        ({"sensitive": ["ilness"]}, "Did you mean 'illness'"),
        ({"columns": ["age"], "sensitive": ["age"]}, "both known"),
        ({"orders": {"age": []}}, "no sensitive column. Known: 'illness'"),
        ({"orders": {"illness": ["gout", "flu"]}}, "lacks 1 of its values: 'asthma'"),
        ({"orders": {"illness": ["gout", "flu", "asthma", "flu"]}}, "twice"),
        ({"hierarchies": {"illness": dc.Hierarchy.flat(["gout"])}}, "lacks 2 of the values"),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            anonymity(ward, **options)  # type: ignore[arg-type]
    illness = anonymity(ward).of("illness")
    with pytest.raises(ValueError, match="c=0"):
        illness.is_recursive(c=0, l=2)
    with pytest.raises(ValueError, match="l=0"):
        illness.is_recursive(c=1, l=0)
    with pytest.raises(ValueError, match="Did you mean 'illness'"):
        anonymity(ward).of("illnes")
    with pytest.raises(ValueError, match="no quasi-identifier"):
        anonymity(ward.select(["illness"]))


def test_result_shows_itself(ward: dc.Table) -> None:
    found = anonymity(ward)
    assert isinstance(found, Anonymity)
    assert "5-9" not in [row[0] for row in found.preview().rows]
    assert found.preview().rows == [("3-4", "3", "12")]
    (rows,) = found.plot().to_dict()["datasets"].values()
    assert rows == [{"class size": "3-4", "rows": 12}]
    stored = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert stored["diversity"][0]["column"] == "illness"
    assert "4-anonymous" not in found._repr_html_()
    assert found.to_frame("pandas").columns.tolist() == ["size", "n_classes", "n_rows"]


def test_adult(public_data: Path) -> None:
    table = dc.load(public_data / "lucs" / "adult.D97.N48842.C2.num.xz")
    assert isinstance(table, dc.Table)
    *known, last = table.columns
    found = anonymity(table, columns=known, sensitive=[last])
    database = dc.mine.Database.from_table(table, columns=known)
    assert found.n_classes == database.n_transactions
    assert found.n_rows_below(10**9) == found.n_rows == 45222
    assert found.k == 1
    assert found.of(last).distinct == 1
    # With fewer columns classes are unions of classes: k can only grow, t only fall.
    coarse = anonymity(table, columns=known[:4], sensitive=[last])
    assert coarse.k >= found.k
    assert coarse.n_classes < found.n_classes
    assert coarse.of(last).t_equal <= found.of(last).t_equal
    assert coarse.of(last).entropy >= found.of(last).entropy


def test_people_are_counted_where_they_are_known() -> None:
    rows = {
        "who": [1, 1, 2, 2, 3, 3, 3],
        "age": ["20s"] * 4 + ["30s"] * 3,
        "ill": ["hiv", "flu", "hiv", "flu", "gout", "gout", "cold"],
    }
    table = dc.Table.from_frame(rows, person="who", roles={"ill": "sensitive"})
    found = dc.assess.anonymity(table)
    assert (found.k, found.n_people, found.n_classes_by_size) == (1, 3, ((1, 1), (2, 1)))
    assert (found.n_rows_below(2), found.n_rows_below(3)) == (3, 7)
    assert found.to_frame()["n_rows"].to_list() == [3, 4]
    assert "rows of 3 people" in found.sentence
    # Both people of a class have both: by rows it would be half of each.
    seen = found.of("ill")
    assert seen.largest_share == 1.0
    assert seen.t_members == pytest.approx(2 / 3)
    plain = dc.assess.anonymity(table.select(["age", "ill"]).take([0, 1, 2, 3]))
    assert plain.of("ill").largest_share == 1.0
    by_rows = dc.assess.anonymity(
        dc.Table.from_frame({**rows}, roles={"ill": "sensitive", "who": "insensitive"})
    )
    assert (by_rows.k, by_rows.n_people) == (3, None)
    assert by_rows.of("ill").largest_share == pytest.approx(2 / 3)


def test_members_of_set_columns_are_measured_by_themselves() -> None:
    table = dc.Table.from_frame(
        {"age": list("xxyy"), "ill": ["p;q", "p", "q", "r"]},
        sets={"ill": ";"}, roles={"ill": "sensitive"},
    )  # fmt: skip
    seen = dc.assess.anonymity(table).of("ill")
    assert (seen.largest_share, seen.t_members, seen.counts_people) == (1.0, 0.5, True)
    assert "100.0% hold one member" in seen.sentence
