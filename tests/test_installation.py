"""What is installed for whom: the extras of the package, and the two locks of the repository."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.try_wheel import TOOLS, without_tools

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
LOCKS = ("requirements.lock", "requirements-dev.lock")


def _name(requirement: str) -> str:
    return re.split(r"[\[<>=; ]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def _locked(name: str) -> dict[str, set[str]]:
    """Return the versions of each package in a lock; several are for several interpreters."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / name).read_text("utf-8").splitlines():
        if match := re.match(r"([a-z0-9-]+)(?:\[[a-z]+\])?==(\S+)", line):
            found.setdefault(match[1], set()).add(match[2])
    return found


def test_the_extras_have_plain_names_and_all_is_all_but_spark() -> None:
    parts = {"app", "collect", "excel", "learning", "postgres", "stats"}
    assert set(EXTRAS) == parts | {"spark", "all"}
    assert EXTRAS["all"] == [f"discreet[{','.join(sorted(parts))}]"]


def test_what_runs_is_locked_alone_and_what_develops_beside_it() -> None:
    run, develop = (_locked(name) for name in LOCKS)
    groups = PROJECT["dependency-groups"]
    assert {_name(one) for one in PROJECT["project"]["dependencies"]} <= set(run)
    assert {_name(one) for one in groups["build"]} <= set(run)
    assert run.items() <= develop.items()  # the same versions in both
    wanted = [one for one in groups["dev"] if isinstance(one, str)]
    wanted += [
        one for name, extra in EXTRAS.items() if name not in {"all", "spark"} for one in extra
    ]
    assert {_name(one) for one in wanted} <= set(develop)
    # Only what is needed to run and to build: nothing of an extra, of tests or of the guide.
    assert not {_name(one) for one in wanted} & set(run)
    assert "pyspark" not in run.keys() | develop.keys()


def test_where_only_running_is_wanted_the_tools_that_build_are_removed() -> None:
    build = PROJECT["dependency-groups"]["build"]
    assert sorted(TOOLS) == sorted(_name(one) for one in build)
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    kept = without_tools(lock)
    assert set(kept.splitlines()) < set(lock.splitlines())
    names = set(re.findall(r"^([a-z0-9-]+)==", kept, re.MULTILINE))
    assert names == set(_locked("requirements.lock")) - set(TOOLS)
    image = (ROOT / "Dockerfile").read_text("utf-8")
    assert f"pip uninstall -y {' '.join(sorted(TOOLS))} " in image


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_is_hashed_and_names_no_registry(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert "://" not in text
    assert "index-url" not in text
    pieces = re.split(r"\n(?=[a-z])", text)
    assert len(pieces) > 30
    assert all("--hash=sha256:" in piece for piece in pieces)


def test_every_extra_that_an_error_names_exists() -> None:
    named = set()
    for path in (ROOT / "src").rglob("*.py"):
        named |= set(re.findall(r"pip install 'discreet\[([a-z,]+)\]'", path.read_text("utf-8")))
    assert {"collect", "excel", "learning", "postgres"} <= named <= set(EXTRAS)
