"""``discreet collect``; the service itself is tested in tests/randomize/collect."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import Outcome

import discreet as dc
from discreet.data.transactions import Transactions
from discreet.randomize import CutAndPaste, randomized_of
from discreet.randomize.collect import Client, create_campaign, open_campaign
from discreet.randomize.collect.store import BatchReader

Run = Callable[..., Outcome]
OPERATOR = CutAndPaste(cutoff=3, rho="1/10")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A campaign with 600 transactions of true sizes 1 and 2, of which half hold tea and milk."""
    path = tmp_path / "campaign.sqlite"
    items = ["tea", "milk", "jam"]
    store = create_campaign(path, operator=OPERATOR, items=items, name="tea").store
    originals = Transactions.from_csr(
        [0, *range(2, 601, 2), *range(601, 901)], [0, 1] * 300 + [2] * 300, items
    )
    sent = OPERATOR.randomize(originals)
    batch = [
        {"size": size, "items": sorted(map(str, items))}
        for size, items in zip(sent.sizes.tolist(), sent.transactions, strict=True)
    ]
    body = json.dumps({"transactions": batch}).encode()
    with closing(store.session()) as session:
        store.add(session, [BatchReader(store.campaign).read(body, "all")])
    return path


def test_status(discreet: Run, database: Path) -> None:
    said = discreet("collect", "status", "--db", database)
    assert said.code == 0
    assert "tea: 600 transactions in 1 batches." in said.out
    assert "300 of 2 items" in said.out
    found = json.loads(discreet("collect", "status", "--db", database, "--json").out)
    assert found == {
        "campaign": "tea", "n_batches": 1, "n_transactions": 600,
        "n_of_size": {"1": 300, "2": 300},
    }  # fmt: skip


def test_mine(discreet: Run, database: Path) -> None:
    said = discreet("collect", "mine", "--db", database, "--min-frequency", "0.3", "--json")
    assert said.code == 0
    found = json.loads(said.out)
    assert found["n_transactions"] == 600
    by_items = {tuple(sorted(each["items"])): each for each in found["itemsets"]}
    assert set(by_items) == {("jam",), ("milk",), ("tea",), ("milk", "tea")}
    for each in by_items.values():
        assert abs(each["support"] - 0.5) < 6 * each["sigma"] < 0.5
        assert each["is_discoverable"]
    shares = [each["support"] for each in found["itemsets"]]
    assert shares == sorted(shares, reverse=True)
    said = discreet("collect", "mine", "--db", database, "--min-frequency", "0.3")
    assert "4 itemsets among 600 transactions:" in said.out
    assert "sigma 0.0" in said.out


def test_export(discreet: Run, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    said = discreet("collect", "export", "--db", database, "-o", target)
    assert said.code == 0, said.err
    assert "600 randomized transactions are in" in said.out
    assert "agree with local differential privacy" in " ".join(said.out.split())
    release = dc.Release.load(target)
    read = randomized_of(release)
    sent = open_campaign(database).randomized()
    assert read.operator == OPERATOR
    assert read.transactions == sent.transactions
    assert read.sizes.tolist() == sent.sizes.tolist()
    assert any(
        "the service received the results only" in text for text in release.guarantee.assumptions
    )
    again = discreet("collect", "export", "--db", database, "-o", target)
    assert again.code == 2
    assert "--overwrite" in again.err
    found = discreet("collect", "export", "--db", database, "-o", target, "--overwrite", "--json")
    assert json.loads(found.out)["n_transactions"] == 600
    assert [path.name for path in tmp_path.glob("*out*")] == ["out"]


def test_export_of_one_size(discreet: Run, tmp_path: Path) -> None:
    path = tmp_path / "padded.sqlite"
    made = create_campaign(path, operator=OPERATOR, items=["tea", "milk"], max_size=2, padded=True)
    sets = [{"size": 2, "items": ["tea"]}, {"size": 2, "items": []}] * 50
    body = json.dumps({"transactions": sets}).encode()
    with closing(made.store.session()) as session:
        made.store.add(session, [BatchReader(made.store.campaign).read(body, "all")])
    said = discreet("collect", "export", "--db", path, "-o", tmp_path / "out")
    assert said.code == 0, said.err
    assert "between any two transactions" in " ".join(
        (tmp_path / "out" / "report.html").read_text().split()
    )


def test_an_empty_campaign(discreet: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    create_campaign(path, operator=OPERATOR, items=[3, 4])
    assert "0 transactions in 0 batches" in discreet("collect", "status", "--db", path).out
    found = discreet("collect", "mine", "--db", path, "--min-frequency", "0.1", "--json")
    assert json.loads(found.out)["itemsets"] == []
    nothing = discreet("collect", "export", "--db", path, "-o", tmp_path / "out")
    assert nothing.code == 2
    assert "no transaction was sent" in nothing.err


def test_serve_from_files_as_a_person_does(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="uvicorn is absent: pip install 'discreet[collect]'")
    (tmp_path / "policy.json").write_text(json.dumps(OPERATOR.to_dict()))
    (tmp_path / "items.txt").write_text("1\n2\n30\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def start(*options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "discreet", "collect", "serve", "--db", "c.sqlite", "--port",
             str(port), "--json", *options],
            cwd=tmp_path, text=True, stdout=subprocess.PIPE,
        )  # fmt: skip

    made = ("--operator", "policy.json", "--items", "items.txt", "--max-size", "2", "--padded")
    tokens: dict[str, str] = {}
    for options in (made, ()):
        with start(*options) as process:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline())
            assert said["url"] == f"http://127.0.0.1:{port}"
            assert said["local_epsilon"] == {"2": OPERATOR.local_epsilon(2, 5)}
            assert (said["tokens"] is None) == (options == ())  # shown once
            tokens = tokens or said["tokens"]
            assert Client(said["url"], tokens["client"], n_tries=20).send([[1, 30]]).n_batches == 1
            process.send_signal(signal.SIGINT)
    status = Client(f"http://127.0.0.1:{port}", tokens["analyst"], n_tries=1)
    with pytest.raises(Exception, match="did not answer"):
        status.status()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--db", "none.sqlite"], "There is no campaign none.sqlite"),
        (["--db", "c.sqlite", "--operator", "policy.json"], "--operator and --items"),
        (["--db", "c.sqlite", "--padded"], "--operator and --items"),
        (["--db", "c.sqlite", "--operator", "policy.json", "--items", "no.txt"], "no.txt cannot"),
        (["--db", "c.sqlite", "--operator", "items.txt", "--items", "items.txt"], "not JSON"),
        (["--db", "c.sqlite", "--operator", "policy.json", "--items", "items.txt", "--max-rate",
          "0"], "--max-rate 0.0 must be above 0"),
        (["--db", "mysql://host/x"], "postgresql://"),
        (["--db", "none.sqlite", "--port", "99999"], "--port 99999 must be from 0 to 65535"),
        (["--db", "none.sqlite", "--host", "256.1.1.1"], "cannot be listened on"),
    ],
)  # fmt: skip
def test_what_cannot_be_served(
    discreet: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.json").write_text(json.dumps(OPERATOR.to_dict()))
    (tmp_path / "items.txt").write_text("tea\nmilk\n")
    port = [] if "--port" in options else ["--port", "0"]
    said = discreet("collect", "serve", *options, *port)
    assert said.code == 2
    assert told in said.err
    assert not (tmp_path / "none.sqlite").exists()


def test_without_the_extra(discreet: Run, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["discreet.randomize.collect.serve"]
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    said = discreet("collect", "serve", "--db", database, "--port", "0")
    assert said.code == 2
    assert "discreet[collect]" in said.err
