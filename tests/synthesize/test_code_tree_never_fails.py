"""The code tree after the budget is spent: it never fails, however noisy the estimates are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import discreet as dc
from discreet.data.table import Table
from discreet.errors import LimitError
from discreet.mine.database import Item
from discreet.synthesize import Synthesizer, code_tree, krimp
from discreet.synthesize.krimp import code_tree as module

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

VALUES = ("a", "b", "c", "d")


def people(n_rows: int, *, seed: int) -> tuple[Table, dict[str, tuple[str, ...]]]:
    """Return rows of ten columns, and the lists of their values."""
    rng = np.random.default_rng(seed)
    domains: dict[str, tuple[str, ...]] = {f"c{number}": VALUES for number in range(10)}
    codes = {name: rng.integers(4, size=n_rows) for name in domains}
    return Table.from_codes(codes, domains), domains


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
def test_local_trust_over_seeds_and_small_epsilons(seed: int, epsilon: float) -> None:
    """Estimates of unions are far above 1 here, so that no threshold below left few enough."""
    table, domains = people(300, seed=seed)
    made = Synthesizer(epsilon, trust="local", generator="krimp", domains=domains, seed=seed)
    drawn = made.fit(table).sample(50)
    assert drawn.n_rows == 50
    assert max(made.model.tree.probabilities.values()) <= 1
    assert min(made.model.tree.probabilities.values()) >= 0


@pytest.mark.parametrize("trust", ["local", "central"])
@pytest.mark.parametrize("n_rows", [1, 40])
def test_few_rows(n_rows: int, trust: str) -> None:
    table, domains = people(n_rows, seed=1)
    delta = 1e-6 if trust == "central" else 0
    made = Synthesizer(0.01, delta=delta, trust=trust, generator="krimp", domains=domains, seed=1)  # type: ignore[arg-type]  # one of the two
    assert made.fit(table).sample(5).n_rows == 5


def test_no_row_at_all() -> None:
    table, domains = people(0, seed=1)
    made = Synthesizer(1, trust="local", generator="krimp", domains=domains, seed=1).fit(table)
    assert made.sample(5).n_rows == 5


def test_krimp_is_tried_again_with_fewer_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million candidates are enough to look through: of more, only the frequent are."""
    tried: list[int] = []

    def reluctant(rows: Table, *, min_support: int, **_: object) -> object:
        tried.append(min_support)
        if min_support < 10:
            raise LimitError("too many")
        return original(rows, min_support=min_support)

    original = krimp
    monkeypatch.setattr(module, "krimp", reluctant)
    table, domains = people(200, seed=1)
    Synthesizer(1, trust="local", generator="krimp", domains=domains, seed=1).fit(table)
    assert tried == [2, 4, 8, 16]


def test_estimates_are_shares_and_no_more_than_those_of_their_values() -> None:
    shares = {1: 0.3, 2: 7.0}

    def wild(itemsets: Sequence[Iterable[Item]]) -> list[float]:
        return [shares[len(list(items))] for items in itemsets]

    both = frozenset({Item("x", 0), Item("y", 0)})
    tree = code_tree([both], domain={"x": (0, 1), "y": (0, 1)}, threshold=0.1, probability=wild)
    assert set(tree.probabilities.values()) == {0.3}


def test_real_data(public_data: Path) -> None:
    """On penDigits every estimate of a union is noise at this epsilon."""
    table = dc.load(public_data / "lucs/penDigits.D89.N10992.C10.num")
    assert isinstance(table, Table)
    domains = {name: table.values(name) for name in table.columns}
    made = Synthesizer(0.1, trust="local", generator="krimp", domains=domains, seed=1)
    assert made.fit(table).sample(10).n_rows == 10
