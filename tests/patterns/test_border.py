"""Border leaks against all compatible databases, known answers and real data."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, LimitError, ParameterError
from discreet.mine import Itemsets
from discreet.patterns import channels
from discreet.patterns.border import Leaks, border_leaks
from tests.examples import examples
from tests.oracles import channels as sets
from tests.oracles import leaks as oracle

ROWS = st.lists(st.frozensets(st.sampled_from("abc"), max_size=3), min_size=1, max_size=9)


def collection(supports: dict[str, int], n_rows: int) -> Itemsets:
    return Itemsets.from_mapping(
        {frozenset(items): support for items, support in supports.items()}, n_rows=n_rows
    )


def words(found: Leaks) -> list[tuple[str, str]]:
    return [(leak.kind, str(leak)) for leak in found]


@examples(1500)
@given(rows=ROWS, k=st.integers(2, 4), knows=st.booleans())
def test_three_items_of_which_all_pairs_are_published(
    rows: list[frozenset[str]], k: int, *, knows: bool
) -> None:
    """Whatever the support of abc is, at sigma one above it this is a border set."""
    whole = sum(len(row) == 3 for row in rows)
    everything = {
        subset: sum(subset <= row for row in rows) for subset in sets.subsets("abc") if subset
    }
    del everything[frozenset("abc")]
    sigma = max(1, whole + 1) if knows else None
    if 0 in everything.values():
        return
    published = Itemsets.from_mapping(everything, n_rows=len(rows))
    possible = oracle.compatible(everything, len(rows), "abc", sigma)
    expected = bool(oracle.leaking_patterns(possible, k))
    found = border_leaks(published, k=k, min_support=sigma)
    direct = channels(published, k=k)
    assert bool(len(direct) or len(found)) == expected
    conjunctions = oracle.leaking_conjunctions(possible, "abc", k)
    for leak in found:
        if leak.kind != "disjunctive":
            inside, outside = ("".join(sorted(map(str, s))) for s in (leak.inside, leak.outside))
            assert (inside, outside) in conjunctions


@examples(1000)
@given(rows=ROWS, k=st.integers(2, 4), sigma=st.integers(1, 5), knows=st.booleans())
def test_no_false_alarm(rows: list[frozenset[str]], k: int, sigma: int, *, knows: bool) -> None:
    supports = sets.published(rows, sigma)
    known = sigma if knows else None
    possible = oracle.compatible(supports, len(rows), "abc", known)
    conjunctions = oracle.leaking_conjunctions(possible, "abc", k)
    data = dc.Transactions.from_iterable(rows)
    for leak in border_leaks(dc.mine.frequent(data, min_support=sigma), k=k, min_support=known):
        inside, outside = ("".join(sorted(map(str, s))) for s in (leak.inside, leak.outside))
        if leak.kind == "disjunctive":
            assert oracle.leaking_patterns(possible, k)
        else:
            assert (inside, outside) in conjunctions


@examples(1000)
@given(rows=ROWS, k=st.integers(2, 4), sigma=st.integers(1, 5), knows=st.booleans())
def test_two_items(rows: list[frozenset[str]], k: int, sigma: int, *, knows: bool) -> None:
    rows = [row & frozenset("ab") for row in rows]
    supports = sets.published(rows, sigma)
    if not {frozenset("a"), frozenset("b")} <= set(supports):
        return
    known = sigma if knows else None
    possible = oracle.compatible(supports, len(rows), "ab", known)
    published = dc.mine.frequent(dc.Transactions.from_iterable(rows), min_support=sigma)
    found = border_leaks(published, k=k, min_support=known)
    assert bool(len(found) or len(channels(published, k=k))) == bool(
        oracle.leaking_patterns(possible, k)
    )


@examples(200)
@given(
    rows=st.lists(st.frozensets(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=14),
    sigma=st.integers(1, 6),
)
def test_closed_itemsets_say_the_same(rows: list[frozenset[str]], sigma: int) -> None:
    data = dc.Transactions.from_iterable(rows)
    of_all = border_leaks(dc.mine.frequent(data, min_support=sigma), k=3, min_support=sigma)
    of_closed = border_leaks(dc.mine.closed(data, min_support=sigma), k=3, min_support=sigma)
    assert words(of_all) == words(of_closed)


def test_004_example17() -> None:
    published = collection({"a": 14, "b": 14, "c": 13, "ab": 9, "ac": 8, "bc": 5}, 22)
    assert words(border_leaks(published, k=3)) == [
        ("border", "exactly 2 rows have b and c, but not a")
    ]


def test_004_leak_after_suppressive() -> None:
    published = collection({"a": 6, "b": 10, "c": 7, "ab": 4, "ac": 3, "bc": 5}, 12)
    assert words(border_leaks(published, k=2)) == [("border", "exactly 1 row has a, b and c")]


def test_004_leak_sigma() -> None:
    published = collection({"a": 3, "b": 2, "c": 3}, 5)
    assert words(border_leaks(published, k=2)) == []
    assert words(border_leaks(published, k=2, min_support=2)) == [
        ("sigma", "exactly 1 row has a and c")
    ]


def test_004_leak_disjunctive() -> None:
    published = collection({"a": 5, "b": 5, "c": 5, "ab": 2, "ac": 2, "bc": 2}, 10)
    found = border_leaks(published, k=2)
    assert words(found) == [
        ("disjunctive", "exactly 1 row has either a, b and c, or neither a, b nor c")
    ]
    assert "sum" in found[0].why


def test_columns_of_a_table_leave_a_remainder() -> None:
    table = dc.Table.from_frame({"land": ["us"] * 9 + ["fr"] * 8 + ["it"] * 2})
    published = dc.mine.frequent(table, min_support=8)
    assert words(border_leaks(published, k=3)) == [
        ("column", "exactly 2 rows have another land than fr and another land than us")
    ]
    assert len(border_leaks(published, k=2)) == 0


def test_supports_that_cannot_be_are_refused() -> None:
    published = collection({"a": 9, "b": 9}, 10)
    with pytest.raises(DataError, match=r"\{a, b\} would be in at least 8 and at most 4 rows"):
        border_leaks(published, k=2, min_support=5)


def test_limits() -> None:
    published = collection(dict.fromkeys("abcdefgh", 9), 10)
    with pytest.raises(LimitError, match="28 sets at the border"):
        border_leaks(published, k=3, max_itemsets=20)
    published = collection({"a": 6, "b": 10, "c": 7, "ab": 4, "ac": 3, "bc": 5}, 12)
    with pytest.raises(LimitError, match="More than 3 leaks"):
        border_leaks(published, k=9, max_itemsets=3)


@pytest.mark.parametrize(("k", "support"), [(1, None), (2.5, None), (2, 0), (2, 1.5)])
def test_parameters_are_checked(k: int, support: int | None) -> None:
    with pytest.raises(ParameterError):
        border_leaks(collection({"a": 5}, 9), k=k, min_support=support)


def test_results_show_themselves() -> None:
    found = border_leaks(collection({"a": 6, "b": 10, "c": 7, "ab": 4, "ac": 3, "bc": 5}, 12), k=2)
    assert found.sentence.endswith("worst: exactly 1 row has a, b and c.")
    assert found.to_dict()["n_leaks"] == 1
    assert found.preview().rows[0][0] == "border"
    assert border_leaks(collection({}, 9), k=2).sentence.startswith("No group")


@pytest.mark.parametrize(
    ("name", "share", "expected"),
    [  # by kind: border, sigma, disjunctive
        ("mushroom", 0.6, [1, 0, 0]),
        ("mushroom", 0.4, [11, 0, 3]),
        ("chess", 0.8, [1067, 1, 19]),
        ("retail", 0.002, [1, 0, 1]),
        ("BMS-WebView-1", 0.001, [152, 99, 59]),
    ],
)
def test_real_data(public_data: Path, name: str, share: float, expected: list[int]) -> None:
    (path, *_) = sorted((public_data / "fimi").glob(f"{name}*"))
    data = dc.load(path)
    published = dc.mine.frequent(data, min_frequency=share)
    sigma = -(-round(share * 1000) * published.n_rows // 1000)
    found = border_leaks(published, k=10, min_support=sigma)
    counts = [found.count("border"), found.count("sigma"), found.count("disjunctive")]
    assert counts == expected
