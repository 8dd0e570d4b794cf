"""``discreet diff``: an original beside its release."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.conftest import Outcome

import discreet as dc

Run = Callable[..., Outcome]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    names = ["sex", "age", "region", "condition"]
    table = dc.datasets.census(600).select(names)
    return dc.write_table(table, tmp_path / "people.csv")


def test_diff_of_a_release_reads_the_bins_of_its_policy(
    discreet: Run, people: Path, tmp_path: Path
) -> None:
    folder, changed = tmp_path / "out", tmp_path / "changed.csv"
    assert discreet("protect", "k-mii", people, "-k", 5, "-o", folder, "--bins", "age=20").code == 0
    contents = {path: path.read_bytes() for path in (people, *folder.iterdir())}
    code, out, err = discreet("diff", people, folder, "-o", changed)
    assert (code, err) == (1, "")
    assert " 0 with another value" in out
    assert "As confidential as the original" in out
    assert ", region: " in out
    cells = pl.read_csv(changed)
    found = json.loads(discreet("diff", people, folder, "--json").out)
    assert found["n_cells"] == len(cells) > 0
    assert cells["how"].unique().to_list() == ["suppressed"]
    assert found["n_suppressed_records"] == 600 - dc.Release.load(folder).data.n_rows
    assert contents == {path: path.read_bytes() for path in (people, *folder.iterdir())}
    assert discreet("diff", people, folder, "-o", changed).code == 2  # never replaced unasked
    checked = discreet("verify", folder, "--original", people)
    assert checked.code == 0
    assert "cannot be compared" not in checked.out
    page = tmp_path / "page.html"
    assert discreet("report", folder, "--original", people, "--internal", "-o", page).code == 0


def test_diff_of_two_tables(discreet: Run, people: Path, tmp_path: Path) -> None:
    assert discreet("diff", people, people).code == 0
    edited = tmp_path / "edited.csv"
    edited.write_text(people.read_text().replace("asthma", "ASTHMA", 1))
    code, out, _ = discreet("diff", people, edited, "--same-order")
    assert code == 1
    assert "1 of 2,400 cells" in out
    assert "condition: asthma -> ASTHMA" in out
    shorter = tmp_path / "shorter.csv"
    shorter.write_text("\n".join(people.read_text().splitlines()[:-1]) + "\n")
    refused = discreet("diff", people, shorter, "--same-order")
    assert refused.code == 2
    assert "600 rows" in refused.err
    assert json.loads(discreet("diff", people, shorter, "--json").out)["n_suppressed_records"] == 1


def test_diff_refuses_what_is_no_table(discreet: Run, tmp_path: Path) -> None:
    baskets = tmp_path / "baskets.dat"
    baskets.write_text("1 2\n")
    assert "holds transactions" in discreet("diff", baskets, baskets).err
