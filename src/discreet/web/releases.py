"""Releases: what one claims, whether it does what it says, and what was published before."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import FileResponse, HTMLResponse

from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.release.certificate import CERTIFICATE_FILE, read_certificate
from discreet.release.ledger import Ledger
from discreet.web.desk import go
from discreet.web.guard import SANDBOX
from discreet.web.work import said

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from discreet.web.desk import Act, Desk, Refusal, Show

REPORT: Final = "report.html"


def release(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what a release claims and what checking it found."""
    name = request.path_params["release"]
    folder = desk.project.existing(name)
    checked = _checked(desk, name, then_to=request.url.path)
    if not isinstance(checked, dict):
        return checked
    certificate = read_certificate((folder / CERTIFICATE_FILE).read_text("utf-8"))
    claim = certificate.read_guarantee()
    return desk.page(
        "release", refusal, release=name, claim=claim, found=checked,
        files=sorted(each.name for each in folder.iterdir() if each.is_file()),
        has_report=(folder / REPORT).is_file(), has_zip=_zip_of(folder).is_file(),
        command=shlex.join(["discreet", "verify", name]),
    )  # fmt: skip


def loss(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what a release lost, for its curator alone."""
    name = request.path_params["release"]
    desk.project.existing(name)
    runs = (each for each in desk.jobs.recent(1000) if each.kind == "run" and each.state == "done")
    made = next((each for each in runs if each.arguments["release"] == name), None)
    result = {} if made is None else desk.jobs.result(made.id)
    return desk.page("loss", refusal, release=name, made=result)


def _zip_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.zip")


def _checked(desk: Desk, name: str, *, then_to: str) -> dict[str, Any] | Response:
    """Return what checking a release found; or the way to the job that checks it."""
    place = desk.project.existing(name)
    inside = place.iterdir() if place.is_dir() else [place]
    seen = sorted((each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in inside)
    arguments = {"release": name, "seen": seen}
    job = desk.found("verify", arguments, then_to=then_to)
    return desk.jobs.result(job.id) if hasattr(job, "id") else job


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


def history(desk: Desk, _: Request, refusal: Refusal | None = None) -> Response:
    """Show what the ledgers of the folder count, by source."""
    ledgers = []
    for path in sorted(desk.project.folder.glob("*.sqlite"))[:20]:
        try:
            ledgers.append({"name": path.name, "sources": _sources(path)})
        except DiscreetError as error:
            ledgers.append({"name": path.name, "error": said(error)})
    return desk.page("history", refusal, ledgers=ledgers, command="discreet ledger ledger.sqlite")


def _sources(path: Path) -> list[dict[str, Any]]:
    """Return each source of a ledger with its entries and what is left of its budget."""
    ledger = Ledger.open(path, create=False)
    return [
        {
            "name": source,
            "entries": [entry.sentence for entry in ledger.entries(source)],
            "spent": ledger.spent(source).to_dict(),
            "remaining": None if (left := ledger.remaining(source)) is None else left.to_dict(),
        }
        for source in ledger.sources()
    ]


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
    "/verify": verify,
    "/verify/{place}": verified,
    "/history": history,
}
ACTIONS: Final[dict[str, tuple[Act, Show]]] = {
    "/release/{release}/pack": (pack, release), "/verify": (start_verify, verify),
    "/verify/remove": (remove_zip, verify),
}  # fmt: skip
