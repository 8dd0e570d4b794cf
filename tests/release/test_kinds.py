"""One class for rows, synthetic rows, patterns and transactions: saved, read back, refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from discreet.data.table import Table
from discreet.data.transactions import Transactions
from discreet.errors import DataError, GuaranteeError, ParameterError
from discreet.mine.itemsets import Itemsets
from discreet.release.contents import read_pattern_table
from discreet.release.event import Event
from discreet.release.release import Release
from tests.release.claims import k_anonymity, local, patterns, private
from tests.release.test_certificate import sealed

TABLE = Table.from_frame({"age": ["30", "30"], "sex": ["f", "m"]}, roles={"sex": "sensitive"})
ITEMSETS = Itemsets.from_mapping(
    {frozenset(["é"]): 6, frozenset(['"b"']): 4, frozenset(["é", '"b"']): 3}, n_rows=9
)
WITNESS = Itemsets.from_mapping({frozenset(["é", '"b"']): 3, frozenset[str](): 6}, n_rows=9)
BASKETS = Transactions.from_iterable([["tea", "milk"], [], ["tea"]])
OPERATOR = {"operator": "cut-and-paste", "cutoff": 2, "rho": {"1": "1/4", "2": "1/3"}}
SIZES = np.array([2, 1, 1], np.int32)

MADE: dict[str, Release[Any]] = {
    "rows": Release(data=TABLE, guarantee=k_anonymity(2, columns=("age",))),
    "synthetic rows": Release(
        data=TABLE, guarantee=private(), kind="synthetic rows", events=(Event(name="draw_rows"),)
    ),
    "patterns": Release(data=ITEMSETS, guarantee=patterns(), kind="patterns"),
    "patterns with a witness": Release(
        data=ITEMSETS, guarantee=patterns(), kind="patterns", witness=WITNESS
    ),
    "transactions": Release(
        data=BASKETS,
        guarantee=local(),
        kind="transactions",
        operator=OPERATOR,
        sizes=SIZES,
        n_null_items=1,
    ),
}
NAMES = {
    "rows": "2 rows",
    "synthetic rows": "2 rows",
    "patterns": "3 itemsets",
    "transactions": "3 randomized transactions",
}
each = pytest.mark.parametrize("name", MADE)


def stated(folder: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((folder / "certificate.json").read_text("utf-8"))
    return values


def restate(folder: Path, **changes: object) -> Path:
    """Change a certificate and renew its checksum."""
    values = stated(folder) | changes
    del values["checksum"]
    (folder / "certificate.json").write_text(sealed(values), "utf-8")
    return folder


@each
def test_every_kind_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    release = MADE[name]
    folder = release.save(tmp_path / "out", report="<p>", policy="k = 2")
    back = Release.load(folder)
    assert back == release
    assert back.kind == release.kind == name.removesuffix(" with a witness")
    assert back.data == release.data
    assert back.witness == release.witness
    assert back.operator == release.operator
    assert (folder / "report.html").read_text() == "<p>"
    assert (folder / "policy.toml").read_text() == "k = 2"
    again = back.save(tmp_path / "again", report="<p>", policy="k = 2")
    assert stated(again) == stated(folder)


@pytest.mark.parametrize("name", [name for name in MADE if name != "transactions"])
def test_and_from_text(name: str, tmp_path: Path) -> None:
    assert Release.load(MADE[name].save(tmp_path / "out", format="csv")) == MADE[name]


def test_text_keeps_no_sets(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"sets of items\. Write Parquet"):
        MADE["transactions"].save(tmp_path / "out", format="csv")
    assert not list(tmp_path.iterdir())


@each
def test_the_certificate_is_what_the_file_says_without_hashes(name: str, tmp_path: Path) -> None:
    release = MADE[name]
    said = stated(release.save(tmp_path / "out"))
    assert said["schema_version"] == 2
    assert said["publishes"] == release.kind
    for field in [field for field in said if field.endswith("sha256")] + ["checksum"]:
        del said[field]
    for field in ("file", "sha256"):
        del said["data"][field]
    assert release.certificate == said


@each
def test_a_release_says_how_much_it_holds(name: str) -> None:
    release = MADE[name]
    assert repr(release).startswith(f"Release of {NAMES[release.kind]}: ")
    assert release.to_dict()["publishes"] == release.kind


@each
def test_every_part_counts_when_two_are_compared(name: str) -> None:
    release = MADE[name]
    assert replace(release, version="9") != release
    assert release != release.data
    if release.witness is not None:
        assert replace(release, witness=None) != release
    if release.kind == "transactions":
        assert replace(release, sizes=SIZES[::-1]) != release
        assert replace(release, operator={}) != release
        assert replace(release, n_null_items=0) != release


PARTS: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("rows", {"kind": "row"}, ParameterError, "Did you mean 'rows'"),
    ("rows", {"kind": "patterns"}, ParameterError, "of the class Itemsets, not Table"),
    ("rows", {"data": BASKETS}, ParameterError, "of the class Table, not Trans"),
    ("rows", {"witness": WITNESS}, ParameterError, "rows has no witness"),
    ("rows", {"operator": OPERATOR}, ParameterError, "rows has no operator"),
    ("rows", {"sizes": SIZES}, ParameterError, "rows has no sizes"),
    ("transactions", {"witness": WITNESS}, ParameterError, "transactions has no witness"),
    ("transactions", {"operator": None}, ParameterError, "has the operator that randomized"),
    ("transactions", {"sizes": None}, ParameterError, "has the operator that randomized"),
    ("transactions", {"sizes": SIZES[1:]}, ParameterError, "2 numbers for 3 transactions"),
    ("transactions", {"n_null_items": 3}, ParameterError, "n_null_items=3 must be from 0"),
    ("patterns", {"n_null_items": 1}, ParameterError, "patterns has no n_null_items"),
    ("patterns", {"data": replace(ITEMSETS, n_rows=8)}, GuaranteeError, "n_rows = 9, and"),
    (
        "patterns",
        {"data": Itemsets.from_mapping({frozenset([1]): 3}, n_rows=9)},
        ParameterError,
        "items of the data of a release are texts",
    ),
    (
        "patterns",
        {"witness": Itemsets.from_mapping({frozenset([1]): 3}, n_rows=9)},
        ParameterError,
        "items of the witness of a release are texts",
    ),
    (
        "patterns",
        {"data": Itemsets.from_mapping({}, n_rows=9)},
        GuaranteeError,
        "the data has no itemset",
    ),
]


@pytest.mark.parametrize(("name", "changes", "error", "words"), PARTS)
def test_parts_that_do_not_fit_together(
    name: str, changes: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        replace(MADE[name], **changes)


@pytest.mark.parametrize("kind", NAMES)
@each
def test_a_certificate_of_another_kind_is_not_read_as_such(
    name: str, kind: str, tmp_path: Path
) -> None:
    release = MADE[name]
    folder = restate(release.save(tmp_path / "out"), publishes=kind)
    if {release.kind, kind} <= KEPT_IN_ONE_FORM or release.kind == kind:
        assert Release.load(folder).kind == kind
    elif release.kind == "patterns" and kind in KEPT_IN_ONE_FORM:
        assert Release.load(folder).data.columns == ("items", "support", "kind")
    else:
        with pytest.raises(GuaranteeError, match=r"is not as certified|certificate"):
            Release.load(folder)


KEPT_IN_ONE_FORM = {"rows", "synthetic rows"}  # a table: the verifier tells them apart


def rows_of(*cells: tuple[object, object, object]) -> Table:
    frame = pl.DataFrame(cells, schema=["items", "support", "kind"], orient="row", strict=False)
    return Table.from_frame(frame, categorical=True)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (lambda: TABLE, "has columns items, support, kind, not age, sex"),
        (lambda: rows_of(("a", 3, "pattern")), "Row 1 is not an itemset"),
        (lambda: rows_of(('["a"]', 3, "pattern"), ("[1]", 3, "pattern")), "Row 2 is not"),
        (lambda: rows_of(('["a", "a"]', 3, "pattern")), "Row 1 is not an itemset"),
        (lambda: rows_of(('["a"]', "3", "pattern")), "Row 1 is not an itemset"),
        (lambda: rows_of(('["a"]', 3, "other")), "Row 1 is not an itemset"),
        (lambda: rows_of((None, 3, "pattern")), "Row 1 is not an itemset"),
        (lambda: rows_of(('["a"]', 3, "pattern"), ('["a"]', 4, "pattern")), "Row 2 .* again"),
    ],
)
def test_rows_that_are_no_patterns(table: Callable[[], Table], words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_pattern_table(table(), n_rows=9)


def test_transactions_without_their_operator(tmp_path: Path) -> None:
    folder = MADE["transactions"].save(tmp_path / "out")
    (folder / "operator.json").unlink()
    values = stated(folder)
    del values["operator_sha256"], values["checksum"]
    (folder / "certificate.json").write_text(sealed(values), "utf-8")
    with pytest.raises(GuaranteeError, match=r"There is no operator\.json"):
        Release.load(folder)


def test_transactions_whose_files_are_certified_but_wrong(tmp_path: Path) -> None:
    folder = MADE["transactions"].save(tmp_path / "out")
    (folder / "operator.json").write_bytes(b"{}")
    wrong = hashlib.sha256(b"{}").hexdigest()
    with pytest.raises(GuaranteeError, match=r"not as certified: operator\.json has items"):
        Release.load(restate(folder, operator_sha256=wrong))
    folder = MADE["transactions"].save(tmp_path / "other")
    pl.read_parquet(folder / "data.parquet").rename({"size": "n"}).write_parquet(
        folder / "data.parquet"
    )
    wrong = hashlib.sha256((folder / "data.parquet").read_bytes()).hexdigest()
    with pytest.raises(GuaranteeError, match="does not hold sizes and items"):
        Release.load(restate(folder, data=stated(folder)["data"] | {"sha256": wrong}))
