"""Published collections from files, frames and releases."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.patterns import additive, channels, pattern_release, read_patterns

BASKETS = dc.Transactions.from_iterable([{"a", "b c"}] * 8 + [{"a"}] + [{"b c"}] * 3)
Columns = dict[str, list[object]]


@pytest.mark.parametrize("name", ["itemsets.csv", "itemsets.parquet"])
@pytest.mark.parametrize("include_empty", [False, True])
def test_what_was_written_is_read(tmp_path: Path, name: str, *, include_empty: bool) -> None:
    found = dc.mine.frequent(BASKETS, min_support=8, include_empty=include_empty)
    found.write(tmp_path / name)
    read = read_patterns(tmp_path / name)
    assert read == found
    assert channels(read, k=3).to_dict() == channels(found, k=3).to_dict()


def test_mlxtend_frames() -> None:
    pytest.importorskip("pandas")
    found = dc.mine.frequent(BASKETS, min_support=8)
    assert read_patterns(found.to_mlxtend(), n_rows=12) == found
    with pytest.raises(ParameterError, match="supports as shares: pass n_rows"):
        read_patterns(found.to_mlxtend())
    with pytest.raises(DataError, match="no whole number of 13 rows"):
        read_patterns(found.to_mlxtend(), n_rows=13)


def test_releases_and_their_folders(tmp_path: Path) -> None:
    release = pattern_release(additive(BASKETS, k=3, min_support=8))
    for source in (release, release.save(tmp_path / "out", format="csv")):
        read = read_patterns(source)
        assert (read.n_rows, len(read)) == (15, 3)
    with pytest.raises(DataError, match="says it has 15 rows, and n_rows=12"):
        read_patterns(release, n_rows=12)
    assert read_patterns(tmp_path / "out" / "data.csv", n_rows=15) == read_patterns(release)


def test_sets_in_many_forms() -> None:
    forms: list[object] = ['["a"]', ["a"], {"a"}, "frozenset({'a'})", "{'a'}", "a", ("a",), "['a']"]
    for form in forms:
        assert dict(read_patterns({"items": [form], "support": [3]}, n_rows=9)) == {
            frozenset("a"): 3
        }
    columns: Columns = {"items": ["frozenset()", "a", "b", "a b"], "support": [9, 5, 4, 3]}
    assert read_patterns(columns).n_rows == 9


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"items": ["a", "a"], "support": [3, 4]}, "is there twice, with support 3 and 4"),
        ({"items": ["a b", "a"], "support": [3, 4]}, "not its part {b}"),
        ({"items": ["a b", "a", "b"], "support": [5, 4, 5]}, "its part {a} in fewer"),
        ({"items": ["a"], "support": [10]}, "support 10 of 9 rows"),
        ({"items": ["", "a"], "support": [8, 3]}, "8 rows, and n_rows=9"),
        ({"items": ["a"], "count": [3]}, "no column 'support'"),
        ({"set": ["a"], "support": [3]}, "no column 'items'"),
        ({"items": ["a"], "support": [3], "lift": [1.0]}, "a column 'lift'"),
        ({"items": ["a b"], "support": [3], "size": [1]}, "2 items are read, and size says 1"),
        ({"items": [["a", "a"]], "support": [3]}, "'a' is there twice"),
        ({"items": ["a"], "support": ["many"]}, "no count or share"),
        ({"items": [None], "support": [3]}, "no set of items"),
        ({"items": ["{'a'"], "support": [3]}, None),
        ({"items": ["[a"], "support": [3]}, "Write a JSON array"),
        (
            {"items": ["a", "b"], "support": [3, 3], "frequency": [0.5, 0.25]},
            "do not fit one number of rows",
        ),
    ],
)
def test_what_is_no_collection(columns: Columns, message: str | None) -> None:
    if message is None:
        assert len(read_patterns(columns, n_rows=9)) == 1
        return
    with pytest.raises(DataError, match=message):
        read_patterns(columns, n_rows=9)


def test_closed_collections_say_so() -> None:
    columns: Columns = {"items": ["a", "a b"], "support": [5, 3]}
    assert read_patterns(columns, n_rows=9, kind="closed").kind == "closed"
    with pytest.raises(DataError, match="say kind='closed'"):
        read_patterns(columns, n_rows=9)
    with pytest.raises(ParameterError, match="Did you mean 'closed'"):
        read_patterns(columns, n_rows=9, kind="close")  # type: ignore[arg-type]


def test_the_number_of_rows_is_needed() -> None:
    with pytest.raises(ParameterError, match="does not say how many rows"):
        read_patterns({"items": ["a"], "support": [3]})


def test_files_that_are_none(tmp_path: Path) -> None:
    for name, text, message in (
        ("a.csv", "items,support\na,b,3\n", "row 2: 3 cells for 2 columns"),
        ("b.csv", "", "holds nothing|empty"),
        ("c.txt", "items,support\na,3\n", "a .csv or .parquet file"),
        ("d.parquet", "no", "not a valid Parquet file"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(DataError, match=message):
            read_patterns(tmp_path / name, n_rows=9)
    with pytest.raises(DataError):
        read_patterns(tmp_path / "nowhere.csv")
