"""Randomized cells: exact chances, exact laws of tiny tables, and their accounting."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.table import Table
from discreet.errors import DataError, ParameterError
from discreet.release.exact import exp_below
from discreet.synthesize import (
    Channel,
    Sanitized,
    account,
    expected_errors,
    randomized_response,
)
from discreet.synthesize.response import respond
from tests.oracles.every_draw import EveryDraw, Law, law_of, worst_ratio

EPSILONS = st.fractions(min_value=Fraction(1, 10**6), max_value=20, max_denominator=10**6)
SIZES = (2, 3)
BUDGET = {"a": Fraction(1, 2), "b": Fraction(4, 5)}
DOMAINS = {"a": range(2), "b": range(3)}


def channel(size: int, epsilon: Fraction) -> Channel:
    return Channel(column="a", values=tuple(range(size)), epsilon=epsilon)


@given(EPSILONS, st.integers(2, 60))
def test_chances_add_up_and_their_ratio_is_never_above(epsilon: Fraction, size: int) -> None:
    one = channel(size, epsilon)
    assert one.p + (size - 1) * one.q == 1
    assert one.p / one.q == one.growth
    finer = exp_below(epsilon, bits=200)  # not above e^epsilon, and much closer to it
    assert one.growth <= finer
    assert finer - one.growth < (1 + finer) * Fraction(1, 2**63)


def test_known_003_rr() -> None:
    one = channel(2, Fraction(1, 10))
    assert float(one.p) == pytest.approx(0.52497918747894, abs=1e-10)
    hit, miss = one.weights
    assert 0.51 * hit + 0.49 * miss == pytest.approx(0.7001666388955009, abs=1e-10)
    found = expected_errors({"a": 2}, epsilon=0.1, n_rows=3200)
    assert found.errors == pytest.approx((0.17670305981788056,), abs=1e-10)


def test_one_value_costs_and_says_nothing() -> None:
    one = channel(1, Fraction(1))
    assert (one.epsilon, one.p, one.q) == (Fraction(0), Fraction(1), Fraction(0))
    assert one.weights == (1, 0)
    assert (one.matched, one.unmatched) == (1, 0)


def test_too_little_to_leave_anything_is_refused() -> None:
    with pytest.raises(ParameterError, match="so little"):
        channel(2, Fraction(1, 10**30))


def row_law(row: tuple[int, ...], channels: tuple[Channel, ...]) -> Law:
    """Return the exact law of what ``respond`` makes of one row."""

    def run(noise: EveryDraw) -> tuple[int, ...]:
        return tuple(
            int(respond(np.array([code]), channel=one, noise=noise)[0])
            for code, one in zip(row, channels, strict=True)
        )

    return law_of(run)


CHANNELS = tuple(
    Channel(column=name, values=tuple(DOMAINS[name]), epsilon=BUDGET[name]) for name in "ab"
)
ROWS = list(product(*(range(size) for size in SIZES)))


def test_cells_have_their_chances() -> None:
    for row in ROWS:
        law = row_law(row, CHANNELS)
        assert len(law) == 6
        for sent, chance in law.items():
            assert isinstance(sent, tuple)
            assert chance == math.prod(
                one.p if x == y else one.q for x, y, one in zip(row, sent, CHANNELS, strict=True)
            )


def test_audit_of_cells_and_rows() -> None:
    """Every row against every other: the sum of the cells that differ, attained exactly."""
    laws = {row: row_law(row, CHANNELS) for row in ROWS}
    for one, other in product(ROWS, repeat=2):
        ratio = worst_ratio(laws[one], laws[other])
        differing = [c for c, x, y in zip(CHANNELS, one, other, strict=True) if x != y]
        assert ratio == math.prod((c.growth for c in differing), start=Fraction(1))
        budget = sum((c.epsilon for c in differing), Fraction(0))
        assert ratio is not None
        assert ratio <= exp_below(budget, bits=200)
    worst = max(worst_ratio(laws[a], laws[b]) or 0 for a, b in product(ROWS, repeat=2))
    total = account(CHANNELS).row
    assert math.log(worst) == pytest.approx(float(total), abs=1e-12)  # the row's sum is tight


def test_audit_of_whole_tables() -> None:
    """Two rows, of which one is replaced; all outputs of the public function enumerated."""
    import discreet.synthesize.response as module

    def law(rows: list[tuple[int, ...]]) -> Law:
        table = Table.from_codes(
            {name: [row[j] for row in rows] for j, name in enumerate("ab")},
            {"a": range(2), "b": range(2)},
        )

        def run(noise: EveryDraw) -> tuple[object, ...]:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(module, "noise_from", lambda _: noise)
                sent = randomized_response(table, epsilon=1, domains={"a": range(2), "b": range(2)})
            return (*sent.codes("a").tolist(), *sent.codes("b").tolist())

        return law_of(run)

    base = law([(0, 0), (0, 1)])
    assert len(base) == 16
    for row in product(range(2), repeat=2):
        ratio = worst_ratio(base, law([row, (0, 1)]))
        assert ratio is not None
        assert ratio <= exp_below(Fraction(1), bits=200)


def test_the_audit_catches_a_broken_response() -> None:
    """Falling back on any value, one's own included, with the same p tells more than epsilon."""

    def broken(code: int, one: Channel, noise: EveryDraw) -> int:
        other = int(noise.integers(one.size, 1)[0])
        return code if noise.bernoulli(one.p, 1)[0] else other

    one = CHANNELS[0]
    ratio = worst_ratio(
        law_of(lambda noise: broken(0, one, noise)), law_of(lambda noise: broken(1, one, noise))
    )
    assert ratio is not None
    assert ratio > exp_below(one.epsilon, bits=200) + Fraction(1, 10)


def people() -> Table:
    return Table.from_frame(
        {"id": ["x", "y", "z"], "sex": ["f", "m", "f"], "job": ["a", None, "b"], "land": ["n"] * 3},
        roles={"id": "identifying", "job": "sensitive"},
    )


def test_the_table_keeps_columns_roles_and_rows() -> None:
    table = people()
    sent = randomized_response(table, epsilon=3, seed=4)
    assert sent.table.columns == ("sex", "job", "land")
    assert sent.table.roles == {"sex": "quasi", "job": "sensitive", "land": "quasi"}
    assert sent.n_rows == 3
    assert set(sent.table.values("job")) <= {"a", "b", None}
    assert sent.table.to_frame()["land"].to_list() == ["n"] * 3
    assert table == people()
    assert not sent.is_secure
    assert not sent.domains_are_public
    assert "experimental" in repr(sent)
    assert randomized_response(table, epsilon=3, seed=4).table == sent.table
    assert randomized_response(table, epsilon=3).is_secure


def test_accounting_of_a_table() -> None:
    sent = randomized_response(people(), epsilon=3, seed=4)
    found = sent.accounting()
    half = Fraction(3, 2)
    assert found.cells == {"sex": half, "job": half, "land": 0}
    assert found.groups == {"quasi": half, "sensitive": half}
    assert found.row == 3
    assert sent.accounting({"all": ["sex", "job"]}).groups == {"all": 3}
    assert [row[1] for row in found.preview().rows][-1] == "3"
    with pytest.raises(ParameterError, match="sxe"):
        sent.accounting({"all": ["sxe"]})
    with pytest.raises(ParameterError, match="twice"):
        sent.accounting({"all": ["sex", "sex"]})


def test_public_values_that_do_not_occur_can_come_out() -> None:
    table = Table.from_frame({"a": ["x"] * 200})
    sent = randomized_response(table, epsilon=0.1, domains={"a": ["y", "x", "z"]}, seed=1)
    assert sent.table.values("a") == ("y", "x", "z")
    assert sent.domains_are_public
    assert sent.channel("a").values == ("y", "x", "z")
    assert sent.to_dict()["n_rows"] == 200
    assert "kept" in sent._repr_html_()


@pytest.mark.parametrize("rows", [[], [0]])
def test_tables_of_no_row_and_one_row(rows: list[int]) -> None:
    table = Table.from_codes({"a": rows}, {"a": ["x", "y"]})
    sent = randomized_response(table, epsilon=1, domains={"a": ["x", "y"]})
    assert isinstance(sent, Sanitized)
    assert sent.n_rows == len(rows)


def test_errors() -> None:
    table = people()
    with pytest.raises(DataError, match="has missing cells"):
        randomized_response(table, epsilon=1, columns=["job"], domains={"job": ["a", "b"]})
    with pytest.raises(ParameterError, match="says nothing"):
        randomized_response(table, epsilon=1, domains={"sex": ["f", "m"]})
    with pytest.raises(ParameterError, match="one text"):
        randomized_response(table, epsilon=1, columns=["sex"], domains={"sex": "fm"})
    with pytest.raises(DataError, match="No column"):
        randomized_response(table.select(["id"]), epsilon=1)
    with pytest.raises(DataError, match="no values"):
        randomized_response(table.take([]), epsilon=1, columns=["sex"])
    with pytest.raises(ParameterError, match="epsilon"):
        randomized_response(table, epsilon=0)
    with pytest.raises(ParameterError, match="split"):
        randomized_response(table, epsilon=1, split="pair")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="jub"):
        randomized_response(table, epsilon=1, seed=1).channel("jub")
