"""What all screens of the app share: the folder, the jobs, pages, and how an error is shown."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote

from starlette.responses import HTMLResponse, RedirectResponse

from discreet.errors import DiscreetError
from discreet.report.page import templates
from discreet.report.text import counted, percent
from discreet.web.jobs import Jobs, Supervisor
from discreet.web.project import Project, StaleError
from discreet.web.work import said

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from discreet.policy.model import Policy
    from discreet.web.jobs import Job

# The way through the app: the last part of the address of a policy's screen, and its name.
STEPS: Final = (
    ("data", "Understood?"), ("risk", "Records at risk"), ("roles", "Roles"), ("trees", "Groups"),
    ("method", "Method"), ("plan", "Plan"), ("run", "Run"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is wrong with a form: a sentence of the library, and the field it is about."""

    sentence: str
    field: str | None = None
    status: int = 422


class Desk:
    """What screens work with.

    Parameters
    ----------
    folder : path
        The folder of the app.

    Attributes
    ----------
    project, jobs, supervisor
        The folder, its jobs, and who starts them.
    on_close : callable
        Called when a person closes the app.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.project = Project(folder)
        self.project.prepare()
        self.jobs = Jobs(self.project.private)
        self.supervisor = Supervisor(self.jobs, self.project.folder)
        self.on_close: Callable[[], object] = lambda: None

    def page(self, template: str, refusal: Refusal | None = None, **values: object) -> Response:
        """Return a page; all that is printed in it is escaped."""
        made = self._templates.get_template(f"{template}.html.j2").render(
            where=template, refusal=refusal, folder=self.project.folder.name, **values
        )
        return HTMLResponse(made, status_code=200 if refusal is None else refusal.status)

    def text(self, template: str, **values: object) -> str:
        """Return a file that is made from a template, such as the style."""
        made: str = self._templates.get_template(template).render(**values)
        return made

    def source_version(self, policy: Policy) -> str:
        """Return what changes with the data of a policy, or with how it is read."""
        path = policy.source_path
        seen = path.stat() if path.exists() else None
        about = [
            policy.source.model_dump(), {k: str(v) for k, v in policy.repairs.items()},
            sorted(policy.hierarchies),  # whose numbers need no bins
            None if seen is None else [seen.st_size, seen.st_mtime_ns],
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(about, default=str).encode()).hexdigest()[:16]

    def found(
        self, kind: str, arguments: Mapping[str, object], *, then_to: str
    ) -> Job | RedirectResponse:
        """Return a job that has ended with just these arguments; else start it and go there."""
        job = self.jobs.latest(kind, arguments)
        swept = job is not None and job.is_over and not self.jobs.result(job.id)
        if job is None or job.state in ("cancelled", "interrupted") or swept:
            return go(f"/job/{self.supervisor.submit(kind, arguments, then_to=then_to)}")
        return job if job.is_over else go(f"/job/{job.id}")

    @cached_property
    def _templates(self) -> Any:  # noqa: ANN401  jinja2's environment
        environment = templates("discreet.web")
        environment.filters |= {
            "percent": percent, "url": lambda text: quote(str(text), safe=""), "counted": counted,
        }  # fmt: skip
        environment.globals |= {"STEPS": STEPS}
        return environment


Show: TypeAlias = "Callable[[Desk, Request, Refusal | None], Response]"
Act: TypeAlias = "Callable[[Desk, Request, FormData], Awaitable[Response]]"


def shown(desk: Desk, show: Show) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a request for a screen."""

    async def handle(request: Request) -> Response:
        try:
            return show(desk, request, None)
        except DiscreetError as error:
            return desk.page("refused", Refusal(said(error), status=404))

    return handle


def acted(desk: Desk, act: Act, show: Show) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a form: the page it leads to, or its screen with what is wrong."""

    async def handle(request: Request) -> Response:
        async with request.form(max_files=1, max_fields=20_000) as form:
            try:
                return await act(desk, request, form)
            except DiscreetError as error:
                status = 409 if isinstance(error, StaleError) else 422
                refusal = Refusal(said(error), error.parameter, status)
        try:
            page = show(desk, request, refusal)
        except DiscreetError:
            return desk.page("refused", refusal)
        # A part that our script asked for shows what is wrong; a screen that first needs a job
        # would not.
        is_shown = page.status_code == status or "x-part" in request.headers
        return page if is_shown else desk.page("refused", refusal)

    return handle


def go(path: str) -> RedirectResponse:
    """Return the way to another page of the app."""
    return RedirectResponse(path, status_code=303)
