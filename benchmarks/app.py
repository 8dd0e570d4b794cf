"""Time every request of the app on a wide table, and measure every page: python benchmarks/app.py.

Usage: python benchmarks/app.py [rows] [columns] [values of the widest column]. Jobs are waited for
and their seconds printed apart; no request but a job should take 200 ms, no page a megabyte.
"""

from __future__ import annotations

import http.client
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import polars as pl

SLOW = 0.2  # seconds
LARGE = 1_000_000  # bytes
TIMES = 3  # each page; the fastest counts, because other programs run, too

POLICY = """\
[source]
file = "wide.parquet"
[roles]
{roles}
[method]
name = "set-cover"
k = 5
[hierarchies]
code = "code.csv"
"""


def write_folder(folder: Path, n_rows: int, n_columns: int, n_codes: int) -> None:
    """Write a table, a policy that names all of its columns, and a tree over the widest."""
    rng = np.random.default_rng(1)
    words = pl.Series([f"value {n}" for n in range(20)])
    columns = [
        words.gather(rng.integers(0, 2 + n % 19, n_rows)).rename(f"column {n}")
        for n in range(n_columns - 1)
    ]
    codes = pl.Series([f"{n:05d}" for n in range(n_codes)])
    columns.append(codes.gather(rng.integers(0, n_codes, n_rows)).rename("code"))
    pl.DataFrame(columns).write_parquet(folder / "wide.parquet")
    lines = [f"{code};{code[:4]}x;{code[:3]}xx;*\n" for code in codes]
    (folder / "code.csv").write_text("".join(lines))
    roles = "\n".join(
        f'"{column.name}" = "{"quasi" if place < 6 or column.name == "code" else "insensitive"}"'
        for place, column in enumerate(columns)
    )
    (folder / "policy.toml").write_text(POLICY.format(roles=roles))


class Client:
    """A browser without a window."""

    def __init__(self, address: str) -> None:
        self.root = address.partition("/enter")[0]
        self.cookie = ""
        _, _, _, headers = self.ask("GET", address.removeprefix(self.root))
        self.cookie = headers["set-cookie"].partition(";")[0]

    def ask(
        self, method: str, path: str, form: dict[str, str] | None = None
    ) -> tuple[float, int, bytes, dict[str, str]]:
        """Return seconds, status, body and headers of one request."""
        connection = http.client.HTTPConnection(self.root.removeprefix("http://"), timeout=60)
        headers = {"Cookie": self.cookie, "Origin": self.root}
        body = None
        if form is not None:
            body = urlencode(form)
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "X-Part": "1"}
        started = time.perf_counter()
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        seconds = time.perf_counter() - started
        connection.close()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return seconds, answer.status, content, found

    def waited(self, path: str) -> float:
        """Wait for the jobs that a page needs, and return their seconds."""
        started = time.perf_counter()
        while True:
            _, status, _, headers = self.ask("GET", path)
            if status not in (303, 307) or not headers["location"].startswith("/job/"):
                return time.perf_counter() - started
            job = headers["location"]
            while "x-next" not in self.ask("GET", f"{job}/part")[3]:
                time.sleep(0.2)

    def show(self, name: str, path: str, form: dict[str, str] | None = None) -> bytes:
        """Print the time and the size of an answer."""
        answers = [self.ask("GET" if form is None else "POST", path, form) for _ in range(TIMES)]
        seconds, status, content, _ = min(answers, key=lambda answer: answer[0])
        note = " SLOW" * (seconds > SLOW) + " LARGE" * (len(content) > LARGE)
        print(f"{name:34} {status} {1000 * seconds:6.0f} ms {len(content) / 1000:7.0f} kB{note}")
        return content


def main() -> None:
    """Run the app on a folder of its own and ask for everything."""
    given = [int(each) for each in sys.argv[1:]]
    n_rows, n_columns, n_codes = (*given, *(1_000_000, 200, 10_000)[len(given) :])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_folder(folder, n_rows, n_columns, n_codes)
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "discreet", "app", place, "--no-browser"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            address = next(line.split()[-1] for line in process.stdout if "/enter?code=" in line)
            visit(Client(address))
        finally:
            process.terminate()
            process.wait(60)


def visit(client: Client) -> None:
    """Ask for every screen, with the jobs that it needs before."""
    client.show("home", "/")
    screens = {
        "understood": "data", "roles": "roles", "risk": "risk?column=column+1&column=column+2",
        "groups": "trees", "method": "method", "run": "run",
    }  # fmt: skip
    for name, path in screens.items():
        print(f"{name + ', its jobs':34} {client.waited(f'/policy/policy.toml/{path}'):10.1f} s")
        client.show(name, f"/policy/policy.toml/{path}")
    tree = "/policy/policy.toml/tree?column=code"
    print(f"{'tree, its job':34} {client.waited(tree):10.1f} s")
    page = client.show("tree", tree).decode()
    version = re.findall(r'name="version" value="(\w+)"', page)[0]
    nodes = re.findall(r'data-node="(\d+)"', page)
    part = f"/policy/policy.toml/tree/part?column=code&node={nodes[1]}&from=0&version={version}"
    client.show("tree, a group opened", part)
    client.show("tree, found", tree, {"do": "find", "text": "12", "version": version})
    for place in range(TIMES):
        form = {"do": "rename", "node": nodes[1], "label": f"name {place}", "version": version}
        seconds, status, content, _ = client.ask("POST", tree, form)
        print(f"{'tree, a group renamed':34} {status} {1000 * seconds:6.0f} ms")
        version = re.findall(r'name="version" value="(\w+)"', content.decode())[0]
    client.show("history", "/history")
    client.show("check a release", "/verify")


if __name__ == "__main__":
    main()
