"""A throw-away PostgreSQL server, where Debian's programs for one are found."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest


def programs() -> Path | None:
    """Return the folder of the newest initdb and pg_ctl."""
    found = shutil.which("initdb")
    if found and shutil.which("pg_ctl"):
        return Path(found).parent
    folders = [
        path.parent
        for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")
        if (path.parent / "pg_ctl").exists()
    ]
    return max(folders, key=lambda folder: folder.parent.name, default=None)


def owner() -> str | None:
    """Return the user to run a server as, if it cannot be this one: servers refuse root."""
    return "postgres" if os.geteuid() == 0 else None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server that lives as long as the tests, without a database."""
    pytest.importorskip("psycopg", reason="psycopg is absent: pip install 'discreet[postgres]'")
    bin_folder = programs()
    if bin_folder is None:
        pytest.skip("no PostgreSQL server: initdb and pg_ctl are not found")
    user = owner()
    if user is not None:
        try:
            account = pwd.getpwnam(user)
        except KeyError:
            pytest.skip("PostgreSQL refuses to run as root, and there is no user postgres")
    folder = Path(tempfile.mkdtemp(prefix="discreet-postgres-"))
    if user is not None:
        os.chown(folder, account.pw_uid, account.pw_gid)

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [str(bin_folder / program), "-D", str(folder / "data"), *arguments],
            user=user, group=account.pw_gid if user else None, extra_groups=[] if user else None,
            cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    try:
        run("initdb", "--auth=trust", "--username=curator", "--no-sync", "--encoding=UTF8",
            "--locale=C")  # fmt: skip
        options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} -c fsync=off"
        run("pg_ctl", "start", "--wait", "-o", options, "-l", str(folder / "log"))
        try:
            yield f"postgresql://curator@127.0.0.1:{port}/"
        finally:
            run("pg_ctl", "stop", "--mode=immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """The URL of a new database."""
    import psycopg

    name = f"d{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server + "postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return postgres_server + name
