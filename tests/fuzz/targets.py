"""What is fuzzed: for each reader some inputs that are right, how they are broken, and the call."""

from __future__ import annotations

import hashlib
import json
import random
import string
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import xlsxwriter  # type: ignore[import-untyped]

import discreet as dc
from discreet.data.hierarchy.tree import Hierarchy
from discreet.errors import DiscreetError
from discreet.release.release import Release
from discreet.verify import verify_release

Files = dict[str, bytes]  # by name; one file, or those of a folder

COMPAT = Path(__file__).parents[1] / "compat" / "v1"


@dataclass(frozen=True)
class Target:
    """One reader."""

    seeds: Callable[[], list[Files]]
    broken: Callable[[Files, random.Random], Files]
    read: Callable[[Path], object]


# ---- Bytes, texts and JSON, broken ----

TOKENS = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b'"', b'""', b"'", b";", b",", b"\t", b"|", b"\r",
    b"\n", b"\r\n", b"=", b"[", b"]", b"{", b"}", b"#", b"\\", b"-", b"1e999", b"9" * 400, b"NaN",
    b"-0.0", b"inf", b"2026-02-30", b"\xe2\x80\x8b", b"\xed\xa0\x80", b"*", b"..", b"/", b"null",
    b"true", b"0x10", b"1_000", "\u202e".encode(), "e\u0301".encode(), b" " * 300,
]  # fmt: skip


def broken_bytes(content: bytes, rng: random.Random) -> bytes:
    """Return bytes after one to four edits."""
    for _ in range(rng.randint(1, 4)):
        at, to = sorted((rng.randint(0, len(content)), rng.randint(0, len(content))))
        to = min(to, at + rng.choice([1, 2, 8, 64, 10**9]))
        way = rng.randrange(7)
        if way == 0:
            content = content[:at] + content[to:]
        elif way == 1:
            content = content[:to] + content[at:to] * rng.choice([1, 2, 30]) + content[to:]
        elif way == 2:
            content = content[:at] + rng.choice(TOKENS) + content[at:]
        elif way == 3:
            content = content[:at]
        elif content:
            place = rng.randrange(len(content))
            new = rng.randrange(256) if way < 5 else content[place] ^ (1 << rng.randrange(8))
            content = content[:place] + bytes([new]) + content[place + 1 :]
    return content[:200_000]


def broken_lines(content: bytes, rng: random.Random) -> bytes:
    """Return a text after lines or cells were moved, doubled, dropped or replaced."""
    if rng.random() < 0.5:
        return broken_bytes(content, rng)
    lines = content.split(b"\n")
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(5)
    if way == 0:
        del lines[place]
    elif way == 1:
        lines.insert(other, lines[place])
    elif way == 2:
        lines[place], lines[other] = lines[other], lines[place]
    else:
        between = b";" if b";" in lines[place] else b"=" if b"=" in lines[place] else b","
        cells = lines[place].split(between)
        cell = rng.randrange(len(cells))
        cells[cell] = rng.choice(TOKENS) if way == 3 else rng.choice(lines[other].split(between))
        lines[place] = between.join(cells)
    return b"\n".join(lines)


VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308, float("nan"), "", "a",
    "1/3", "1/0", "9" * 400, [], {}, [[]], "\u202e", "\0", "\ud800",
    {"exact": "1/2", "decimal": "9"},
]  # fmt: skip


def broken_json(value: Any, rng: random.Random) -> Any:  # noqa: ANN401, PLR0911
    """Return a value of JSON with something in it changed, doubled, renamed or gone."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = rng.choice(sorted(value))
        rest = {key: each for key, each in value.items() if key != name}
        way = rng.randrange(10)
        if way == 0:
            return rest
        if way == 1:
            return {**value, rng.choice([name + "x", "", "\0", name.upper()]): value[name]}
        return {**value, name: broken_json(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        place, way = rng.randrange(len(value)), rng.randrange(10)
        if way == 0:
            return value[:place] + value[place + 1 :]
        if way == 1:
            return [*value, value[place]]
        return [*value[:place], broken_json(value[place], rng), *value[place + 1 :]]
    if isinstance(value, int) and not isinstance(value, bool) and rng.random() < 0.5:
        return value + rng.choice([-1, 1, -value, 10**9])
    if isinstance(value, str) and value and rng.random() < 0.5:
        place = rng.randrange(len(value))
        return value[:place] + rng.choice([*string.printable, "é", ""]) + value[place + 1 :]
    return rng.choice(VALUES)


def text_of(value: object) -> bytes:
    """Return JSON as certificates are written, with what no JSON writer refuses."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, default=str)
    return (text + "\n").encode("utf-8", "surrogatepass")


# ---- Tables ----


def one(name: str, *contents: bytes) -> Callable[[], list[Files]]:
    return lambda: [{name: content} for content in contents]


CSV = (
    b"name,sex,age,zip,when\nAnn,f,31,01234,2020-01-31\nBob,m,45,98765,2021-02-28\n,m,,1,\n",
    b'id;job;pay\n1;"cook; chef";1.50\n2;"says ""no""";2.25\n3;smith;-0.0\n',
    "größe\tfarbe\n1,80\trot\n1,75\tblau\n".encode("cp1252"),
    "a|b\n1|x\n2|y\n".encode("utf-16"),
    b"1,2,3\n1,2,3\n4,5,6\n",
)


def frame() -> pl.DataFrame:
    return pl.DataFrame(
        {"sex": ["f", "m", None], "age": [31, 45, 9], "pay": [1.5, -0.0, None],
         "when": pl.Series(["2020-01-31", None, "2021-02-28"]).str.to_date(),
         "job": pl.Series(["cook", "cook", "smith"], dtype=pl.Categorical)}
    )  # fmt: skip


def parquet_seeds() -> list[Files]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        found = []
        for compression in ("zstd", "uncompressed", "snappy"):
            frame().write_parquet(path, compression=compression)
            found.append({"t.parquet": path.read_bytes()})
        return found


def excel_seeds() -> list[Files]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.xlsx"
        with xlsxwriter.Workbook(path) as book:  # without the hour, which would be of each run
            book.set_properties({"created": datetime(2026, 1, 1, tzinfo=UTC)})
            frame().with_columns(pl.col("job").cast(pl.String)).write_excel(book)
        return [{"t.xlsx": path.read_bytes()}]


@cache  # such files say in which second they were made
def stats_seeds() -> list[Files]:
    table = dc.Table.from_frame(
        frame().with_columns(pl.col("job").cast(pl.String)), categorical=True
    )
    with tempfile.TemporaryDirectory() as folder:
        paths = [dc.write_table(table, Path(folder) / name) for name in ("t.dta", "t.sav")]
        return [{path.name: path.read_bytes()} for path in paths]


def broken_excel(files: Files, rng: random.Random) -> Files:
    """Break the file, or a part inside of it that is then packed again."""
    import io
    import zipfile

    ((name, content),) = files.items()
    if rng.random() < 0.3:
        return {name: broken_bytes(content, rng)}
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = {each: packed.read(each) for each in packed.namelist()}
    part = rng.choice(sorted(parts))
    parts[part] = broken_bytes(parts[part], rng)
    if rng.random() < 0.1:
        del parts[part]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for each, inside in parts.items():
            packed.writestr(each, inside)
    return {name: out.getvalue()}


def read_table(path: Path) -> object:
    return dc.read_table(path, categorical=True)


# ---- Policies and hierarchies ----


def policy_seeds() -> list[Files]:
    found = [path.read_bytes() for path in sorted(COMPAT.glob("*/policy.toml"))[::4]]
    whole = b"""[source]
file = "people.csv"
bins = { age = 10, pay = [0, 10, 20] }
categorical = ["zip"]

[roles]
name = "identifying"
age = "quasi"

[hierarchies]
job = "job.csv"

[method]
name = "set-cover"
k = 5
l = 2
t = "1/3"

[release]
format = "csv"
report = false

[ledger]
path = "ledger.sqlite"
source = "survey 2026"
"""
    return [{"policy.toml": each} for each in [*found, whole]]


HIERARCHIES = (
    b"FR;Europe;*\nDE;Europe;*\nJP;Asia;*\n",
    b"1,odd,*\n2,even,*\n3,odd,*\n",
    b"a;*\nb;*\n",
)


def read_hierarchy(path: Path) -> object:
    tree = Hierarchy.from_csv(path)
    return Hierarchy.from_dict(json.loads(json.dumps(tree.to_dict())))


def stored_seeds() -> list[Files]:
    trees = [Hierarchy.from_csv(text.decode()) for text in HIERARCHIES]
    return [{"tree.json": text_of(tree.to_dict())} for tree in trees]


def read_stored(path: Path) -> object:
    value = json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
    return Hierarchy.from_dict(value) if isinstance(value, dict) else None


# ---- Releases ----

SMALL = 20_000  # bytes of a file: reports are left out, which nobody reads


def folder_seeds() -> list[Files]:
    """Releases of version 1 and of today, of every kind."""
    folders = [path for path in sorted(COMPAT.iterdir()) if (path / "certificate.json").exists()]
    found = [files_of(folder) for folder in folders[::3]]
    people = dc.Table.from_frame(
        {"sex": ["f", "m"] * 8, "age": [30, 30, 40, 40] * 4, "ill": ["a", "b", "c", "a"] * 4},
        roles={"ill": "sensitive"}, categorical=True,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, release in enumerate((dc.k_mii(people, k=2), dc.mondrian(people, k=2))):
            for kind in ("csv", "parquet"):
                folder = Path(place) / f"{number}{kind}"
                release.save(folder, format=kind)
                found.append(files_of(folder))
    return found


def files_of(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


HASHES = {"report.html": "report_sha256", "policy.toml": "policy_sha256",
          "hierarchies.json": "hierarchies_sha256", "operator.json": "operator_sha256"}  # fmt: skip


def signed(files: Files, certificate: dict[str, Any]) -> Files:
    """Return files with a certificate whose hashes fit them, to reach what is behind."""
    values = {key: each for key, each in certificate.items() if key != "checksum"}
    for name, key in HASHES.items():
        if name in files and key in values:
            values[key] = hashlib.sha256(files[name]).hexdigest()
    data = values.get("data")
    if isinstance(data, dict) and isinstance(data.get("file"), str) and data["file"] in files:
        values["data"] = {**data, "sha256": hashlib.sha256(files[data["file"]]).hexdigest()}
    values["checksum"] = hashlib.sha256(text_of(values)).hexdigest()
    return {**files, "certificate.json": text_of(values)}


def broken_certificate(files: Files, rng: random.Random) -> Files:
    """Break the certificate: as bytes, or as JSON with the hashes made to fit."""
    if rng.random() < 0.2:
        return {**files, "certificate.json": broken_lines(files["certificate.json"], rng)}
    value: Any = json.loads(files["certificate.json"])
    for _ in range(rng.randint(1, 3)):
        value = broken_json(value, rng)
    if isinstance(value, dict):
        return signed(files, value)
    return {**files, "certificate.json": text_of(value)}


def broken_folder(files: Files, rng: random.Random) -> Files:
    """Break a file beside the certificate, most often with its hash made to fit."""
    name = rng.choice(sorted(set(files) - {"certificate.json", "report.html"}))
    way = rng.random()
    if way < 0.05:
        files = {each: content for each, content in files.items() if each != name}
    elif way < 0.1:
        files = {**files, rng.choice(["more.csv", "data.csv.gz", ".hidden"]): files[name]}
    elif name.endswith(".json") and way < 0.8:
        files = {**files, name: text_of(broken_json(json.loads(files[name]), rng))}
    else:
        breaks = broken_bytes if name.endswith(".parquet") else broken_lines
        files = {**files, name: breaks(files[name], rng)}
    if rng.random() < 0.1:
        return files
    return signed(files, json.loads(files["certificate.json"]))


def read_release(folder: Path) -> object:
    found = verify_release(folder)
    str(found)
    found.to_dict()
    try:
        Release.load(folder)
    except DiscreetError:
        return found
    return found


def each_file(breaks: Callable[[bytes, random.Random], bytes]) -> Callable[..., Files]:
    return lambda files, rng: {name: breaks(content, rng) for name, content in files.items()}


def each_json(files: Files, rng: random.Random) -> Files:
    return {name: text_of(broken_json(json.loads(each), rng)) for name, each in files.items()}


TARGETS = {
    "csv": Target(one("t.csv", *CSV), each_file(broken_lines), read_table),
    "parquet": Target(parquet_seeds, each_file(broken_bytes), read_table),
    "excel": Target(excel_seeds, broken_excel, read_table),
    "stats": Target(stats_seeds, each_file(broken_bytes), read_table),
    "policy": Target(policy_seeds, each_file(broken_lines), dc.read_policy),
    "hierarchy": Target(one("h.csv", *HIERARCHIES), each_file(broken_lines), read_hierarchy),
    "stored-hierarchy": Target(stored_seeds, each_json, read_stored),
    "folder": Target(folder_seeds, broken_folder, read_release),
    "certificate": Target(folder_seeds, broken_certificate, read_release),
}


# ---- Running them ----


class Fuzzer:
    """Breaks and reads one input after the other; the n-th is the same in every run of a seed."""

    def __init__(self, name: str, place: Path, *, seed: int = 0) -> None:
        self.name, self.place, self.seed = name, place, seed
        self.target = TARGETS[name]
        self.seeds = self.target.seeds()

    def input(self, number: int) -> Files:
        rng = random.Random(f"{self.name} {self.seed} {number}")
        return self.target.broken(rng.choice(self.seeds), rng)

    def run(self, number: int) -> str:
        """Read an input; return how that ended. Only a DiscreetError may come out."""
        files = self.input(number)
        one_file = "certificate.json" not in files and len(files) == 1
        folder = self.place / str(number)
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.target.read(folder / next(iter(files)) if one_file else folder)
        except DiscreetError as error:
            return type(error).__name__ if str(error).strip() else "an error without words"
        finally:
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
        return "read"
