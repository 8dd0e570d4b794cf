"""The Python client: what it refuses to send, and that it sends the same bytes until it counts."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from discreet.data.transactions import Transactions
from discreet.errors import DataError, GuaranteeError, ParameterError, ServiceError
from discreet.randomize import CutAndPaste, SelectASize
from discreet.randomize.collect import (
    Campaign,
    Client,
    ServiceLimits,
    UploadError,
    create_campaign,
    mine_campaign,
)
from discreet.randomize.collect.campaign import make_campaign
from discreet.randomize.collect.store import BatchReader

ITEMS = ["tea", "milk", "jam", "cake"]
Reply = tuple[int, object, dict[str, str]] | None  # None: the connection ends without an answer


class Service:
    """A server that answers as a test tells it to."""

    def __init__(self, campaign: Campaign) -> None:
        self.policy = campaign.policy()
        self.posts: list[tuple[str, bytes]] = []
        self.tokens: set[str | None] = set()
        self.replies: Iterator[Reply] = iter(())
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                service.tokens.add(self.headers["Authorization"])
                self.answer((200, service.policy, {}) if self.path == "/policy" else (200, [], {}))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.posts.append((self.headers["Idempotency-Key"], body))
                n = len(json.loads(body)["transactions"])
                self.answer(next(service.replies, (201, {"n_transactions": n}, {})))

            def answer(self, reply: Reply) -> None:
                if reply is None:
                    self.close_connection = True
                    return
                code, said, headers = reply
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(json.dumps(said).encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def serve() -> Iterator[Callable[[Campaign], Service]]:
    started: list[Service] = []

    def start(campaign: Campaign) -> Service:
        started.append(Service(campaign))
        return started[-1]

    yield start
    for service in started:
        service.server.shutdown()
        service.server.server_close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that clients would have waited."""
    found: list[float] = []
    monkeypatch.setattr("discreet.randomize.collect.client.time.sleep", found.append)
    return found


def campaign(**options: Any) -> Campaign:  # noqa: ANN401
    return make_campaign(CutAndPaste(cutoff=2, rho="1/4"), ITEMS, max_size=2, **options)


def sets(bodies: list[bytes]) -> list[tuple[int, frozenset[str]]]:
    return [
        (each["size"], frozenset(each["items"]))
        for body in bodies
        for each in json.loads(body)["transactions"]
    ]


def test_the_same_bytes_are_sent_until_they_are_acknowledged(
    serve: Callable[[Campaign], Service], waits: list[float]
) -> None:
    service = serve(campaign())
    service.replies = iter([
        None, (503, {"detail": "busy"}, {"Retry-After": "7"}), (429, {}, {"Retry-After": "x"}),
        (500, "oh", {}), (201, {"n_transactions": 3}, {}),
    ])  # fmt: skip
    sent = Client(service.url, "token").send([["tea"], ["milk", "jam"], []])
    assert (sent.n_transactions, sent.n_batches) == (3, 1)
    assert len(service.posts) == 5
    assert len(set(service.posts)) == 1
    assert waits[1] >= 7
    assert all(0.05 < wait < 10 for wait in waits)
    assert service.tokens == {"Bearer token"}
    assert [size for size, _ in sets([service.posts[0][1]])] == [1, 2, 0]


def test_what_was_not_acknowledged_can_be_sent_later(
    serve: Callable[[Campaign], Service], waits: list[float]
) -> None:
    service = serve(campaign())
    client = Client(service.url, "token", batch_size=2, n_tries=3)
    taken: Reply = (201, {}, {})
    service.replies = iter([taken, *[None] * 3])
    with pytest.raises(UploadError, match=r"did not answer.*3 times\. 1 of 3 batches") as caught:
        client.send([["tea"]] * 5)
    assert len(waits) == 2
    unsent = caught.value.unsent
    assert [upload.n_transactions for upload in unsent] == [2, 1]
    assert client.upload(unsent).n_transactions == 3
    keys = [key for key, _ in service.posts]
    assert len(set(keys)) == 3
    assert keys[1:4] == [keys[1]] * 3
    assert service.posts[4] == service.posts[1]


def test_a_refusal_is_not_repeated(
    serve: Callable[[Campaign], Service], waits: list[float]
) -> None:
    service = serve(campaign())
    for reply, told in (
        ((422, {"detail": "transactions[0].size is 7"}, {}), "answered 422: transactions"),
        ((401, {}, {}), "answered 401"),
        ((307, {}, {"Location": service.url + "/elsewhere"}), "answered 307"),
        ((301, {}, {"Location": "https://example.invalid/"}), "answered 301"),
    ):
        service.replies = iter([reply])
        with pytest.raises(UploadError, match=told):
            Client(service.url, "token").send([["tea"]])
    assert len(service.posts) == 4
    assert waits == []
    with pytest.raises(ServiceError, match="not that of a collect service"):
        Client(service.url, "token").status()


def test_batches_keep_to_the_limits(serve: Callable[[Campaign], Service]) -> None:
    service = serve(campaign(service_limits=ServiceLimits(max_body=1024, max_batch=30)))
    client = Client(service.url, "token")
    assert client.send([["tea", "jam"]] * 100).n_batches == len(service.posts)
    bodies = [body for _, body in service.posts]
    assert max(map(len, bodies)) <= 1024
    assert max(len(sets([body])) for body in bodies) <= 30
    assert len(sets(bodies)) == 100


def test_too_weak_a_policy_is_refused(serve: Callable[[Campaign], Service]) -> None:
    service = serve(campaign())
    epsilon = CutAndPaste(cutoff=2, rho="1/4").local_epsilon(2, 4)
    with pytest.raises(GuaranteeError, match=r"local epsilon .* for transactions of 2 items"):
        Client(service.url, "token", max_epsilon=epsilon * 0.99).send([["tea", "milk"]])
    assert service.posts == []
    Client(service.url, "token", max_epsilon=epsilon).send([["tea", "milk"]])
    Client(service.url, "token", max_epsilon=epsilon * 0.99).send([["tea"], []])
    bare = serve(make_campaign(SelectASize({1: [0, 1]}, rho="1/9"), ITEMS))
    with pytest.raises(GuaranteeError, match="local epsilon inf"):
        Client(bare.url, "token").send([["tea"]])
    assert bare.posts == []
    Client(bare.url, "token", max_epsilon=math.inf).send([["tea"]])
    assert "tea" in sets([bare.posts[0][1]])[0][1]


def test_the_operator_of_the_policy_is_applied(serve: Callable[[Campaign], Service]) -> None:
    """A law with one outcome inside, so that what is kept can be told from what is inserted."""
    never = SelectASize({2: [1, 0, 0]}, rho="1/2")
    service = serve(make_campaign(never, ITEMS))
    Client(service.url, "token", max_epsilon=math.inf).send(
        Transactions.from_iterable([["milk", "tea"]] * 50)
    )
    found = sets([body for _, body in service.posts])
    assert {size for size, _ in found} == {2}
    assert set().union(*(items for _, items in found)) == {"jam", "cake"}


def test_padded_transactions_hide_their_sizes(serve: Callable[[Campaign], Service]) -> None:
    service = serve(campaign(padded=True))
    Client(service.url, "token").send([[], ["tea"], ["tea", "milk"], ["tea", "milk", "jam"]])
    found = sets([body for _, body in service.posts])
    assert [size for size, _ in found] == [2, 2, 2, 2]
    assert set().union(*(items for _, items in found)) <= set(ITEMS)


def test_padded_transactions_are_mined(
    serve: Callable[[Campaign], Service], tmp_path: Path
) -> None:
    """Of 4000 people, half have tea with milk, a quarter only jam, a quarter nothing."""
    store = create_campaign(
        tmp_path / "campaign.sqlite", operator=CutAndPaste(cutoff=2, rho="1/10"), items=ITEMS,
        max_size=2, padded=True,
    ).store  # fmt: skip
    client = Client(serve(store.campaign).url, "token", batch_size=1000)
    uploads = client.prepare([["tea", "milk"], ["tea", "milk"], ["jam"], []] * 1000)
    reader = BatchReader(store.campaign)
    with closing(store.session()) as session:
        store.add(session, [reader.read(upload.body, upload.key) for upload in uploads])
    assert store.n_of_size() == {2: 4000}
    found: Any = mine_campaign(store.randomized(), min_frequency=0.15)["itemsets"]
    shares = {("tea",): 0.5, ("milk",): 0.5, ("jam",): 0.25, ("milk", "tea"): 0.5}
    assert {tuple(sorted(each["items"])) for each in found} == set(shares)
    for each in found:
        error = each["support"] - shares[tuple(sorted(each["items"]))]
        assert abs(error) < 6.1 * each["sigma"] < 0.15


def test_sizes_and_items_the_campaign_does_not_take(
    serve: Callable[[Campaign], Service],
) -> None:
    service = serve(campaign())
    client = Client(service.url, "token")
    with pytest.raises(DataError, match=r"Transaction 1 has 3 items; .* sizes 0, 1, 2"):
        client.send([["tea"], ["tea", "milk", "jam"]])
    with pytest.raises(DataError, match=r"Transaction 2 has the item 'te'.*'tea'"):
        client.send([["tea"], [], ["milk", "te"]])
    assert service.posts == []
    assert client.send([]).n_batches == 0


@pytest.mark.parametrize(
    ("url", "token", "options", "told"),
    [
        ("ftp://host", "t", {}, "https://"),
        ("file:///etc/passwd", "t", {}, "https://"),
        ("host", "t", {}, "https://"),
        ("http://example.org", "t", {}, "plain HTTP to another machine"),
        ("http://127.0.0.1.example.org", "t", {}, "plain HTTP"),
        ("https://host", "", {}, "token"),
        ("https://host", "a\nb", {}, "token"),
        ("https://host", "t", {"batch_size": 0}, "batch_size=0"),
        ("https://host", "t", {"n_tries": 0}, "n_tries=0"),
        ("https://host", "t", {"max_epsilon": 0}, "max_epsilon=0"),
        ("https://host", "t", {"max_epsilon": math.nan}, "max_epsilon=nan"),
    ],
)
def test_bad_parameters(url: str, token: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        Client(url, token, **options)


def test_the_client_keeps_count_of_reports(
    serve: Callable[[Campaign], Service], tmp_path: Path
) -> None:
    service, file = serve(campaign()), tmp_path / "reports.json"
    client = Client(service.url, "token", count_file=file, max_reports=3)
    epsilon = max(campaign().local_epsilons().values())
    assert (client.n_reports, client.spent_epsilon) == (0, 0.0)
    client.send([["tea"], ["milk", "jam"]])
    again = Client(service.url, "token", count_file=file, max_reports=3)
    assert again.n_reports == 2
    assert again.spent_epsilon == pytest.approx(2 * epsilon)
    posted = len(service.posts)
    with pytest.raises(GuaranteeError, match="2 reports were made for this campaign, and 2 more"):
        again.send([["tea"], ["tea"]])
    assert again.n_reports == 2
    assert len(service.posts) == posted
    uploads = again.prepare([["tea"]])  # what is randomized counts, whenever it is sent
    assert again.n_reports == 3
    again.upload(uploads)
    again.upload(uploads)
    assert again.n_reports == 3
    assert "tea" not in file.read_text()
    assert list(tmp_path.iterdir()) == [file]
    # another campaign is counted by itself
    other = serve(make_campaign(CutAndPaste(cutoff=3, rho="1/4"), ITEMS, max_size=2))
    assert Client(other.url, "token", count_file=file).n_reports == 0
    assert Client(service.url, "token", count_file=file).n_reports == 3


def test_counts_that_cannot_be_read_are_no_zero(
    serve: Callable[[Campaign], Service], tmp_path: Path
) -> None:
    service, file = serve(campaign()), tmp_path / "reports.json"
    for text in ("[1]", "{", '{"a": "b"}'):
        file.write_text(text)
        with pytest.raises(ParameterError, match="is not a count of reports"):
            Client(service.url, "token", count_file=file).send([["tea"]])
    assert not service.posts
    with pytest.raises(ParameterError, match="cannot be written"):
        Client(service.url, "token", count_file=tmp_path / "no" / "where").send([["tea"]])
    with pytest.raises(ParameterError, match="needs a file that keeps count"):
        Client(service.url, "token", max_reports=3)
    with pytest.raises(ParameterError, match="keeps no count"):
        _ = Client(service.url, "token").n_reports
