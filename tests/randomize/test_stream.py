"""Randomizing files: the same draws as in memory, whole files or none, in constant memory."""

from __future__ import annotations

import gzip
import lzma
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import zstandard

from discreet.data.transactions import Transactions
from discreet.errors import DataError, ParameterError
from discreet.randomize import CutAndPaste, Uniform, mine_randomized, open_randomized
from discreet.randomize.files import METADATA, Form, ItemCodes
from discreet.randomize.operators import base as bulk_module
from discreet.randomize.stream import randomize_file

OPERATOR = CutAndPaste(cutoff=3, rho="1/5")


def baskets(n: int, labels: list[int] | list[str]) -> Transactions:
    draws = np.random.default_rng(4)
    sizes = draws.integers(0, 5, n)
    items = np.concatenate([draws.choice(len(labels), size, replace=False) for size in sizes])
    return Transactions.from_csr(np.concatenate([[0], np.cumsum(sizes)]), items, labels)


LABELS: list[list[int] | list[str]] = [
    list(range(70)),
    [10 * n - 300 for n in range(70)],
    [n * 10**12 for n in range(70)],
    [f"item {n}" for n in range(70)],
]


@pytest.mark.parametrize("labels", LABELS, ids=["places", "numbers", "far apart", "text"])
@pytest.mark.parametrize("form", ["lists", "bitmaps"])
def test_a_file_gets_the_same_draws_as_transactions_in_memory(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    labels: list[int] | list[str],
    form: Form,
) -> None:
    sets = baskets(1000, labels)
    sets.to_frame().rename({"items": "basket"}).write_parquet(tmp_path / "in.parquet")
    monkeypatch.setattr(bulk_module, "CHUNK_BYTES", 4096)  # several chunks
    told: list[float] = []
    made = randomize_file(
        tmp_path / "in.parquet", tmp_path / "out.parquet", OPERATOR, items=labels,
        column="basket", form=form, seed=3, progress=told.append,
    )  # fmt: skip
    expected = OPERATOR.randomize(sets, seed=3)
    found = open_randomized(tmp_path / "out.parquet").read()
    assert found.transactions == expected.transactions
    assert found.sizes.tolist() == expected.sizes.tolist()
    assert (found.operator, found.experimental) == (OPERATOR, True)
    assert made.n_of_size == expected.n_of_size()
    assert made.form == form
    assert told == sorted(told)
    assert told[-1] == 1
    mined = mine_randomized(made, min_frequency=0.01, max_size=2)
    assert mined.to_dict() == mine_randomized(expected, min_frequency=0.01, max_size=2).to_dict()


def test_lists_are_readable_by_others(tmp_path: Path) -> None:
    labels = ["b", "a", "c"]
    (tmp_path / "in.dat").write_text("a b\n\nc\n")
    randomize_file(tmp_path / "in.dat", tmp_path / "o.parquet", OPERATOR, items=labels, seed=1)
    frame = pl.read_parquet(tmp_path / "o.parquet")
    assert frame.schema == {"items": pl.List(pl.String), "size": pl.Int32}
    assert frame["size"].to_list() == [2, 0, 1]
    assert set(frame["items"].explode().drop_nulls()) <= set(labels)


def test_text_files_plain_and_compressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = baskets(600, list(range(70)))[:598]  # the last one is not empty
    text = "".join(" ".join(map(str, sorted(row, reverse=True))) + "\n" for row in sets).encode()
    monkeypatch.setattr("discreet.randomize.stream.TEXT_BYTES", 100)
    monkeypatch.setattr(bulk_module, "CHUNK_BYTES", 4096)
    files = {
        "a.dat": text, "b.dat": b"\xef\xbb\xbf" + text.removesuffix(b"\n"),
        "c.dat.gz": gzip.compress(text), "d.dat.xz": lzma.compress(text),
        "e.dat.zst": zstandard.compress(text),
    }  # fmt: skip
    expected = OPERATOR.randomize(sets, seed=8).transactions
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        target = tmp_path / f"{name}.parquet"
        made = randomize_file(tmp_path / name, target, OPERATOR, items=range(70), seed=8)
        assert made.read().transactions == expected, name


def test_items_repeated_in_a_line_count_once(tmp_path: Path) -> None:
    (tmp_path / "in.dat").write_text("3 1 1\n\n2 2\n1 2\n")
    made = randomize_file(tmp_path / "in.dat", tmp_path / "o.parquet", OPERATOR, items=[1, 2, 3])
    assert made.read().sizes.tolist() == [2, 0, 1, 2]


def test_without_a_seed_every_run_differs(tmp_path: Path) -> None:
    (tmp_path / "in.dat").write_text("1 2\n3\n" * 100)
    first, second = (
        randomize_file(tmp_path / "in.dat", tmp_path / f"{n}.parquet", OPERATOR, items=[1, 2, 3])
        for n in range(2)
    )
    assert first.read().transactions != second.read().transactions
    assert not first.experimental


@pytest.mark.parametrize(
    ("text", "items", "what"),
    [
        ("1 2\n4\n", [1, 2], "item 4 is not in the list"),
        ("1 -9\n", [1, 2], "item -9 is not in the list"),
        ("1 x\n", [1, 2], "items of the list are integers"),
        ("1 2\n", ["1"], "item '2' is not in the list"),
        ("", [1], "empty"),
        ("1\n", [], "list of items is empty"),
        ("1\n", [1, "a"], "both numbers and text"),
        ("1\x00\n", [1], "after line 0"),
    ],
)
def test_a_wrong_source_leaves_nothing_behind(
    tmp_path: Path, text: str, items: list[int], what: str
) -> None:
    (tmp_path / "in.dat").write_text(text)
    with pytest.raises(DataError, match=what):
        randomize_file(tmp_path / "in.dat", tmp_path / "out.parquet", OPERATOR, items=items)
    assert [file.name for file in tmp_path.iterdir()] == ["in.dat"]


@pytest.mark.parametrize(
    ("frame", "what"),
    [
        ({"items": [[1], None]}, "a list is missing"),
        ({"items": [[1, None]]}, "an item is missing"),
        ({"items": [["1"]]}, "items are text, but those of the list are integers"),
        ({"items": [[1.5]]}, "make them text or integers"),
        ({"items": [1]}, "not lists of items"),
        ({"itemz": [[1]]}, "Did you mean 'itemz'"),
    ],
)
def test_a_wrong_frame_is_refused(tmp_path: Path, frame: dict[str, object], what: str) -> None:
    pl.DataFrame(frame).write_parquet(tmp_path / "in.parquet")
    with pytest.raises(DataError, match=what):
        randomize_file(tmp_path / "in.parquet", tmp_path / "out.parquet", OPERATOR, items=[1])
    assert not (tmp_path / "out.parquet").exists()


def test_wrong_options_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    with pytest.raises(ParameterError, match=r"must end in \.parquet"):
        randomize_file("none", tmp_path / "out.csv", OPERATOR, items=[1])
    with pytest.raises(ParameterError, match="Did you mean 'lists'"):
        randomize_file("none", target, OPERATOR, items=[1], form="list")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="not uniform"):
        randomize_file("none", target, Uniform("1/2"), items=[1])
    (tmp_path / "in.dat").write_text("1 2\n")
    only_one = CutAndPaste(cutoff={1: 3}, rho={1: "1/5"})
    with pytest.raises(ParameterError, match="transactions of 2 items"):
        randomize_file(tmp_path / "in.dat", target, only_one, items=[1, 2])
    target.write_bytes(b"here")
    with pytest.raises(ParameterError, match="exists"):
        randomize_file(tmp_path / "in.dat", target, OPERATOR, items=[1, 2])
    assert target.read_bytes() == b"here"
    randomize_file(tmp_path / "in.dat", target, OPERATOR, items=[1, 2], overwrite=True)


def test_stopping_it_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "in.dat").write_text("1 2\n" * 100)

    def stop(_fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        randomize_file(
            tmp_path / "in.dat", tmp_path / "out.parquet", OPERATOR, items=[1, 2], progress=stop
        )
    assert [file.name for file in tmp_path.iterdir()] == ["in.dat"]


def test_other_files_are_not_taken_for_randomized_ones(tmp_path: Path) -> None:
    frame, path = pl.DataFrame({"items": [[1]], "size": [1]}), tmp_path / "a.parquet"
    frame.write_parquet(path)
    with pytest.raises(DataError, match="does not say how it was randomized"):
        open_randomized(path)
    for told, what in (("{", "cannot be read"), ('{"version": 9}', "another version")):
        frame.write_parquet(path, metadata={METADATA: told})
        with pytest.raises(DataError, match=what):
            open_randomized(path)
    about = '{"version": 1, "operator": {"operator": "cut-and-paste", "cutoff": 3, "rho": "1/5"}, '
    frame.drop("size").write_parquet(
        path, metadata={METADATA: about + '"items": [1], "experimental": false}'}
    )
    with pytest.raises(DataError, match="has not the columns"):
        open_randomized(path)


def test_numbers_that_are_far_from_the_list_are_not_in_it() -> None:
    codes = ItemCodes.of([5, 7, 2**40])
    for number in (4, 6, 8, 2**40 - 1, 2**63 - 1, -(2**63)):
        with pytest.raises(DataError, match=f"item {number} is not in the list"):
            codes.encode(pl.Series([5, number]), "here")
    with pytest.raises(DataError, match="not in the list"):
        codes.encode(pl.Series([2**64 - 1], dtype=pl.UInt64), "here")
    assert codes.encode(pl.Series([2**40, 5], dtype=pl.UInt64), "here").tolist() == [2, 0]


MEMORY = """
import resource, sys
from pathlib import Path
from discreet.randomize import CutAndPaste, randomize_file
folder, n = Path(sys.argv[1]), int(sys.argv[2])
with (folder / "in.dat").open("w") as file:
    for _ in range(n // 1000):
        file.write("1 2 3\\n" * 1000)
operator = CutAndPaste(3, rho="1/5")
out = folder / f"{n}.parquet"
made = randomize_file(folder / "in.dat", out, operator, items=range(1024), form="bitmaps")
assert len(made) == n
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_number_of_transactions(tmp_path: Path) -> None:
    def peak(n: int) -> int:
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, str(tmp_path), str(n)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return int(done.stdout)

    # 800,000 more transactions are 100 MB of bitmaps, which would show if they were all held.
    assert peak(1_200_000) - peak(400_000) < 40_000
