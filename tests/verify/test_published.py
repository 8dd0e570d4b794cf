"""A certificate of version 2 says what it publishes; one that contradicts itself is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet.release.guarantee import IF_ITEMS_PUBLIC
from discreet.verify import verify_release
from discreet.verify.certificate import read_claims
from discreet.verify.verifier import CHECKERS, SHOWN
from tests.verify.folders import check, edit, failed
from tests.verify.test_refusals import saved

KINDS = {
    "floor": "rows",
    "weights": "rows",
    "public": "rows",
    "gaussian": "synthetic rows",
    "laplace": "synthetic rows",
    "patterns": "patterns",
    "randomized": "transactions",
}
WRONG = [(name, kind) for name, right in KINDS.items() for kind in SHOWN if kind != right]


def publishing(kind: object) -> Callable[[dict[str, Any]], None]:
    return lambda values: values.update(publishes=kind)


def as_version_1(values: dict[str, Any]) -> None:
    values.update(schema_version=1, discreet_version="0.1.0")
    del values["publishes"]
    claim = values["guarantee"]  # whose conditions version 1 did not name first
    claim["model"] = claim["model"].removeprefix(IF_ITEMS_PUBLIC)


@pytest.mark.parametrize("name", KINDS)
def test_what_is_published_is_read(name: str, tmp_path: Path) -> None:
    folder = saved(name, tmp_path)
    content = (folder / "certificate.json").read_bytes()
    assert read_claims(content).publishes == KINDS[name]
    found = verify_release(folder)
    assert "publishes" not in {each.name for each in found.checks}
    old = edit(folder, as_version_1)
    assert read_claims((old / "certificate.json").read_bytes()).publishes == KINDS[name]
    read = verify_release(old)
    # What version 1 did not demand is named; all else is as it was.
    (version,) = [each for each in read.checks if each.name == "version"]
    assert version.passed is None
    assert read.answer == found.answer
    others = [(each.name, each.passed) for each in read.checks if each is not version]
    asked = [each for each in found.checks if each.name != "items"]
    assert others == [(each.name, each.passed) for each in asked]


@pytest.mark.parametrize(("name", "kind"), WRONG)
def test_another_kind_than_the_data_or_the_model_is_refused(
    name: str, kind: str, tmp_path: Path
) -> None:
    found = verify_release(edit(saved(name, tmp_path), publishing(kind)))
    assert failed(found) == ["publishes"]
    assert f"says that it publishes {kind}, but" in check(found, "publishes").detail
    assert "failed: publishes" in found.sentence


def without_draw(values: dict[str, Any]) -> None:
    values["events"].pop()


def with_draw(values: dict[str, Any]) -> None:
    values["events"].append({"name": "draw_rows", "parameters": {}, "counts": {}})


def of_an_unknown_model(values: dict[str, Any]) -> None:
    values["guarantee"]["model"] = "m-invariance"


@pytest.mark.parametrize(
    ("name", "change", "kind", "words"),
    [
        ("gaussian", without_draw, "synthetic rows", "no step says that rows were drawn"),
        ("public", with_draw, "rows", "a step says that rows were drawn"),
        ("floor", of_an_unknown_model, "patterns", "the columns are not those of itemsets"),
        ("floor", of_an_unknown_model, "transactions", "no column holds sets of items"),
        ("randomized", of_an_unknown_model, "rows", "a column holds sets of items"),
    ],
)
def test_steps_and_columns_tell_too(
    name: str, change: Callable[[dict[str, Any]], None], kind: str, words: str, tmp_path: Path
) -> None:
    folder = edit(edit(saved(name, tmp_path), publishing(kind)), change)
    assert words in check(verify_release(folder), "publishes").detail


def test_transactions_have_an_operator(tmp_path: Path) -> None:
    folder = saved("randomized", tmp_path)
    (folder / "operator.json").unlink()
    edit(folder, lambda values: values.pop("operator_sha256"))
    assert "there is no operator.json" in check(verify_release(folder), "publishes").detail


def test_rows_have_no_operator(tmp_path: Path) -> None:
    folder = saved("floor", tmp_path)
    edit(folder, lambda values: values.update(operator_sha256="a" * 64))
    assert "there is operator.json" in check(verify_release(folder), "publishes").detail


@pytest.mark.parametrize("kind", ["tables", "", None, 1, "Rows"])
def test_a_kind_that_there_is_not(kind: object, tmp_path: Path) -> None:
    found = verify_release(edit(saved("floor", tmp_path), publishing(kind)))
    assert failed(found) == ["certificate"]
    assert "publishes is not as it should be" in found.sentence


def test_version_1_does_not_say_what_it_publishes(tmp_path: Path) -> None:
    folder = saved("floor", tmp_path)
    found = verify_release(edit(folder, lambda values: values.update(schema_version=1)))
    assert "has publishes, which does not belong there" in found.sentence
    found = verify_release(edit(folder, lambda values: values.pop("publishes")))
    assert "has no publishes" not in found.sentence
    found = verify_release(edit(folder, lambda values: values.update(schema_version=2)))
    assert "has no publishes" in found.sentence


@pytest.mark.parametrize("name", ["floor", "patterns", "randomized"])
def test_a_model_that_is_not_known_is_left_open(name: str, tmp_path: Path) -> None:
    found = verify_release(edit(saved(name, tmp_path), of_an_unknown_model))
    assert found.answer == "refuted"
    assert check(found, "claim").passed is None
    assert "m-invariance" in check(found, "claim").detail


def test_every_kind_has_a_checker_for_what_is_not_known_and_comes_last() -> None:
    for kind in SHOWN:
        models = [each.model for each in CHECKERS if each.publishes == kind]
        assert models.index(None) == len(models) - 1
