"""One file and one call: a new mechanism is known to policies, commands, pages and contracts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.policy import plan, read_policy, run_policy
from discreet.release.method import METHODS, register
from discreet.verify.strict.steps import STEPS, Known, whole
from tests.conftest import Outcome
from tests.contract import mechanisms, test_input, test_interrupted, test_output
from tests.toy_mechanism import RECORD

POLICY = """\
[source]
file = "people.csv"
[method]
name = "keep-common"
k = 4
columns = ["sex", "region"]
"""
CONTRACTS = [
    function
    for module in (test_input, test_output, test_interrupted)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if name.startswith("test_") and "mechanism" in inspect.signature(function).parameters
]


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """Register the toy, and forget it again."""
    register(RECORD)
    # The verifier goes by tables of its own: a step that is new is one line more there.
    STEPS["keep_common"] = Known("rows", ("k-anonymity",), {"k": whole}, ("n_dropped",), alone=True)
    yield
    del METHODS[RECORD.name], STEPS["keep_common"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table and a policy, where one is."""
    people = dc.datasets.census(400, seed=1).select(["sex", "region", "marital_status"])
    dc.write_table(people, tmp_path / "people.csv")
    (tmp_path / "policy.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_from_a_policy(folder: Path) -> None:
    result = run_policy(folder / "policy.toml", folder / "out")
    assert result.verification.answer != "refuted"
    assert result.guarantee.parameters == {"k": 4}
    assert read_policy(folder / "out" / "policy.toml").method.k == 4
    (folder / "policy.toml").write_text(POLICY.replace("k = 4", "k = 1"))
    with pytest.raises(ParameterError, match=r"line 5: k is at least 2, not 1"):
        read_policy(folder / "policy.toml")


def test_a_plan(folder: Path) -> None:
    found = plan(read_policy(folder / "policy.toml"), ks=(2, 5))
    assert found.columns == ("sex", "region")
    assert [each.smallest_class >= each.k for each in found.settings] == [True, True]


def test_from_the_command_line(folder: Path, discreet: Callable[..., Outcome]) -> None:
    code, out, err = discreet(
        "protect", "keep-common", "people.csv", "-k", 3, "--columns", "sex", "-o", "out"
    )
    assert (code, err) == (0, "")
    assert "Verified: k-anonymity with k = 3" in out
    assert dc.Release.load(folder / "out").guarantee.columns == ("sex",)


def test_in_help(discreet: Callable[..., Outcome]) -> None:
    assert "Publish the rows that at least k people share." in discreet("protect", "--help").out
    out = discreet("protect", "keep-common", "--help").out
    assert "Rows that fewer people share are dropped." in out
    assert "discreet protect keep-common people.csv -k 3 -o out" in out
    assert "--loss" not in out


def test_among_those_to_choose_from(folder: Path) -> None:
    found = dc.choose(folder / "people.csv", publish="table", to="inside", promise="k-anonymity")
    assert "keep-common" in found.others


def test_in_the_report(folder: Path) -> None:
    result = run_policy(folder / "policy.toml", folder / "out")
    dropped = result.n_rows - result.n_released
    page = (folder / "out" / "report.html").read_text()
    assert f"Rows that fewer than 4 people share were dropped: {dropped} rows." in page


@pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.__name__)
def test_in_the_contract_battery(
    contract: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (toy,) = mechanisms.of_record(METHODS["keep-common"])
    others: dict[str, tuple[Any, ...]] = {
        "kind": tuple(test_input.TABLES),
        "place": ("certify", "atomic"),
    }
    taken = inspect.signature(contract).parameters
    varied = next((name for name in others if name in taken), "")
    for place, value in enumerate(others.get(varied, (None,))):
        own = tmp_path / str(place)
        own.mkdir()
        with monkeypatch.context() as patched:
            given = {
                "mechanism": toy, "tmp_path": own, "monkeypatch": patched, varied: value,
                "much": {dc.Table: dc.datasets.census(30_000, seed=1)},
            }  # fmt: skip
            contract(**{name: given[name] for name in taken})


def test_a_name_is_given_once() -> None:
    with pytest.raises(ParameterError, match="There is a method 'keep-common' already"):
        register(type(RECORD)(**{n: getattr(RECORD, n) for n in RECORD.__slots__}))
