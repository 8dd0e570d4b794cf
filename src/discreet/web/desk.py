"""What all screens of the app share: the folder, the jobs, pages, and how an error is shown."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote

from starlette.responses import HTMLResponse, RedirectResponse

from discreet.errors import DiscreetError
from discreet.report.page import templates
from discreet.report.text import counted, percent
from discreet.web.jobs import FULL, Jobs, Supervisor, said_of_disk
from discreet.web.project import Project, StaleError
from discreet.web.work import said

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable, Mapping, Sequence

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


MOST_FILES: Final = 64  # of a folder that is dropped


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


# Charts: drawn by a template, in a box of 480 by 300; the table beside it has the same numbers.

LEFT, TOP, WIDE, HIGH = 62, 26, 398, 206


def chart(
    points: Sequence[Mapping[str, Any]],
    *,
    x: str,
    y: str,
    x_log: bool = False,
    said: Callable[[float], str] = lambda share: f"{100 * share:g}%",
) -> dict[str, Any]:
    """Return where the dots and the numbers beside the axes of a chart are.

    Parameters
    ----------
    points : sequence of mapping
        Each with a place on both axes, and whatever the template prints.
    x, y : str
        The keys of the places.
    x_log : bool
        Whether steps to the right multiply.
    said : callable
        How a number beside an axis is written, a share by default.
    """
    xs = [math.log10(each[x]) if x_log else float(each[x]) for each in points] or [0.0]
    left, right = (min(xs), max(xs)) if x_log else (0.0, max(xs))
    top = max([float(each[y]) for each in points] or [0.0]) * 1.08 or 1.0
    wide = (right - left) * (1.0 if x_log else 1.08) or 1.0
    across = [round(LEFT + WIDE * (place - left) / wide, 1) for place in xs]

    def over(value: float) -> float:
        return round(TOP + HIGH * (1 - value / top), 1)

    steps = (
        [(at, f"{each[x]:g}") for each, at in zip(points, across, strict=False)] if x_log
        else [(round(LEFT + WIDE * v / wide, 1), said(v)) for v in ticks(wide)]
    )  # fmt: skip
    written: dict[str, float] = {}
    for tick in ticks(top):
        written.setdefault(said(tick), tick)
    placed = [(at, over(float(each[y]))) for each, at in zip(points, across, strict=False)]
    taken = [(at - 7, up - 7, at + 7, up + 7) for at, up in placed]
    dots = []
    for each, (at, up) in zip(points, placed, strict=False):
        label = _label_place(at, up, 6.5 * len(str(each.get("text", ""))), taken)
        dots.append({**each, "cx": at, "cy": up, "label": label})
    return {
        "dots": dots, "x_ticks": steps, "y_ticks": [(over(v), text) for text, v in written.items()],
        "left": LEFT, "top": TOP, "right": LEFT + WIDE, "bottom": TOP + HIGH,
    }  # fmt: skip


def _label_place(
    x: float, y: float, wide: float, taken: list[tuple[float, float, float, float]]
) -> tuple[float, float, str] | None:
    """Return where the label of a dot covers nothing; None if there is no such place."""
    for left, base, anchor in (
        (x + 9, y - 9, "start"), (x - 9 - wide, y - 9, "end"), (x - wide / 2, y - 12, "middle"),
        (x - wide / 2, y + 19, "middle"), (x + 9, y - 22, "start"), (x - 9 - wide, y - 22, "end"),
        (x - wide / 2, y - 34, "middle"),
    ):  # fmt: skip
        box = (left, base - 11, left + wide, base + 2)
        fits = left >= LEFT - 20 and left + wide <= LEFT + WIDE + 18
        if (
            fits
            and base < TOP + HIGH - 1
            and not any(
                box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
                for other in taken
            )
        ):
            taken.append(box)
            place = {"start": left, "end": left + wide, "middle": x}[anchor]
            return round(place, 1), round(base, 1), anchor
    return None


def ticks(top: float, most: int = 5) -> list[float]:
    """Return round numbers from 0 up, to write beside an axis.

    Examples
    --------
    >>> ticks(0.83)
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    rough = top / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(n * power for n in (1, 2, 2.5, 5, 10) if n * power >= rough * (1 - 1e-9))
    return [round(n * step, 12) for n in range(int(top / step + 1e-9) + 1)]


Show: TypeAlias = "Callable[[Desk, Request, Refusal | None], Response]"
Act: TypeAlias = "Callable[[Desk, Request, FormData], Awaitable[Response]]"


def shown(desk: Desk, show: Show) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a request for a screen."""

    async def handle(request: Request) -> Response:
        try:
            return show(desk, request, None)
        except DiscreetError as error:
            return desk.page("refused", Refusal(said(error), status=404))
        except (OSError, sqlite3.Error) as error:
            return desk.page("refused", _disk(error))

    return handle


def acted(desk: Desk, act: Act, show: Show) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a form: the page it leads to, or its screen with what is wrong."""

    async def handle(request: Request) -> Response:
        async with request.form(max_files=MOST_FILES, max_fields=20_000) as form:
            try:
                return await act(desk, request, form)
            except DiscreetError as error:
                status = 409 if isinstance(error, StaleError) else 422
                refusal = Refusal(said(error), error.parameter, status)
            except (OSError, sqlite3.Error) as error:
                return desk.page("refused", _disk(error))
        try:
            page = show(desk, request, refusal)
        except DiscreetError:
            return desk.page("refused", refusal)
        # A part that our script asked for shows what is wrong; a screen that first needs a job
        # would not.
        is_shown = page.status_code == status or "x-part" in request.headers
        return page if is_shown else desk.page("refused", refusal)

    return handle


def _disk(error: OSError | sqlite3.Error) -> Refusal:
    """Return that a file could not be written, so that nothing was changed."""
    sentence = said_of_disk(error) if isinstance(error, OSError) else FULL
    return Refusal(sentence, status=507)


def go(path: str) -> RedirectResponse:
    """Return the way to another page of the app."""
    return RedirectResponse(path, status_code=303)
