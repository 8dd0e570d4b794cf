"""What a newcomer meets: next steps are said, and errors say what to do in options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome

import discreet as dc

Run = Callable[..., Outcome]


@pytest.fixture
def unnamed(tmp_path: Path) -> Path:
    """A table without a header, all rows different, with marks for missing cells."""
    path = tmp_path / "unnamed.csv"
    rows = [f"v{i % 7},w{i % 11},{'?' if i % 9 == 0 else 'x'},u{i % 13}" for i in range(150)]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_look_says_what_comes_next_in_the_words_of_options(discreet: Run, unnamed: Path) -> None:
    out = discreet("look", unnamed).out
    assert f"Next: discreet choose {unnamed}, or: discreet init {unnamed}" in out
    assert "Give them with --names" in out
    assert "null_values=" not in out
    assert "list it in null_values" in out


def test_columns_without_names_are_given_some(discreet: Run, unnamed: Path, tmp_path: Path) -> None:
    names = ",".join(f"c{i}" for i in range(len(unnamed.read_text().split("\n", 1)[0].split(","))))
    assert "--names" in discreet("look", unnamed).out
    out = discreet("look", unnamed, "--names", names).out
    assert "have no names" not in out
    assert f"discreet init {unnamed} --names {names}" in out
    policy = tmp_path / "policy.toml"
    assert discreet("init", unnamed, "--names", names, "-o", policy).code == 0
    assert discreet("run", policy, "-o", tmp_path / "out").code == 0
    released = dc.Release.load(tmp_path / "out").data
    assert isinstance(released, dc.Table)
    assert set(released.columns) <= set(names.split(","))
    assert discreet("verify", tmp_path / "out", "--original", unnamed).code == 0
    assert "names gives 2 names" in discreet("init", unnamed, "--names", "a,b", "-o", "x").err
    (tmp_path / "b.dat").write_text("1 2\n")
    assert "omit names" in discreet("look", tmp_path / "b.dat", "--names", "a").err
    (tmp_path / "b.num").write_text("1 2\n1 3\n")
    assert "omit names" in discreet("init", tmp_path / "b.num", "--names", "a", "-o", "y").err


def test_look_knows_baskets_by_another_name(discreet: Run, tmp_path: Path) -> None:
    path = tmp_path / "baskets.csv"
    path.write_text("1 2 3\n2 3\n1 2\n4\n5 6\n")
    assert "ending .dat" in discreet("look", path).out
    path.rename(path.with_suffix(".dat"))
    out = discreet("look", path.with_suffix(".dat")).out
    assert "ending .dat" not in out
    assert out.rstrip().endswith(f"Next: discreet choose {path.with_suffix('.dat')}")


def test_plan_says_what_to_do_if_much_is_lost(discreet: Run, unnamed: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    assert discreet("init", unnamed, "-o", policy).code == 0
    policy.write_text(policy.read_text().replace('name = "set-cover"', 'name = "k-mii"'))
    out = discreet("plan", policy, "-k", "5").out
    assert "Much is lost at every k" in out
    assert "discreet choose" in out
    policy.write_text(
        policy.read_text().replace('# columns = ["age"', 'columns = ["column_1"]#', 1)
    )
    assert "Much is lost" not in discreet("plan", policy, "-k", "5").out
    found = dc.plan(policy, ks=[5])
    assert repr(found).startswith("Plan of k-mii for k = 5. Before: ")


def test_errors_name_options_that_a_shell_takes(discreet: Run, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("body weight,sex\n" + "".join(f"{i},f\n" for i in range(100)))
    err = discreet("mine", "frequent", path, "--min-support", 5).err
    assert "--bins 'body weight=20,40,60'" in err
    assert "--categorical 'body weight'" in err
    assert "discreet choose FILE" in err
    baskets = tmp_path / "baskets.dat"
    baskets.write_text("1 2\n")
    assert "--min-support (rows" in discreet("mine", "frequent", baskets).err
    assert "is a table" in discreet("randomize", path, "--cutoff", 3, "--rho", 0.2, "-o", "x").err
    assert "--cutoff 3 --rho 0.25" in discreet("randomize", baskets, "-o", "x").err
    assert "discreet patterns sanitize" in discreet("init", baskets).err


def test_a_folder_for_hierarchies_is_made(discreet: Run, tmp_path: Path) -> None:
    people, tree = tmp_path / "people.csv", tmp_path / "trees" / "age.csv"
    people.write_text("age\n" + "".join(f"{i}\n" for i in range(20, 60)))
    told = discreet("hierarchy", "build", people, "--column", "age", "--steps", "5,10", "-o", tree)
    assert told.code == 0
    assert tree.is_file()
    assert f"set-cover {people} -k 5 --hierarchy age={tree} -o out" in told.out


def test_recover_says_when_nothing_can_be_told(discreet: Run, tmp_path: Path) -> None:
    baskets, folder = tmp_path / "baskets.dat", tmp_path / "out"
    baskets.write_text("1 2 3\n4 5 6\n" * 5)
    made = discreet("randomize", baskets, "--cutoff", 3, "--rho", 0.4, "--seed", 1, "-o", folder)
    assert made.code == 0
    assert "10 transactions are too few" in discreet("recover", folder, "--items", "1,2,3").out
    assert "--items milk,tea" in discreet("recover", folder).err


def test_results_are_short_in_a_notebook() -> None:
    people = dc.datasets.census(200).select(["sex", "region", "condition"])
    for result in (people, dc.look(people), dc.suggest_roles(people), dc.k_mii(people, k=2)):
        assert len(repr(result)) < 600
        assert "(n_" not in repr(result)
    assert repr(dc.Synthesizer(epsilon=1, domains="from-data")).endswith(
        "trust='central'), not fitted yet"
    )
    baskets = dc.Transactions.from_iterable([["tea"]] * 2000)
    assert repr(baskets).startswith("Transactions: 2,000 transactions, 1 items")
