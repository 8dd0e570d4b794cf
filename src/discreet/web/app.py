"""The app: which screen answers which address."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from discreet.report.charts import CHART, PAGE
from discreet.web import home, kinds, policies, releases, trees
from discreet.web.desk import acted, shown
from discreet.web.guard import Guard

if TYPE_CHECKING:
    from starlette.requests import Request

    from discreet.web.desk import Desk
    from discreet.web.guard import Door

_TYPES: Final = {".js": "text/javascript", ".css": "text/css"}


def make_app(desk: Desk, door: Door) -> Guard:
    """Return the app behind its guard.

    Parameters
    ----------
    desk : Desk
        What its screens work with.
    door : Door
        Who may come in.
    """
    parts = (home, policies, trees, releases)
    screens = {path: show for part in (*parts, kinds) for path, show in part.SCREENS.items()}
    actions = {path: act for part in parts for path, act in part.ACTIONS.items()}

    def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name == "page.css":
            style = desk.text("style.css.j2", page_colours=PAGE, chart_colours=CHART)
            return Response(style, media_type="text/css")
        place = files("discreet.web").joinpath("static", name)
        ending = name[name.rfind(".") :]
        if "/" in name or "\\" in name or ending not in _TYPES or not place.is_file():
            return Response(status_code=404)
        return Response(place.read_bytes(), media_type=_TYPES[ending])

    routes = [
        Route("/static/{name}", static),
        *(Route(path, shown(desk, show), methods=["GET"]) for path, show in screens.items()),
        *(
            Route(path, acted(desk, act, show), methods=["POST"])
            for path, (act, show) in actions.items()
        ),
    ]
    return Guard(Starlette(routes=routes), door=door, private=desk.project.private)
