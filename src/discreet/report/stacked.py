"""Lying bars of parts that make up a whole, as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.report.charts import WIDTH, draw
from discreet.report.palette import light
from discreet.report.text import distinct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

_MAX_LABEL = 30


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
