"""The verifier has a table of its own, and knows every model that a method can claim."""

from __future__ import annotations

import pytest

from discreet.release.methods import METHODS
from discreet.verify.verifier import CHECKERS

CLAIMS = [
    (record.name, record.publishes, model) for record in METHODS.values() for model in record.claims
]


@pytest.mark.parametrize(("method", "publishes", "model"), CLAIMS)
def test_every_model_in_the_registry_has_a_checker(method: str, publishes: str, model: str) -> None:
    assert (publishes, model) in {(each.publishes, each.model) for each in CHECKERS}, method


def test_every_checker_is_for_a_model_in_the_registry() -> None:
    known = {(publishes, model) for _, publishes, model in CLAIMS}
    assert {(each.publishes, each.model) for each in CHECKERS if each.model is not None} <= known
