"""The app as a process on a port of this machine: opened, watched while idle, closed."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from discreet import checks
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    import uvicorn

    from discreet.web.desk import Desk
    from discreet.web.guard import Door, Guard

IDLE_SECONDS: Final = 3600.0


def serve_app(
    folder: str | os.PathLike[str] = ".",
    *,
    port: int = 0,
    browser: bool = True,
    idle_seconds: float = IDLE_SECONDS,
    say: Callable[[str], object] = print,
) -> None:
    """Serve the app on a folder until it is closed, interrupted, or idle for an hour.

    Parameters
    ----------
    folder : path
        Where files, policies and releases are.
    port : int
        Where to listen, on this machine only; 0 takes one that is free.
    browser : bool
        Whether to open a browser. The address is said otherwise.
    idle_seconds : float
        After so long without a request or a job the app ends.
    say : callable
        Takes what a person should read in the terminal.

    Raises
    ------
    ParameterError
        If there is no such folder, the port is taken, or packages are missing.
    """
    missing = [each for each in ("starlette", "uvicorn", "python_multipart", "tomlkit")
               if find_spec(each) is None]  # fmt: skip
    if missing:
        raise ParameterError("The app needs packages more: pip install 'discreet[app]'.")
    port = checks.whole("port", port, at_least=0, at_most=65_535)
    place = Path(folder)
    if not place.is_dir():
        raise ParameterError(
            f"There is no folder {place}.", parameter="folder", remedy="Make it, or name another."
        )
    import uvicorn

    from discreet.web.app import make_app
    from discreet.web.desk import Desk
    from discreet.web.guard import Door

    os.umask(0o077)
    listener = _listen(port)
    door = Door(port=listener.getsockname()[1])
    desk = Desk(place)
    guarded = make_app(desk, door)
    # What a browser sends in pieces is kept where nobody else can read it.
    tempfile.tempdir = str(desk.project.private / "uploads")
    config = uvicorn.Config(
        guarded, log_config=None, access_log=False, server_header=False, ws="none",
        proxy_headers=False, timeout_graceful_shutdown=5, lifespan="off",
    )  # fmt: skip
    server = uvicorn.Server(config)
    desk.on_close = lambda: setattr(server, "should_exit", True)
    desk.supervisor.start()
    shown = _Entrance(door, desk.project.private, browser=browser, say=say)
    try:
        _watch_idle(desk, guarded, server, idle_seconds)
        shown.show(str(desk.project.folder))
        server.run(sockets=[listener])
    finally:
        desk.supervisor.close()
        shown.remove()
        desk.project.sweep()


def _listen(port: int) -> socket.socket:
    """Return a socket on this machine's own address, for nobody else."""
    listener = socket.socket(socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        raise ParameterError(
            f"{{port}} cannot be listened on: {error.strerror}.",
            parameter="port",
            remedy="Choose another, or leave it out.",
            options={"port": port},
        ) from None
    listener.listen()  # who comes before the app is ready waits
    return listener


def _watch_idle(desk: Desk, guard: Guard, server: uvicorn.Server, seconds: float) -> None:
    """End the app when nobody has asked for anything for long; never during a job."""

    def watch() -> None:
        while not server.should_exit:
            time.sleep(min(5.0, seconds / 4))
            quiet = time.monotonic() - guard.last_request
            if quiet > seconds and not desk.jobs.unfinished():
                server.should_exit = True

    threading.Thread(target=watch, daemon=True).start()


class _Entrance:
    """How a person comes in: a browser that is opened, or an address to copy.

    The arguments of a program can be seen by everybody on a machine, so the browser is given a file
    that only its owner can read and that leads to the address.
    """

    def __init__(
        self, door: Door, private: Path, *, browser: bool, say: Callable[[str], object]
    ) -> None:
        self._door, self._file = door, private / "enter.html"
        self._browser, self._say = browser, say

    def show(self, folder: str) -> None:
        """Open a browser or say the address; a line from the terminal asks for another one."""
        self._say(f"discreet app on {folder}. Close it in the browser, or here with Ctrl-C.")
        if not (self._browser and self._open()):
            self._say(f"Open this address within a minute: {self._door.address()}")
        if sys.stdin is not None and sys.stdin.isatty():
            self._say("Press Enter for a new address.")
            threading.Thread(target=self._again, daemon=True).start()

    def remove(self) -> None:
        """Remove the file that leads in."""
        self._file.unlink(missing_ok=True)

    def _open(self) -> bool:
        handle = os.open(self._file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(f'<meta http-equiv="refresh" content="0;url={self._door.address()}">')
        try:
            return webbrowser.open(self._file.as_uri())
        except webbrowser.Error:
            return False

    def _again(self) -> None:
        for _ in sys.stdin:
            self._say(f"Open this address within a minute: {self._door.address()}")
