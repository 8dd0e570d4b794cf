"""Charts as SVG that stands in the page: no script, no font to fetch, no request.

Altair describes them and vl-convert draws them, offline. Texts of the data must be made visible
before they come here; they are data to Altair, never names of fields or expressions.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from discreet.report.palette import STEPS, light
from discreet.report.text import distinct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import altair as alt

WIDTH = 340
_FONT = "system-ui, sans-serif"
_EM = 11.5
_PADDING = {"left": 2, "top": 2, "bottom": 2, "right": 36}  # the legend may be wider than thought
_MAX_LABEL = 30
_OPENING = re.compile(r"<svg\b[^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\"[^>]*>")


def bars(
    labels: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    *,
    colours: Sequence[str],
    title: str,
    words: str,
    axis: str,
    width: int = WIDTH,
) -> Markup:
    """Return lying bars, for each label one of each series, as SVG.

    Parameters
    ----------
    labels : sequence of str
        What the bars are of, from the top.
    series : mapping of str to sequence of float
        Name to shares from 0 to 1, one for each label; None for no bar.
    colours : sequence of str
        Names of colours of the palette, one for each series.
    title, words : str
        What the chart is called and what it shows, for those who cannot see it.
    axis : str
        What the length of a bar means.
    width : int
        Of the longest bar there can be, in pixels.

    Returns
    -------
    Markup
        An ``svg`` element with a title and a description.

    Examples
    --------
    >>> svg = bars(["a", "b"], {"rows": [0.25, 0.75]}, colours=["after"], title="Rows",
    ...            words="Most rows are b.", axis="share of rows")
    >>> svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Rows')
    True
    """
    import altair as alt

    short = distinct(labels, _MAX_LABEL)
    values = [
        {"label": name, "series": key, "share": share}
        for key, shares in series.items()
        for name, share in zip(short, shares, strict=True)
        if share is not None
    ]
    step = 26 if len(series) > 1 else 20
    height = alt.Step(step, **{"for": "position"})
    chart = alt.Chart(alt.InlineData(values=values), width=width, height=height)
    # Plain bars: round ones need clip paths, and those have ids that count up from page to page.
    drawn = chart.mark_bar().encode(
        x=alt.X("share:Q", title=axis, axis=alt.Axis(format="~%", tickCount=5)),
        y=alt.Y("label:N", sort=short, title=None, scale=alt.Scale(domain=short)),
        color=alt.Color(
            "series:N",
            title=None,
            scale=alt.Scale(domain=list(series), range=[light(name) for name in colours]),
            legend=alt.Legend(orient="top") if len(series) > 1 else None,
        ),
    )
    if len(series) > 1:
        drawn = drawn.encode(yOffset=alt.YOffset("series:N", sort=list(series)))
    return draw(drawn, short, title, words)


def heat_map(
    labels: Sequence[str],
    columns: Sequence[str],
    counts: Sequence[Sequence[int]],
    *,
    title: str,
    words: str,
    axis: str,
) -> Markup:
    """Return a map of counts in five steps, as SVG.

    Parameters
    ----------
    labels, columns : sequence of str
        Names of the lines and of the columns of the map.
    counts : sequence of sequences of int
        One sequence for each line.
    title, words, axis : str
        As in :func:`bars`; the axis is that of the columns.

    Examples
    --------
    >>> svg = heat_map(["age"], ["1", "2"], [[0, 12]], title="t", words="w", axis="cells")
    >>> "10 to 99" in svg
    True
    """
    import altair as alt

    short = distinct(labels, _MAX_LABEL)
    values = [
        {"label": name, "column": column, "step": step_of(count)}
        for name, line in zip(short, counts, strict=True)
        for column, count in zip(columns, line, strict=True)
    ]
    chart = alt.Chart(
        alt.InlineData(values=values),
        width=alt.Step(max(16, min(40, WIDTH // max(len(columns), 1)))),
        height=alt.Step(22),
    )
    drawn = chart.mark_rect().encode(
        x=alt.X("column:O", sort=list(columns), title=axis, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("label:N", sort=short, title=None),
        color=alt.Color(
            "step:O",
            title="rows of the release",
            scale=alt.Scale(domain=list(STEP_WORDS), range=[light(name) for name in STEPS]),
            legend=alt.Legend(orient="top", symbolType="square", columns=5),
        ),
    )
    return draw(drawn, short, title, words)


STEP_WORDS = ("none", "1 to 9", "10 to 99", "100 to 999", "1,000 or more")


def step_of(count: int) -> str:
    """Return the step that a count falls into.

    Examples
    --------
    >>> step_of(0), step_of(9), step_of(10), step_of(123456)
    ('none', '1 to 9', '10 to 99', '1,000 or more')
    """
    return STEP_WORDS[min(len(str(count)), 4) if count else 0]


def width_of(text: str) -> float:
    """Return how wide a label is at most, in whatever font a browser takes."""
    return sum(_EM if unicodedata.east_asian_width(each) in "WF" else 0.64 * _EM for each in text)


def draw(
    chart: alt.Chart | alt.LayerChart, labels: Sequence[str], title: str, words: str
) -> Markup:
    """Return a chart as an SVG element that has a name and grows with the page."""
    import vl_convert

    extent = max(map(width_of, labels), default=0.0) + 8
    styled = (
        chart.configure(aria=False, background="transparent", font=_FONT, padding=_PADDING)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=light("text"),
            titleColor=light("text"),
            gridColor=light("grid"),
            domainColor=light("axis"),
            tickColor=light("axis"),
            labelFontSize=_EM,
            titleFontSize=_EM,
            titleFontWeight="normal",
            labelLimit=0,
        )
        .configure_axisY(ticks=False, domain=False, labelPadding=6, minExtent=extent)
        .configure_legend(labelColor=light("text"), titleColor=light("text"), labelFontSize=_EM)
    )
    spec: dict[str, Any] = styled.to_dict()
    drawn: str = vl_convert.vegalite_to_svg(spec)
    found = _OPENING.match(drawn)
    assert found is not None, "vl-convert writes width and height"
    width, height = found.groups()
    # The whole chart is one image with one name; what its parts say stands in the table below it.
    least = round(0.78 * float(width))  # smaller, its texts could not be read: it scrolls instead
    named = escape(f"{title}. {words}")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{named}" class="chart" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'style="min-width: {least}px">'
        f"<title>{escape(title)}</title>"
    )
    return Markup(opening + drawn[found.end() :])  # noqa: S704  drawn by vl-convert, which escapes its texts
