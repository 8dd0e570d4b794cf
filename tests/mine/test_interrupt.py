"""Ctrl-C ends a search at once and leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

SCRIPT = """
import numpy as np, discreet as dc
dense = np.random.default_rng(1).random((200, 80)) < 0.7
data = dc.Transactions.from_iterable([np.flatnonzero(row).tolist() for row in dense])
tell = lambda fraction: print("started", flush=True)
dc.mine.count_closed(data, min_support=1, progress=tell, max_itemsets=2**60)
"""


def test_ctrl_c_stops_a_long_search() -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "started\n"
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert run.returncode != 0
    assert "KeyboardInterrupt" in errors


COMMAND = """
import contextlib, sys
import discreet.cli.mine
from discreet.cli import main
@contextlib.contextmanager
def tell(what):
    yield lambda fraction: print("started", flush=True)
sys.modules["discreet.cli.mine"].progress_bar = tell
main()
"""


def test_ctrl_c_in_the_command_line_writes_no_half_file(tmp_path: Path) -> None:
    source = tmp_path / "wide.dat"
    dense = np.random.default_rng(1).random((200, 80)) < 0.7
    source.write_text("\n".join(" ".join(map(str, np.flatnonzero(row))) for row in dense))
    command = [sys.executable, "-c", COMMAND, "mine", "closed", str(source)]
    command += ["--min-support", "1", "--max-itemsets", str(2**60), "-o", str(tmp_path / "o.csv")]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stdout is not None
    assert run.stdout.readline() == "started\n"
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 130, errors
    assert "Interrupted" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["wide.dat"]
