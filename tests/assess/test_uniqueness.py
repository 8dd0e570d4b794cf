"""Sample uniques, SUDA and DIS-SUDA scores, and the rows that combinations single out."""

from __future__ import annotations

import itertools
import json
import math
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.uniqueness import covered_rows, dis_rate, dis_suda, uniqueness
from tests.strategies import Record, tables

# The worked example of the SDC Practice Guide (World Bank, IHSN), section on SUDA: scores 6, 12,
# 6 and 10 for rows 3, 5, 7 and 8. Education: SI, PI, SC, PC, PS; labour: E(mployed), N(ot), U.
GUIDE = {
    "residence": list("UUUURUUUUU"),
    "gender": list("FFFMFMFMFF"),
    "education": ["SI", "SI", "PI", "SC", "SC", "SC", "PC", "PS", "SI", "SI"],
    "labour": list("EENEUENUNN"),
}


def as_table(records: list[Record]) -> dc.Table:
    n_columns = len(records[0]) if records else 1
    return dc.Table.from_frame({f"c{j}": [r[j] for r in records] for j in range(n_columns)})


def brute_force_msus(records: list[Record]) -> list[list[tuple[int, ...]]]:
    """The column sets of the minimal sample uniques of each record."""
    n_columns = len(records[0]) if records else 0

    def is_unique(record: Record, columns: tuple[int, ...]) -> bool:
        same = [other for other in records if all(other[j] == record[j] for j in columns)]
        return len(same) == 1

    return [
        [
            columns
            for size in range(1, n_columns + 1)
            for columns in combinations(range(n_columns), size)
            if is_unique(record, columns)
            and not any(is_unique(record, part) for part in combinations(columns, size - 1))
        ]
        for record in records
    ]


@given(records=tables(max_columns=5), max_size=st.sampled_from([None, 1, 2, 3]))
def test_brute_force(records: list[Record], max_size: int | None) -> None:
    found = uniqueness(as_table(records), max_size=max_size)
    n_columns = len(found.columns)
    msus = [
        [columns for columns in each if max_size is None or len(columns) <= max_size]
        for each in brute_force_msus(records)
    ]
    scores = [sum(math.factorial(n_columns - len(c)) for c in each) for each in msus]
    assert found.row_scores().tolist() == scores
    alone = [i for i, record in enumerate(records) if records.count(record) == 1]
    assert found.rows.tolist() == alone
    assert found.n_combinations.tolist() == [len(msus[i]) for i in alone]
    assert found.smallest.tolist() == [min(map(len, msus[i]), default=0) for i in alone]
    assert found.n_special == sum(any(len(c) < n_columns for c in each) for each in msus)
    for place, i in enumerate(alone):
        through = [
            sum(math.factorial(n_columns - len(c)) for c in msus[i] if j in c)
            for j in range(n_columns)
        ]
        assert found.contributions[place].tolist() == through
    values = sum(rate for _, rate in found.value_rates)
    assert values == pytest.approx(sum(rate for _, rate in found.column_rates))


def test_practice_guide_scores() -> None:
    found = uniqueness(GUIDE)
    assert found.row_scores().tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    assert found.n_special == found.n_unique == 4
    assert found.smallest.tolist() == [1, 1, 1, 1]
    fifth = found.to_frame().filter(row=4).to_dicts()[0]
    assert fifth["n_combinations"] == 4
    assert fifth["through residence"] == 6


def test_practice_guide_dis_scores() -> None:
    # The guide's DIS-SUDA column (0.0051, 0.0107, 0.0051, 0.0088) comes from the older weights
    # 7/4, 1/2, 1/4 for one, two, three values; the rows have 1, 1 + 3, 1 and 1 + 2 of them.
    rate = dis_rate(4, 6, sampling_rate=0.01)
    older = np.array([1.75, 1.75 + 3 * 0.5, 1.75, 1.75 + 2 * 0.5])
    shares = dis_suda(older, n_columns=4, file_rate=rate)
    assert shares.round(4).tolist() == [0.0051, 0.0107, 0.0051, 0.0088]


def test_sdcmicro_contributions() -> None:
    # sdcMicro's own test "suda2 simple example contribution": 50, 37.5 and 37.5 per cent.
    found = uniqueness({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    assert found.column_rates == (("a", 0.5), ("b", 0.375), ("c", 0.375))
    assert found.value_rates[0] == ("a=1", 0.25)
    assert "'a' contributes 50% of the risk" in found.sentence


@given(
    scores=st.lists(st.sampled_from([1.0, 2.0, 6.0, 24.0, 30.0]), min_size=1, max_size=8),
    rate=st.floats(0.001, 0.999),
    n_columns=st.integers(1, 27),
)
def test_dis_scores_keep_the_odds_of_the_file(
    scores: list[float], rate: float, n_columns: int
) -> None:
    shares = dis_suda(np.array(scores), n_columns=n_columns, file_rate=rate)
    odds = shares / (1 - shares)
    assert 1 / np.mean(1 / odds) == pytest.approx(rate / (1 - rate))
    order = np.argsort(scores, kind="stable")
    assert (np.diff(shares[order]) >= 0).all()
    equal = dis_suda(np.full(3, scores[0]), n_columns=n_columns, file_rate=rate)
    assert equal == pytest.approx([rate] * 3)


def test_sampling_rate_adds_dis_scores() -> None:
    found = uniqueness(GUIDE, sampling_rate=0.01)
    assert found.dis_rate == pytest.approx(0.04 / 5.98)
    assert found.dis_scores is not None
    assert found.dis_scores.argmax() == found.scores.argmax()
    whole = uniqueness(GUIDE, sampling_rate=1)
    assert whole.dis_scores is not None
    assert whole.dis_scores.tolist() == [1, 1, 1, 1]
    assert uniqueness({"a": ["x", "x"]}, sampling_rate=0.5).dis_rate == 0


def test_dangerous_combinations_in_words() -> None:
    found = uniqueness(GUIDE, n_shown=2)
    assert str(found.combinations[0]).startswith("only 1 row has education=")
    assert len(found.combinations) == 2


@given(records=tables(max_columns=6), theta=st.integers(1, 4))
def test_covered_rows_in_small_blocks(records: list[Record], theta: int) -> None:
    database = dc.mine.Database.of(as_table(records))
    found = dc.mine.minimal_infrequent(database, theta=theta)
    rows = database.items.reshape(database.n_transactions, len(database.columns))
    pairs: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["discreet.assess.uniqueness"], "BLOCK", 3)
        patch.setattr(sys.modules["discreet.assess.uniqueness"], "CANDIDATES", 4)
        for which, row in covered_rows(found, rows, database.column_of):
            pairs += zip(which.tolist(), row.tolist(), strict=True)
    itemsets = [
        set(found.items[low:high].tolist()) for low, high in itertools.pairwise(found.offsets)
    ]
    expected = [
        (i, r)
        for i, items in enumerate(itemsets)
        for r, row in enumerate(rows.tolist())
        if items <= set(row)
    ]
    assert sorted(pairs) == expected


@pytest.mark.parametrize(
    ("columns", "scores"),
    [
        ({"a": []}, []),
        ({"a": ["x"], "b": ["y"]}, [0]),
        ({"a": ["x", "y", "y"]}, [1, 0, 0]),
        ({"a": ["x", "x"], "b": ["y", "y"]}, [0, 0]),
        ({"a": [None, None]}, [0, 0]),
        ({"a": [None, "x", "x"]}, [1, 0, 0]),
    ],
    ids=["empty", "one row", "one column", "all equal", "all missing", "one missing"],
)
def test_degenerate_tables(columns: dict[str, list[str | None]], scores: list[float]) -> None:
    found = uniqueness(columns, sampling_rate=0.1)
    assert found.row_scores().tolist() == scores
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["n_rows"] == len(scores)
    assert found.plot().to_dict()
    assert len(found.to_frame()) == found.n_unique
    assert found.preview().title == found.sentence


def test_identifying_and_sensitive_columns_take_no_part() -> None:
    table = dc.Table.from_frame(
        {"id": ["1", "2", "3"], "sex": ["f", "f", "f"], "ill": ["x", "y", "z"]},
        roles={"id": "identifying", "ill": "sensitive"},
    )
    assert uniqueness(table).columns == ("sex",)
    assert uniqueness(table).n_unique == 0


def test_bad_options() -> None:
    wrong: list[tuple[dict[str, object], str]] = [
        ({"columns": ["labor"]}, "Did you mean 'labour'"),
        ({"columns": []}, "empty"),
        ({"max_size": 0}, "max_size=0"),
        ({"sampling_rate": 0}, "sampling_rate=0"),
        ({"sampling_rate": 1.5}, "sampling_rate=1.5"),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            uniqueness(GUIDE, **options)  # type: ignore[arg-type]
    wide = {f"c{j}": ["x", "y"] for j in range(171)}
    with pytest.raises(ValueError, match="171 columns are too many"):
        uniqueness(wide)
    with pytest.raises(ValueError, match="at most 27 columns"):
        uniqueness({f"c{j}": ["x", "y"] for j in range(28)}, sampling_rate=0.1)


def test_order_of_rows_and_columns_does_not_matter() -> None:
    table = dc.datasets.census(200)
    table = table.select(table.columns[:6])
    turned = table.select(table.columns[::-1]).take(range(199, -1, -1))
    first, second = uniqueness(table), uniqueness(turned)
    assert first.row_scores().tolist() == second.row_scores()[::-1].tolist()
    assert dict(first.column_rates) == pytest.approx(dict(second.column_rates))


def test_adult(public_data: Path) -> None:
    table = dc.load(public_data / "lucs" / "adult.D97.N48842.C2.num.xz")
    assert isinstance(table, dc.Table)
    found = uniqueness(table, columns=table.columns)
    assert sum(found.n_combinations_by_size) == found.n_combinations.sum() == 39464
    weights = [math.factorial(15 - size) for size in range(16)]
    total = sum(
        n * weight
        for n, weight in zip(
            found.n_combinations_by_size, weights[: len(found.n_combinations_by_size)], strict=True
        )
    )
    assert found.scores.sum() == pytest.approx(total)
    # Cells with a part in a score are exactly those that suppression at theta = 1 would clear.
    marked = dc.mine.mark_cells(table, theta=1)
    cells = np.zeros_like(marked)
    cells[found.rows] = found.contributions > 0
    assert np.array_equal(cells, marked)
