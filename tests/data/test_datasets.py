from __future__ import annotations

import hashlib
import http.server
import lzma
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet.data import datasets
from discreet.data.datasets import RemoteFile, fetch, names, user_cache
from discreet.data.files.packed import read_bytes
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(os.environ.get("DISCREET_DATA", "/nowhere"))
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="DISCREET_DATA names no folder")
CONTENT = b"39, State-gov, 77516\n" * 50


class Answers(http.server.BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/absent":
            self.send_error(404)
            return
        self.send_response(200)
        if self.path != "/unsized":
            self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:100] if self.path in {"/short", "/unsized"} else CONTENT)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture(autouse=True)
def shop(asked: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Serve on loopback what the registry then points to; no folder and no proxy is set."""
    handler = type("Handler", (Answers,), {"asked": asked})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    host = f"http://127.0.0.1:{server.server_address[1]}"
    digest = hashlib.sha256(CONTENT).hexdigest()
    registry = {
        name: (RemoteFile(folder="f", name="small.data", url=f"{host}/{name}", sha256=digest),)
        for name in ("small", "absent", "short", "unsized")
    }
    wrong = RemoteFile(folder="f", name="small.data", url=f"{host}/small", sha256="0" * 64)
    monkeypatch.setattr(datasets, "REGISTRY", {**registry, "wrong": (wrong,)})
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("no_proxy", "*")
    yield
    server.shutdown()
    thread.join()
    server.server_close()


def test_downloaded_once_then_taken_from_the_cache(tmp_path: Path, asked: list[str]) -> None:
    (path,) = fetch("small")
    assert path == tmp_path / "home" / "discreet" / "f" / "small.data"
    assert path.read_bytes() == CONTENT
    assert fetch("small") == (path,)
    assert asked == ["/small"]
    assert [file.name for file in path.parent.iterdir()] == ["small.data"]


def test_cache_of_ones_own(tmp_path: Path) -> None:
    (path,) = fetch("small", cache=tmp_path / "mine")
    assert path == tmp_path / "mine" / "f" / "small.data"


def test_local_folder_comes_first(
    tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch("small")
    local = tmp_path / "data" / "f" / "small.data.xz"
    local.parent.mkdir(parents=True)
    local.write_bytes(lzma.compress(CONTENT))
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path / "data"))
    assert fetch("small") == (local,)
    assert asked == ["/small"]
    local.write_bytes(lzma.compress(CONTENT + b"x"))
    with pytest.raises(DataError, match=r"small\.data\.xz is not the small\.data it should be"):
        fetch("small")
    local.unlink()
    assert fetch("small")[0].parent == tmp_path / "home" / "discreet" / "f"


def test_wrong_checksum_names_both_and_keeps_nothing(tmp_path: Path) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    with pytest.raises(DataError, match=f"sha256 is {digest}, not {'0' * 64}"):
        fetch("wrong")
    assert not (tmp_path / "home").exists()


def test_damaged_cache_is_not_used() -> None:
    (path,) = fetch("small")
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(DataError, match="Delete it and fetch it again"):
        fetch("small")


def test_interrupted_download(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"100 of 1050 bytes came.*DISCREET_DATA"):
        fetch("short")
    with pytest.raises(DataError, match="sha256"):
        fetch("unsized")
    assert not (tmp_path / "home").exists()


def test_not_there_and_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"cannot be downloaded: HTTP Error 404.*Put the file"):
        fetch("absent")
    nobody = RemoteFile(folder="f", name="a", url="http://127.0.0.1:9/a", sha256="")
    monkeypatch.setattr(datasets, "REGISTRY", {"nobody": (nobody,)})
    with pytest.raises(DataError, match="cannot be downloaded"):
        fetch("nobody")


def test_cache_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="cannot be made"):
        fetch("small", cache=tmp_path / "file")


def test_unknown_name() -> None:
    with pytest.raises(ParameterError, match=r"no data set 'smal'\. Did you mean 'small'"):
        fetch("smal")


def test_cache_of_each_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    expected = {
        "linux": tmp_path / ".cache" / "discreet",
        "darwin": tmp_path / "Library" / "Caches" / "discreet",
        "win32": tmp_path / "local" / "discreet" / "Cache",
    }
    for platform, folder in expected.items():
        monkeypatch.setattr("sys.platform", platform)
        assert user_cache() == folder


@needs_data
def test_real_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("DISCREET_DATA", str(DATA))
    assert names() == ("adult", "nursery")
    train, test = fetch("adult")
    assert read_bytes(train).count(b"\n") == 32_562  # a blank line ends the file
    assert read_bytes(test).startswith(b"|1x3 Cross validator")
    (nursery,) = fetch("nursery")
    assert read_bytes(nursery).count(b"\n") >= 12_960
