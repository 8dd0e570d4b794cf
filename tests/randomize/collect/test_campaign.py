"""Campaigns: what they may be, how they are stored, and who may talk to them."""

from __future__ import annotations

import json
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, ParameterError
from discreet.randomize import CutAndPaste, Mixing, Operator, SelectASize, Uniform
from discreet.randomize.collect import (
    Campaign,
    ServiceLimits,
    create_campaign,
    open_campaign,
    read_items,
    read_operator,
)
from discreet.randomize.collect.campaign import make_campaign
from discreet.randomize.collect.serve import MAX_CLIENTS, RateLimit
from discreet.randomize.collect.store import BatchReader, Outcome, Role
from tests.examples import examples

OPERATOR = CutAndPaste(cutoff=3, rho="1/5")
ITEMS = ["tea", "milk", "jam", "cake", "egg"]


@pytest.mark.parametrize(
    "campaign",
    [
        make_campaign(OPERATOR, ITEMS),
        make_campaign(OPERATOR, range(500), max_size=4, padded=True, name="é ☕"),
        make_campaign(Uniform("1/2"), ITEMS),
        make_campaign(SelectASize({2: ["1/2", 0, "1/2"]}, rho="1/3"), ITEMS),
        make_campaign(OPERATOR, ITEMS, service_limits=ServiceLimits(max_body=5000, max_rate=0.5)),
    ],
)
def test_a_campaign_is_read_back_exactly(campaign: Campaign) -> None:
    written = json.loads(json.dumps(campaign.to_dict()))
    assert Campaign.from_dict(written) == campaign
    policy = json.loads(json.dumps(campaign.policy()))
    assert Campaign.from_dict(policy) == campaign


def test_the_policy_is_the_operator_in_other_words() -> None:
    policy: Any = make_campaign(OPERATOR, ITEMS, max_size=3).policy()
    assert list(policy["laws"]) == ["0", "1", "2", "3"]
    for size in (1, 2, 3):
        law = OPERATOR.law(size)
        assert policy["laws"][str(size)]["keep"] == [str(chance) for chance in law.keep]
        assert policy["local_epsilon"][str(size)] == OPERATOR.local_epsilon(size, 5)
    hidden: Any = make_campaign(OPERATOR, ITEMS, max_size=3, padded=True).policy()
    assert hidden["sizes"] == [3]
    assert hidden["local_epsilon"] == {"3": OPERATOR.local_epsilon(3, 8)}
    other: Any = make_campaign(SelectASize({1: [0, 1]}, rho="1/3"), ITEMS).policy()
    assert other["sizes"] == [1]
    assert other["local_epsilon"] == {"1": None}
    assert "laws" not in make_campaign(Uniform("1/2"), ITEMS).policy()


@pytest.mark.parametrize(
    ("operator", "items", "options", "told"),
    [
        (Mixing(3, p="1/5"), ITEMS, {}, "needs all transactions at once"),
        (OPERATOR, [], {}, "list of items is empty"),
        (OPERATOR, ["tea", "tea"], {}, "'tea' stands twice"),
        (OPERATOR, ["tea", 1], {}, "both numbers and text"),
        (OPERATOR, [1, 2**53], {}, "more than browsers can count"),
        (OPERATOR, ITEMS, {"name": " "}, "printable name"),
        (OPERATOR, ITEMS, {"name": "a\nb"}, "printable name"),
        (OPERATOR, ITEMS, {"max_size": 0}, "max_size=0"),
        (OPERATOR, ITEMS, {"max_size": 2.0}, "max_size=2.0"),
        (SelectASize({3: [0, 0, 0, 1]}, rho="1/3"), ITEMS, {"max_size": 2}, "no transactions of 0"),
        (SelectASize({3: [0, 0, 0, 1]}, rho="1/3"), ITEMS, {"max_size": 2, "padded": True},
         "no law for transactions of 2"),
        (OPERATOR, ["x" * 300] + [str(i) for i in range(400)],
         {"service_limits": ServiceLimits(max_body=1024)},
         "more than max_body=1024"),
    ],
)  # fmt: skip
def test_what_is_no_campaign(
    operator: Operator, items: list[Any], options: dict[str, Any], told: str
) -> None:
    with pytest.raises((ParameterError, DataError), match=told):
        make_campaign(operator, items, **options)


@pytest.mark.parametrize(
    "wrong",
    [{"max_body": 10}, {"max_batch": 0}, {"max_batch": 1.5}, {"max_rate": 0}, {"burst": True},
     {"max_rate": float("nan")}, {"max_rate": float("inf")}, {"max_rate": "nine"}],
)  # fmt: skip
def test_limits_have_their_ranges(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        ServiceLimits(**wrong)


def test_a_record_that_was_changed_is_refused() -> None:
    good = make_campaign(OPERATOR, ITEMS).to_dict()
    changes: tuple[dict[str, Any], ...] = (
        {"version": 2}, {"operator": {"operator": "none"}}, {"items": []}, {"sizes": [2, 1]},
        {"sizes": ["1"]}, {"padded": 1}, {"padded": True}, {"limits": {"max_body": 1}},
        {"limits": {"other": 1}}, {"limits": None}, {"campaign": 5}, {"items": "tea"},
        {"operator": 3},
    )  # fmt: skip
    for change in changes:
        with pytest.raises(DataError):
            Campaign.from_dict({**good, **change})
    with pytest.raises(DataError, match="no campaign"):
        Campaign.from_dict({})


def test_files_of_operators_and_items() -> None:
    assert read_operator(json.dumps(OPERATOR.to_dict())) == OPERATOR
    for wrong in ("", "[]", "{", '{"operator": "cut"}', "[" * 10**5):
        with pytest.raises((DataError, ParameterError)):
            read_operator(wrong)
    assert read_items(" tea \n\nmilk\r\n") == ("tea", "milk")
    assert read_items("10\n2") == (10, 2)
    assert read_items("10\n02") == ("10", "02")


def test_tokens_are_stored_as_hashes_only(location: str, tmp_path: Path) -> None:
    made = create_campaign(location, operator=OPERATOR, items=ITEMS)
    assert made.tokens.client not in repr(made)
    store = open_campaign(location)
    assert store.role_of(made.tokens.client) is Role.CLIENT
    assert store.role_of(made.tokens.analyst) is Role.ANALYST
    for wrong in ("", "x", made.tokens.client[1:], f"{made.tokens.client} ", "\udcff"):
        assert store.role_of(wrong) is None
    if "://" not in location:
        assert stat.S_IMODE(Path(location).stat().st_mode) == 0o600
        held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"cut-and-paste" in held
        assert made.tokens.client.encode() not in held
        assert made.tokens.analyst.encode() not in held
    renewed, tokens = store.renew_tokens()
    for current in (renewed, open_campaign(location)):
        assert current.role_of(tokens.client) is Role.CLIENT
        assert current.role_of(made.tokens.client) is None


def test_several_campaigns_in_one_database(location: str) -> None:
    with pytest.raises(DataError, match="There is no campaign"):
        open_campaign(location)
    tea = create_campaign(location, operator=OPERATOR, items=ITEMS, name="tea")
    assert open_campaign(location).campaign == tea.store.campaign
    with pytest.raises(ParameterError, match="has a campaign 'tea' already"):
        create_campaign(location, operator=OPERATOR, items=ITEMS, name="tea")
    create_campaign(location, operator=OPERATOR, items=range(3), name="other")
    with pytest.raises(ParameterError, match=r"several campaigns\. .*other, tea"):
        open_campaign(location)
    with pytest.raises(DataError, match=r"no campaign 'te' in .*Did you mean 'tea'"):
        open_campaign(location, name="te")
    for name, items in (("tea", ["tea"]), ("other", [1])):
        store = open_campaign(location, name=name)
        body = json.dumps({"transactions": [{"size": 1, "items": items}]}).encode()
        with closing(store.session()) as session:
            batch = BatchReader(store.campaign).read(body, "same key")
            assert store.add(session, [batch]) == [Outcome.STORED]
    assert open_campaign(location, name="tea").randomized().transactions[0] == {"tea"}
    assert open_campaign(location, name="other").n_of_size() == {1: 1}


def test_batches_of_one_commit(location: str) -> None:
    store = create_campaign(location, operator=OPERATOR, items=ITEMS).store
    reader = BatchReader(store.campaign)
    first = reader.read(b'{"transactions": [{"size": 1, "items": ["egg", "tea"]}]}', "a")
    other = reader.read(b'{"transactions": [{"size": 2, "items": []}]}', "a")
    more = reader.read(b'{"transactions": [{"size": 2, "items": []}]}', "b")
    session = store.session()
    outcomes = store.add(session, [first, first, other, more])
    assert outcomes == [Outcome.STORED, Outcome.REPEATED, Outcome.CONFLICT, Outcome.STORED]
    assert store.add(session, [more, other]) == [Outcome.REPEATED, Outcome.CONFLICT]
    assert store.n_of_size() == {1: 1, 2: 1}
    assert store.n_batches() == 2
    session.close()
    assert store.add(session, [more]) == [Outcome.REPEATED]  # it connects again
    session.close()


def test_nothing_is_stored_if_the_commit_fails(tmp_path: Path) -> None:
    path = tmp_path / "campaign.sqlite"
    store = create_campaign(path, operator=OPERATOR, items=ITEMS).store
    reader = BatchReader(store.campaign)
    body = b'{"transactions": [{"size": 1, "items": ["tea"]}]}'
    with closing(sqlite3.connect(path)) as file:
        file.execute(
            "CREATE TRIGGER full BEFORE INSERT ON discreet_sizes "
            "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
        with closing(store.session()) as session, pytest.raises(DataError, match="disk full"):
            store.add(session, [reader.read(body, "a"), reader.read(body, "b")])
        assert store.n_batches() == 0
        file.execute("DROP TRIGGER full")
    with closing(store.session()) as session:
        assert store.add(session, [reader.read(body, "a")]) == [Outcome.STORED]


SETS = st.lists(
    st.tuples(st.integers(0, 5), st.sets(st.sampled_from(ITEMS))), min_size=1, max_size=6
)


@examples(25)
@given(batches=st.lists(SETS, min_size=1, max_size=4))
def test_what_is_read_is_what_was_sent(
    batches: list[list[tuple[int, set[str]]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("batches") / "campaign.sqlite"
    store = create_campaign(path, operator=OPERATOR, items=ITEMS).store
    reader = BatchReader(store.campaign)
    found = []
    for number, sets in enumerate(batches):
        sent = [{"size": size, "items": list(items)} for size, items in sets]
        found.append(reader.read(json.dumps({"transactions": sent}).encode(), str(number)))
        assert found[-1].n_transactions == len(sets)
    with closing(store.session()) as session:
        store.add(session, found)
    randomized = store.randomized()
    got = sorted(
        (size, sorted(items))
        for size, items in zip(randomized.sizes.tolist(), randomized.transactions, strict=True)
    )
    assert got == sorted((size, sorted(items)) for sets in batches for size, items in sets)
    assert store.n_of_size() == randomized.n_of_size()


def test_uniform_randomization_keeps_the_size() -> None:
    reader = BatchReader(make_campaign(Uniform("1/2"), ITEMS))
    reader.read(b'{"transactions": [{"size": 2, "items": ["tea", "egg"]}]}', "a")
    with pytest.raises(DataError, match="has 1 items; operator 'uniform' leaves the size"):
        reader.read(b'{"transactions": [{"size": 2, "items": ["tea"]}]}', "a")


def test_the_rate_is_counted_for_each_client() -> None:
    now = 100.0
    limit = RateLimit(2.0, 3, clock=lambda: now)
    assert [limit.wait("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert limit.wait("b") == 0
    now += 0.25
    assert limit.wait("a") == pytest.approx(0.25)
    now += 0.25
    assert limit.wait("a") == 0
    now += 1000
    assert [limit.wait("a") for _ in range(4)] == [0, 0, 0, 0.5]
    for client in range(MAX_CLIENTS):
        limit.wait(str(client))
    assert len(limit._buckets) == MAX_CLIENTS
    assert limit.wait("a") == 0  # forgotten, as it came least recently
