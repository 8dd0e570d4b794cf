"""``discreet look``, ``discreet demo`` and the help pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome

import discreet as dc
from discreet.policy.demo import FILES

Run = Callable[..., Outcome]


def test_look_at_a_table(discreet: Run, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = [f"{i:04d},{'fm'[i % 2]},{['cook', 'clerk'][i % 3 == 0]},{20 + i}" for i in range(100)]
    path.write_text("id,sex,job,weight\n" + "\n".join(rows) + "\n100,m,astronaut,90\n")
    code, out, _ = discreet("look", path)
    assert code == 0
    assert "identifying" in out
    assert "only 1 row has job=astronaut" in out
    found = json.loads(discreet("look", path, "--json").out)
    assert found["n_rows"] == 101
    assert {column["name"] for column in found["columns"]} == {"id", "sex", "job", "weight"}
    assert found["combinations"][0]["support"] == 1


def test_look_at_transactions(discreet: Run, tmp_path: Path) -> None:
    path = tmp_path / "baskets.dat"
    path.write_text("1 2\n1 2\n1 3\n")
    code, out, _ = discreet("look", path)
    assert code == 0
    assert "only 1 row has 3" in out


def test_look_never_runs_markup_in_the_data(discreet: Run, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("[red]a[/red],b\n[link=y]x,1\n[/],1\n")
    code, out, _ = discreet("look", path)
    assert code == 0
    assert "[red]a[/red]=[/]" in out


def test_demo_goes_the_whole_way_twice(discreet: Run, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    for _ in range(2):
        code, out, err = discreet("demo", "--rows", 2000, "-o", folder)
        assert (code, err) == (0, "")
        assert "only 1 row has" in out
        assert "Verified: k-anonymity with k = 5" in out
        assert f"The release is in {folder / 'release'}" in out
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    assert dc.verify_release(folder / "release").answer != "refuted"
    assert discreet("run", folder / "policy.toml", "-o", tmp_path / "another").code == 0


def test_demo_replaces_nothing_but_a_demo(discreet: Run, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    assert discreet("demo", "--rows", 500, "-o", folder).code == 0
    (folder / "mine.txt").write_text("mine")
    assert discreet("demo", "--rows", 500, "-o", folder).code == 2
    assert (folder / "mine.txt").exists()


@pytest.mark.parametrize(
    "arguments", [["--help"], ["mine", "--help"], ["look", "--help"], ["demo", "-h"]]
)
def test_help_teaches(discreet: Run, arguments: list[str]) -> None:
    code, out, _ = discreet(*arguments)
    assert code == 0
    assert "discreet" in out


def test_version(discreet: Run) -> None:
    assert discreet("--version").out.strip() == f"discreet {dc.__version__}"
