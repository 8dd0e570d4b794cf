"""MII-suppress, K-MII and their summary against brute force, known answers and real data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import brute_force
from tests.strategies import Record, as_transactions, tables

import discreet as dc
from discreet.errors import DataError, DiscreetWarning, GuaranteeError, ParameterError
from discreet.release.release import sorted_rows
from discreet.suppress import suppression_summary
from discreet.suppress.mii import count_suppressed

Cells = tuple[str | None, ...]
KNOWN = [
    # name, theta, suppressed %, rows kept, suppressed % in kept rows
    ("breast", 1, 0.48, 680, 0.29),
    ("breast", 5, 3.66, 668, 2.95),
    ("breast", 10, 6.93, 666, 6.19),
    ("breast", 50, 20.47, 655, 19.24),
    ("adult", 1, 7.29, 44367, 6.67),
    ("iris", 1, 10.27, 145, 8.14),
    ("iris", 5, 41.60, 135, 38.37),
    ("iris", 10, 49.87, 139, 50.79),
    ("pageBlocks", 1, 0.22, 5456, 0.12),
    ("pageBlocks", 50, 1.48, 5230, 0.68),
]


def as_table(records: list[Record]) -> dc.Table:
    n_columns = len(records[0]) if records else 1
    return dc.Table.from_frame({f"c{j}": [r[j] for r in records] for j in range(n_columns)})


def rows_of(release: dc.Release) -> list[Cells]:
    return [tuple(row) for row in release.data.to_frame("polars").rows()]


def naive(records: list[Record], theta: int) -> list[Cells]:
    """The definition: clear every cell that belongs to an MII contained in its row."""
    miis = brute_force.minimal_infrequent(as_transactions(records), theta)
    hidden = []
    for record in records:
        items = set(enumerate(record))
        bad = {item for mii in miis if mii <= items for item in mii}
        hidden.append(tuple(None if (j, v) in bad else v for j, v in enumerate(record)))
    return hidden


def visible(row: Cells) -> set[tuple[int, str]]:
    return {(j, value) for j, value in enumerate(row) if value is not None}


@given(records=tables(max_columns=5, max_records=12), theta=st.integers(1, 4))
def test_mii_suppress_is_its_definition(records: list[Record], theta: int) -> None:
    table = as_table(records)
    if len(records) <= theta:
        with pytest.raises(DataError, match="every combination"):
            dc.mii_suppress(table, theta=theta)
        return
    release = dc.mii_suppress(table, theta=theta)
    assert release.input_rows is not None
    expected = naive(records, theta)
    assert rows_of(release) == [expected[row] for row in release.input_rows.tolist()]
    n_suppressed = sum(row.count(None) for row in expected)
    assert release.events[0].all_counts["n_cells_suppressed"] == n_suppressed


@given(records=tables(max_columns=5, max_records=12), theta=st.integers(1, 4))
def test_the_floors_hold_in_the_input(records: list[Record], theta: int) -> None:
    if len(records) <= theta:
        return
    table = as_table(records)
    release = dc.mii_suppress(table, theta=theta)
    found = suppression_summary(table, release)
    miis = brute_force.minimal_infrequent(as_transactions(records), theta)
    assert sum(found.n_miis_by_size) == len(miis)
    assert release.input_rows is not None
    for row, origin, floor in zip(
        rows_of(release), release.input_rows.tolist(), found.floors.tolist(), strict=True
    ):
        inside = [x for x in miis if x <= set(enumerate(records[origin]))]
        bounds = [miis[x] + len(x) * (theta + 1 - miis[x]) for x in inside]
        assert floor == max(bounds, default=theta + 1)
        assert brute_force.support(as_transactions(records), visible(row)) >= floor
    assert found.support_floor >= theta + 1
    assert found.support_floor == found.floors.min()


@given(
    records=tables(max_columns=5, max_records=14),
    k=st.integers(2, 4),
    leftover=st.sampled_from(["drop", "suppress"]),
)
@pytest.mark.filterwarnings("ignore:No row is left")
def test_k_mii_is_its_definition(
    records: list[Record], k: int, leftover: Literal["drop", "suppress"]
) -> None:
    release = dc.k_mii(as_table(records), k=k, leftover=leftover)
    hidden = naive(records, k - 1)
    sizes = Counter(hidden)
    kept: list[Cells] = [row for row in hidden if sizes[row] >= k]
    small = [row for row in hidden if sizes[row] < k]
    blank: Cells = (None,) * len(records[0]) if records else (None,)
    if leftover == "suppress" and len(small) + kept.count(blank) >= k:
        kept += [blank] * len(small)
    assert Counter(rows_of(release)) == Counter(kept)
    assert all(n >= k for n in Counter(rows_of(release)).values())
    assert release.events[1].all_counts["n_rows_dropped"] == len(records) - len(kept)


@given(records=tables(max_columns=4), k=st.integers(2, 3), data=st.data())
@pytest.mark.filterwarnings("ignore:No row is left")
def test_the_order_of_rows_tells_nothing(
    records: list[Record], k: int, data: st.DataObject
) -> None:
    other = data.draw(st.permutations(records))
    first, second = dc.k_mii(as_table(records), k=k), dc.k_mii(as_table(other), k=k)
    assert rows_of(first) == rows_of(second)


@given(records=tables(max_columns=4, max_records=12), k=st.integers(2, 3))
@pytest.mark.filterwarnings("ignore:No row is left")
def test_columns_that_are_not_covered_stay_as_they_are(records: list[Record], k: int) -> None:
    table = as_table(records)
    release = dc.k_mii(table, k=k, columns=["c0"])
    counts = Counter(record[0] for record in records)
    assert release.guarantee.columns == ("c0",)
    assert release.input_rows is not None
    for row, origin in zip(rows_of(release), release.input_rows.tolist(), strict=True):
        assert row[1:] == records[origin][1:]
    if release.data.n_rows:
        assert Counter(row[0] for row in rows_of(release) if row[0] is not None) == Counter(
            {value: n for value, n in counts.items() if n >= k}
        )


@given(records=tables(max_columns=4, max_records=14), k=st.integers(2, 4), size=st.integers(2, 14))
@pytest.mark.filterwarnings("ignore:No row is left")
def test_a_sample_is_enough_for_k(records: list[Record], k: int, size: int) -> None:
    table = as_table(records)
    release = dc.k_mii(table, k=k, sample_size=size, seed=1)
    assert all(n >= k for n in Counter(rows_of(release)).values())
    if size >= len(records):  # then the sample is the table
        assert release.data == dc.k_mii(table, k=k).data


def test_a_sample_reports_both_losses() -> None:
    table = dc.datasets.census(5000)
    whole, sampled = dc.k_mii(table, k=5), dc.k_mii(table, k=5, sample_size=500, seed=3)
    assert sampled.events[0].parameters["sample_size"] == 500
    assert sampled.events[0].internal["theta_of_sample"] == 1
    larger = dc.k_mii(table, k=5, sample_size=10**6).events[0]  # says nothing of the 5,000 rows
    assert larger.parameters["sample_size"] == 10**6
    assert "theta_of_sample" not in larger.parameters
    assert sampled.events[0].all_counts["n_cells_suppressed"] > 0
    dropped = sampled.events[1].all_counts["n_rows_dropped"]
    assert dropped > whole.events[1].all_counts["n_rows_dropped"]
    assert sampled.data == dc.k_mii(table, k=5, sample_size=500, seed=3).data
    with pytest.raises(ParameterError, match="sample_size=1"):
        dc.k_mii(table, k=5, sample_size=1)


def test_known_answer_equality() -> None:  # 000-kmii-equality
    table = as_table([("a", "b"), ("a", "b"), ("a", "c")])
    suppressed = dc.mii_suppress(table, theta=1)
    assert Counter(rows_of(suppressed)) == Counter([("a", "b"), ("a", "b"), ("a", None)])
    assert rows_of(dc.k_mii(table, k=2)) == [("a", "b"), ("a", "b")]


def test_known_answer_floor() -> None:  # 000-thm23-strong
    records: list[Record] = [
        ("1", "1"),
        ("1", "2"),
        ("1", "2"),
        ("2", "1"),
        ("2", "1"),
        ("2", "2"),
        ("2", "2"),
    ]
    table = as_table(records)
    release = dc.mii_suppress(table, theta=2)
    assert set(rows_of(release)) == {(None, None)}
    found = suppression_summary(table, release)
    assert release.input_rows is not None
    assert found.floors[release.input_rows.tolist().index(0)] == 5


def test_known_answer_too_few_rows() -> None:  # 000-mii-m-le-theta
    table = as_table([("a",), ("a",)])
    with pytest.warns(DiscreetWarning, match="No row is left"):
        assert dc.k_mii(table, k=3).data.n_rows == 0
    with pytest.raises(DataError, match="2 rows"):
        dc.mii_suppress(table, theta=2)


def test_missing_cells_are_a_value_and_read_as_hidden() -> None:
    table = dc.Table.from_frame({"a": ["x", "x", None, None], "b": ["u", "u", "v", "v"]})
    assert rows_of(dc.k_mii(table, k=2)) == [("x", "u"), ("x", "u"), (None, "v"), (None, "v")]
    release = dc.mii_suppress(table.take([0, 1, 2]), theta=1)
    # The missing cell lies in an MII too, but there was nothing to hide.
    assert release.events[0].all_counts["n_cells_suppressed"] == 1


def test_identifying_columns_are_left_out() -> None:
    table = dc.Table.from_frame(
        {"name": ["p", "q"], "sex": ["f", "f"]}, roles={"name": "identifying"}
    )
    assert dc.k_mii(table, k=2).data.columns == ("sex",)
    with pytest.raises(GuaranteeError, match="every column is identifying"):
        dc.k_mii(table.select(["name"]), k=2)


def test_the_input_is_not_changed_and_the_frame_kind_stays() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.Categorical(["x", "x", "y"]), "n": [1, 1, 2]})
    before = frame.copy()
    release = dc.k_mii(dc.Table.from_frame(frame), k=2)
    pandas.testing.assert_frame_equal(frame, before)
    assert isinstance(release.data.to_frame(), pandas.DataFrame)
    assert list(release.data.to_frame()["a"].dtype.categories) == ["x"]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_matter(threads: int) -> None:
    table = dc.datasets.census(2000)
    assert dc.k_mii(table, k=3, threads=threads).data == dc.k_mii(table, k=3).data


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"k": 1}, "k=1 must be"),
        ({"k": 2.5}, "k=2.5 must be"),
        ({"k": True}, "k=True must be"),
        ({"k": 2, "leftover": "dropp"}, "drop"),
        ({"k": 2, "columns": ["sexx"]}, "sex"),
    ],
)
def test_bad_options_are_named(options: dict[str, object], told: str) -> None:
    table = dc.Table.from_frame({"sex": ["f", "m"]})
    with pytest.raises(ParameterError, match=told):
        dc.k_mii(table, **options)  # type: ignore[arg-type]


def test_the_summary_needs_the_release_at_hand(tmp_path: Path) -> None:
    table = dc.datasets.census(200)
    release = dc.k_mii(table, k=2)
    loaded = dc.Release.load(release.save(tmp_path / "out"))
    with pytest.raises(ParameterError, match="read back"):
        suppression_summary(table, loaded)
    summary = suppression_summary(table, release)
    assert summary.changes.n_released == release.data.n_rows
    assert str(summary.support_floor) in summary.sentence
    assert summary.to_dict()["support_floor"] == summary.support_floor
    assert summary.preview().rows


def test_sorted_rows_of_no_rows() -> None:
    assert sorted_rows(dc.Table.from_frame({"a": []})).tolist() == []


@pytest.mark.parametrize("figures", KNOWN, ids=lambda known: f"{known[0]}-{known[1]}")
def test_published_figures(  # the thesis' table 4.4, with equality classes
    public_data: Path, figures: tuple[str, int, float, int, float]
) -> None:
    name, theta, suppressed, kept, in_kept = figures
    (path,) = (public_data / "lucs").glob(f"{name}.D*.num*")
    table = dc.load(path)
    assert isinstance(table, dc.Table)
    counts = dc.mii_suppress(table, theta=theta).events[0].all_counts
    assert round(100 * counts["n_cells_suppressed"] / counts["n_cells"], 2) == suppressed
    data = dc.k_mii(table, k=theta + 1).data
    assert data.n_rows == kept
    n_suppressed = count_suppressed(data, data.columns)
    assert round(100 * n_suppressed / (data.n_rows * data.n_columns), 2) == in_kept


def test_invariants_on_adult(public_data: Path) -> None:
    (path,) = (public_data / "lucs").glob("adult.D*.num*")
    table = dc.load(path)
    assert isinstance(table, dc.Table)
    release = dc.k_mii(table, k=6)
    assert release.input_rows is not None
    sizes = Counter(rows_of(release))
    assert min(sizes.values()) >= 6
    assert len(np.unique(release.input_rows)) == release.data.n_rows
    for name in table.columns:
        before = table.take(release.input_rows).to_frame("polars")[name]
        after = release.data.to_frame("polars")[name]
        assert ((after == before) | after.is_null()).all()
