"""Run anonypy's Mondrian on a file, in the environment of the peers, and write its classes.

``suppress_methods.py`` starts this file with a job as JSON. The answer is one line of JSON; the
class of every row goes to a file. Nothing of the project is imported.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any, TypedDict, cast


class MondrianJob(TypedDict):
    """What to split."""

    path: str  # CSV with a header
    out: str  # one number of a class per line, in the order of the rows
    columns: list[str]
    numeric: list[str]  # of these; the others are categories
    k: int
    seconds: int  # of the processor; then the process is ended


def main(job: MondrianJob) -> None:
    """Split the rows into classes; the time is that of splitting, not of reading."""
    # Any: this file is checked where the peers are not installed.
    pandas: Any = importlib.import_module("pandas")
    mondrian: Any = importlib.import_module("anonypy.mondrian")
    resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 5))
    frame = pandas.read_csv(job["path"])
    for name in job["columns"]:
        if name not in job["numeric"]:
            frame[name] = frame[name].astype("category")
    start = time.process_time()
    found = mondrian.Mondrian(frame, job["columns"]).partition(job["k"])
    cpu = time.process_time() - start
    class_of = [0] * len(frame)
    for number, rows in enumerate(found):
        for row in rows:
            class_of[row] = number
    Path(job["out"]).write_text("\n".join(map(str, class_of)), encoding="ascii")
    print(json.dumps({"cpu": cpu, "version": importlib.metadata.version("anonypy")}))


if __name__ == "__main__":
    main(cast(MondrianJob, json.loads(sys.argv[1])))
