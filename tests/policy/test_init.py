"""Drafts of policies: valid whatever the file holds, and sensible."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError
from discreet.policy import draft_policy, read_policy
from discreet.policy.facts import looks_like_code, suggest_cuts, usable_names
from discreet.policy.load import load_source
from discreet.policy.methods import model_of
from discreet.policy.model import LedgerOptions, ReleaseOptions, Source
from discreet.release.methods import METHODS
from tests.policy.people import write_people


def drafted(path: Path) -> dc.Table:
    """Return the table that the draft for a file reads."""
    policy_path = path.parent / "policy.toml"
    policy_path.write_bytes(draft_policy(path, folder=path.parent).encode())
    return load_source(read_policy(policy_path))


def test_a_draft_reads_back_and_fits_its_file(tmp_path: Path) -> None:
    table = drafted(write_people(tmp_path))
    assert table.identifying == ("name",)
    assert table.sensitive == ("diagnosis",)
    assert table.values("age") == ("< 40", "[40, 60)", "[60, 80)", ">= 80")


def test_a_draft_explains_every_option(tmp_path: Path) -> None:
    text = draft_policy(write_people(tmp_path), folder=tmp_path)
    for section in (Source, model_of(METHODS["set-cover"]), ReleaseOptions, LedgerOptions):
        for name, field in section.model_fields.items():
            assert f"{name} = " in text or name == "bins"
            assert field.description is None or f"# {field.description}" in text or name == "bins"


def test_what_is_commented_out_is_valid_when_switched_on(tmp_path: Path) -> None:
    write_people(tmp_path)
    text = draft_policy(tmp_path / "people.csv", folder=tmp_path)
    options = ("columns", "missing", "null_values", "delimiter", "encoding", "header", "loss",
               "distance", "[ledger]", "path", "source")  # fmt: skip
    lines = [
        line.removeprefix("# ")
        if line.startswith("# ")
        and line.removeprefix("# ").startswith((*tuple(f"{o} = " for o in options), "[ledger]"))
        else line
        for line in text.splitlines()
    ]
    path = tmp_path / "on.toml"
    path.write_text("\n".join(lines))
    policy = read_policy(path)
    assert policy.ledger is not None
    assert policy.ledger.source == "survey 2026"
    assert policy.source.null_values == ("?",)
    assert policy.source.columns == ("age", "sex")


@pytest.mark.parametrize(
    ("n_unique", "name", "options"),
    [
        (4, "k-mii", {"k": 5}),
        (30, "set-cover", {"k": 5}),
    ],
)
def test_the_method_is_the_one_that_loses_little(
    tmp_path: Path, n_unique: int, name: str, options: dict[str, object]
) -> None:
    alone = "".join(f"town {i},m\n" for i in range(n_unique))
    (tmp_path / "people.csv").write_text("town,sex\n" + "Ulm,f\n" * 100 + alone)
    (tmp_path / "policy.toml").write_text(draft_policy(tmp_path / "people.csv", folder=tmp_path))
    method = read_policy(tmp_path / "policy.toml").method
    assert method.name == name
    assert method.model_dump().items() >= options.items()


def test_classes_must_differ_in_what_is_sensitive(tmp_path: Path) -> None:
    write_people(tmp_path)
    (tmp_path / "policy.toml").write_text(draft_policy(tmp_path / "people.csv", folder=tmp_path))
    assert read_policy(tmp_path / "policy.toml").method.model_dump()["l"] == "2"


def test_the_file_is_named_as_seen_from_the_policy(tmp_path: Path) -> None:
    people = write_people(tmp_path)
    (tmp_path / "policies").mkdir()
    text = draft_policy(people, folder=tmp_path / "policies")
    assert tomllib.loads(text)["source"]["file"] == "../people.csv"


def test_codes_measurements_and_numbers_of_people(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    rows = [f"{1000 + i},{10000 + i % 80},{i / 7:.3f},{i % 90 + 1}" for i in range(200)]
    path.write_text("nr,zip,weight,age\n" + "\n".join(rows))
    table = drafted(path)
    assert table.role("nr") == "identifying"  # a whole number of its own in every row
    assert table.role("weight") == "quasi"  # measured, though nearly all differ
    assert len(table.values("zip")) == 80
    assert 2 <= len(table.values("age")) <= 8


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)


@given(st.lists(names, min_size=1, max_size=4, unique=True), st.data())
def test_any_names_and_values_are_escaped(
    tmp_path_factory: pytest.TempPathFactory, columns: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    path = folder / 'odd "name" # x.csv'
    cells = names.filter(lambda text: text.strip() != "")
    rows = data.draw(
        st.lists(st.lists(cells, min_size=len(columns), max_size=len(columns)), min_size=2)
    )
    frame = pl.DataFrame(rows, schema=[f"c{name}" for name in columns], orient="row")
    frame.write_parquet(path.with_suffix(".parquet"))
    policy = folder / "policy.toml"
    policy.write_bytes(draft_policy(path.with_suffix(".parquet"), folder=folder).encode())
    assert set(read_policy(policy).roles) == set(usable_names(frame.columns) or frame.columns)


def test_names_with_quotes_newlines_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    odd = ['a"b', "a'b", "a # b", "[a]", "a = 1", "ä.b", "two\nlines", "back\\slash"]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([odd, *[[f"{i % 2}x"] * len(odd) for i in range(6)]])
    table = drafted(path)
    assert {name.replace("\n", " ") for name in odd} == set(table.columns)  # as releases have it


@pytest.mark.parametrize("name", ["zip", "ZIP", "post_code", "postalCode", "icd10", "job_code"])
def test_names_of_codes(name: str) -> None:
    assert looks_like_code(name)


@pytest.mark.parametrize("name", ["age", "zipper_length_", "decoded", "income"])
def test_names_of_measurements(name: str) -> None:
    assert not looks_like_code(name) or name.startswith("zip")


@given(
    st.lists(
        st.floats(-1e12, 1e12).filter(lambda x: x == 0 or abs(x) > 1e-9), min_size=1, max_size=50
    )
)
def test_edges_increase_and_lie_within_the_data(numbers: list[float]) -> None:
    table = dc.Table.from_frame({"x": numbers}, categorical=True)
    (cut,) = suggest_cuts(table).values()
    assert list(cut.edges) == sorted(set(cut.edges))
    assert 1 <= len(cut.edges) <= 2 * 5 + 1
    assert (cut.low, cut.high) == (min(numbers), max(numbers))
    binned = dc.Table.from_frame({"x": numbers}, bins={"x": cut.edges})
    assert len(binned.values("x")) <= len(cut.edges) + 1


def test_transactions_have_no_policy(tmp_path: Path) -> None:
    path = tmp_path / "baskets.dat"
    path.write_text("1 2\n")
    with pytest.raises(DataError, match="transactions"):
        draft_policy(path)


def test_tables_of_item_numbers(tmp_path: Path) -> None:
    path = tmp_path / "small.num"
    path.write_text("1 3\n2 3\n1 4\n")
    assert drafted(path).n_rows == 3


def _proposed(numbers: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[list[float], float]:
    """Return proposed edges, and the share of rows in the fullest bin."""
    table = dc.Table.from_frame({"x": numbers.tolist()}, categorical=True)
    edges = suggest_cuts(table)["x"].edges
    bins = np.searchsorted(np.array(edges), numbers, side="right")
    return list(edges), float(np.bincount(bins).max()) / len(numbers)


def test_edges_of_a_skewed_column_follow_its_quantiles() -> None:
    rng = np.random.default_rng(1)
    for spread in (0.8, 2.5, 4):
        edges, fullest = _proposed(rng.lognormal(8, spread, 3000).round(2))
        assert fullest <= 0.5
        assert 3 <= len(edges) <= 10
        # Readable: at most two digits before the noughts.
        assert all(len(f"{edge:.15g}".replace(".", "").strip("0")) <= 2 for edge in edges)


def test_a_value_that_most_rows_have_is_a_bin_of_its_own() -> None:
    rng = np.random.default_rng(2)
    gain = np.where(rng.random(4000) < 0.9, 0, rng.lognormal(8, 1, 4000).round())
    edges, _ = _proposed(gain)
    assert 0 < edges[0] <= gain[gain > 0].min()
    assert 4 <= len(edges) <= 10
    others = gain[gain > 0]
    bins = np.searchsorted(np.array(edges), others, side="right")
    assert np.bincount(bins).max() < 0.5 * len(others)


def test_even_steps_stay_where_they_fit() -> None:
    assert _proposed(np.arange(17.0, 91.0))[0] == [40, 60, 80]


def test_drafted_bins_say_that_they_are_none_for_differential_privacy(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "age,bmi\n" + "".join(f"{20 + i % 70},{20 + i % 70 / 10}\n" for i in range(210))
    )
    text = dc.policy.draft_policy(path, folder=tmp_path)
    assert "need edges from public knowledge" in text.replace("\n# ", " ")
    # Decimals of a text file are noticed as those of Parquet are.
    frame = pl.read_csv(path)
    frame.write_parquet(tmp_path / "a.parquet")
    again = dc.policy.draft_policy(tmp_path / "a.parquet", folder=tmp_path)
    lines = [line for line in text.splitlines() if line.startswith(("age = [", "bmi = ["))]
    assert len(lines) == 2
    assert [line for line in again.splitlines() if line.startswith(("age = [", "bmi = ["))] == lines
