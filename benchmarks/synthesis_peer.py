"""Run MST, AIM or PrivBayes of dpmm on a file, in the environment of synthesis peers.

``synthesize_methods.py`` starts this file with a job as JSON. The answer is one line of JSON; the
rows drawn go to a file. Nothing of the project is imported.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import resource
import sys
from typing import Any, TypedDict, cast

PIPELINES = {"MST": "MSTPipeline", "AIM": "AIMPipeline", "PrivBayes": "PrivBayesPipeline"}
# Steps of inference, of AIM in each round. By default 10,000, 1,000 and 5,000, in hours: on led7 at
# epsilon 1, 250 and 1,000 steps of MST give the same 2-way error (0.0225).
ITERATIONS = {"MST": 1000, "AIM": 100, "PrivBayes": 1000}


class PeerJob(TypedDict):
    """What to learn from, and how much to draw."""

    method: str  # a key of PIPELINES
    epsilon: float
    delta: float
    path: str  # CSV with a header, every value a text
    out: str  # the same columns
    domains: dict[str, list[str]]  # the values of each column, taken as public
    n_rows: int
    seed: int
    seconds: int  # of the processor; then the process is ended


def cpu() -> float:
    """Return the CPU seconds of this process and its children that have ended."""
    usages = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main(job: PeerJob) -> None:
    """Learn and draw; the times are of these, not of reading and writing."""
    # Any: this file is checked where the peers are not installed.
    pandas: Any = importlib.import_module("pandas")
    pipelines: Any = importlib.import_module("dpmm.pipelines")
    resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 5))
    frame = pandas.read_csv(job["path"], dtype=str, keep_default_na=False)
    for name, values in job["domains"].items():
        frame[name] = pandas.Categorical(frame[name], categories=values)
    make = getattr(pipelines, PIPELINES[job["method"]])
    # All columns are categories of known domain: binning has nothing to spend a budget on.
    pipeline = make(
        epsilon=job["epsilon"], delta=job["delta"], proc_epsilon=None, n_jobs=1,
        gen_kwargs={"n_iters": ITERATIONS[job["method"]]},
    )  # fmt: skip
    start = cpu()
    domain = {name: {"categories": values} for name, values in job["domains"].items()}
    pipeline.fit(frame, domain=domain, random_state=job["seed"])
    fitted = cpu()
    drawn = pipeline.generate(n_records=job["n_rows"], random_state=job["seed"])
    done = cpu()
    drawn[list(job["domains"])].to_csv(job["out"], index=False)
    figures = {"fit": fitted - start, "sample": done - fitted}
    print(json.dumps({**figures, "version": f"dpmm {importlib.metadata.version('dpmm')}"}))


if __name__ == "__main__":
    main(cast(PeerJob, json.loads(sys.argv[1])))
