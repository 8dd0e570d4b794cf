"""Cells with several members: equal sets are equal cells, members are known one by one."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.suggest_roles import suggest_sets
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError
from discreet.policy import draft_policy, read_policy, run_policy
from discreet.policy.facts import facts_of
from discreet.policy.load import load_source, read_original
from discreet.verify import verify_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Outcome

CELLS = st.lists(
    st.none() | st.lists(st.sampled_from(["E11.9", "I10", "b", "B", "10"]), min_size=1, max_size=5),
    max_size=20,
)


@given(cells=CELLS, separator=st.sampled_from(";|, "))
def test_members_are_those_of_the_cells(cells: list[list[str] | None], separator: str) -> None:
    texts = [None if cell is None else separator.join(cell) for cell in cells]
    frame = pl.DataFrame({"d": pl.Series(texts, dtype=pl.String)})
    table = Table.from_frame(frame, sets={"d": separator})
    members = table.members("d")
    rows, codes = members.of_rows(table.codes("d"))
    for row, cell in enumerate(cells):
        held = [members.values[code] for code in codes[rows == row]]
        assert held == ([None] if cell is None else sorted(set(cell)))
        label = table.values("d")[table.codes("d")[row]]
        assert label == (None if cell is None else separator.join(sorted(set(cell))))
    assert len(members.offsets) == len(table.values("d")) + 1
    assert members.n_members.sum() == len(members.codes)


def test_equal_sets_are_equal_cells() -> None:
    texts = ["I10; E11.9", "E11.9;I10;I10", ";", "", None, "I10;"]
    table = Table.from_frame({"d": texts}, sets={"d": ";"})
    assert table.values("d") == ("E11.9;I10", "I10", None)
    assert table.codes("d").tolist() == [0, 0, 2, 2, 2, 1]
    assert table.to_frame()["d"].to_list() == ["E11.9;I10", "E11.9;I10", None, None, None, "I10"]


def test_a_value_of_another_column_is_its_own_member() -> None:
    table = Table.from_frame({"age": [31, 40, None, 31]})
    members = table.members("age")
    assert members.values == (31, 40, None)
    rows, codes = members.of_rows(table.codes("age"))
    assert (rows.tolist(), codes.tolist()) == ([0, 1, 2, 3], [0, 1, 2, 0])
    assert table.sets == {}


def test_what_is_taken_copied_or_suppressed_stays_a_set_column() -> None:
    table = Table.from_frame({"d": ["a;b", "c", "a"], "s": ["f", "m", "f"]}, sets={"d": ";"})
    assert table.take([1, 2]).sets == {"d": ";"}
    assert table.take([1, 2]).members("d").values == ("a", "c")
    assert table.select(["d"]).sets == {"d": ";"}
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301
    assert table.with_column("d", [0, 1, 1], ["a;b", None]).sets == {"d": ";"}
    again = Table.from_codes({"d": table.codes("d")}, {"d": table.values("d")}, like=table)
    assert again.sets == {"d": ";"}
    assert Table.from_codes({"d": table.codes("d")}, {"d": table.values("d")}).sets == {}


def test_what_was_generalized_is_no_set_column() -> None:
    table = Table.from_frame({"d": ["a;b", "c", "a"]}, sets={"d": ";"})
    coarser = table.with_column("d", [0, 1, 0], ["{a, a;b}", "c"])
    assert coarser.sets == {}
    assert coarser != table


@pytest.mark.parametrize("separator", ["", "ab", "a", "1", '"', "\n", 3])
def test_separators_that_cannot_be(separator: object) -> None:
    with pytest.raises(ParameterError, match="one character") as caught:
        Table.from_frame({"d": ["a"]}, sets={"d": separator})  # type: ignore[dict-item]
    assert (caught.value.parameter, caught.value.column) == ("sets", "d")


def test_columns_that_cannot_be_sets() -> None:
    with pytest.raises(ParameterError, match="not in the table"):
        Table.from_frame({"d": ["a"]}, sets={"e": ";"})
    with pytest.raises(ParameterError, match="choose one"):
        Table.from_frame({"d": [1.5]}, sets={"d": ";"}, bins={"d": 1})
    with pytest.raises(DataError, match="holds texts"):
        Table.from_frame({"d": [1.5]}, sets={"d": ";"})


def test_numbers_alone_and_types_with_fixed_categories_become_text() -> None:
    numbers = Table.from_frame({"d": list(range(100))}, sets={"d": ";"})
    assert numbers.values("d")[:3] == ("0", "1", "10")
    kind = pl.Enum(["b;a", "c"])
    table = Table.from_frame(
        pl.DataFrame({"d": pl.Series(["b;a", "c"], dtype=kind)}), sets={"d": ";"}
    )
    assert table.to_frame()["d"].to_list() == ["a;b", "c"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"d": pandas.Categorical(["b;a", "c"])})
    assert Table.from_frame(frame, sets={"d": ";"}).to_frame()["d"].tolist() == ["a;b", "c"]


def test_read_and_written_as_joined_text(tmp_path: Path) -> None:
    path = tmp_path / "ill.csv"
    path.write_text('sex,d\nf,250.10|250.1\nm,250.1\nf,"I10|250.1"\n')
    table = dc.read_table(path, sets={"d": "|"})
    assert table.members("d").values == ("250.1", "250.10", "I10")
    dc.write_table(table, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().split() == [
        "sex,d", "f,250.1|250.10", "m,250.1", "f,250.1|I10",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "separator"),
    [
        (["E11.9;I10", "I10", "E11.9", "I10;J45"] * 5, ";"),
        (["a|b", "b", "a"], "|"),
        (["flu, cold", "cold, flu", "flu"], ","),
        (["Bonn, NRW", "Kiel, SH", "Köln, NRW"], None),  # a town and its state
        (["1,5", "5,1", "2,5"], None),  # decimals
        (["[20, 40)", "[40, 60)"], None),
        (["flu", "cold", None], None),
        (["a;b", *["b", "a"] * 60], None),  # one cell of a hundred and more
        ([], None),
    ],
)
def test_sets_are_recognized(cells: list[str | None], separator: str | None) -> None:
    frame = {"d": cells}
    expected = {} if separator is None else {"d": separator}
    assert suggest_sets(frame) == expected
    if separator is not None:
        assert suggest_sets(Table.from_frame(frame, sets=expected)) == {}


POLICY = """\
[source]
file = "ill.csv"
sets = { diagnosis = ";" }
[roles]
diagnosis = "sensitive"
[method]
name = "k-mii"
k = 2
[release]
format = "csv"
"""


def write_ill(folder: Path) -> Path:
    cells = ["I10; E11.9", "E11.9;I10", "J45", "I10;J45"] * 5
    path = folder / "ill.csv"
    path.write_text(
        "sex,diagnosis\n" + "".join(f"{'fm'[i % 2]},{c}\n" for i, c in enumerate(cells))
    )
    return path


def test_a_release_keeps_its_set_columns(tmp_path: Path) -> None:
    write_ill(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY)
    result = run_policy(tmp_path / "policy.toml", tmp_path / "out")
    assert result.release.data.values("diagnosis") == ("E11.9;I10", "I10;J45", "J45")
    loaded = dc.Release.load(tmp_path / "out")
    assert loaded == result.release
    assert loaded.data.sets == {"diagnosis": ";"}
    assert loaded.certificate["data"]["columns"][1]["separator"] == ";"  # type: ignore[index]
    original = load_source(read_policy(tmp_path / "policy.toml"))
    assert verify_release(tmp_path / "out", original=original).answer == "verified"
    published = read_policy(tmp_path / "out" / "policy.toml")
    assert published.source.sets == {"diagnosis": ";"}
    again = read_original(tmp_path / "ill.csv", release=tmp_path / "out")
    assert isinstance(again, Table)
    assert again.sets == {"diagnosis": ";"}


def test_a_set_column_in_parquet_too(tmp_path: Path) -> None:
    table = Table.from_frame({"s": ["f"] * 4, "d": ["b|a", "a|b", "c", "c"]}, sets={"d": "|"})
    release = dc.k_mii(table, k=2)
    release.save(tmp_path / "out")
    assert dc.Release.load(tmp_path / "out") == release


def test_sets_are_proposed(tmp_path: Path) -> None:
    path = write_ill(tmp_path)
    policy = tmp_path / "draft.toml"
    policy.write_text(draft_policy(path, folder=tmp_path))
    assert read_policy(policy).source.sets == {"diagnosis": ";"}
    assert load_source(read_policy(policy)).sets == {"diagnosis": ";"}
    assert facts_of(path).options[-2:] == ("--sets", "diagnosis=;")
    seen = dc.look(dc.read_table(path))
    assert "sets: members are separated by ';'" in seen.columns[1].reason


def test_a_policy_with_wrong_sets_is_refused_with_its_line(tmp_path: Path) -> None:
    write_ill(tmp_path)
    for wrong, said in (('"; "', "one character"), ('";"', "no column 'illness'")):
        text = POLICY.replace('diagnosis = ";"', f"illness = {wrong}", 1)
        (tmp_path / "policy.toml").write_text(text)
        with pytest.raises(ParameterError, match=said) as caught:
            load_source(read_policy(tmp_path / "policy.toml"))
        assert "line 3" in str(caught.value)


def test_sets_on_the_command_line(discreet: Callable[..., Outcome], tmp_path: Path) -> None:
    out, file = tmp_path / "out", str(write_ill(tmp_path))
    done = discreet("protect", "k-mii", file, "-k", "2", "--sets", "diagnosis=;", "-o", str(out))
    assert done.code == 0, done
    assert dc.Release.load(out).data.sets == {"diagnosis": ";"}
