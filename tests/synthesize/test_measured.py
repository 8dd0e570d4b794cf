"""What is measured: an audit of everything that noise is added to, on neighbouring tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.noise import noise_from
from discreet.synthesize.budget import Spending
from discreet.synthesize.marginals import Marginal, measure_marginals, true_counts
from tests.examples import examples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.synthesize.budget import Law, Spent

LAWS: tuple[Law, ...] = ("gaussian", "laplace")
SIZES = (3, 2, 1, 2)
ROWS = st.lists(st.tuples(*(st.integers(0, size - 1) for size in SIZES)), max_size=10)
Rows = Sequence[tuple[int, ...]]


@dataclass(slots=True, kw_only=True)
class Watched(Spending):
    """A budget that remembers the true numbers, and publishes answers fixed beforehand.

    With the same answers on two tables whatever is asked next must be the same: then each
    question depends on published numbers only, and the audit of each alone is one of all.
    """

    answers: list[NDArray[np.int64]] = field(default_factory=list)
    true: list[NDArray[np.int64]] = field(default_factory=list)

    def measure(
        self, what: str, numbers: NDArray[np.int64], *, cost: Fraction,
        columns: tuple[str, ...] = (), most: int = 1, n_changed: int = 1,
    ) -> tuple[NDArray[np.int64], Spent]:  # fmt: skip
        noisy, entry = Spending.measure(
            self, what, numbers, cost=cost, columns=columns, most=most, n_changed=n_changed
        )
        self.true.append(numbers)
        if len(self.true) <= len(self.answers):
            noisy = self.answers[len(self.true) - 1]
        else:
            self.answers.append(noisy)
        return noisy, entry


def measured(
    rows: Rows, law: Law, *, total: Fraction = Fraction(8),
    answers: list[NDArray[np.int64]] | None = None, sizes: tuple[int, ...] = SIZES, seed: int = 1,
    rows_per_person: int = 1,
) -> tuple[list[Marginal], Watched]:  # fmt: skip
    codes = list(np.array(rows, np.int64).reshape(-1, len(sizes)).T)
    spending = Watched(
        law=law, total=total, noise=noise_from(seed), answers=list(answers or []),
        rows_per_person=rows_per_person,
    )  # fmt: skip
    names = [f"c{j}" for j in range(len(sizes))]
    found = measure_marginals(codes, names=names, sizes=sizes, spending=spending)
    return found.marginals, spending


@examples(100)
@given(rows=ROWS, law=st.sampled_from(LAWS), seed=st.integers(0, 99), data=st.data())
def test_neighbours_differ_by_at_most_what_is_entered(
    rows: Rows, law: Law, seed: int, data: st.DataObject
) -> None:
    _, before = measured(rows, law, seed=seed)
    row = data.draw(st.sampled_from(list(product(*map(range, SIZES)))))
    _, after = measured([*rows, row], law, answers=before.answers, seed=seed + 1)
    assert after.entries == before.entries  # the same questions, chosen by the same answers
    power = 2 if law == "gaussian" else 1
    for one, other, entry in zip(before.true, after.true, before.entries, strict=True):
        assert one.shape == other.shape
        assert (np.abs(other - one) ** power).sum() <= entry.sensitivity
        assert one.size == entry.n_numbers
    assert sum(entry.cost for entry in before.entries) <= before.total


@examples(200)
@given(rows=ROWS, law=st.sampled_from(LAWS), r=st.integers(1, 4), data=st.data())
def test_all_rows_of_a_person_differ_by_at_most_what_is_entered(
    rows: Rows, law: Law, r: int, data: st.DataObject
) -> None:
    _, before = measured(rows, law, rows_per_person=r)
    row = st.sampled_from(list(product(*map(range, SIZES))))
    theirs = data.draw(st.lists(row, min_size=1, max_size=r))
    _, after = measured([*rows, *theirs], law, answers=before.answers, rows_per_person=r)
    assert after.entries == before.entries
    power = 2 if law == "gaussian" else 1
    for one, other, entry in zip(before.true, after.true, before.entries, strict=True):
        assert (np.abs(other - one) ** power).sum() <= entry.sensitivity
    assert sum(entry.cost for entry in before.entries) <= before.total


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("r", [2, 3])
def test_no_less_is_entered_than_equal_rows_change(law: Law, r: int) -> None:
    _, before = measured([(0, 0, 0, 0)] * 4, law, rows_per_person=r)
    _, after = measured([(0, 0, 0, 0)] * (4 + r), law, answers=before.answers, rows_per_person=r)
    power = 2 if law == "gaussian" else 1
    for one, other, entry in zip(before.true, after.true, before.entries, strict=True):
        if entry.columns:
            assert (np.abs(other - one) ** power).sum() == entry.sensitivity == r**power


@pytest.mark.parametrize("law", LAWS)
def test_the_audit_can_tell(law: Law) -> None:
    """Were counts changed by two rows at once, it would be noticed."""
    _, before = measured([(0, 0, 0, 0)] * 4, law)
    _, after = measured([(0, 0, 0, 0)] * 6, law, answers=before.answers)
    changes = [
        (np.abs(b - a) ** (2 if law == "gaussian" else 1)).sum() > entry.sensitivity
        for a, b, entry in zip(before.true, after.true, before.entries, strict=True)
    ]
    assert any(changes)


@pytest.mark.parametrize("law", LAWS)
def test_pairs_are_chosen_by_noisy_dependences_alone(law: Law) -> None:
    """Columns that are equal are not measured together if the noise says they are unrelated."""
    rows = [(j % 2, j % 2, 0, j // 2 % 2) for j in range(4000)]
    marginals, plain = measured(rows, law)
    assert plain.true[3].tolist() == [4000, 0, 0]  # dependence of columns 0, 1 and 3
    assert (0, 1) in [m.columns for m in marginals]
    answers = [*plain.answers[:3], np.array([-5, 0, 9000])]
    turned, _ = measured(rows, law, answers=answers)
    assert [m.columns for m in turned] == [(0,), (1,), (3,), (1, 3)]


@pytest.mark.parametrize("law", LAWS)
def test_dependences_are_told_with_a_deviation_more_and_by_noisy_answers_alone(law: Law) -> None:
    rows = [(j % 2, j % 2, 0, j // 2 % 2) for j in range(4000)]
    _, plain = measured(rows, law)
    spending = Watched(
        law=law, total=Fraction(8), noise=noise_from(1),
        answers=[*plain.answers[:3], np.array([-5, 0, 9000])],
    )  # fmt: skip
    codes = list(np.array(rows, np.int64).T)
    found = measure_marginals(codes, names=list("abcd"), sizes=SIZES, spending=spending)
    (deviation,) = (e.variance**0.5 for e in spending.entries if e.what.startswith("dependence"))
    expected = {(0, 1): deviation, (0, 3): deviation, (1, 3): 9000 + deviation}
    assert found.dependences == pytest.approx(expected)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("total", [Fraction(1, 70), Fraction(1), Fraction(13, 3)])
def test_the_budget_is_spent_almost_wholly(law: Law, total: Fraction) -> None:
    draw = np.random.default_rng(3)
    base = draw.integers(0, 2, 30_000)
    rows = np.stack([base, base, np.zeros_like(base), base ^ (draw.random(30_000) < 0.1)], 1)
    marginals, spending = measured([tuple(row) for row in rows.tolist()], law, total=total)
    assert len(marginals) > 3
    assert Fraction(9, 10) * total < spending.spent <= total


@pytest.mark.parametrize("law", LAWS)
def test_marginals_of_more_cells_get_more(law: Law) -> None:
    draw = np.random.default_rng(3)
    base = draw.integers(0, 2, 30_000)
    rows = np.stack([base, base, np.zeros_like(base), base], 1)
    marginals, spending = measured([tuple(row) for row in rows.tolist()], law, total=Fraction(1))
    power = 2 / 3 if law == "gaussian" else 1 / 2
    costs = {entry.columns: entry.cost for entry in spending.entries if entry.columns}
    for n_columns in (1, 2):
        some = [m for m in marginals if len(m.columns) == n_columns]
        of = [float(costs[tuple(f"c{j}" for j in m.columns)]) for m in some]
        weights = np.array([m.counts.size**power for m in some])
        assert len(set(weights)) > 1
        assert of / np.sum(of) == pytest.approx(weights / weights.sum(), rel=0.05)


def test_marginals_are_the_published_answers() -> None:
    rows = [(2, 1, 0, 1), (0, 1, 0, 0), (2, 0, 0, 1)]
    marginals, spending = measured(rows, "gaussian", total=Fraction(10**6))
    named = {entry.columns: (entry, at) for at, entry in enumerate(spending.entries)}
    for marginal in marginals:
        entry, at = named[tuple(f"c{j}" for j in marginal.columns)]
        assert np.array_equal(marginal.counts, spending.answers[at])
        assert marginal.variance == entry.variance
        shape = tuple(SIZES[j] for j in marginal.columns)
        assert marginal.counts.shape == shape
        expected = np.zeros(shape)
        for row in rows:
            expected[tuple(row[j] for j in marginal.columns)] += 1
        assert np.array_equal(spending.true[at], expected)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows(law: Law, n_rows: int) -> None:
    marginals, spending = measured([(0, 1, 0, 1)] * n_rows, law, total=Fraction(1))
    assert [m.columns for m in marginals][:3] == [(0,), (1,), (3,)]
    assert spending.spent <= 1


@pytest.mark.parametrize(
    ("sizes", "columns"),
    [((1,), [(0,)]), ((3,), [(0,)]), ((1, 1), [(0,)]), ((1, 4, 1), [(1,)])],
)
def test_no_pairs_leave_the_whole_budget_to_values(
    sizes: tuple[int, ...], columns: list[tuple[int, ...]]
) -> None:
    rows = [tuple(0 for _ in sizes)] * 5
    marginals, spending = measured(rows, "laplace", total=Fraction(1), sizes=sizes)
    assert [m.columns for m in marginals] == columns
    assert spending.spent == 1


@examples(60)
@given(rows=ROWS)
def test_true_counts(rows: Rows) -> None:
    codes = list(np.array(rows, np.int64).reshape(-1, len(SIZES)).T)
    for columns in [(0,), (2,), *combinations(range(4), 2)]:
        counts = true_counts(codes, columns, SIZES)
        for place in np.ndindex(counts.shape):
            assert counts[place] == sum(tuple(row[j] for j in columns) == place for row in rows)
