"""Releases: what one claims, whether it does what it says, and what was published before."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
import shlex
import shutil
import tomllib
import zipfile
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import numpy as np
import tomlkit
from markupsafe import Markup
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, HTMLResponse

from discreet.data.files.packed import atomic_path
from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.release.certificate import CERTIFICATE_FILE, read_certificate
from discreet.release.exact import shown
from discreet.release.folder import POLICY_FILE
from discreet.release.ledger import Ledger
from discreet.report.charts import CHART, PAGE
from discreet.report.sections.words import SIGNERS
from discreet.report.text import MISSING, counted, listed
from discreet.web.desk import go
from discreet.web.explore import MOST_COLUMNS, bars, data_block, read_cube, script
from discreet.web.guard import SANDBOX
from discreet.web.jobs import Job
from discreet.web.kinds import campaigns
from discreet.web.project import section
from discreet.web.work import said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from discreet.release.certificate import AnyCertificate
    from discreet.web.desk import Act, Desk, Refusal, Show
    from discreet.web.explore import Cube

REPORT: Final = "report.html"


def release(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what a release claims, what checking it found, and the sections of its report."""
    name = request.path_params["release"]
    folder = desk.project.existing(name)
    checked = _checked(desk, name, then_to=request.url.path)
    if not isinstance(checked, dict):
        return checked
    described = desk.found(
        "describe", {"release": name, "seen": _seen(desk, name)}, then_to=request.url.path
    )
    if not isinstance(described, Job):
        return described
    result, made = desk.jobs.result(described.id), _made(desk, name)
    return desk.page(
        "release", refusal, release=name, claim=_certificate(desk, name).read_guarantee(),
        found=checked, result=result, fragment=_fragment(result),
        run_warnings=[] if made is None else desk.jobs.result(made.id).get("warnings", []),
        signatures=_signatures(desk, name),
        contents=sorted(each.name for each in folder.iterdir() if each.is_file()),
        has_report=(folder / REPORT).is_file(), has_zip=_zip_of(folder).is_file(),
        command=shlex.join(["discreet", "verify", name]),
    )  # fmt: skip


def _fragment(result: Mapping[str, Any]) -> Markup:
    """Return sections that a job made with the templates of the report, which escape."""
    return Markup(result.get("fragment", ""))  # noqa: S704  as it says


def _made(desk: Desk, name: str) -> Job | None:
    """Return the job that made a release, if that was since the app was started."""
    runs = (each for each in desk.jobs.recent(1000) if each.kind == "run" and each.state == "done")
    return next((each for each in runs if each.arguments["release"] == name), None)


def loss(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what a release lost and what attacks find, for its curator alone."""
    name = request.path_params["release"]
    desk.project.existing(name)
    made = _made(desk, name)
    policies = [each.name for each in desk.project.policies()]
    policy = request.query_params.get("policy") or (made.arguments["policy"] if made else "")
    controls = request.query_params.get("controls", "")
    found: dict[str, Any] = {}
    if policy:
        arguments = {
            "release": name, "seen": _seen(desk, name), "policy": policy, "controls": controls,
            "source": desk.source_version(desk.project.policy(policy)),
        }  # fmt: skip
        job = desk.found("describe", arguments, then_to=_here(request))
        if not isinstance(job, Job):
            return job
        found = desk.jobs.result(job.id)
    words = ["discreet", "report", name, "--internal"]
    return desk.page(
        "loss", refusal, release=name, made=desk.jobs.result(made.id) if made else {}, found=found,
        fragment=_fragment(found), policies=policies, policy_name=policy, controls=controls,
        tables=[each.name for each in desk.project.tables()],
        is_synthetic=_certificate(desk, name).publishes == "synthetic rows",
        command=shlex.join(words),
    )  # fmt: skip


def _here(request: Request) -> str:
    return f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path


# Before and after, by row and cell.

WINDOW: Final = 50  # rows that a page shows


def rows(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show rows of the original with what became of each cell, fifty at a time."""
    name = request.path_params["release"]
    desk.project.existing(name)
    made = _made(desk, name)
    has_rows = made is not None and desk.jobs.result(made.id).get("has_rows")
    if made is None or not has_rows:
        why = (
            "Which row came from which is known only as long as the app that made the release is "
            "open." if made is None else "No row of this release came from a row of the original."
        )  # fmt: skip
        return desk.page("rows", refusal, release=name, why=why, found={})
    policy = made.arguments["policy"]
    arguments = {
        "release": name, "policy": policy, "run": made.id, "seen": _seen(desk, name),
        "source": desk.source_version(desk.project.policy(policy)),
    }  # fmt: skip
    job = desk.found("cells", arguments, then_to=_here(request))
    if not isinstance(job, Job):
        return job
    found = desk.jobs.result(job.id)
    if "n_of" not in found:
        return desk.page("rows", refusal, release=name, why="", found=found)
    only = request.query_params.get("only", "all")
    only = only if only in found["n_of"] else "all"
    given = request.query_params.get("from", "0")
    n = found["n_of"][only]
    start = min(int(given) if given.isdecimal() and len(given) < 12 else 0, max(n - 1, 0))
    return desk.page(
        "rows", refusal, release=name, why="", found=found, only=only, start=start, n=n,
        size=WINDOW, window=_window(desk, job.id, found, only, start),
    )  # fmt: skip


def _window(
    desk: Desk, number: int, found: Mapping[str, Any], only: str, start: int
) -> list[tuple[int, list[tuple[str, str, str]]]]:
    """Return some rows: of each its place, and each cell before, after, and what was done."""
    cells = np.load(desk.jobs.beside(number, "npy"), mmap_mode="r")
    places = np.load(desk.jobs.beside(number, f"{only}.npy"), mmap_mode="r")[start : start + WINDOW]
    shown = []
    for place in places:
        row = []
        for column, labels in enumerate(found["labels"]):
            before, after = int(cells[0, column, place]), int(cells[1, column, place])
            was = MISSING if labels[before] is None else labels[before]
            now = "" if after < 0 or labels[after] is None else labels[after]
            how = "same" if before == after else ("changed" if now else "suppressed")
            row.append((was, MISSING if how == "same" and not now else now, how))
        shown.append((int(place), row))
    return shown


# Who signs: names beside the release, in a file of their own.


def _signed_path(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}-signed.json")


def _digest(folder: Path) -> str:
    return hashlib.sha256((folder / CERTIFICATE_FILE).read_bytes()).hexdigest()


def _signatures(desk: Desk, name: str) -> list[dict[str, Any]]:
    """Return who signed a release; each says whether it was this version of it."""
    folder = desk.project.existing(name)
    path = _signed_path(folder)
    if not path.is_file():
        return []
    try:
        kept = json.loads(path.read_bytes())["signatures"]
        digest = _digest(folder)
        return [
            {**{key: str(each[key]) for key in ("role", "name", "date", "remark")},
             "outdated": each["certificate_sha256"] != digest}
            for each in kept
        ]  # fmt: skip
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{path.name} is not as the app writes it.", remedy="Rename it, and sign again."
        ) from error


def sign(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show who decides what, to be filled in and printed."""
    name = request.path_params["release"]
    folder = desk.project.existing(name)
    return desk.page(
        "sign", refusal, release=name, claim=_certificate(desk, name).read_guarantee(),
        signers=SIGNERS, signatures=_signatures(desk, name), digest=_digest(folder),
        file=_signed_path(folder).name,
        given={"name": "", "remark": "", "date": dt.date.today().isoformat()},  # noqa: DTZ011  the day of who signs
    )  # fmt: skip


async def add_signature(desk: Desk, request: Request, form: FormData) -> Response:
    """Keep a name beside a release."""
    name = request.path_params["release"]
    folder = desk.project.existing(name)
    given = {key: str(form.get(key, "")).strip() for key in ("role", "name", "date", "remark")}
    if not given["name"]:
        raise ParameterError("Say who signs.", parameter="name")
    if given["role"] not in dict(SIGNERS):
        raise ParameterError("Say as what you sign.", parameter="role")
    try:
        dt.date.fromisoformat(given["date"])
    except ValueError:
        raise ParameterError("A date is written as 2026-01-31.", parameter="date") from None
    _signatures(desk, name)  # what cannot be read is not written over
    path = _signed_path(folder)
    kept = json.loads(path.read_bytes())["signatures"] if path.is_file() else []
    kept.append({**given, "certificate_sha256": _digest(folder)})
    text = json.dumps({"release": name, "signatures": kept}, ensure_ascii=False, indent=2)
    with atomic_path(path, overwrite=True) as temporary:
        temporary.write_text(text + "\n", "utf-8")
    return go(f"/release/{name}/sign")


def _zip_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.zip")


def _checked(desk: Desk, name: str, *, then_to: str) -> dict[str, Any] | Response:
    """Return what checking a release found; or the way to the job that checks it."""
    arguments = {"release": name, "seen": _seen(desk, name)}
    job = desk.found("verify", arguments, then_to=then_to)
    return desk.jobs.result(job.id) if hasattr(job, "id") else job


def _seen(desk: Desk, name: str) -> list[list[object]]:
    """Return what changes when the files of a release do."""
    place = desk.project.existing(name)
    inside = place.iterdir() if place.is_dir() else [place]
    return sorted([each.name, each.stat().st_size, each.stat().st_mtime_ns] for each in inside)


def _certificate(desk: Desk, name: str) -> AnyCertificate:
    folder = desk.project.existing(name)
    return read_certificate((folder / CERTIFICATE_FILE).read_text("utf-8"))


async def pack(desk: Desk, request: Request, _: FormData) -> Response:
    """Put the files of a release into one that can be sent."""
    name = request.path_params["release"]
    desk.project.existing(name)
    number = desk.supervisor.submit("pack", {"release": name}, then_to=f"/release/{name}")
    return go(f"/job/{number}")


def report(desk: Desk, request: Request, _: Refusal | None = None) -> Response:
    """Return the report that this folder holds, without any right on our pages."""
    folder = desk.project.existing(request.path_params["release"])
    path = folder / REPORT
    if not path.is_file() or not path.resolve().is_relative_to(desk.project.folder):
        raise DataError("The release has no report.")
    return HTMLResponse(path.read_bytes(), headers={"content-security-policy": SANDBOX})


def download(desk: Desk, request: Request, _: Refusal | None = None) -> Response:
    """Return the zip of a release, to be saved."""
    path = _zip_of(desk.project.existing(request.path_params["release"]))
    if not path.is_file():
        raise DataError("The release was not packed yet.")
    return FileResponse(path, filename=path.name, content_disposition_type="attachment")


# Exploring: counts of the release alone.


def explore(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show the counts of a release; what is chosen stands in the address by number alone."""
    name = request.path_params["release"]
    job = _cube_job(desk, request)
    if not isinstance(job, Job):
        return job
    found = desk.jobs.result(job.id)
    values: dict[str, Any] = {}
    if "columns" in found:
        cube = read_cube(desk.jobs.beside(job.id, "bin"), found)
        chosen = _chosen(request, cube)
        places = job.arguments["columns"] or list(range(len(cube.columns)))
        values = {
            "shown": bars(cube, chosen), "any_chosen": bool(chosen),
            "links": _links(cube, chosen, places),
            "here": request.url.path, "block": Markup(data_block(cube, whole=False)),  # noqa: S704  JSON, made safe
            "number": job.id, "all_columns": found["all_columns"], "places": places,
            "most": MOST_COLUMNS, "query": "&".join(f"c={place}" for place in places),
        }  # fmt: skip
    return desk.page("explore", refusal, release=name, found=found, **values)


def _cube_job(desk: Desk, request: Request) -> Job | Response:
    name = request.path_params["release"]
    desk.project.existing(name)
    places = [int(p) for p in request.query_params.getlist("c") if p.isdecimal() and len(p) < 6]
    arguments = {"release": name, "columns": sorted(set(places))[:MOST_COLUMNS],
                 "seen": _seen(desk, name)}  # fmt: skip
    return desk.found("explore", arguments, then_to=_here(request))


def _chosen(request: Request, cube: Cube) -> dict[int, set[int]]:
    """Return what an address chooses: column and value, both by number."""
    chosen: dict[int, set[int]] = {}
    for each in request.query_params.getlist("f"):
        column, _, code = each.partition(".")
        if column.isdecimal() and code.isdecimal() and len(each) < 10:
            place, value = int(column), int(code)
            if place < len(cube.columns) and value < len(cube.columns[place]["labels"]):
                chosen.setdefault(place, set()).add(value)
    return chosen


def _links(cube: Cube, chosen: dict[int, set[int]], places: Sequence[int]) -> list[list[str]]:
    """Return where each value leads without script: it is chosen, or no longer."""
    pairs = {(place, code) for place, codes in chosen.items() for code in codes}

    def link(pair: tuple[int, int]) -> str:
        after = sorted(pairs ^ {pair})
        kept = [f"c={place}" for place in places]
        return "?" + "&".join(kept + [f"f={place}.{code}" for place, code in after])

    return [
        [link((place, code)) for code in range(len(column["labels"]))]
        for place, column in enumerate(cube.columns)
    ]


def explore_data(desk: Desk, request: Request, _: Refusal | None = None) -> Response:
    """Return the counts of a release, for the script of its page."""
    job = desk.jobs.get(request.path_params["number"])
    path = desk.jobs.beside(job.id, "bin")
    if job.kind != "explore" or not path.is_file():
        raise DataError("These counts are gone. Load the page again.")
    return FileResponse(path, media_type="application/octet-stream")


def explore_page(desk: Desk, request: Request, _: Refusal | None = None) -> Response:
    """Return the explorer as one page that works offline, to be saved."""
    name = request.path_params["release"]
    job = _cube_job(desk, request)
    if not isinstance(job, Job):
        return job
    found = desk.jobs.result(job.id)
    if "columns" not in found:
        raise DataError(found.get("error") or "There is nothing to explore.")
    cube = read_cube(desk.jobs.beside(job.id, "bin"), found)
    code, digest = script()
    certificate = _certificate(desk, name)
    text = desk.text(
        "explore_page.html.j2", release=name, claim=certificate.read_guarantee(),
        version=certificate.discreet_version, block=Markup(data_block(cube, whole=True)),  # noqa: S704  JSON, made safe
        script=Markup(code), hash=digest,  # noqa: S704  our own file
        css=Markup(files("discreet.web").joinpath("static", "explore.css").read_text("utf-8")),  # noqa: S704  as above
        shown=bars(cube, {}), any_chosen=False, links=None, here="#main", page_colours=PAGE,
        chart_colours=CHART,
    )  # fmt: skip
    file = f"{name}-explore.html"
    return HTMLResponse(
        text, headers={"content-disposition": f"attachment; filename*=UTF-8''{quote(file)}"}
    )


def verify(desk: Desk, _: Request, refusal: Refusal | None = None) -> Response:
    """Show what can be checked, and where to drop what somebody sent."""
    return desk.page(
        "verify", refusal, releases=[each.name for each in desk.project.releases()],
        zips=[each.name for each in desk.project.zips()], command="discreet verify release.zip",
    )  # fmt: skip


def verified(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what checking a folder or a zip found; nothing of a zip is unpacked."""
    name = request.path_params["place"]
    checked = _checked(desk, name, then_to=request.url.path)
    if not isinstance(checked, dict):
        return checked
    return desk.page(
        "verified", refusal, place=name, found=checked,
        command=shlex.join(["discreet", "verify", name]),
    )  # fmt: skip


async def start_verify(desk: Desk, _: Request, form: FormData) -> Response:
    """Go to what checking a release finds."""
    place = str(form.get("place", ""))
    if not place:
        raise ParameterError("Choose a release first.", parameter="place")
    desk.project.existing(place)
    return go(f"/verify/{place}")


async def add_folder(desk: Desk, _: Request, form: FormData) -> Response:
    """Put the files of a folder that somebody sent into a zip, and check that."""
    given = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
    given = [each for each in given if each.filename]
    if not given:
        raise ParameterError("Choose a folder first.", parameter="files")
    names = [str(each.filename).replace("\\", "/") for each in given]
    stem = re.sub(r"[^\w.-]", "_", names[0].partition("/")[0]).strip(".") or "dropped"
    stem = stem if "/" in names[0] else "dropped"
    free = (stem, *(f"{stem}-{n}" for n in range(2, 1000)))
    target = next(p for each in free if not (p := desk.project.path(f"{each}.zip")).exists())
    with atomic_path(target) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, file in zip(names, given, strict=True):
            info = zipfile.ZipInfo(name)
            info.file_size = file.size or 0  # or the form for huge files, which verify refuses
            with archive.open(info, "w") as part:
                shutil.copyfileobj(file.file, part, 1024 * 1024)
    os.chmod(target, 0o600)  # noqa: PTH101  beside os.umask
    return go(f"/verify/{quote(target.name)}")


# What was released before, and how two policies differ.


def history(desk: Desk, _: Request, refusal: Refusal | None = None) -> Response:
    """Show what the ledgers of the folder count, by source, and what was released twice."""
    held = campaigns(desk)
    ledgers = []
    for path in desk.project.databases()[:20]:
        if path.name in held:
            continue
        try:
            ledgers.append({"name": path.name, **_ledger(path)})
        except DiscreetError as error:
            ledgers.append({"name": path.name, "error": said(error)})
    advice = [_said_of_several(file, found) for file, found in released_of(desk).items()
              if len(found) > 1]  # fmt: skip
    first = ledgers[0]["name"] if ledgers else "ledger.sqlite"
    return desk.page(
        "history", refusal, ledgers=ledgers, campaigns=held, advice=advice,
        policies=[each.name for each in desk.project.policies()],
        tables=[each.name for each in desk.project.tables()],
        command=shlex.join(["discreet", "ledger", str(first)]),
    )  # fmt: skip


def _ledger(path: Path) -> dict[str, Any]:
    """Return each source of a ledger: its entries, what they come to, what is left."""
    ledger = Ledger.open(path, create=False)
    chain = ledger.verify()
    return {
        "sources": [_source(ledger, name) for name in ledger.sources()], "head": chain.head,
        "n_entries": chain.n_entries,
    }  # fmt: skip


def _source(ledger: Ledger, name: str) -> dict[str, Any]:
    spent, left = ledger.spent(name), ledger.remaining(name)
    budget = None
    if left is not None:
        total = left.budget.epsilon
        words = (
            f"{shown('epsilon', spent.epsilon)} of epsilon {shown('epsilon', total)} is spent, "
            f"{shown('remaining epsilon', left.epsilon)} is left."
        )
        budget = {"words": words, "wide": round(400 * float(spent.epsilon / total), 1)}
    return {
        "name": name, "notes": list(spent.notes), "budget": budget,
        "sentence": f"{counted(spent.n_releases, 'release')}, {spent.loss} spent; "
        + ("no budget is set." if left is None else f"the budget is {left.budget}."),
        "entries": [
            {
                "number": entry.number, "recorded": entry.recorded,
                "claim": entry.guarantee.model,
                "loss": "none holds" if entry.loss is None else str(entry.loss),
            }
            for entry in ledger.entries(name)
        ],
    }  # fmt: skip


def released_of(desk: Desk) -> dict[str, list[str]]:
    """Return the releases without differential privacy that this folder holds, by source."""
    found: dict[str, list[str]] = {}
    for folder in desk.project.releases()[:100]:
        try:
            claim = _certificate(desk, folder.name).read_guarantee()
            text = tomllib.loads((folder / POLICY_FILE).read_text("utf-8"))
            file = str(text["source"]["file"])
        except (DiscreetError, OSError, ValueError, KeyError, TypeError):
            continue
        if not claim.is_differentially_private:
            found.setdefault(file, []).append(folder.name)
    return found


def _said_of_several(file: str, names: list[str]) -> str:
    return (
        f"{listed(names)} were all made from {file}, without differential privacy. Who holds more "
        "than one can combine them and single out people whom each of them protects."
    )


def compare(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show how two policies differ, and what each costs."""
    first, second = (request.query_params.get(key, "") for key in ("first", "second"))
    if not first or not second:
        raise ParameterError("Choose two policies.", parameter="first")
    read = [desk.project.policy(each) for each in (first, second)]
    arguments = {
        "first": first, "second": second,
        "seen": [[desk.project.text(n).version, desk.source_version(p)]
                 for n, p in zip((first, second), read, strict=True)],
    }  # fmt: skip
    job = desk.found("compare", arguments, then_to=_here(request))
    if not isinstance(job, Job):
        return job
    one, other = (_flat(each.model_dump(mode="json")) for each in read)
    differences = [
        (key, one.get(key, ""), other.get(key, "")) for key in {**one, **other}
        if one.get(key) != other.get(key)
    ]  # fmt: skip
    return desk.page(
        "compare", refusal, first=first, second=second, differences=differences,
        found=desk.jobs.result(job.id),
    )  # fmt: skip


def _flat(given: Mapping[str, Any], inside: str = "") -> dict[str, str]:
    """Return what a policy says as one line for each key."""
    found: dict[str, str] = {}
    for key, value in given.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{inside}{key}: ")
        elif value is not None:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            found[f"{inside}{key}"] = text
    return found


async def repeat(desk: Desk, _: Request, form: FormData) -> Response:
    """Write the policy again for another file; the ledger goes on under the same name."""
    name, file = str(form.get("policy", "")), str(form.get("file", ""))
    policy, place = desk.project.policy(name), desk.project.existing(file)
    document = tomlkit.parse(desk.project.text(name).text)
    section(document, "source")["file"] = file
    if policy.ledger is not None:
        section(document, "ledger")["source"] = policy.source_name
    made = desk.project.new_policy_name(place.name.split(".")[0])
    desk.project.save(made, tomlkit.dumps(document).encode())
    return go(f"/policy/{quote(made)}/data")


async def remove_zip(desk: Desk, _: Request, form: FormData) -> Response:
    """Delete a zip that was dropped here to be checked."""
    path = desk.project.existing(str(form.get("place", "")))
    if path.suffix != ".zip" or path.is_dir():
        raise ParameterError("Only the zip of a release is deleted here.", parameter="place")
    path.unlink()
    return go("/verify")


SCREENS: Final[dict[str, Show]] = {
    "/release/{release}": release,
    "/release/{release}/report": report,
    "/release/{release}/loss": loss,
    "/release/{release}/download": download,
    "/release/{release}/rows": rows,
    "/release/{release}/sign": sign,
    "/compare": compare,
    "/release/{release}/explore": explore,
    "/release/{release}/explore/data/{number:int}": explore_data,
    "/release/{release}/explore/page": explore_page,
    "/verify": verify,
    "/verify/{place}": verified,
    "/history": history,
}
ACTIONS: Final[dict[str, tuple[Act, Show]]] = {
    "/release/{release}/pack": (pack, release), "/verify": (start_verify, verify),
    "/verify/remove": (remove_zip, verify), "/upload-folder": (add_folder, verify),
    "/release/{release}/sign": (add_signature, sign), "/repeat": (repeat, history),
}  # fmt: skip
