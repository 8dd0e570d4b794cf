"""Home: what is in the folder, files coming in, and jobs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse

from discreet.data.files.packed import atomic_path, inner_suffix
from discreet.errors import DataError, ParameterError
from discreet.web import kinds
from discreet.web.desk import go
from discreet.web.project import TABLES

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from discreet.web.desk import Act, Desk, Refusal, Show
    from discreet.web.jobs import Job

KINDS: Final = {
    "census": "making the built-in census", "draft": "reading the file and drafting a policy",
    "look": "reading the file", "rows": "reading rows", "repairs": "looking for messy cells",
    "risk": "counting records at risk",
    "choose": "choosing a method",
    "trees": "making groups", "tree": "counting the values of a column",
    "make-tree": "making the tree of a column", "plan": "trying settings",
    "noise": "computing what noise costs",
    "supports": "trying supports", "disclosed": "looking for small groups",
    "describe": "describing the release", "cells": "comparing rows",
    "compare": "comparing policies", "explore": "counting the release",
    "campaign": "reading a campaign",
    "run": "making the release", "pack": "packing the release", "verify": "checking the release",
}  # fmt: skip

SHOWN_THERE: Final = (
    "look",
    "rows",
    "risk",
    "choose",
    "trees",
    "tree",
)  # where what is wrong can be mended


def home(desk: Desk, _: Request, refusal: Refusal | None = None) -> Response:
    """Show the files, policies, releases and jobs of the folder."""
    project = desk.project
    sizes = {path.name: path.stat().st_size for path in project.tables()}
    return desk.page(
        "home", refusal, tables=sizes, policies=[each.name for each in project.policies()],
        releases=[each.name for each in project.releases()],
        zips=[each.name for each in project.zips()], jobs=desk.jobs.recent(8), kinds=KINDS,
    )  # fmt: skip


async def open_file(desk: Desk, _: Request, form: FormData) -> Response:
    """Draft a policy for a file."""
    file = desk.project.existing(str(form.get("file", "")))
    policy = desk.project.new_policy_name(file.name.split(".")[0])
    number = desk.supervisor.submit(
        "draft", {"file": file.name, "policy": policy}, then_to=f"/policy/{policy}/data"
    )
    return go(f"/job/{number}")


async def upload(desk: Desk, _: Request, form: FormData) -> Response:
    """Put a file into the folder under its own name; nothing there is ever replaced."""
    given = form.get("file")
    if not isinstance(given, UploadFile) or not given.filename:
        raise ParameterError("Choose a file first.", parameter="file")
    name = Path(given.filename.replace("\\", "/")).name
    target = desk.project.path(name)
    if name.startswith(".") or not (inner_suffix(target) in TABLES or target.suffix == ".zip"):
        raise DataError(
            f"{name!r} is no kind of file that the app reads: CSV, Excel, Parquet, Stata, SPSS, "
            ".dat transactions, or the zip of a release."
        )
    with atomic_path(target) as temporary, temporary.open("wb") as file:
        shutil.copyfileobj(given.file, file, 1024 * 1024)
    os.chmod(target, 0o600)  # noqa: PTH101  beside os.umask
    return go("/verify" if target.suffix == ".zip" else "/")


async def census(desk: Desk, _: Request, __: FormData) -> Response:
    """Put the built-in census into the folder and begin with it."""
    name = next(
        name for name in ("census.csv", *(f"census-{n}.csv" for n in range(2, 1000)))
        if not (desk.project.folder / name).exists()
    )  # fmt: skip
    number = desk.supervisor.submit("census", {"file": name}, then_to="/")
    return go(f"/job/{number}")


def job(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show how far a job is; where it went well, go on to what it was for."""
    found = desk.jobs.get(request.path_params["number"])
    if _leads_on(desk, found):
        return go(found.then_to)
    return desk.page("job", refusal, **_about(desk, found))


def job_part(desk: Desk, request: Request, _: Refusal | None = None) -> Response:
    """Return the part of a job's page that changes; the browser asks for it once a second."""
    found = desk.jobs.get(request.path_params["number"])
    answer = HTMLResponse(desk.text("job_part.html.j2", **_about(desk, found)))
    if found.is_over:
        answer.headers["x-next"] = found.then_to if _leads_on(desk, found) else f"/job/{found.id}"
    return answer


def _leads_on(desk: Desk, found: Job) -> bool:
    """Say whether the page that a job is for shows what came of it: what is wrong, too."""
    if found.state == "failed" and found.kind in SHOWN_THERE:
        return "error" in desk.jobs.result(found.id)
    return found.state == "done"


def _about(desk: Desk, found: Job) -> dict[str, object]:
    result = desk.jobs.result(found.id)
    waiting = [each for each in desk.jobs.recent(100) if not each.is_over and each.id < found.id]
    return {"job": found, "kinds": KINDS, "result": result, "n_waiting": len(waiting),
            "entry": kinds.last_entry(desk, found) if found.counted else ""}  # fmt: skip


async def cancel(desk: Desk, request: Request, _: FormData) -> Response:
    """End a job."""
    number = request.path_params["number"]
    desk.jobs.get(number)
    desk.supervisor.cancel(number)
    return go(f"/job/{number}")


async def close(desk: Desk, _: Request, __: FormData) -> Response:
    """Close the app; what it kept of the data is deleted."""
    desk.on_close()
    return desk.page("closed")


SCREENS: Final[dict[str, Show]] = {
    "/": home, "/job/{number:int}": job, "/job/{number:int}/part": job_part,
}  # fmt: skip
ACTIONS: Final[dict[str, tuple[Act, Show]]] = {
    "/open": (open_file, home), "/upload": (upload, home), "/census": (census, home),
    "/job/{number:int}/cancel": (cancel, job), "/close": (close, home),
}  # fmt: skip
