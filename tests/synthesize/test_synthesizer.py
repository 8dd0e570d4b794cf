"""Synthesizer: what comes out is a table like the one that went in, within its budget."""

from __future__ import annotations

import sys
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.table import Table
from discreet.errors import DataError, LimitError, ParameterError
from discreet.synthesize import Synthesizer, randomized_response
from discreet.synthesize.budget import synthetic_claim
from discreet.synthesize.rows import CHUNK, RowModel
from discreet.utility import marginal_fidelity

if TYPE_CHECKING:
    from pathlib import Path


SMALL: dict[str, Any] = {"epsilon": 2, "delta": 1e-6, "seed": 3}
KINDS = list(product(("central", "local"), ("marginals", "krimp")))


@pytest.fixture(autouse=True)
def few_trained_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train on fewer rows than usual, to save time, but for real data."""
    if "public_data" not in request.fixturenames:
        monkeypatch.setattr(sys.modules["discreet.synthesize.pairs"], "N_TRAINED", 8000)


@cache
def people(n: int = 4000) -> Table:
    draw = np.random.default_rng(2)
    sex = draw.integers(0, 2, n)
    job = np.where(draw.random(n) < 0.8, sex, 2)
    town = draw.integers(0, 3, n)
    return Table.from_codes(
        {"sex": sex, "job": job, "town": town},
        {"sex": ["f", "m"], "job": ["nurse", "smith", "clerk"], "town": [10, 20, 30]},
        roles={"job": "sensitive", "town": "insensitive"},
    )


@cache
def fitted() -> Synthesizer:
    return Synthesizer(**SMALL, label="sex").fit(people())


@pytest.mark.parametrize(("trust", "generator"), KINDS)
def test_every_kind_draws_valid_tables(trust: Any, generator: Any) -> None:  # noqa: ANN401
    made = Synthesizer(
        8, trust=trust, generator=generator, label="sex", seed=1, domains="from-data"
    )
    assert made.fit(people()) is made
    assert (made.model.layers is None) == (generator == "krimp")
    drawn = made.sample()
    assert drawn.n_rows == made.n_rows
    assert abs(made.n_rows - 4000) < 40
    assert drawn.columns == ("sex", "job", "town")
    assert drawn.roles == people().roles
    for name in drawn.columns:
        assert set(drawn.values(name)) <= set(people().values(name))
    found = marginal_fidelity(people(), drawn, sizes=(2,))
    assert found.mean(2) < 0.08
    smiths = made.sample(3000, given={"sex": "m"})
    assert smiths.values("sex") == ("m",)
    share = np.mean(np.array(smiths.values("job"))[smiths.codes("job")] == "smith")
    assert 0.7 < share < 0.9  # 0.8 of them
    assert (made.learnt.cells is not None) == (trust == "local")
    assert (len(made.entries) > 0) == (trust == "central")
    assert sum(entry.cost for entry in made.entries) <= 8


def test_everything_measured_is_in_the_account() -> None:
    entries = fitted().entries
    assert [entry.columns for entry in entries[:4]] == [("sex",), ("job",), ("town",), ()]
    assert ("sex", "job") in [entry.columns for entry in entries[4:]]
    assert {entry.law for entry in entries} == {"gaussian"}
    pure = Synthesizer(1, seed=1, domains="from-data").fit(people())
    assert {entry.law for entry in pure.entries} == {"laplace"}
    assert sum((entry.cost for entry in pure.entries), Fraction(0)) <= 1


def test_a_file_has_the_rows_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {**(RowModel.batches.__kwdefaults__ or {}), "batch": 512}
    monkeypatch.setattr(RowModel.batches, "__kwdefaults__", small)
    monkeypatch.setattr(sys.modules["discreet.data.write"], "GROUP_ROWS", 512)
    told: list[float] = []
    target = fitted().write(
        tmp_path / "rows.parquet", 1500, given={"sex": "f"}, seed=8, threads=2, progress=told.append
    )
    expected = fitted().sample(1500, given={"sex": "f"}, seed=8).to_frame()
    found = pl.read_parquet(target)
    assert found.equals(expected)
    assert found.schema == expected.schema
    assert told == [512 / 1500, 1024 / 1500, 1]
    n = CHUNK + 1000  # balanced, in two batches
    other = fitted().write(tmp_path / "more.parquet", n, seed=9)
    assert pl.read_parquet(other).equals(fitted().sample(n, seed=9).to_frame())
    with pytest.raises(ParameterError, match="exists"):
        fitted().write(target, 10)
    fitted().write(target, 0, overwrite=True)
    assert pl.read_parquet(target).shape == (0, 3)
    with pytest.raises(ParameterError, match="parquet"):
        fitted().write(tmp_path / "rows.csv", 10)


def test_draws_are_repeatable_or_unforeseeable() -> None:
    assert fitted().sample(500) == fitted().sample(500)
    assert fitted().sample(500, seed=4) == fitted().sample(500, seed=4, threads=1)
    assert fitted().sample(500, seed=4) != fitted().sample(500, seed=5)
    again = Synthesizer(**SMALL, label="sex").fit(people())
    assert again.sample(500) == fitted().sample(500)
    assert not again.is_secure
    free = Synthesizer(2, delta=1e-6).fit(people())
    assert free.is_secure
    assert free.sample(500) != free.sample(500)


def test_noise_is_new_each_time_without_a_seed() -> None:
    table = {"x": [str(j) for j in range(40)] * 20}
    one, two = (Synthesizer(Fraction(1, 10), domains="from-data").fit(table) for _ in range(2))
    assert one.model.tree.probabilities != two.model.tree.probabilities


def test_columns_to_publish() -> None:
    named = people().with_roles(town="identifying")
    assert Synthesizer(**SMALL).fit(named).sample(10).columns == ("sex", "job")
    some = Synthesizer(**SMALL, columns=["town", "sex"]).fit(people()).sample(10)
    assert some.columns == ("town", "sex")
    assert some.role("town") == "insensitive"
    with pytest.raises(DataError, match="No column is left"):
        Synthesizer(1, domains="from-data").fit(
            people().with_roles(dict.fromkeys(people().columns, "identifying"))
        )


@pytest.mark.parametrize(("trust", "generator"), KINDS)
@pytest.mark.parametrize(
    "columns",
    [{"x": ["a"]}, {"x": ["a", "b"] * 50}, {"x": ["a"] * 50, "y": [1] * 50}, {"x": ["a"], "y": [1]},
     {"x": ["a"] * 60, "y": [1, 2] * 30}],
)  # fmt: skip
def test_degenerate_tables(trust: Any, generator: Any, columns: dict[str, list[Any]]) -> None:  # noqa: ANN401
    made = Synthesizer(
        1, trust=trust, generator=generator, label="x", seed=1, domains="from-data"
    ).fit(columns)
    drawn = made.sample(30)
    assert drawn.n_rows == 30
    assert drawn.columns == tuple(columns)
    for name, values in columns.items():
        assert set(drawn.values(name)) <= set(values)
    assert made.sample(0).n_rows == 0
    assert made.n_rows >= 1
    given = made.sample(5, given={"x": "a"})
    assert given.values("x") == ("a",)


def test_a_table_without_rows() -> None:
    none = people().take([])
    with pytest.raises(DataError, match="no values"):
        Synthesizer(1, domains="from-data").fit(none)
    lists = {name: people().values(name) for name in people().columns}
    made = Synthesizer(1, domains=lists, seed=1).fit(none)
    assert made.sample(20).n_rows == 20


@pytest.mark.parametrize("trust", ["central", "local"])
def test_tiny_budgets_give_noise_or_say_so(trust: Any) -> None:  # noqa: ANN401
    made = Synthesizer(1e-7, trust=trust, seed=1, domains="from-data").fit(people())
    assert made.sample(50).n_rows == 50
    with pytest.raises(ParameterError):
        Synthesizer(1e-30, trust=trust, seed=1, domains="from-data").fit(people())


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"epsilon": 0}, "epsilon=0 must be above 0"),
        ({"epsilon": 1, "delta": 1}, "delta=1 must be"),
        ({"epsilon": 1, "delta": -0.1}, "delta=-0.1 must be"),
        ({"epsilon": 1, "trust": "centrl"}, "no trust='centrl'.*central"),
        ({"epsilon": 1, "generator": "tree"}, "no generator='tree'"),
        ({"epsilon": 1, "generator": "code-tree"}, "is now 'krimp'"),
        (
            {"epsilon": 1, "delta": 1e-6, "trust": "local"},
            "delta=1e-06 must be 0 with trust=",
        ),
    ],
)
def test_refuses_options(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        Synthesizer(**arguments)


def test_refuses_tables() -> None:
    with pytest.raises(ParameterError, match=r"no column 'sexe'.*sex"):
        Synthesizer(1, label="sexe", domains="from-data").fit(people())
    with pytest.raises(DataError, match="has the value 'm', which is not in the list"):
        Synthesizer(1, domains={"sex": ["f"]}, columns=["sex"]).fit(people())
    with pytest.raises(ParameterError, match="domains says nothing of column 'job'"):
        Synthesizer(1, domains={"sex": ["f", "m"]}).fit(people())
    with pytest.raises(ParameterError, match="no budget to speak of"):
        Synthesizer(1e-6, delta=1e-9).fit(people())


def test_too_many_values_are_refused_before_anything_is_measured() -> None:
    wide = {"x": [str(j) for j in range(1600)], "y": ["a", "b"] * 800}
    made = Synthesizer(1, domains="from-data")
    with pytest.raises(LimitError, match="1,602 values in all"):
        made.fit(wide)
    assert made.entries == ()


def test_refuses_draws(tmp_path: Path) -> None:
    new, what = Synthesizer(1, domains="from-data"), "Nothing is fitted yet"
    with pytest.raises(ParameterError, match=what):
        new.sample(5)
    with pytest.raises(ParameterError, match=what):
        new.write(tmp_path / "rows.parquet", 5)
    with pytest.raises(ParameterError, match=what):
        _ = new.model
    with pytest.raises(ParameterError, match="n_rows=-1 must be at least 0"):
        fitted().sample(-1)
    with pytest.raises(ParameterError, match="threads=0"):
        fitted().sample(5, threads=0)
    with pytest.raises(ParameterError, match="no value 'x'"):
        fitted().sample(5, given={"sex": "x"})
    with pytest.raises(ParameterError, match="no column 'sx'"):
        fitted().sample(5, given={"sx": "f"})
    with pytest.raises(ParameterError, match="not among the first"):
        fitted().sample(5, given={"town": 10})


def test_real_data(public_data: Path) -> None:
    """Nursery at epsilon 1: pairs of columns are off by less than three in a hundred."""
    table = dc.load(public_data / "lucs/nursery.D32.N12960.C5.num")
    assert isinstance(table, Table)
    made = Synthesizer(1, delta=1e-9, seed=1).fit(table)
    drawn = made.sample()
    found = marginal_fidelity(table, drawn, sizes=(1, 2))
    assert found.mean(2) < 0.03
    assert abs(made.n_rows - table.n_rows) < 100


def test_columns_measured_not_to_depend_do_not_through_a_third() -> None:
    """A bit that is one or the other of two makes these depend given pairs with it alone."""
    first, second, which = (np.arange(8000) // size % 2 for size in (1, 2, 4))
    either = np.where(which == 0, first, second)
    table = Table.from_frame({"first": first, "either": either, "second": second})
    lists = {name: [0, 1] for name in table.columns}
    made = Synthesizer(2, delta=1e-6, domains=lists, seed=1).fit(table)
    assert ("first", "second") not in [entry.columns for entry in made.entries]
    drawn = made.sample(8000).to_frame()
    shares = np.histogram2d(drawn["first"], drawn["second"], bins=2)[0] / 8000
    assert np.abs(shares - 0.25).sum() < 0.05  # 0.25 by the pairs that were measured


def test_identifying_columns_are_refused_before_anything_is_measured() -> None:
    table = Table.from_frame(
        {"name": ["Eve", "Sue"], "sex": ["f", "f"]}, roles={"name": "identifying"}
    )
    for made in (Synthesizer(1, columns=["name", "sex"], domains="from-data"),
                 Synthesizer(1, trust="local", columns=["name"], domains="from-data")):  # fmt: skip
        with pytest.raises(ParameterError, match="'name' is identifying"):
            made.fit(table)
        assert not made.entries
    with pytest.raises(ParameterError, match="'name' is identifying"):
        randomized_response(table, epsilon=1, columns=["name"])
    with pytest.raises(ParameterError, match=r"column 'name' is not published. Take .*: sex"):
        Synthesizer(1, label="name", domains="from-data").fit(table)


def test_claims_are_of_what_was_fitted() -> None:
    table = Table.from_frame({"sex": ["f", "m"] * 50})
    made = Synthesizer(1, seed=7, domains="from-data").fit(table)
    made.seed, made.domains = None, {"sex": ["f", "m"]}
    claim = synthetic_claim(made, columns=("sex",))
    assert claim.experimental
    assert any("read from the table" in each for each in claim.not_protected)


@pytest.mark.parametrize("trust", ["central", "local"])
def test_a_tree_that_would_be_too_large_is_made_coarser(
    trust: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The budget is spent when the tree is made, so that it has to become one."""
    monkeypatch.setattr(sys.modules["discreet.synthesize.krimp.code_tree"], "MAX_FITTED_NODES", 150)
    hidden = np.random.default_rng(1).integers(0, 3, 2000)
    columns = {
        f"c{j}": np.where(np.random.default_rng(j).random(2000) < 0.9, hidden, j % 3)
        for j in range(8)
    }
    made = Synthesizer(50, trust=trust, generator="krimp", seed=1, domains="from-data")
    made.fit(Table.from_frame(columns))
    assert 24 < len(made.model.tree.probabilities) <= 150
    assert made.sample(50).n_rows == 50


def test_a_table_that_is_refused_leaves_no_model_of_an_earlier_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Synthesizer(1, seed=1, domains="from-data").fit(
        Table.from_frame({"sex": ["f", "m"] * 50})
    )
    monkeypatch.setattr(
        sys.modules["discreet.synthesize.synthesizer"], "fit_pairs", lambda *_, **__: 1 / 0
    )
    with pytest.raises(ZeroDivisionError):
        made.fit(Table.from_frame({"job": ["a", "b"] * 50}))
    with pytest.raises(ParameterError, match="Nothing is fitted"):
        made.sample(3)
