"""Every method under every kind of rule: what it releases obeys, and the verifier says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.errors import GuaranteeError
from discreet.generalize.problem import state_problem
from discreet.generalize.release import LossSummary, clustered_release
from discreet.generalize.rules import Options
from tests.generalize.releases import ILLS, TREES, people

PEOPLE = people()
METHODS = (
    dc.set_cover,
    dc.forest,
    dc.agglomerative,
    dc.mondrian,
    dc.datafly,
    dc.incognito,
)
RULES: list[Options] = [
    {},
    {"l": 2},
    {"l": 1.5, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 3},
    {"t": 0.4},
    {"t": 0.3, "distance": "ordered"},
    {"t": 0.3, "distance": "hierarchical", "hierarchies": {**TREES, "ill": ILLS}},
    {"l": 2, "t": 0.5},
    {"households": "home"},
    {"loss": "entropy", "l": 2},
]


@pytest.mark.parametrize("options", RULES, ids=str)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: str(method.__name__))
def test_what_is_released_obeys(
    method: Callable[..., dc.Release], options: Options, tmp_path: Path
) -> None:
    given: Options = {"hierarchies": TREES, "columns": ("age", "job", "sex"), **options}
    release = method(PEOPLE, k=4, **given)
    assert isinstance(release.loss, LossSummary)
    assert 0 <= release.loss.loss < 1  # not everything hidden
    found = dc.verify_release(release.save(tmp_path / "out"), original=PEOPLE)
    assert found.answer != "refuted", found.sentence
    assert not found.failed


@pytest.mark.parametrize("options", RULES[1:-1], ids=str)
def test_groups_that_break_a_rule_are_not_released(options: Options) -> None:
    given: Options = {"hierarchies": TREES, "columns": ("age", "job", "sex"), **options}
    problem = state_problem(PEOPLE, k=4, options=given)
    column = "home" if "households" in options else "ill"
    clusters = np.empty(PEOPLE.n_rows, np.int64)
    clusters[np.argsort(PEOPLE.codes(column))] = np.arange(PEOPLE.n_rows) // 4
    with pytest.raises(GuaranteeError, match="A group breaks the rule of column"):
        clustered_release(PEOPLE, problem=problem, options=given, clusters=clusters, events=())
