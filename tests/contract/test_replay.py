"""Nothing in any file of a differentially private release depends on one row beyond the account.

The noisy answers of one table (for sampling: its coins, the further person not drawn) are given
again to a neighbour of it, and all files must then be the same, byte for byte. A neighbour has one
row more, of the kind that changes how a column is read: a word among numbers, a large number, an
empty cell, a letter that is not in ASCII; or it has the same rows in another order. Where people
have several rows, it has all rows of one person more, which are chosen as few of the others' are.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.errors import DiscreetWarning, WeakGuaranteeWarning
from discreet.noise import SeededNoise
from discreet.policy import read_policy, run_policy
from discreet.release import release as releases
from discreet.report.page import html_report
from discreet.suppress import dp_mii
from discreet.synthesize import private_values, response, synthesizer, synthetic_release
from discreet.synthesize.budget import Spending

HEADER = "age,ward,level"
N_ROWS = 999  # the further row makes a digit more


def rows_of(n: int = N_ROWS) -> list[str]:
    wards = ("north", "south", "söuth")
    return [f"{(30, 40, 50)[i % 3]},{wards[i % 7 % 3]},{(1, 2)[i % 5 % 2]}" for i in range(n)]


# The further row, and whether all its values are in the public lists.
NASTY: dict[str, tuple[str, bool]] = {
    "a word among numbers": ("30,north,unknown", False),
    "a new number": ("51,north,1", False),
    "a larger number": ("30,north,70000000000", False),
    "a decimal number": ("30,north,2.5", False),
    "a leading zero": ("30,north,01", False),
    "an empty cell": ("30,,2", False),
    "empty cells": (",,", False),
    "an accented word": ("30,nörth,1", False),
    "a quoted word": ('30,"a, ""b""",1', False),
    "a formula": ("30,=1+1,1", False),
    "a truth": ("30,north,true", False),
    "a listed word among numbers": ("60+,north,1", True),
    "a listed empty cell": (",north,1", True),
    "a listed value that nobody has": ("70,east,3", True),
    "a row as many others": ("30,north,1", True),
}
DOMAINS: dict[str, list[Any]] = {
    "age": ["30", "40", "50", "60+", "70", None],
    "ward": ["east", "north", "south", "söuth"],
    "level": [1, 2, 3],
}
PUBLIC = ["30,north,1", "40,south,2", "50,söuth,1", "30,south,2", "40,north,1", "50,north,2"] * 40


@dataclass
class Replay:
    """Answers and coins of a first run, given again to all others."""

    order: NDArray[np.int64] | None = None  # of the rows, in place of that of the first run
    at: int | None = None  # where the further row stands, if there is one
    answers: list[Any] = field(default_factory=list)
    n_given: int = 0
    is_first: bool = True

    def begin(self) -> None:
        self.order = self.at = None
        self.answers, self.n_given, self.is_first = [], 0, True

    def again(self, *, order: NDArray[np.int64] | None = None, at: int | None = None) -> None:
        self.order, self.at, self.n_given, self.is_first = order, at, 0, False

    def answer(self, make: Callable[[], Any]) -> Any:  # noqa: ANN401  of any kind
        """Return what the first run was answered at this place."""
        if self.is_first:
            self.answers.append(make())
        self.n_given += 1
        return self.answers[self.n_given - 1]

    def of_rows(self, coins: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
        """Return the coins of the first run, each for the row that it was for."""
        coins = coins if self.order is None else coins[self.order]
        if size == len(coins):  # the further row was dropped, or there is none
            return coins
        assert self.at is not None
        return np.insert(coins, min(self.at, len(coins)), np.False_)

    def of_choice(self, order: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Return the order that rows were chosen in, that of the further ones before it."""
        if self.order is not None:
            return np.argsort(self.order)[order]
        n_more = size - len(order)
        if not n_more:
            return order
        assert self.at is not None
        moved = np.where(order < self.at, order, order + n_more)
        return np.concatenate([np.arange(self.at, self.at + n_more), moved])


class Stopped(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: Any = None) -> Stopped:  # noqa: ANN401
        return cls(2026, 1, 1, tzinfo=tz)


class Coins(SeededNoise):
    """Coins that go with their rows, and noise that is the same in every run."""

    def __init__(self, replay: Replay) -> None:
        super().__init__(5)
        self.replay, self.n = replay, 0

    def bernoulli(self, p: Fraction | float, size: int) -> NDArray[np.bool_]:
        self.n += 1
        drawn = self.replay.answer(lambda: SeededNoise(100 + self.n).bernoulli(p, size))
        coins = self.replay.of_rows(drawn, size)
        assert len(coins) == size
        return coins

    def permutation(self, n: int) -> NDArray[np.int64]:
        drawn = self.replay.answer(lambda: SeededNoise(7).permutation(n))
        order = self.replay.of_choice(drawn, n)
        assert sorted(order.tolist()) == list(range(n))
        return order

    def discrete_laplace(self, scale: Fraction | float, size: int) -> NDArray[np.int64]:
        return SeededNoise(size).discrete_laplace(scale, size)  # other draws stay where they are

    def discrete_gaussian(self, sigma2: Fraction | float, size: int) -> NDArray[np.int64]:
        return SeededNoise(size).discrete_gaussian(sigma2, size)


@pytest.fixture
def replay(monkeypatch: pytest.MonkeyPatch) -> Replay:
    """Put recorded answers in the place of noise, and stop the clock."""
    made = Replay()
    monkeypatch.setattr(releases, "datetime", Stopped)
    monkeypatch.setattr(sys.modules["discreet.synthesize.pairs"], "N_TRAINED", 500)  # to save time
    monkeypatch.setattr(dp_mii, "noise_from", lambda _: Coins(made))
    monkeypatch.setattr(synthesizer, "noise_from", lambda _: Coins(made))
    monkeypatch.setattr(response, "noise_from", lambda _: Coins(made))

    measure = Spending.measure

    def measured(self: Spending, what: str, numbers: NDArray[np.int64], **options: Any) -> Any:  # noqa: ANN401
        noisy, entry = measure(self, what, numbers, **options)
        first: tuple[NDArray[np.int64], str] = made.answer(lambda: (noisy, what))
        assert (first[0].shape, first[1]) == (noisy.shape, what)
        return first[0], entry

    counted = private_values._noisy_counts

    def noisy_counts(table: dc.Table, column: str, **options: Any) -> Any:  # noqa: ANN401
        # a value that only one table has is not selected, but for a chance that delta has
        return made.answer(lambda: counted(table, column, **options))

    monkeypatch.setattr(Spending, "measure", measured)
    monkeypatch.setattr(private_values, "_noisy_counts", noisy_counts)
    monkeypatch.setattr(
        response, "respond",
        lambda codes, *, channel, **_: made.answer(
            lambda: SeededNoise(3).integers(channel.size, len(codes))
        ),
    )  # fmt: skip
    return made


@contextmanager
def quiet() -> Iterator[None]:
    """What is warned of is confidential, too, and tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscreetWarning)
        warnings.simplefilter("ignore", WeakGuaranteeWarning)
        yield


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def assert_same(first: dict[str, bytes], second: dict[str, bytes], why: str) -> None:
    assert list(first) == list(second)
    for name in sorted(first, key=lambda name: name == "certificate.json"):  # which has hashes
        same = first[name] == second[name]
        assert same, f"{name} differs for {why}: {_line(first[name], second[name])}"


def _line(first: bytes, second: bytes) -> tuple[bytes, bytes]:
    """Return the first two lines that differ."""
    lines = zip(first.splitlines(), second.splitlines(), strict=False)
    return next(((x[:200], y[:200]) for x, y in lines if x != y), (b"", b"more lines"))


# Through a policy, from a CSV file


MII = 'name = "dp-mii-suppress"\nepsilon = 1\ndelta = "1e-3"\nk = 5\n'
LISTED = """
[method.domains]
age = ["30", "40", "50", "60+", "70"]
ward = ["east", "north", "south", "söuth"]
level = ["1", "2", "3"]
"""
POLICIES: dict[str, tuple[str, bool]] = {  # with whether values must be listed
    "dp-mii public": (MII + 'scheme = "public"\npublic = "public.csv"\ntheta = 2\n', False),
    "dp-mii split": (MII + 'scheme = "split"\ntheta = 2\n', False),
    "dp-mii dp": (MII + LISTED, True),
    "synthesize private": ('name = "synthesize"\nepsilon = 1\ndelta = "1e-6"\n', False),
    "synthesize private krimp": (
        'name = "synthesize"\nepsilon = 1\ndelta = "1e-6"\ngenerator = "krimp"\n', False,
    ),
    "synthesize lists": ('name = "synthesize"\nepsilon = 1\n' + LISTED, True),
    "synthesize lists gaussian": (
        'name = "synthesize"\nepsilon = 1\ndelta = "1e-6"\nlabel = "ward"\n' + LISTED, True,
    ),
    "synthesize public": ('name = "synthesize"\nepsilon = 1\npublic = "lists.csv"\n', True),
    "synthesize local": ('name = "synthesize"\nepsilon = 4\ntrust = "local"\n' + LISTED, True),
    "synthesize some": (
        ('name = "synthesize"\nepsilon = 1\ndelta = "1e-6"\ncolumns = ["ward", "age"]\n'
        'label = "age"\nn_rows = 77\n'), False,
    ),
}  # fmt: skip


def published(
    folder: Path,
    rows: list[str],
    *,
    format: str,  # noqa: A002
    header: str = HEADER,
) -> dict[str, bytes]:
    (folder / "people.csv").write_text("\n".join([header, *rows]) + "\n", "utf-8")
    policy = read_policy(folder / "policy.toml")
    release = policy.release.model_copy(update={"format": format})
    with quiet():
        run_policy(
            policy.model_copy(update={"release": release}), folder / "out", overwrite=True, seed=5
        )
    return files_of(folder / "out")


@pytest.mark.parametrize(
    ("name", "format"), list(zip(POLICIES, cycle(["csv", "parquet"]), strict=False))
)
def test_a_file_read_by_a_policy(tmp_path: Path, replay: Replay, name: str, format: str) -> None:  # noqa: A002
    method, is_listed = POLICIES[name]
    write_policy(tmp_path, "one_row_per_person = true", method)
    rows = rows_of()
    first = published(tmp_path, rows, format=format)
    for why, row in nasty_rows(is_listed=is_listed):
        if name == "synthesize local":  # one row takes the place of another
            replay.again()
            found = published(tmp_path, [row, *rows[1:]], format=format)
            assert_same(first, found, why)
            continue
        at = len(why) % 3 * 400
        replay.again(at=at)
        found = published(tmp_path, [*rows[:at], row, *rows[at:]], format=format)
        assert_same(first, found, why)
    if name == "synthesize local":
        return  # cells are randomized where they stand
    order = SeededNoise(1).permutation(len(rows))
    replay.again(order=order)
    assert_same(first, published(tmp_path, [rows[i] for i in order], format=format), "order")


def write_policy(folder: Path, stated: str, method: str, *, more: str = "") -> None:
    source = f'[source]\nfile = "people.csv"\n{stated}\n'
    (folder / "policy.toml").write_text(f"{source}\n[method]\n{method}\n{more}", "utf-8")
    (folder / "public.csv").write_text("\n".join([HEADER, *PUBLIC]), "utf-8")
    lists = ["30,east,1", "40,north,2", "50,south,3", "60+,söuth,3", "70,söuth,3"]
    (folder / "lists.csv").write_text("\n".join([HEADER, *lists]), "utf-8")


def nasty_rows(*, is_listed: bool) -> list[tuple[str, str]]:
    return [
        (why, row)
        for why, (row, is_in_lists) in NASTY.items()
        if not is_listed or (is_in_lists and not row.startswith(","))
    ]


PEOPLE_HEADER = f"{HEADER},who"

OF_PEOPLE: dict[str, tuple[str, bool]] = {
    **{
        name: POLICIES[name]
        for name in ("dp-mii public", "dp-mii split", "dp-mii dp", "synthesize private",
                     "synthesize lists gaussian", "synthesize local")
    },
    "two rows private": (
        'name = "synthesize"\nepsilon = 1\ndelta = "1e-6"\nrows_per_person = 2\n', False,
    ),
    "two rows krimp": (
        ('name = "synthesize"\nepsilon = 1\ndelta = "1e-6"\nrows_per_person = 2\n'
        'generator = "krimp"\n'), False,
    ),
    "two rows lists": ('name = "synthesize"\nepsilon = 1\nrows_per_person = 2\n' + LISTED, True),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "format"), list(zip(OF_PEOPLE, cycle(["parquet", "csv"]), strict=False))
)
def test_all_rows_of_a_person_more(
    tmp_path: Path,
    replay: Replay,
    name: str,
    format: str,  # noqa: A002
) -> None:
    method, is_listed = OF_PEOPLE[name]
    write_policy(tmp_path, 'person = "who"', method)
    rows = [f"{row},p{i // 2}" for i, row in enumerate(rows_of(2 * N_ROWS - 1))]
    first = published(tmp_path, rows, format=format, header=PEOPLE_HEADER)
    for why, row in nasty_rows(is_listed=is_listed):
        if name == "synthesize local":  # all rows of one person, in place of those they had
            replay.again()
            mine = [f"{row},p0"] * 2
            found = published(tmp_path, [*mine, *rows[2:]], format=format, header=PEOPLE_HEADER)
            assert_same(first, found, why)
            continue
        at = (0, len(rows))[len(why) % 2]
        replay.again(at=at)
        # a name unlike the others, more rows than are taken
        mine = [f"{row},17"] * 2 + ["30,north,1,17"] * 3
        found = published(
            tmp_path, [*rows[:at], *mine, *rows[at:]], format=format, header=PEOPLE_HEADER
        )
        assert_same(first, found, why)
    if not name.startswith(("two", "synthesize local")):
        return
    # what is not taken of a person changes nothing either
    replay.again(at=len(rows))
    found = published(tmp_path, rows, format=format, header=PEOPLE_HEADER)
    assert_same(first, found, "the same again")


@pytest.mark.parametrize("method", ["dp-mii public", "synthesize private"])
def test_options_of_reading(tmp_path: Path, replay: Replay, method: str) -> None:
    options = {
        'missing = "drop"': [",north,2", "30,,1", "30,north,1"],
        "[source.bins]\nage = [35, 45]": ["51,north,1", "70000000000,north,2", "2.5,south,1"],
        '[source.bins]\nage = 10\n[release]\nexport = "csv"': ["51,north,1", "30,,01"],
        '[repairs.ward]\ncase = "lower"': ["30,NORTH,1", "30,North ,2", "30,WEST,1"],
    }
    rows = rows_of()
    for option, nasty in options.items():
        stated = "one_row_per_person = true\n"
        stated += option if option.startswith("missing") else ""
        more = "" if option.startswith("missing") else option
        write_policy(tmp_path, stated, POLICIES[method][0], more=more)
        replay.begin()
        first = published(tmp_path, rows, format="csv")
        for row in nasty:
            replay.again(at=len(rows))
            assert_same(first, published(tmp_path, [*rows, row], format="csv"), f"{option} {row}")


# In Python, from frames


def polars_frame(rows: list[str]) -> object:
    return pl.read_csv(io.StringIO("\n".join([HEADER, *rows])), infer_schema_length=None)


def pandas_frame(rows: list[str]) -> object:
    return pd.read_csv(io.StringIO("\n".join([HEADER, *rows])))


def pandas_categories(rows: list[str]) -> object:
    return pandas_frame(rows).astype("category")  # type: ignore[attr-defined]


def smallest_types(rows: list[str]) -> object:
    frame = polars_frame(rows)
    assert isinstance(frame, pl.DataFrame)
    return frame.select(series.shrink_dtype() for series in frame.get_columns())


FRAMES = [pandas_frame, pandas_categories, smallest_types]


def mii(table: dc.Table, **options: Any) -> dc.Release[Any]:  # noqa: ANN401
    return dc.dp_mii_suppress(table, epsilon=1, delta=1e-3, k=5, seed=5, **options)


def synthesize(table: dc.Table, **options: Any) -> dc.Release[Any]:  # noqa: ANN401
    return synthetic_release(table, epsilon=1, seed=5, **options)


PUBLIC_TABLE = dc.Table.from_frame(pl.read_csv(io.StringIO("\n".join([HEADER, *PUBLIC]))))
METHODS: dict[str, tuple[Callable[[dc.Table], dc.Release[Any]], bool, bool]] = {
    # with whether values must be listed, and whether a row is replaced
    "dp-mii public": (lambda t: mii(t, scheme="public", public=PUBLIC_TABLE, theta=2), False,
                      False),
    "dp-mii split": (lambda t: mii(t, scheme="split", theta=2), False, False),
    "dp-mii dp": (lambda t: mii(t, domains=DOMAINS), True, False),
    "private": (lambda t: synthesize(t, delta=1e-6), False, False),
    "private krimp": (
        lambda t: synthesize(t, delta=1e-6, generator="krimp"), False, False,
    ),
    "public laplace": (lambda t: synthesize(t, domains=DOMAINS), True, False),
    "public gaussian": (
        lambda t: synthesize(t, delta=1e-6, domains=DOMAINS), True, False,
    ),
    "public krimp": (
        lambda t: synthesize(t, domains=DOMAINS, generator="krimp"), True, False,
    ),
    "local": (
        lambda t: synthesize(t, trust="local", domains=DOMAINS), True, True,
    ),
    "local krimp": (
        lambda t: synthesize(
            t, trust="local", domains=DOMAINS, generator="krimp", n_rows=50
        ),
        True, True,
    ),
}  # fmt: skip


def saved(
    folder: Path, method: Callable[[dc.Table], dc.Release[Any]], frame: object
) -> dict[str, bytes]:
    with quiet():
        release = method(dc.Table.from_frame(frame, categorical=True))
        release.save(folder, report=html_report(release), overwrite=True)
    return files_of(folder)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", METHODS)
def test_a_frame(
    tmp_path: Path, replay: Replay, name: str, frame: Callable[[list[str]], object]
) -> None:
    method, is_listed, is_local = METHODS[name]
    rows = rows_of()
    first = saved(tmp_path / "out", method, frame(rows))
    for why, (row, is_in_lists) in NASTY.items():
        if is_listed and not is_in_lists:
            continue
        if is_local:
            replay.again()
            found = saved(tmp_path / "out", method, frame([row, *rows[1:]]))
        else:
            replay.again(at=len(rows))
            found = saved(tmp_path / "out", method, frame([*rows, row]))
        assert_same(first, found, why)


# The named exception: lists that were read from the table, which the model names first


@pytest.mark.parametrize("trust", ["central", "local", "dp-mii"])
def test_lists_from_the_data_are_the_one_exception(
    tmp_path: Path,
    replay: Replay,
    trust: Any,  # noqa: ANN401
) -> None:
    def method(table: dc.Table) -> dc.Release[Any]:
        if trust == "dp-mii":
            return mii(table)
        return synthesize(table, trust=trust, domains="from-data")

    rows = [*rows_of(), ",north,70000"]
    first = saved(tmp_path / "out", method, polars_frame(rows))
    # as long as the lists are the same, so is everything
    if trust == "local":
        replay.again()
        found = saved(tmp_path / "out", method, smallest_types(["50,south,1", *rows[1:]]))
    else:
        replay.again(at=len(rows))
        found = saved(tmp_path / "out", method, smallest_types([*rows, "30,north,1"]))
    assert_same(first, found, "a row more")
    assert b"Only if the lists of values are public" in found["certificate.json"]
