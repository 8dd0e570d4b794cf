"""The reference of policies names every key."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from discreet.data.binning import Bins
from discreet.data.roles import ROLES
from discreet.policy import Policy, make_policy
from discreet.policy.methods import model_of
from discreet.policy.model import LedgerOptions, ReleaseOptions, Source
from discreet.release.methods import METHODS

PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text()


@pytest.mark.parametrize(
    ("section", "model"),
    [
        ("source", Source),
        ("release", ReleaseOptions),
        ("ledger", LedgerOptions),
        *(("method", model_of(record)) for record in METHODS.values()),
    ],
)
def test_every_key_is_told_in_its_section(section: str, model: type[BaseModel]) -> None:
    told = PAGE.split(f"## [{section}]\n")[1].split("\n## ")[0]
    for name in model.model_fields:
        assert f"`{name}`" in told or f"[source.{name}]" in told, name


def test_every_section_method_role_and_form_of_bins_is_told() -> None:
    for name in Policy.model_fields:
        assert f"## [{name}]" in PAGE
    for word in (*METHODS, *ROLES):
        assert f'`"{word}"`' in PAGE
    for word in Bins.__slots__:
        assert word in PAGE


def test_the_first_example_is_a_policy() -> None:
    found = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    assert make_policy(tomllib.loads(found[1])).method.name == "k-mii"
