"""The app: which screen answers which address."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from discreet.report.charts import CHART, PAGE
from discreet.web import home, policies, releases
from discreet.web.desk import acted, shown
from discreet.web.guard import Guard

if TYPE_CHECKING:
    from starlette.requests import Request

    from discreet.web.desk import Desk
    from discreet.web.guard import Door

_TYPES: Final = {"app.js": "text/javascript", "app.css": "text/css"}


def make_app(desk: Desk, door: Door) -> Guard:
    """Return the app behind its guard.

    Parameters
    ----------
    desk : Desk
        What its screens work with.
    door : Door
        Who may come in.
    """
    screens = home.SCREENS | policies.SCREENS | releases.SCREENS
    actions = home.ACTIONS | policies.ACTIONS | releases.ACTIONS

    def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name == "page.css":
            style = desk.text("style.css.j2", page_colours=PAGE, chart_colours=CHART)
            return Response(style, media_type="text/css")
        if name not in _TYPES:
            return Response(status_code=404)
        content = files("discreet.web").joinpath("static", name).read_bytes()
        return Response(content, media_type=_TYPES[name])

    routes = [
        Route("/static/{name}", static),
        *(Route(path, shown(desk, show), methods=["GET"]) for path, show in screens.items()),
        *(
            Route(path, acted(desk, act, show), methods=["POST"])
            for path, (act, show) in actions.items()
        ),
    ]
    return Guard(Starlette(routes=routes), door=door, private=desk.project.private)
