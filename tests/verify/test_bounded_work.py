"""Folders that are small, sound at first sight, and endless to work out: time and memory hold."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from discreet.verify.chance import MOST_DIGITS, added
from discreet.verify.files.bounded import ReadLimits
from discreet.verify.hierarchies import read_stated
from discreet.verify.patterns import read_pattern_rows
from discreet.verify.randomized import StatedOperator
from discreet.verify.strict.names import doubtful_labels
from tests.verify.children import verified_apart
from tests.verify.folders import edit, replace_data
from tests.verify.tampers import saved


def put_rows(folder: Path, rows: pl.DataFrame) -> None:
    buffer = io.BytesIO()
    rows.write_parquet(buffer)
    replace_data(folder, buffer.getvalue())
    edit(folder, lambda values: values["data"].update(n_rows=rows.height))


def put_file(folder: Path, name: str, values: object, indent: int | None = None) -> None:
    text = json.dumps(values, ensure_ascii=False, sort_keys=True, indent=indent) + "\n"
    (folder / name).write_text(text)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    edit(folder, lambda stated: stated.update({f"{name.partition('.')[0]}_sha256": sha256}))


def comb(n: int) -> list[list[object]]:
    """Return a hierarchy of n groups one in another, each with a value of its own."""
    nodes: list[list[object]] = [["*", None, n + 1]]
    for level in range(n):
        nodes.append([f"group {level % (n // 2)}", max(2 * level - 1, 0), n - level])
        nodes.append([f"value {level}", 2 * level + 1, 0])
    return nodes


def deep_hierarchy(folder: Path) -> None:
    put_file(folder, "hierarchies.json", {"version": 2, "columns": {"education": comb(60_000)}})


def wide_hierarchy(folder: Path) -> None:
    lines = [[f"value {i}", *("*" * 3_300)] for i in range(3_300)]
    stored = {"version": 1, "name": "education", "levels": lines}
    put_file(folder, "hierarchies.json", {"version": 1, "columns": {"education": stored}})

    def older(values: dict[str, Any]) -> None:
        del values["publishes"]
        values.update(schema_version=1, discreet_version="0.1.0")

    edit(folder, older)


def many_patterns(folder: Path) -> None:
    items = [json.dumps([f"item {i:06}"]) for i in range(300_000)]
    put_rows(folder, pl.DataFrame({"items": items, "support": 9, "kind": "pattern"}))
    edit(folder, lambda values: values["events"][0]["counts"].update(n_itemsets=300_000))


def wide_witness(folder: Path) -> None:
    """Publish 2,000 items, all of which are together in the rows of the witness."""
    names = [f"item {i:04}" for i in range(2_000)]
    single = [json.dumps([name]) for name in names]
    rows = [json.dumps(sorted({*names} - {name})) for name in names]
    put_rows(
        folder,
        pl.DataFrame(
            {
                "items": [*single, *sorted(rows, key=json.loads)],
                "support": [9 * 1_999] * 2_000 + [9] * 2_000,
                "kind": ["pattern"] * 2_000 + ["witness"] * 2_000,
            }
        ),
    )
    edit(folder, lambda values: values["guarantee"]["parameters"].update(n_rows=18_000))
    edit(folder, lambda values: values["events"][0]["counts"].update(n_itemsets=2_000))


def endless_operator(folder: Path) -> None:
    """State a rho of 300 digits for sets of 1,000 items."""
    items = [f"item {i:04}" for i in range(2_000)]
    operator = {"operator": "cut-and-paste", "cutoff": 999, "rho": "1/" + "3" * 300}
    put_file(
        folder, "operator.json", {"items": items, "null_items": 0, "operator": operator}, indent=1
    )
    lists = pl.Series([list(range(1_000))] * 9, dtype=pl.List(pl.Int32))
    sizes = pl.Series([1_000] * 9, dtype=pl.Int32)
    put_rows(folder, pl.DataFrame({"size": sizes, "items": lists}))


def many_events(folder: Path) -> None:
    edit(folder, lambda values: values.update(events=values["events"][:1] * 200_000))


def endless_noise(folder: Path) -> None:
    """State many noises, each of another scale of some thousand digits."""

    def change(values: dict[str, Any]) -> None:
        events = values["events"]
        place = next(i for i, event in enumerate(events) if event["name"] == "measure_counts")
        for number in range(300):
            scale = {"exact": f"{10**1_899 + number}/{10**1_899}", "decimal": "1"}
            more = {**events[place]["parameters"], "scale": scale}
            events.insert(place, {**events[place], "parameters": more})

    edit(folder, change)


WORK: dict[str, tuple[str, Callable[[Path], object]]] = {
    "groups one in another": ("mondrian", deep_hierarchy),
    "a list of thousands of levels": ("mondrian", wide_hierarchy),
    "300,000 patterns": ("patterns", many_patterns),
    "2,000 items of a witness": ("witnessed", wide_witness),
    "rho of 300 digits": ("randomized", endless_operator),
    "200,000 steps": ("k-mii", many_events),
    "noise of many digits": ("laplace", endless_noise),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Any]]]:
    place = tmp_path_factory.mktemp("work")
    paths = {}
    for number, (name, (kind, change)) in enumerate(WORK.items()):
        (place / str(number)).mkdir()
        paths[name] = saved(kind, place / str(number))
        change(paths[name])
    yield verified_apart(paths)
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.parametrize("name", WORK)
def test_what_is_endless_to_work_out_comes_to_an_end(
    name: str, answers: dict[str, dict[str, Any]]
) -> None:
    # That many patterns are sound: each is looked at once, and none with all others.
    assert answers[name]["answer"] == ("verified" if name == "300,000 patterns" else "refuted")


def test_what_has_a_limit_says_so() -> None:
    text = json.dumps({"version": 2, "columns": {"x": comb(5_000)}}).encode()
    with pytest.raises(Exception, match="too many levels over too many values"):
        read_stated(text, version=2)
    assert len(doubtful_labels(text)) == 0  # each group of a label lies in the other
    rho = {"operator": "cut-and-paste", "cutoff": 9, "rho": "1/" + "3" * 300}
    with pytest.raises(Exception, match="takes too long to work out"):
        StatedOperator(options=rho, n_items=2_000, n_null=0).laws([1_000])
    assert added([Fraction(1, 3), Fraction(1, 3), Fraction(1, 4)]) == Fraction(11, 12)
    with pytest.raises(Exception, match="too many digits"):
        added([Fraction(1, 10**1_000 + i) for i in range(MOST_DIGITS // 900)])
    assert ReadLimits().max_cells
    one = pl.DataFrame({"items": [json.dumps(["a" * 1_001])], "support": [3]})
    with pytest.raises(Exception, match="more than 1,000 letters"):
        read_pattern_rows(one)
