"""Every rule of who may talk to the app has its refused request."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from discreet.web.guard import CODE_SECONDS, MAX_FORM, SPARE_DISK, Door, Guard
from discreet.web.server import _Entrance, _watch_idle
from tests.web.conftest import CANARY, Running, running


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("guarded") / "folder"
    folder.mkdir()
    (tmp_path_factory.getbasetemp() / "outside.csv").write_text("a,b\n1,2\n")
    with running(folder) as started:
        yield started


@pytest.fixture(scope="module")
def cookie(app: Running) -> str:
    answer = ask(app, "GET", app.address.removeprefix(app.root))
    assert answer.status == 200
    given = str(answer.getheader("set-cookie"))
    assert re.search(
        rf"discreet_{app.port}=\S+; HttpOnly; Path=/; SameSite=strict", given, re.IGNORECASE
    )
    return given.partition(";")[0]


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def getheader(self, name: str) -> str | None:
        return self.headers.get(name)


def ask(app: Running, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
    """Send a request as no browser would; ``Host`` and others as given."""
    connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=20)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    given = {"Host": f"127.0.0.1:{app.port}"} | {k.replace("_", "-"): v for k, v in headers.items()}
    if body is not None and "Content-Length" not in given:
        given["Content-Length"] = str(len(body))
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    with connection.getresponse() as answer:
        body = answer.read()
    connection.close()
    return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, body)


def test_nobody_comes_in_without_a_cookie(app: Running) -> None:
    for path in ("/", "/static/app.js", "/release/x/download", "/job/1", "/verify"):
        assert ask(app, "GET", path).status == 401
    assert ask(app, "GET", "/", Cookie=f"discreet_{app.port}=guessed").status == 401


def test_a_code_lets_in_once(app: Running, cookie: str) -> None:
    assert ask(app, "GET", "/", Cookie=cookie).status == 200
    assert ask(app, "GET", app.address.removeprefix(app.root)).status == 401
    assert ask(app, "GET", "/enter?code=guessed").status == 401
    assert ask(app, "GET", "/enter").status == 401


def test_two_cookies_of_the_name_are_none(app: Running, cookie: str) -> None:
    assert ask(app, "GET", "/", Cookie=f"{cookie}; {cookie}").status == 401


def test_a_code_is_good_for_a_minute() -> None:
    now = 0.0
    door = Door(1, clock=lambda: now)
    code = door.new_code()
    now = CODE_SECONDS + 1
    assert door.let_in(code) is None
    code = door.new_code()
    found = door.let_in(code)
    assert found is not None
    assert door.knows(found)
    assert not door.knows(found[:-1])


@pytest.mark.parametrize(
    "host", ["example.org", "127.0.0.1", "localhost:1", "127.0.0.1.example.org:{port}", ""]
)
def test_a_name_of_another_machine_is_refused(app: Running, cookie: str, host: str) -> None:
    answer = ask(app, "GET", "/", Cookie=cookie, Host=host.format(port=app.port))
    assert answer.status in (400, 421)


def test_what_changes_anything_comes_from_our_own_pages(app: Running, cookie: str) -> None:
    home = f"http://127.0.0.1:{app.port}"
    form = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    for origin in ("http://example.org", "null", "", f"http://localhost:{app.port}"):
        assert ask(app, "POST", "/census", b"", Origin=origin, **form).status == 403
    assert ask(app, "POST", "/census", b"", **form).status == 403
    other = {"Origin": home, "Sec_Fetch_Site": "cross-site", **form}
    assert ask(app, "POST", "/census", b"", **other).status == 403
    assert ask(app, "GET", "/", Cookie=cookie, Sec_Fetch_Site="cross-site").status == 403
    for method in ("PUT", "DELETE", "OPTIONS"):
        assert ask(app, method, "/", Cookie=cookie, Origin=home).status == 405
    assert not (app.folder / "census.csv").exists()


def test_every_answer_forbids_what_it_can(app: Running, cookie: str) -> None:
    for path, status in (("/", 200), ("/static/app.js", 200), ("/no", 404)):
        answer = ask(app, "GET", path, Cookie=cookie)
        assert answer.status == status
        policy = str(answer.getheader("content-security-policy"))
        for part in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"):
            assert part in policy
        assert "unsafe" not in policy
        assert answer.getheader("cache-control") == "no-store"
        assert answer.getheader("x-content-type-options") == "nosniff"
        assert answer.getheader("referrer-policy") == "same-origin"
        assert answer.getheader("cross-origin-resource-policy") == "same-origin"
        assert answer.getheader("cross-origin-opener-policy") == "same-origin"
        assert answer.getheader("server") is None


@pytest.mark.parametrize(
    "name", ["..", "../outside.csv", "%2e%2e%2foutside.csv", "/etc/passwd", ".discreet", "link"]
)
def test_nothing_outside_of_the_folder_is_reached(app: Running, cookie: str, name: str) -> None:
    link = app.folder / "link"
    if not link.is_symlink():
        link.symlink_to(app.folder.parent)
    form = {
        "Cookie": cookie,
        "Origin": app.root,
        "Content-Type": "application/x-www-form-urlencoded",
    }
    assert ask(app, "POST", "/open", f"file={name}".encode(), **form).status == 422
    assert ask(app, "POST", "/verify", f"place={name}".encode(), **form).status == 422
    assert ask(app, "GET", f"/policy/{name}/data", Cookie=cookie).status in (307, 404)
    assert not any(path.suffix == ".toml" for path in app.folder.iterdir())


def test_too_large_a_form_is_refused(app: Running, cookie: str) -> None:
    form = {"Cookie": cookie, "Origin": app.root}
    assert ask(app, "POST", "/census", b"", Content_Length="9999999999", **form).status == 413
    assert ask(app, "POST", "/upload", b"", Content_Length="99999999999999", **form).status == 413


@pytest.mark.parametrize("name", ["../up.csv", "a.exe", ".hidden.csv", ""])
def test_an_upload_takes_its_own_name_and_no_other_place(
    app: Running, cookie: str, name: str
) -> None:
    answer = _upload(app, cookie, name, b"a,b\n1,2\n")
    if name == "../up.csv":
        assert answer.status == 303
        assert (app.folder / "up.csv").read_bytes() == b"a,b\n1,2\n"
        assert not (app.folder.parent / "up.csv").exists()
    else:
        assert answer.status == 422


def test_an_upload_replaces_nothing(app: Running, cookie: str) -> None:
    kept = app.folder / "kept.csv"
    kept.write_text("a\n1\n")
    assert _upload(app, cookie, "kept.csv", b"a\n2\n").status == 422
    assert kept.read_text() == "a\n1\n"
    _upload(app, cookie, "private.csv", b"a\n2\n")
    assert stat.S_IMODE(os.stat(app.folder / "private.csv").st_mode) == 0o600  # noqa: PTH116


def _upload(app: Running, cookie: str, name: str, content: bytes) -> Answer:
    body = (
        b'--xx\r\nContent-Disposition: form-data; name="file"; filename="' + name.encode()
        + b'"\r\nContent-Type: text/csv\r\n\r\n' + content + b"\r\n--xx--\r\n"
    )  # fmt: skip
    return ask(
        app, "POST", "/upload", body, Cookie=cookie, Origin=app.root,
        Content_Type="multipart/form-data; boundary=xx",
    )  # fmt: skip


def test_what_the_app_keeps_is_for_its_owner_alone(app: Running) -> None:
    private = app.folder / ".discreet"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    for path in private.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) in (0o600, 0o700)


def test_it_listens_on_this_machine_only(app: Running) -> None:
    wanted = f"{app.port:04X}"
    lines = Path("/proc/net/tcp").read_text().splitlines() if Path("/proc/net/tcp").exists() else []
    if not lines:
        pytest.skip("the system does not list its connections")
    listening = [line.split()[1] for line in lines[1:] if line.split()[3] == "0A"]
    assert [each for each in listening if each.endswith(f":{wanted}")] == [f"0100007F:{wanted}"]


def test_a_body_that_was_not_announced_is_counted(app: Running, cookie: str) -> None:
    # All that may come, and one piece more; the rest of the request is never sent.
    piece = b"10000\r\n" + b"x" * 2**16 + b"\r\n"
    head = (
        f"POST /policy/p.toml/tree/import?column=a HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{app.port}\r\nCookie: {cookie}\r\n"
        f"Origin: {app.root}\r\nContent-Type: multipart/form-data; boundary=xx\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    begin = (
        b'--xx\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n'
        b"Content-Type: text/csv\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", app.port), timeout=20) as connection:
        connection.sendall(head.encode() + f"{len(begin):x}\r\n".encode() + begin + b"\r\n")
        for _ in range(MAX_FORM // 2**16 + 1):
            connection.sendall(piece)
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")
    assert ask(app, "GET", "/", Cookie=cookie).status == 200


def test_an_upload_that_would_fill_the_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = Door(1)
    cookie = door.let_in(door.new_code())
    free = SimpleNamespace(free=SPARE_DISK + 1000)
    monkeypatch.setattr("discreet.web.guard.shutil.disk_usage", lambda _: free)
    sent: list[dict[str, Any]] = []

    async def never(*_: object) -> None:
        pytest.fail("it came through")

    async def send(message: Any) -> None:  # noqa: ANN401  a message is a mapping of anything
        sent.append(message)

    headers = {"host": "127.0.0.1:1", "origin": "http://127.0.0.1:1", "content-length": "1001",
               "cookie": f"{door.cookie}={cookie}"}  # fmt: skip
    scope = {
        "type": "http", "method": "POST", "path": "/upload", "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    asyncio.run(Guard(never, door=door, private=tmp_path)(scope, never, send))  # type: ignore[arg-type]  # no app
    assert sent[0]["status"] == 413


def test_a_report_is_shown_without_any_right(app: Running, cookie: str) -> None:
    place = app.folder / "theirs"
    place.mkdir(exist_ok=True)
    (place / "report.html").write_text("<script>alert(1)</script>")
    answer = ask(app, "GET", "/release/theirs/report", Cookie=cookie)
    policy = str(answer.getheader("content-security-policy"))
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script" not in policy
    (app.folder / "linked").mkdir(exist_ok=True)
    (app.folder / "linked/report.html").symlink_to(app.folder.parent.parent / "outside.csv")
    assert ask(app, "GET", "/release/linked/report", Cookie=cookie).status == 404


def test_what_was_kept_is_swept_and_nothing_is_logged(tmp_path: Path) -> None:
    folder = tmp_path / "swept"
    left = folder / ".discreet" / "uploads"
    left.mkdir(parents=True)
    (left / "part").write_text(CANARY)
    with running(folder) as started:
        assert not (left / "part").exists()
        cookie = str(ask(started, "GET", started.address.removeprefix(started.root))
                     .getheader("set-cookie")).partition(";")[0]  # fmt: skip
        (folder / ".discreet/results/1.json").write_text(CANARY)
        assert ask(started, "GET", f"/policy/{CANARY}.toml/data", Cookie=cookie).status == 404
        answer = ask(started, "POST", "/close", b"", Cookie=cookie, Origin=started.root)
        assert answer.status == 200
        started.process.wait(30)  # it closes by itself
    assert not (folder / ".discreet/results").exists()
    log = (tmp_path / "swept.log").read_text()
    assert CANARY not in log
    assert "GET" not in log


def test_the_browser_is_led_by_a_file_for_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def take(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", take)
    said: list[object] = []
    entrance = _Entrance(Door(1), tmp_path, browser=True, say=said.append)
    entrance.show("survey")
    file = tmp_path / "enter.html"
    assert opened == [file.as_uri()]  # arguments of a program can be seen by all: no code in it
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not any("code=" in str(each) for each in said)
    entrance.remove()
    assert not file.exists()


def test_it_ends_when_idle_and_never_during_a_job() -> None:
    is_busy = True
    server = SimpleNamespace(should_exit=False)
    desk = SimpleNamespace(jobs=SimpleNamespace(unfinished=lambda: is_busy))
    guard = SimpleNamespace(last_request=time.monotonic() - 100)
    _watch_idle(desk, guard, server, 0.04)  # type: ignore[arg-type]  # what it asks of them
    time.sleep(0.3)
    assert not server.should_exit
    is_busy = False
    until = time.monotonic() + 20
    while not server.should_exit:
        assert time.monotonic() < until
        time.sleep(0.02)
