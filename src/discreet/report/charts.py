"""Charts as SVG inside the page: no script, no font to fetch, no request.

Altair describes them and vl-convert draws them, offline. Texts of the data must be made visible
before they come here; they are data to Altair, never names of fields or expressions.
"""

from __future__ import annotations

import re
import unicodedata
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from discreet.report.text import distinct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import altair as alt


WIDTH = 340

_FONT = "system-ui, sans-serif"

_EM = 11.5

_PADDING = {"left": 2, "top": 2, "bottom": 2, "right": 36}  # the legend may be wider than thought

_MAX_LABEL = 30

_PART = re.compile(r' role="graphics-(?:symbol|object|document)"| aria-roledescription="[^"<>]*"')

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
            legend=alt.Legend(orient="top", symbolType="square", columns=3, columnPadding=16),
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
        f'style="min-width: {least}px; --most: {round(1.4 * float(width))}px">'
        f"<title>{escape(title)}</title>"
    )
    rest = _PART.sub("", drawn[found.end() :])
    return Markup(opening + rest)  # noqa: S704  drawn by vl-convert, which escapes its texts


# Lying bars of parts that make up a whole, as SVG.


def stacked_bars(
    labels: Sequence[str],
    parts: Mapping[str, Sequence[float]],
    *,
    colours: Sequence[str],
    title: str,
    words: str,
    axis: str,
    width: int = WIDTH,
) -> Markup:
    """Return one bar for each label, cut into parts from the left, as SVG.

    Parameters
    ----------
    labels : sequence of str
        What the bars are of, from the top.
    parts : mapping of str to sequence of float
        Name of a part to shares from 0 to 1, one for each label, from the left.
    colours : sequence of str
        Names of colours of the palette, one for each part.
    title, words : str
        What the chart is called and what it shows, for those who cannot see it.
    axis : str
        What the length of a part means.
    width : int
        Of a whole bar, in pixels.

    Returns
    -------
    Markup
        An ``svg`` element with a title and a description.

    Examples
    --------
    >>> svg = stacked_bars(["age"], {"value": [0.25], "group": [0.75]}, colours=["after", "step2"],
    ...                    title="Cells", words="Most are groups.", axis="share of cells")
    >>> svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Cells')
    True
    """
    import altair as alt

    short = distinct(labels, _MAX_LABEL)
    values = [
        {"label": name, "part": part, "place": place, "share": share}
        for place, (part, shares) in enumerate(parts.items())
        for name, share in zip(short, shares, strict=True)
    ]
    chart = alt.Chart(alt.InlineData(values=values), width=width, height=alt.Step(22))
    drawn = chart.mark_bar().encode(
        x=alt.X(
            "share:Q",
            title=axis,
            stack="zero",
            scale=alt.Scale(domain=[0, 1], nice=False),
            axis=alt.Axis(format="~%", tickCount=5),
        ),
        y=alt.Y("label:N", sort=short, title=None, scale=alt.Scale(domain=short)),
        color=alt.Color(
            "part:N",
            title=None,
            scale=alt.Scale(domain=list(parts), range=[light(name) for name in colours]),
            legend=alt.Legend(orient="top", columns=len(parts)),
        ),
        order=alt.Order("place:Q"),
    )
    return draw(drawn, short, title, words)


# A picture of a small collection: itemsets by size, joined to the parts they are made of.

MOST_SETS = 40

_LONGEST = 26

_LINE = 64


def lattice(itemsets: Sequence[tuple[frozenset[str], int]], *, title: str, words: str) -> Markup:
    """Return itemsets as a lattice, smallest below, as SVG.

    Parameters
    ----------
    itemsets : sequence of (frozenset of str, int)
        Items and support of each, at most 40; texts as they may be shown.
    title, words : str
        What the picture is called and what it shows, for those who cannot see it.

    Examples
    --------
    >>> svg = lattice([(frozenset("a"), 5), (frozenset("b"), 4), (frozenset("ab"), 3)],
    ...               title="Lattice", words="Three itemsets.")
    >>> "a, b" in svg
    True
    """
    import altair as alt

    ordered = sorted(itemsets, key=lambda each: (len(each[0]), sorted(each[0])))
    names = distinct([", ".join(sorted(items)) or "(all rows)" for items, _ in ordered], _LONGEST)
    place = _places([len(items) for items, _ in ordered])
    nodes = [
        {"x": x, "y": y, "name": name, "support": f"{support:,}"}
        for (x, y), name, (_, support) in zip(place, names, ordered, strict=True)
    ]
    edges = [
        {"x": place[low][0], "y": place[low][1], "x2": place[high][0], "y2": place[high][1]}
        for low, (part, _) in enumerate(ordered)
        for high, (whole, _) in enumerate(ordered)
        if len(whole) == len(part) + 1 and part < whole
    ]
    lines = 1 + max(y for _, y in place)
    widest = max(sum(y == line for _, y in place) for line in range(lines))
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-0.5, lines - 0.5], nice=False))
    joined = (
        alt.Chart(alt.InlineData(values=edges))
        .mark_rule(color=light("grid"), strokeWidth=1.2)
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q")
    )
    nodes_chart = alt.Chart(alt.InlineData(values=nodes)).encode(x=x, y=y)
    names_chart = nodes_chart.mark_text(dy=-7, color=light("text")).encode(text="name:N")
    supports = nodes_chart.mark_text(dy=8, color=light("after")).encode(text="support:N")
    width = max(300, int(widest * (max(map(width_of, names)) + 18)))
    drawn = (joined + names_chart + supports).properties(width=width, height=_LINE * lines)
    return draw(drawn, [], title, words)


def _places(sizes: Sequence[int]) -> list[tuple[float, int]]:
    """Return where each itemset goes: evenly across its line, small ones on the lowest line."""
    total = {size: list(sizes).count(size) for size in sizes}
    seen: dict[int, int] = {}
    places = []
    for size in sizes:
        seen[size] = seen.get(size, 0) + 1
        places.append(((seen[size] - 0.5) / total[size], size - min(sizes)))
    return places


# The colours of the page, in light and in dark.
#
# Charts are drawn in the light colours; the style sheet replaces each of them in the dark, so every
# colour of a chart is listed here and no two parts of a chart share one.

# Name: (light, dark).
PAGE = MappingProxyType(
    {
        "paper": ("#f6f7f9", "#11161c"),
        "card": ("#ffffff", "#19212a"),
        "ink": ("#18212b", "#e8edf2"),
        "soft": ("#4a5766", "#b3bfcc"),
        "line": ("#d5dbe3", "#334150"),
        "accent": ("#0b5d58", "#5fd3c6"),
        "wash": ("#eaf3f2", "#16302f"),
        "good": ("#17613a", "#74d99f"),
        "good_wash": ("#e6f4ec", "#14301f"),
        "warning": ("#7a4300", "#f4bd6a"),
        "warning_wash": ("#fdf1de", "#352610"),
        "danger": ("#9c1420", "#ff9d98"),
        "danger_wash": ("#fdebec", "#3b171a"),
        "danger_fill": ("#9c1420", "#9c1420"),
        "on_danger": ("#ffffff", "#ffffff"),
    }
)

CHART = MappingProxyType(
    {
        "text": ("#384453", "#c3ced9"),
        "grid": ("#e3e7ec", "#2b3743"),
        "axis": ("#8792a0", "#64727f"),
        "before": ("#8593a5", "#8ea0b4"),
        "after": ("#0f6f68", "#4cc9bb"),
        "suppressed": ("#b4540a", "#f0a04b"),
        "step0": ("#eef1f4", "#212b35"),
        "step1": ("#fbd9ae", "#553a1b"),
        "step2": ("#f2a95c", "#8a5a20"),
        "step3": ("#cf6a17", "#cc8330"),
        "step4": ("#83380a", "#ffc57d"),
    }
)

STEPS = tuple(name for name in CHART if name.startswith("step"))

# Text on a ground: pairs that must be readable.
TEXT_ON = tuple(
    (text, ground)
    for text, grounds in {
        "ink": ("paper", "card", "wash", "good_wash", "warning_wash", "danger_wash"),
        "soft": ("paper", "card", "wash"),
        "accent": ("paper", "card", "wash"),
        "good": ("card", "good_wash"),
        "warning": ("card", "warning_wash"),
        "danger": ("card", "danger_wash"),
        "on_danger": ("danger_fill",),
    }.items()
    for ground in grounds
)


def light(name: str) -> str:
    """Return the colour that charts are drawn in.

    Examples
    --------
    >>> light("after")
    '#0f6f68'
    """
    return CHART[name][0]
