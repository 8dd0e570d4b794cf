"""The results: labelled, shown, exported, read back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.mine import Counts, Itemsets


@pytest.fixture
def found() -> Itemsets:
    return dc.mine.frequent(
        dc.Transactions.from_iterable([{"tea", "milk"}, {"tea", "milk"}, {"tea"}]),
        min_support=2,
        include_empty=True,
    )


def test_iterates_as_labelled_sets(found: Itemsets) -> None:
    assert list(found) == [
        (frozenset(), 3),
        (frozenset({"milk"}), 2),
        (frozenset({"tea"}), 3),
        (frozenset({"milk", "tea"}), 2),
    ]
    assert found[-1] == found[3]
    with pytest.raises(IndexError, match="itemset 4 of 4"):
        found[4]


def test_equality_is_of_content(found: Itemsets) -> None:
    again = Itemsets.from_mapping(dict(found), n_rows=3)
    assert found == again
    assert found != Itemsets.from_mapping(dict(found), n_rows=4)
    assert found != "itemsets"


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow", "duckdb"])
def test_frames_of_every_kind(found: Itemsets, kind: str) -> None:
    frame = found.to_frame(kind)  # type: ignore[arg-type]
    assert type(frame).__module__.split(".")[0].strip("_") in (kind, "lib", "duckdb")
    table = pl.from_arrow(frame.to_arrow_table()) if kind == "duckdb" else pl.DataFrame(frame)
    assert isinstance(table, pl.DataFrame)
    assert table["support"].to_list() == [3, 2, 3, 2]
    assert [list(items) for items in table["items"]] == [[], ["milk"], ["tea"], ["milk", "tea"]]


def test_unknown_frame_kind_is_named(found: Itemsets) -> None:
    with pytest.raises(ParameterError, match="Did you mean 'polars'"):
        found.to_frame("polar")  # type: ignore[arg-type]


def test_mlxtend_frames_read_back(found: Itemsets) -> None:
    frame = found.to_mlxtend()
    assert frame["support"].tolist() == pytest.approx([1, 2 / 3, 1, 2 / 3])
    assert Itemsets.from_mlxtend(frame, n_rows=3) == found
    with pytest.raises(DataError, match="check n_rows"):
        Itemsets.from_mlxtend(frame, n_rows=4)
    with pytest.raises(DataError, match="'itemsets' is missing"):
        Itemsets.from_mlxtend(pl.DataFrame({"support": [1.0]}), n_rows=3)


def test_json_and_html_of_hostile_labels() -> None:
    hostile = "<script>alert(1)</script>"
    found = dc.mine.frequent(dc.Transactions.from_iterable([{hostile}]), min_support=1)
    assert json.loads(json.dumps(found.to_dict()))["itemsets"][0]["items"] == [hostile]
    html = found._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_counts_are_shown_by_size() -> None:
    counts = Counts(kind="closed", by_size=(0, 2, 1), n_rows=9)
    assert counts.total == 3
    assert counts.to_dict() == {
        "kind": "closed",
        "n_itemsets": 3,
        "n_rows": 9,
        "by_size": [0, 2, 1],
    }
    assert counts.preview().rows == [("1", "2"), ("2", "1")]


def test_writing_leaves_no_half_file(
    found: Itemsets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", fail)
    with pytest.raises(DataError, match="No space left"):
        found.write(tmp_path / "found.parquet")
    assert not list(tmp_path.iterdir())


def test_plots_have_a_bar_for_each_size(found: Itemsets) -> None:
    chart = found.plot().to_dict()
    (rows,) = chart["datasets"].values()
    assert rows == [
        {"items": 0, "itemsets": 1},
        {"items": 1, "itemsets": 2},
        {"items": 2, "itemsets": 1},
    ]


def test_rules_are_shown_and_written(found: Itemsets, tmp_path: Path) -> None:
    rules = dc.mine.rules(found, min_confidence=0.5)
    assert rules.preview().rows[0] == ("milk -> tea", "2", "1.000", "1.000")
    rules.write(tmp_path / "rules.parquet")
    frame = pl.read_parquet(tmp_path / "rules.parquet")
    assert frame["antecedents"].to_list() == [["milk"], ["tea"]]
    assert np.allclose(frame["confidence"].to_numpy(), [1, 2 / 3])


def test_generalized_itemsets_are_shown() -> None:
    people = dc.Table.from_frame({"sex": ["f", "f", "m"]})
    found = dc.mine.generalized_closed(people, {}, k=2)
    assert found.to_dict()["itemsets"] == [
        {"nodes": {"sex": "*"}, "support": 3},
        {"nodes": {"sex": "f"}, "support": 2},
    ]
    assert found.to_frame("polars")["sex"].to_list() == ["*", "f"]
    assert found.preview().header == ("sex", "support")


def test_database_says_what_it_is() -> None:
    table = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["a", "a", None]})
    database = dc.mine.Database.of(table)
    assert repr(database) == "Database(2 columns, 3 rows, 2 distinct, 4 items)"
    assert [str(label) for label in database.labels] == ["sex=f", "sex=m", "job=a", "job=(missing)"]
    assert database.code(database.labels[2]) == 2
    assert dc.mine.Database.of(database) is database
    assert dc.mine.Database.of({"sex": ["f"]}).n_rows == 1
