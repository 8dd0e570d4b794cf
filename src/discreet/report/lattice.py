"""A picture of a small collection: itemsets by size, joined to the parts they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.report.charts import draw, width_of
from discreet.report.palette import light
from discreet.report.text import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

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
