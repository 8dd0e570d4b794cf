"""Releases: what they refuse, what they write, and what they notice when they are read back."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.column import Label
from discreet.data.table import Table
from discreet.errors import DataError, GuaranteeError, ParameterError
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.folder import RELEASE_FILES
from discreet.release.release import Release
from tests.examples import examples
from tests.release.claims import k_anonymity

Format = Literal["parquet", "csv"]
FORMATS: tuple[Format, ...] = ("parquet", "csv")
TABLE = Table.from_frame(
    {"age": [31, 31, None], "sex": ["f", "f", None], "zip": ["01", "01", "1"]},
    roles={"sex": "sensitive", "zip": "insensitive"},
)
REPOSITORY = Path(__file__).parents[2]


def release_of(table: Table = TABLE, **changed: object) -> Release:
    fields: dict[str, object] = {
        "data": table,
        "guarantee": k_anonymity(2, columns=table.columns[:1]),
        "events": (Event(name="k_mii", parameters={"theta": 1}, counts={"n_rows_dropped": 2}),),
        "fingerprint": Fingerprint.of(table),
    }
    return Release(**{**fields, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", FORMATS)
def test_folder_round_trip(tmp_path: Path, kind: Format) -> None:
    release = release_of()
    folder = release.save(tmp_path / "out", format=kind, report="<p>é</p>", policy="k = 2\r\n")
    assert sorted(path.name for path in folder.iterdir()) == [
        "certificate.json", f"data.{kind}", "policy.toml", "report.html"]  # fmt: skip
    assert (folder / "policy.toml").read_bytes() == b"k = 2\r\n"
    back = Release.load(folder)
    assert back == release
    assert back.data.roles == TABLE.roles
    assert back.fingerprint is not None
    assert back.fingerprint.key is None
    assert release.fingerprint is not None
    assert release.fingerprint.key is not None
    assert back.fingerprint.matches(TABLE, release.fingerprint.key)
    again = back.save(tmp_path / "again", format=kind, report="<p>é</p>", policy="k = 2\r\n")
    left, right = ((each / "certificate.json").read_bytes() for each in (folder, again))
    assert left == right


def test_the_key_never_goes_into_the_folder(tmp_path: Path) -> None:
    release = release_of()
    folder = release.save(tmp_path / "out")
    assert release.fingerprint is not None
    assert release.fingerprint.key is not None
    secret = release.fingerprint.key.secret
    for path in folder.iterdir():
        content = path.read_bytes()
        assert secret not in content
        assert secret.hex().encode() not in content


LABELS: dict[str, st.SearchStrategy[Label]] = {
    "text": st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6),
    "number-like": st.from_regex(r"[-+]?0?[0-9]{1,3}(\.[0-9]0?)?|NA|None|True|nan", fullmatch=True),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(allow_nan=False),
    "boolean": st.booleans(),
    "date": st.dates(date(1900, 1, 1), date(2100, 1, 1)),
    "datetime": st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),  # noqa: DTZ001  naive
    "time": st.times(),
    "none": st.none(),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("label", LABELS)
def test_any_values_round_trip(
    label: str, kind: Format, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("values") / "out"

    @examples(8)
    @given(st.lists(LABELS[label] | st.none(), max_size=6), st.booleans())
    def check(cells: list[Label], alone: bool) -> None:  # noqa: FBT001  drawn
        values = sorted({x for x in cells if x is not None}, key=lambda x: x)
        distinct: list[Label] = [*values, None]
        codes = {'é, "a"\n': [distinct.index(cell) for cell in cells]}
        labels: dict[str, list[Label]] = {'é, "a"\n': distinct}
        if not alone:
            codes["b"], labels["b"] = [0] * len(cells), [" b"]
        release = release_of(Table.from_codes(codes, labels))
        release.save(folder, format=kind, overwrite=True)
        assert Release.load(folder) == release

    check()


def test_decimals_and_durations(tmp_path: Path) -> None:
    values: list[Label] = [Decimal("1.50"), Decimal("2.25")]
    table = Table.from_codes({"a": [1, 0]}, {"a": values})
    for kind in FORMATS:
        folder = release_of(table).save(tmp_path / kind, format=kind)
        assert Release.load(folder).data == table
    lasting = release_of(Table.from_codes({"a": [0]}, {"a": [timedelta(1)]}))
    with pytest.raises(DataError, match="Write Parquet"):
        lasting.save(tmp_path / "out", format="csv")
    assert Release.load(lasting.save(tmp_path / "out")) == lasting


def test_refuses_what_must_not_be_published() -> None:
    with pytest.raises(GuaranteeError, match="Column 'age' is identifying"):
        release_of(TABLE.with_roles(age="identifying"))
    with pytest.raises(GuaranteeError, match="Did you mean 'sex'"):
        release_of(guarantee=k_anonymity(2, columns=("sexx",)))
    with pytest.raises(GuaranteeError, match="no columns"):
        release_of(guarantee=k_anonymity(2), data=TABLE.select([]))


def test_times_are_in_utc() -> None:
    here = timezone(timedelta(hours=2))
    for moment in (datetime(2026, 1, 1, tzinfo=here), datetime(2026, 1, 1)):  # noqa: DTZ001  naive
        with pytest.raises(ParameterError, match="seconds of UTC"):
            release_of(created=moment)


def test_a_suppressed_value_does_not_survive_as_a_category(tmp_path: Path) -> None:
    kind = pl.Enum(["flu", "rareillness"])
    polars = pl.DataFrame({"a": ["flu", "rareillness"]}, schema={"a": kind})
    pandas = pd.DataFrame({"a": pd.Categorical(["flu", "rareillness"])})
    for number, frame in enumerate((polars, pandas)):
        table = Table.from_frame(frame).with_column("a", [0, 1], ["flu", None])
        release = release_of(table)
        folder = release.save(tmp_path / str(number))
        for path in folder.iterdir():
            assert b"rareillness" not in path.read_bytes()
        out = release.data.to_frame()
        assert isinstance(out, type(frame))
        assert "rareillness" not in str(out["a"].dtype)


def test_steps_are_new_objects() -> None:
    first = release_of()
    second = first.after(Event(name="impute"), data=TABLE.take([0, 1]))
    assert [event.name for event in first.events] == ["k_mii"]
    assert [event.name for event in second.events] == ["k_mii", "impute"]
    assert (first.data.n_rows, second.data.n_rows) == (3, 2)
    assert "n_rows_dropped = 2" in second._repr_html_()
    assert "Release of 2 rows" in repr(second)


@pytest.mark.parametrize("kind", FORMATS)
def test_every_change_is_noticed_and_named(tmp_path: Path, kind: Format) -> None:
    whole = release_of().save(tmp_path / "out", format=kind, report="r", policy="p")
    for name in (f"data.{kind}", "report.html", "policy.toml"):
        for damage in ("missing", "changed"):
            folder = tmp_path / f"{name}-{damage}"
            shutil.copytree(whole, folder)
            if damage == "missing":
                (folder / name).unlink()
            else:
                (folder / name).write_bytes((folder / name).read_bytes()[:-1] + b"!")
            with pytest.raises(GuaranteeError, match=f"{name} .*{damage}"):
                Release.load(folder)
    other = "data.csv" if kind == "parquet" else "data.parquet"
    (whole / other).write_bytes(b"")
    with pytest.raises(GuaranteeError, match=f"{other} is not certified"):
        Release.load(whole)


def test_a_certificate_of_other_data(tmp_path: Path) -> None:
    folder = release_of().save(tmp_path / "out", format="csv")
    path = folder / "certificate.json"
    from tests.release.test_certificate import sealed

    for change in ({"n_rows": 2}, {"columns": [{"name": "age", "role": "quasi", "type": "text"}]}):
        values = json.loads(path.read_text())
        del values["checksum"]
        values["data"] |= change
        path.write_text(sealed(values))
        with pytest.raises(GuaranteeError, match=r"data\.csv (has 3 rows|is not as certified)"):
            Release.load(folder)


def test_what_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no release"):
        Release.load(tmp_path)
    with pytest.raises(DataError, match="There is no release"):
        Release.load(tmp_path / "none")
    folder = release_of().save(tmp_path / "out")
    folder.rename(tmp_path / ".out.discreet-old-0123456789abcdef")
    with pytest.raises(DataError, match=r"left it as \.out\.discreet-old"):
        Release.load(folder)
    folder.mkdir()
    (folder / "certificate.json").write_bytes(b"\xff")
    with pytest.raises(DataError, match="not UTF-8"):
        Release.load(folder)


def test_options(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="Did you mean 'parquet'"):
        release_of().save(tmp_path / "out", format="parque")  # type: ignore[arg-type]
    folder = release_of().save(tmp_path / "out")
    with pytest.raises(ParameterError, match="overwrite=True"):
        release_of().save(folder)
    release_of(TABLE.take([0])).save(folder, format="csv", overwrite=True)
    assert Release.load(folder).data.n_rows == 1
    assert not (folder / "data.parquet").exists()
    empty = Table.from_codes({"a": [0]}, {"a": [""]})
    with pytest.raises(DataError, match="empty texts"):
        release_of(empty).save(folder, format="csv", overwrite=True)
    assert Release.load(folder).data.n_rows == 1
    assert {path.name for path in folder.iterdir()} <= RELEASE_FILES
    assert replace(release_of(), version="9").version == "9"


SAVING = """
import sys
from tests.release.kill_points import release_of
release = release_of("new")
print("ready", flush=True)
while True:
    release.save(sys.argv[1], overwrite=True, report="new", policy="new")
"""


def test_killed_at_any_time(tmp_path: Path) -> None:
    target = tmp_path / "out"
    for wait in (0.013, 0.04, 0.11):
        run = subprocess.Popen(
            [sys.executable, "-c", SAVING, str(target)], cwd=REPOSITORY, stdout=subprocess.PIPE
        )
        with run:
            assert run.stdout is not None
            run.stdout.readline()
            time.sleep(wait)
            run.send_signal(signal.SIGKILL)
        if target.exists():
            Release.load(target)
    release_of().save(target, overwrite=True)
    assert list(tmp_path.iterdir()) == [target]
