"""Which method is recommended, by what the data is like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import InfeasibleError, ParameterError
from discreet.policy import facts
from discreet.policy.choose import K, choose
from discreet.suppress.mii import LARGER_COMBINATIONS
from tests.conftest import Outcome
from tests.suppress.wide import wide_table


def table(folder: Path, n_rows: int, *, n_values: int = 2, n_columns: int = 3) -> Path:
    path = folder / f"people-{n_rows}-{n_values}.csv"
    rows = [
        ",".join(f"v{(row * (3 * c + 1) + row // 7) % n_values}" for c in range(n_columns))
        for row in range(n_rows)
    ]
    lines = [",".join(f"column{c}" for c in range(n_columns)), *rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_few_lonely_rows_are_hidden_and_many_are_generalized(tmp_path: Path) -> None:
    alike = choose(table(tmp_path, 500), publish="table", to="inside", promise="k-anonymity")
    assert (alike.facts.n_unique, alike.first.method) == (0, "k-mii")
    apart = choose(
        table(tmp_path, 500, n_values=100), publish="table", to="inside", promise="k-anonymity"
    )
    assert apart.facts.unique_rate > 0.5
    assert apart.first.method == "set-cover"
    assert apart.second is not None
    assert apart.second.method == "k-mii"
    mixed = tmp_path / "mixed.csv"
    lonely = "".join(f"a{i},b{i % 7}\n" for i in range(20))
    mixed.write_text("x,y\n" + "u,v\n" * 180 + lonely)
    some = choose(mixed, publish="table", to="inside", promise="k-anonymity")
    assert some.facts.unique_rate == 0.1
    assert some.first.method == "set-cover"


def test_too_few_rows_for_differential_privacy_are_told(tmp_path: Path) -> None:
    few = choose(
        table(tmp_path, 80), publish="synthetic", to="public", promise="differential-privacy"
    )
    assert "The answer will be noise" in few.first.notes[0]
    assert few.first.notes[0].endswith("would do.")
    many = choose(
        table(tmp_path, 8000), publish="synthetic", to="public", promise="differential-privacy"
    )
    assert "noise;" not in many.first.notes[0]


def test_true_rows_with_differential_privacy_only_where_enough_is_shown(tmp_path: Path) -> None:
    many = choose(
        table(tmp_path, 20_000), publish="table", to="public", promise="differential-privacy"
    )
    assert many.first.method == "dp-mii-suppress"
    few = choose(table(tmp_path, 80), publish="table", to="public", promise="differential-privacy")
    assert few.first.method == "synthesize"
    assert few.second is not None
    assert any("80 rows are too few" in note for note in few.second.notes)


def test_who_receives_it_decides_what_is_proposed(tmp_path: Path) -> None:
    file = table(tmp_path, 300)
    for to, k in K.items():
        found = choose(file, publish="patterns", to=to, promise="small-groups")
        assert f"-k {k} " in found.first.command
        assert (found.first.method == "patterns-certified") == (to == "public")
    asked = choose(file, publish="table", to="public", promise="k-anonymity", k=7)
    assert "-k 7 " in asked.first.command


def test_many_items_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "wide.dat"
    path.write_text("".join(f"{i} {i + 1}\n" for i in range(500)))
    found = choose(path, publish="transactions", to="public", promise="local")
    assert any("501 items" in note for note in found.first.notes)


def test_epsilon_of_randomization_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "baskets.dat"
    path.write_text("1 2 3\n2 3 4\n" * 50)
    found = choose(path, publish="transactions", to="public", promise="local", epsilon=5)
    rho = found.first.arguments[found.first.arguments.index("--rho") + 1]
    operator = dc.randomize.CutAndPaste(3, rho=rho)
    assert 4 < operator.local_epsilon(3, 100) <= 5
    finer = dc.randomize.CutAndPaste(3, rho=str(float(rho) - 0.01))
    assert finer.local_epsilon(3, 100) > 5


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"publish": "tables"}, "Did you mean 'table'"),
        ({"to": "world"}, "no to='world'"),
        ({"promise": "privacy"}, "no promise='privacy'"),
        ({"k": 1}, "at least 2"),
        ({"epsilon": "little"}, "must be a number"),
        ({"epsilon": 0}, "above 0"),
    ],
)
def test_wrong_answers(tmp_path: Path, wrong: dict[str, object], message: str) -> None:
    answers = {"publish": "table", "to": "public", "promise": "k-anonymity", **wrong}
    with pytest.raises(ParameterError, match=message):
        choose(table(tmp_path, 20), **answers)  # type: ignore[arg-type]  # wrong on purpose


def test_more_people_alike_than_there_are(tmp_path: Path) -> None:
    with pytest.raises(InfeasibleError, match="has 5 rows, fewer than k=10"):
        choose(table(tmp_path, 5), publish="table", to="public", promise="k-anonymity")


def test_a_wide_table_is_tried_before_a_method_is_recommended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, discreet: Callable[..., Outcome]
) -> None:
    monkeypatch.setattr(facts, "PROBE_SECONDS", 1)
    path = dc.write_table(wide_table(600, 86), tmp_path / "customers.csv")
    alike = choose(path, publish="table", to="partner", promise="k-anonymity")
    assert alike.facts.width is not None
    assert not alike.facts.width.is_done
    assert (alike.first.method, alike.second and alike.second.method) == ("agglomerative", "k-mii")
    assert "more than 1 second" in str(alike.second and alike.second.notes)
    assert "dropped: plan says how many" in str(alike)
    floor = choose(path, publish="table", to="partner", promise="small-groups").first
    most = floor.arguments[floor.arguments.index("--max-size") + 1]
    assert most in ("2", "3")  # as the machine is busy
    assert floor.model == f"support floor with theta = 4 and max_size = {most}"
    assert LARGER_COMBINATIONS in floor.not_protected
    # What is printed runs as it stands.
    monkeypatch.chdir(tmp_path)
    done = discreet(*floor.arguments, "--no-report")
    assert done.code == 0, done.err
    assert dc.verify_release(tmp_path / "out").answer == "consistent"


def test_few_columns_are_not_tried(tmp_path: Path) -> None:
    path = table(tmp_path, 500)
    assert choose(path, publish="table", to="inside", promise="k-anonymity").facts.width is None
