"""What published association rules give away, rounding considered."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.patterns import RuleLeak, channels, check_rules
from discreet.patterns.rules import Between, _with_parts, published_rules
from tests.examples import examples
from tests.strategies import transactions

Rule = dict[str, list[object]]


def rule(support: object, confidence: object, left: object = "a", right: object = "b") -> Rule:
    return {
        "antecedents": [left],
        "consequents": [right],
        "support": [support],
        "confidence": [confidence],
    }


def told(leak: RuleLeak) -> tuple[str, str, int, int]:
    sides = ("".join(sorted(side)) for side in (leak.inside, leak.outside))
    return (*sides, leak.least, leak.most)  # type: ignore[return-value]


@pytest.mark.parametrize("confidence", ["98.7 %", "98.7%", 98.7, "0.987", 0.987, "98.8 %"])
def test_the_second_example_of_the_paper(confidence: object) -> None:
    found = check_rules(rule(80, confidence, "a1 a2 a3", "a4"), k=10)
    (leak,) = found
    assert (leak.least, leak.most) == (1, 1)
    assert str(leak) == "only 1 row has a1, a2 and a3, but not a4"
    assert not found.possible
    assert found.supports[frozenset({"a1", "a2", "a3"})] == Between(81, 81)
    assert round(Fraction(80, 81), 3) == Fraction("0.988")  # 98.7 % is cut off


@examples(200)
@given(
    both=st.integers(1, 400),
    more=st.integers(0, 40),
    decimals=st.integers(0, 6),
    is_cut=st.booleans(),
)
def test_the_truth_is_among_what_fits_the_rounding(
    *, both: int, more: int, decimals: int, is_cut: bool
) -> None:
    confidence = Fraction(both, both + more)
    unit = Fraction(1, 10**decimals)
    written = (confidence // unit) * unit if is_cut else round(confidence, decimals)
    text = f"{float(written):.{decimals}f}" if decimals else str(int(written))
    if written == 0:
        return
    (read,) = published_rules(rule(both, text), decimals=decimals)
    assert read.both == Between(both, both)
    assert read.exceptions.least <= more <= read.exceptions.most
    assert read.left_alone.least <= both + more <= read.left_alone.most
    for exceptions in range(read.exceptions.least, min(read.exceptions.most, 60) + 1):
        low, high = written - unit / 2, written + unit  # every number that fits is listed, no more
        assert low <= Fraction(both, both + exceptions) < high or written + unit > 1


@examples(60)
@given(
    rows=transactions(max_items=4, max_transactions=12),
    sigma=st.integers(1, 4),
    k=st.integers(2, 4),
)
def test_all_rules_tell_the_channels_of_their_itemsets(
    rows: list[frozenset[str]], sigma: int, k: int
) -> None:
    published = dc.mine.frequent(dc.Transactions.from_iterable(rows), min_support=sigma)
    rules = dc.mine.rules(published, min_confidence=0)
    if not len(rules) or not len(rows):
        return
    found = check_rules(rules, k=k, n_rows=len(rows))
    wanted = {(c.inside, c.outside, c.support) for c in channels(published, k=k)}
    wanted = {
        (frozenset(map(str, inside)), frozenset(map(str, outside)), support)
        for inside, outside, support in wanted
        if len(inside | outside) > 1  # what is alone is in no rule
    }
    certain = {(leak.inside, leak.outside, leak.least) for leak in found if not leak.lacks_some}
    assert wanted <= certain
    assert all(leak.least == leak.most for leak in found)
    shares = check_rules(rules.to_frame(), k=k, n_rows=len(rows), decimals=12)
    assert {told(leak) for leak in shares} == {told(leak) for leak in found}


def test_short_shares_may_be_rounded_unless_said_otherwise() -> None:
    share = rule(0.1, 0.5)
    assert [told(leak) for leak in check_rules(share, k=5, n_rows=40, decimals=12)] == [
        ("a", "b", 4, 4), ("ab", "", 4, 4)]  # fmt: skip
    found = check_rules(share, k=5, n_rows=40)
    assert not len(found)
    assert ("a", "b") in {told(leak)[:2] for leak in found.possible}


def test_a_coarse_confidence_leaves_possibilities() -> None:
    found = check_rules(rule(800, "0.99"), k=10)
    assert not len(found)
    (leak,) = found.possible
    assert (leak.least, leak.most) == (1, 12)
    assert str(leak) == "from 1 to 12 rows have a, but not b"
    assert "may be that small, by rounding" in found.sentence
    assert found.to_dict()["n_maximal_channels"] == 0
    sure = check_rules(rule(800, "0.995"), k=10)
    assert [told(leak) for leak in sure] == [("a", "b", 4, 4)]


def test_a_rule_without_exceptions_is_no_leak() -> None:
    assert not check_rules(rule(80, "100.0 %"), k=10)._repr_html_().count("certain</td>")
    found = check_rules(rule(80, "1.000"), k=10)
    assert (len(found), found.possible) == (0, ())
    possible = check_rules(rule(8000, "1.000"), k=10).possible
    assert [told(leak) for leak in possible] == [("a", "b", 0, 4)]


def test_a_right_side_of_two_items() -> None:
    (leak,) = check_rules(rule(80, "0.9877", "a", '["b", "c"]'), k=10)
    assert leak.lacks_some
    assert str(leak) == "only 1 row has a, but not both b and c"
    (leak,) = check_rules(rule(80, "0.9639", "a", '["b", "c", "d"]'), k=10)
    assert str(leak) == "only 3 rows have a, but not all of b and c and d"


def test_several_rules_together() -> None:
    rules: Rule = {
        "antecedents": ["a", "b"],
        "consequents": ["b", "a"],
        "support": [100, 100],
        "confidence": ["0.5000", "0.5000"],
    }
    found = check_rules(rules, k=5, n_rows=302)
    # 302 - 200 - 200 + 100: two rows have neither
    assert [told(leak) for leak in found] == [("", "ab", 2, 2)]
    assert len(check_rules(rules, k=5)) == 0  # without the number of rows


def test_frames_and_files(tmp_path: Path) -> None:
    baskets = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
    rules = dc.mine.rules(dc.mine.frequent(baskets, min_support=8), min_confidence=0.1)
    wanted = [("a", "b", 1, 1)]
    for name in ("rules.csv", "rules.parquet"):
        rules.write(tmp_path / name)
        found = check_rules(tmp_path / name, k=3, n_rows=12)
        assert [told(leak) for leak in found] == wanted
        assert found.n_exact == len(found.supports)
    for kind in ("polars", "pandas", "pyarrow"):
        found = check_rules(rules.to_frame(kind), k=3, n_rows=12)
        assert [told(leak) for leak in found] == wanted


def test_a_frame_as_mlxtend_makes_it() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "antecedents": [frozenset({"a"})],
            "consequents": [frozenset({"b"})],
            "antecedent support": [9 / 12],
            "consequent support": [11 / 12],
            "support": [8 / 12],
            "confidence": [8 / 9],
            "lift": [1.0],
        }
    )
    assert [told(leak) for leak in check_rules(frame, k=3, n_rows=12)] == [("a", "b", 1, 1)]
    with pytest.raises(ParameterError, match="holds shares; pass n_rows"):
        check_rules(frame, k=3)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"antecedents": ["a"], "consequents": ["b"], "confidence": [0.9]}, "no column 'support'"),
        ({"antecedents": ["a"], "consequents": ["b"], "support": [9]}, "no column 'confidence'"),
        ({"lhs": ["a"], "support": [9]}, "no column 'antecedents'"),
        (rule(9, 0.9, "a", "a"), "none in common"),
        (rule(9, 0.9, "", "a"), "both sides"),
        (rule(9, "high"), "neither a share nor a percentage"),
        (rule(9, 101), "neither a share nor a percentage"),
        (rule(-1, 0.9), "neither a share nor a percentage"),
        (rule(0, 0.9), "no whole numbers of rows"),
        (rule(5, "0.9000"), "no whole numbers of rows"),
        (rule(9, 0.9, None), "no set of items"),
        (
            {**rule(9, 0.9), "antecedents": ["a", "b"]},
            "different numbers of rows",
        ),
        (
            {
                "antecedents": ["a", "a"],
                "consequents": ["b", "c"],
                "support": [80, 80],
                "confidence": ["0.500", "0.800"],
            },
            "by this rule, and in",
        ),
    ],
)
def test_what_is_no_list_of_rules(rules: Rule, message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_rules(rules, k=3, n_rows=1000)


def test_options_out_of_range() -> None:
    for options, message in (
        ({"k": 1}, "k=1 must be"),
        ({"k": 3, "n_rows": 0}, "n_rows=0"),
        ({"k": 3, "decimals": 13}, "decimals=13"),
    ):
        with pytest.raises(ParameterError, match=message):
            check_rules(rule(9, 0.9), **options)


def test_no_frame_at_all() -> None:
    with pytest.raises(DataError, match="int is not a list of rules"):
        check_rules(5, k=3)


def test_parts_bound_each_other() -> None:
    a, ab = frozenset("a"), frozenset("ab")
    bounded = _with_parts({a: Between(10, 20), ab: Between(5, 30)})
    assert bounded == {a: Between(10, 20), ab: Between(5, 20)}
    bounded = _with_parts({a: Between(3, 20), ab: Between(8, 9)})
    assert bounded == {a: Between(8, 20), ab: Between(8, 9)}
    with pytest.raises(DataError, match=r"{a, b} would be more frequent than a part of it"):
        _with_parts({a: Between(3, 5), ab: Between(8, 9)})


def test_figures_that_no_data_have() -> None:
    both = {
        "antecedents": ["a", "b"],
        "consequents": ["b", "a"],
        "support": [3, 3],
        "confidence": ["3/8", "3/8"],  # exact, so that each item is in 8 rows
    }
    found = check_rules(both, k=2, n_rows=13)
    assert found.supports[frozenset("a")] == Between(8, 8)
    with pytest.raises(DataError, match=r"No data can have these figures: see .* {a, b}"):
        check_rules(both, k=2, n_rows=10)
