"""What a real server answers: to those who ask rightly, and every refusal."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import jsonschema  # type: ignore[import-untyped]
import pytest
from fastapi.openapi.models import OpenAPI

from discreet.randomize import CutAndPaste, support
from discreet.randomize.collect import ServiceLimits, mine_campaign, open_campaign
from tests.randomize.collect.service import Server, serving

ITEMS = ["tea", "milk", "<b>jam</b>", "1"]
LIMITS = ServiceLimits(max_body=2048, max_batch=3, max_rate=1e9, burst=10**9)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("answers")
    operator = CutAndPaste(cutoff=2, rho="1/4")
    location = str(folder / "campaign.sqlite")
    with serving(
        folder,
        location,
        operator=operator,
        items=ITEMS,
        max_size=2,
        service_limits=LIMITS,
        name="tea",
    ) as started:
        yield started
    assert started.log.read_text().count("Error") == 0


def batch(*sets: list[object], size: object = 2) -> dict[str, object]:
    return {"transactions": [{"size": size, "items": items} for items in sets]}


def n_stored(server: Server) -> int:
    n: int = server.ask("GET", "/status", token=server.analyst).body["n_transactions"]
    return n


def test_the_policy_says_how_to_randomize(server: Server) -> None:
    operator = server.campaign.store.campaign.operator
    for token in (server.token, server.analyst):
        policy = server.ask("GET", "/policy", token=token).body
        assert policy["operator"] == {"operator": "cut-and-paste", "cutoff": 2, "rho": "1/4"}
        assert policy["items"] == ITEMS
        assert policy["sizes"] == [0, 1, 2]
        assert policy["local_epsilon"]["2"] == operator.local_epsilon(2, 4)
        assert policy["laws"]["1"] == {"keep": ["1/4", "3/4"], "rho": "1/4"}
        assert policy["limits"]["max_batch"] == 3


def test_a_batch_is_stored_once_however_often_it_comes(server: Server) -> None:
    before = n_stored(server)
    sent = batch(["milk"], [], size=1)
    answers = [server.post(sent, "once") for _ in range(3)]
    assert [answer.code for answer in answers] == [201] * 3
    assert [answer.body for answer in answers] == [{"n_transactions": 2}] * 3
    assert n_stored(server) == before + 2
    other = server.post(batch(["tea"], [], size=1), "once")
    assert other.code == 409
    assert "Another batch" in other.body["detail"]
    assert n_stored(server) == before + 2


def test_the_status_counts_by_size(server: Server) -> None:
    before = server.ask("GET", "/status", token=server.analyst).body
    server.post(batch(["tea"], ["1"], size=1), "by size 1")
    server.post(batch(["tea", "milk", "1"], size=0), "by size 0")
    after = server.ask("GET", "/status", token=server.analyst).body
    assert after["campaign"] == "tea"
    assert after["n_batches"] == before["n_batches"] + 2
    grown = {
        size: after["n_of_size"].get(size, 0) - before["n_of_size"].get(size, 0) for size in "012"
    }
    assert grown == {"0": 1, "1": 2, "2": 0}


def test_mining_answers_with_estimates_and_sigmas(server: Server) -> None:
    server.post(batch(["tea", "milk"], ["tea", "milk"], ["tea"]), "mined")
    answer = server.ask("GET", "/mine?min_frequency=0.01&max_size=2", token=server.analyst)
    assert answer.code == 200
    randomized = open_campaign(server.location).randomized()
    assert answer.body == mine_campaign(randomized, min_frequency=0.01, max_size=2)
    found = {tuple(each["items"]): each for each in answer.body["itemsets"]}
    estimate = support(randomized, ["tea"])
    assert found["tea",]["support"] == pytest.approx(estimate.support)
    assert found["tea",]["sigma"] == pytest.approx(estimate.sigma)


WRONG = {
    "no JSON": (b"{", "not JSON: Expecting property name .* at line 1, column 2"),
    "no text": (b'"\xff"', "not text in UTF-8"),
    "brackets": (b"[" * 1500, "not JSON of the form"),
    "long number": (b"1" * 2000, "is not an object"),
    "a list": ([], "The body is not an object with 'transactions'"),
    "another field": ({"transactions": [], "who": 1}, 'must not have the field "who"'),
    "no transactions": ({"transactions": []}, "list of at least one"),
    "transactions as text": ({"transactions": "tea"}, "list of at least one"),
    "a number": ({"transactions": [7]}, r"transactions\[0\] is not an object with 'size'"),
    "no size": ({"transactions": [{"items": []}]}, r'transactions\[0\] lacks the field "size"'),
    "an original": (
        {"transactions": [{"size": 1, "items": [], "original": ["tea"]}]},
        r'transactions\[0\] must not have the field "original"',
    ),
    "size too large": (batch(["tea"], size=3), r"transactions\[0\].size is 3; .* 0, 1, 2"),
    "size below 0": (batch([], size=-1), "size is -1"),
    "size as text": (batch([], size="2"), 'size is "2"'),
    "size as a share": (batch([], size=1.0), "size is 1.0"),
    "size as true": (batch([], size=True), "size is true"),
    "items as text": (batch("tea"), r"transactions\[0\].items is not a list"),  # type: ignore[arg-type]
    "unknown item": (batch([], ["tea", "coal"]), r'transactions\[1\].items\[1\] is "coal"'),
    "item as a number": (batch([1]), r"items\[0\] is 1, which is not in the list"),
    "item as a list": (batch([["tea"]]), r'items\[0\] is \["tea"\]'),
    "item as null": (batch([None]), r"items\[0\] is null"),
    "long item": (batch(["x" * 500]), r"x\.\.\., which is not"),
    "an item twice": (batch(["tea", "milk", "tea"]), r'items\[2\] is "tea", which stands .* twice'),
}


@pytest.mark.parametrize(("body", "told"), WRONG.values(), ids=WRONG)
def test_what_is_not_as_the_policy_says_is_refused(server: Server, body: object, told: str) -> None:
    before = n_stored(server)
    answer = server.post(body, "wrong")
    assert answer.code == 422
    assert re.search(told, answer.body["detail"]), answer.body
    assert n_stored(server) == before


def test_one_wrong_transaction_refuses_the_batch(server: Server) -> None:
    before = n_stored(server)
    for name in ("an original", "size too large", "item as null", "an item twice"):
        wrong = cast("dict[str, list[object]]", WRONG[name][0])["transactions"]
        good = cast("list[object]", batch(["tea"])["transactions"])
        answer = server.post({"transactions": good + wrong + good}, "between")
        assert answer.code == 422
        assert "transactions[1]" in answer.body["detail"]
    assert n_stored(server) == before


def test_the_key_of_a_refused_batch_is_free(server: Server) -> None:
    assert server.post(batch(["coal"]), "again").code == 422
    assert server.post(batch(["tea"]), "again").code == 201


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": ""}, {"Idempotency-Key": "x" * 201}])
def test_a_batch_needs_a_key(server: Server, headers: dict[str, str]) -> None:
    answer = server.ask(
        "POST", "/transactions", batch(["tea"]), token=server.token, headers=headers
    )
    assert answer.code == 422
    assert answer.body["detail"].startswith("Idempotency-Key: ")


def test_tokens(server: Server) -> None:
    for token in (None, "", "x", server.token[:-1], f"{server.token}x", "\xe9"):
        for method, path in (("GET", "/policy"), ("GET", "/status"), ("POST", "/transactions")):
            answer = server.ask(method, path, token=token)
            assert answer.code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
    basic = {"Authorization": f"Basic {server.token}"}
    assert server.ask("GET", "/policy", headers=basic).code == 401
    assert server.post(batch(["tea"]), "analyst", token=server.analyst).code == 403
    assert server.ask("GET", "/status", token=server.token).code == 403
    assert server.ask("GET", "/mine?min_frequency=0.1", token=server.token).code == 403


def test_too_much_at_once(server: Server) -> None:
    before = n_stored(server)
    answer = server.post(batch(["tea"], ["tea"], ["tea"], ["tea"]), "four")
    assert answer.code == 413
    assert "has 4 transactions; at most 3" in answer.body["detail"]
    long = server.post(b" " * 2048 + json.dumps(batch(["tea"])).encode(), "long")
    assert long.code == 413
    assert "longer than 2048 bytes" in long.body["detail"]
    assert n_stored(server) == before


def test_a_long_body_of_unknown_length_is_refused_too(server: Server) -> None:
    chunk = b"400\r\n" + b" " * 1024 + b"\r\n"
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(
            f"POST /transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.token}\r\n"
            "Idempotency-Key: chunks\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n".encode()
            + chunk * 3
        )
        assert connection.recv(65536).startswith(b"HTTP/1.1 413")


def test_other_types_paths_and_methods(server: Server) -> None:
    headers = {"Content-Type": "text/plain"}
    assert server.post(json.dumps(batch(["tea"])).encode(), "text", headers=headers).code == 415
    typed = {"Content-Type": "application/json; charset=utf-8"}
    assert server.post(batch(["tea"]), "typed", headers=typed).code == 201
    assert server.ask("GET", "/transactions", token=server.token).code == 405
    assert server.ask("GET", "/docs").code == 404
    for query in ("", "?min_frequency=2", "?min_frequency=x", "?min_frequency=0.1&max_size=0"):
        answer = server.ask("GET", f"/mine{query}", token=server.analyst)
        assert answer.code == 422
        assert answer.body["detail"].split(":")[0] in {"min_frequency", "max_size"}


def test_every_answer_forbids_scripts_of_others_and_keeping(server: Server) -> None:
    for path in ("/", "/client.js", "/page.js", "/style.css", "/policy", "/none"):
        headers = server.ask("GET", path).headers
        assert headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self'"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


def test_whoever_comes_too_often_waits(tmp_path: Path) -> None:
    limits = ServiceLimits(max_rate=0.001, burst=4)
    with serving(
        tmp_path, str(tmp_path / "slow.sqlite"), operator=CutAndPaste(2, rho="1/4"), items=ITEMS,
        service_limits=limits,
    ) as server:  # fmt: skip
        codes = [server.ask("GET", "/policy").code for _ in range(3)]
        assert codes == [401, 401, 401]  # the first of four was asked while it started
        answer = server.ask("GET", "/policy", token=server.token)
        assert answer.code == 429
        assert 900 < int(answer.headers["retry-after"]) <= 1000
        assert server.ask("GET", "/").code == 200  # the page is not counted


def test_the_description_is_valid_openapi_and_true(server: Server) -> None:
    found = server.ask("GET", "/openapi.json").body
    OpenAPI.model_validate(found)
    assert set(found["paths"]) == {"/policy", "/transactions", "/status", "/mine"}
    text = json.dumps(found)
    for reference in (part.split('"')[0] for part in text.split('"$ref": "#/')[1:]):
        at = found
        for step in reference.split("/"):
            at = at[step]

    def check(instance: object, schema: dict[str, object]) -> None:
        whole = {**schema, "components": found["components"]}
        jsonschema.Draft202012Validator(whole).validate(instance)

    post = found["paths"]["/transactions"]["post"]
    assert set(post["responses"]) == {
        "201", "401", "403", "409", "413", "415", "422", "429", "503"
    }  # fmt: skip
    (key,) = post["parameters"]
    assert (key["name"], key["in"], key["required"]) == ("Idempotency-Key", "header", True)
    sent = post["requestBody"]["content"]["application/json"]["schema"]
    check(batch(["tea"], []), sent)
    for name in ("an original", "no size", "no transactions", "size below 0", "a number"):
        with pytest.raises(jsonschema.ValidationError):
            check(WRONG[name][0], sent)
    for path, token in (("/policy", server.token), ("/status", server.analyst)):
        operation = found["paths"][path]["get"]
        assert operation["security"] == [{"HTTPBearer": []}]
        answers = operation["responses"]["200"]["content"]["application/json"]["schema"]
        check(server.ask("GET", path, token=token).body, answers)
    mine = found["paths"]["/mine"]["get"]
    mined = server.ask("GET", "/mine?min_frequency=0.01&max_size=2", token=server.analyst)
    check(mined.body, mine["responses"]["200"]["content"]["application/json"]["schema"])
    problem = post["responses"]["422"]["content"]["application/json"]["schema"]
    check(server.post(batch(["coal"]), "problem").body, problem)
