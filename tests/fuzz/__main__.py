"""``python -m tests.fuzz``: break inputs and read them, until the time is over.

Every input that ends otherwise than by being read or by a DiscreetError is shown with its number,
and kept with ``--keep FOLDER``; the same seed makes the same inputs.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.fuzz.targets import TARGETS, Fuzzer


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def fuzz(fuzzer: Fuzzer, *, seconds: float, count: int | None, keep: Path | None) -> int:
    """Run a target; return how many inputs came out wrong."""
    ended: Counter[str] = Counter()
    start, number, n_wrong = time.monotonic(), 0, 0
    while (number < count) if count is not None else (time.monotonic() - start < seconds):
        try:
            ended[fuzzer.run(number)] += 1
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001  a panic of a library is none of the usual errors
            n_wrong += 1
            say(f"{fuzzer.name} seed {fuzzer.seed} number {number}:\n{traceback.format_exc()}")
            if keep is not None:
                folder = keep / f"{fuzzer.name}-{fuzzer.seed}-{number}"
                folder.mkdir(parents=True, exist_ok=True)
                for name, content in fuzzer.input(number).items():
                    (folder / name).write_bytes(content)
        number += 1
    rate = number / max(time.monotonic() - start, 1e-9)
    say(f"{fuzzer.name}: {number:,} inputs, {rate:,.0f} a second, {n_wrong} wrong; {dict(ended)}")
    return n_wrong


def main() -> int:
    """Read the options and fuzz."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    parser.add_argument("--count", type=int, help="inputs of each target, in place of seconds")
    parser.add_argument("--target", choices=TARGETS, action="append", help="all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="where inputs that came out wrong are kept")
    given = parser.parse_args()
    names = given.target or list(TARGETS)
    place = Path(tempfile.mkdtemp(prefix="discreet-fuzz-"))
    try:
        wrong = [
            fuzz(
                Fuzzer(name, place, seed=given.seed),
                seconds=given.seconds / len(names), count=given.count, keep=given.keep,
            )
            for name in names
        ]  # fmt: skip
    finally:
        shutil.rmtree(place)
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
