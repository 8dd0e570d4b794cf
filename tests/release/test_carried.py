"""Numbers that are only carried along: stated, the same in a class, recomputed by the verifier."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as dc
from discreet import Release, Table
from discreet.cli.app import app
from discreet.data.binning import as_carried
from discreet.data.write import write_table
from discreet.errors import DataError, ParameterError
from discreet.generalize import agglomerative, datafly, forest, incognito, mondrian, set_cover
from discreet.release.certificate import _checksum
from discreet.suppress import dp_mii_suppress, k_mii, mii_suppress
from discreet.synthesize import synthetic_release
from discreet.verify import verify_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

METHODS: dict[str, Callable[..., Release]] = {
    "k_mii": k_mii, "set_cover": set_cover, "forest": forest, "agglomerative": agglomerative,
    "mondrian": mondrian, "datafly": datafly, "incognito": incognito,
}  # fmt: skip


def frame_of(n: int = 60, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({
        "sex": rng.choice(["f", "m"], n),
        "town": rng.choice(["Ghent", "Bruges", "Ypres"], n),
        "pay": [None if i % 11 == 0 else round(float(x), 2) for i, x in
                enumerate(rng.lognormal(7, 1, n))],
        "days": rng.integers(0, 400, n),
        "cost": rng.integers(-500, 5000, n),
    })  # fmt: skip


Change: TypeAlias = "Callable[[float | None, int], float | None]"
CARRIED = {"pay": "mean", "days": "median, 0 to 300", "cost": "round 100, 0 to 4000"}


def table_of() -> Table:
    return Table.from_frame(frame_of(), carried=CARRIED, one_row_per_person=True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_every_method_shows_what_is_stated_and_verifies(
    method: str, kind: Literal["parquet", "csv"], tmp_path: Path
) -> None:
    table = table_of()
    release = METHODS[method](table, k=4)
    rows = release.data.to_polars()
    covered = list(release.guarantee.columns)
    assert covered == ["sex", "town"]
    assert release.input_rows is not None
    before = frame_of()[release.input_rows]
    # Recomputed by polars from the rows of the input that each class was made from.
    both = rows.with_columns(before["pay"].alias("own"), before["days"].clip(0, 300).alias("d"))
    expected = both.with_columns(
        pl.col("own").mean().over(covered).alias("mean"),
        pl.col("d").median().over(covered).alias("median"),
        pl.col("own").is_not_null().sum().over(covered).alias("n"),
    )
    for pay, mean, n in expected.select("pay", "mean", "n").iter_rows():
        assert pay == pytest.approx(mean) if n >= 4 else pay is None
    assert expected["days"].to_list() == expected["median"].to_list()
    rounded = (before["cost"].clip(0, 4000) / 100 + 0.5).floor() * 100
    assert rows["cost"].to_list() == rounded.to_list()
    assert [rows.schema["pay"], rows.schema["cost"]] == [pl.Float64(), pl.Int64()]
    folder = release.save(tmp_path / "out", format=kind)
    assert verify_release(folder).answer == "verified"
    found = verify_release(folder, original=frame_of())
    assert found.answer == "verified", found.failed
    details = " ".join(check.detail for check in found.checks)
    assert "pay (the mean of each class)" in details
    assert "carried along" in details
    said = " ".join(release.guarantee.not_protected)
    assert "'pay' shows the mean of its class" in said
    assert "can work out the last" in said
    assert "'pay' is released as" not in said
    assert Release.load(folder).data.to_polars().equals(rows)


def tampered(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    """Change the rows of a release, and renew every hash."""

    path = folder / "data.csv"
    rows = change(pl.read_csv(path))
    write_table(Table.from_frame(rows, categorical=True), path, overwrite=True)
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["data"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    del certificate["checksum"]
    certificate["checksum"] = _checksum(certificate)
    text = json.dumps(certificate, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    (folder / "certificate.json").write_text(text)
    return folder


@pytest.mark.parametrize("method", ["k_mii", "mondrian"])
@pytest.mark.parametrize(
    ("column", "change", "needs_original"),
    [
        ("pay", lambda v, row: None if v is None else v + (row == 0), False),  # one row differs
        ("pay", lambda v, _: None if v is None else v * 1.5, True),  # every mean is another
        ("days", lambda v, _: v + 40.0, True),
        ("cost", lambda v, row: v + (row == 3), False),  # no multiple of its step
        ("cost", lambda v, _: v + 100_000, False),  # above its end
    ],
)
def test_a_number_that_the_steps_do_not_lead_to_is_refuted(
    method: str,
    column: str,
    change: Change,
    needs_original: bool,  # noqa: FBT001  a parameter
    tmp_path: Path,
) -> None:
    folder = METHODS[method](table_of(), k=4).save(tmp_path / "out", format="csv")
    tampered(
        folder,
        lambda rows: rows.with_columns(
            pl.Series(column, [change(v, i) for i, v in enumerate(rows[column].to_list())])
        ),
    )
    alone, beside = verify_release(folder), verify_release(folder, original=frame_of())
    assert "carried columns" in [check.name for check in beside.failed]
    assert ("carried columns" in [check.name for check in alone.failed]) != needs_original


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xy"),
                  st.one_of(st.none(), st.integers(-5, 5)), st.integers(0, 9)),
        min_size=6, max_size=30,
    ),
    st.sampled_from(["mean", "median", "mean, -2 to 3", "median, round 2"]),
    st.booleans(),
)  # fmt: skip
def test_against_brute_force(
    cells: list[tuple[str, str, int | None, int]],
    how: str,
    of_people: bool,  # noqa: FBT001
) -> None:
    frame = pl.DataFrame(cells, schema=["a", "b", "n", "who"], orient="row")
    frame = frame.with_columns(pl.col("n").cast(pl.Int64))
    about: dict[str, Any] = {"person": "who"} if of_people else {"columns": ["a", "b", "n"]}
    if frame["who"].n_unique() < 2:
        return
    table = Table.from_frame(frame, carried={"n": how}, **about)
    release = mondrian(table, k=2)
    said = as_carried("n", how)
    classes: dict[tuple[object, ...], list[int]] = {}
    assert release.input_rows is not None
    shown = release.data.to_polars()
    for place, source in enumerate(release.input_rows.tolist()):
        classes.setdefault(shown.select("a", "b").row(place), []).append(source)
    for place in range(shown.height):
        rows = classes[shown.select("a", "b").row(place)]
        has = [row for row in rows if cells[row][2] is not None]
        units = {cells[row][3] if of_people else row for row in has}
        if len(units) < 2:
            assert shown["n"][place] is None
            continue
        numbers = sorted(Fraction(cells[row][2] or 0) for row in has)
        if said.low is not None and said.high is not None:
            numbers = [min(max(n, said.low), said.high) for n in numbers]
        middle = len(numbers) // 2
        value = (
            sum(numbers) / len(numbers) if said.shows == "mean"
            else (numbers[(len(numbers) - 1) // 2] + numbers[middle]) / 2
        )  # fmt: skip
        if said.step is not None:
            value = (value / said.step + Fraction(1, 2)).__floor__() * said.step
        assert float(shown["n"][place]) == float(value)


def test_methods_without_classes_refuse_such_columns() -> None:
    table = table_of()
    calls: list[Callable[[], object]] = [
        lambda: mii_suppress(table, theta=2),
        lambda: dp_mii_suppress(table, epsilon=1, delta=1e-6, k=5),
        lambda: synthetic_release(table, epsilon=1, delta=1e-6),
        lambda: mondrian(table, k=4, columns=["sex", "pay"]),
        lambda: k_mii(table, k=4, columns=["sex", "pay"]),
    ]
    for call in calls:
        with pytest.raises(ParameterError, match="only carried along"):
            call()


def test_treatments_are_stated_in_words_that_are_checked() -> None:
    frame = frame_of()
    for wrong in ("", "average", "round 0", "round x", "9 to 3", "mean, median", "mean,", 3):
        given: dict[str, Any] = {"pay": wrong, "days": "mean", "cost": "mean"}
        with pytest.raises(ParameterError, match="no treatment"):
            Table.from_frame(frame, carried=given)
    with pytest.raises(ParameterError, match="has the role 'quasi'"):
        Table.from_frame(frame, carried=CARRIED, roles={"pay": "quasi"})
    with pytest.raises(DataError, match="does not hold numbers"):
        Table.from_frame(frame, carried={**CARRIED, "sex": "mean"})
    # Without a word about it a measurement is refused, as ever.
    with pytest.raises(DataError, match="measurements, not categories"):
        Table.from_frame(frame)


def test_decimals_of_text_files_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    frame_of().write_csv(path)
    table = dc.read_table(path, carried=CARRIED, one_row_per_person=True)
    assert isinstance(table.values("pay")[0], float)
    assert mondrian(table, k=4).data == mondrian(table_of(), k=4).data


def test_a_policy_and_a_command_carry_columns_and_reports_say_so(tmp_path: Path) -> None:
    frame_of().write_csv(tmp_path / "pay.csv")
    words = [f"--carried={name}={how}" for name, how in CARRIED.items()]
    out = tmp_path / "out"
    ran = CliRunner().invoke(
        app, ["protect", "mondrian", str(tmp_path / "pay.csv"), "-k", "4", "-o", str(out), *words]
    )
    assert ran.exit_code == 0, ran.output
    page = (out / "report.html").read_text()
    assert "every row shows the mean of its class" in page
    assert "every row shows the median of its class" in page
    assert "Numbers below 0 and above 4000 were taken for these" in page
    # The policy of the release makes it again.
    policy = (out / "policy.toml").read_text()
    assert "mean" in policy
    (tmp_path / "policy.toml").write_text(policy)
    again = dc.policy.run_policy(tmp_path / "policy.toml", tmp_path / "again")
    assert again.release is not None
    assert again.release.data == Release.load(out).data
    checked = CliRunner().invoke(app, ["verify", str(out), "--original", str(tmp_path / "pay.csv")])
    assert checked.exit_code == 0, checked.output
    wrong = policy.replace('"mean"', '"average"')
    (tmp_path / "policy.toml").write_text(wrong)
    with pytest.raises(ParameterError, match="no treatment"):
        dc.policy.run_policy(tmp_path / "policy.toml", tmp_path / "third")
