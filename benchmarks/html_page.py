"""RESULTS.md as one HTML page that needs no other file: ratios first, then all parts and plots.

    python benchmarks/html_page.py

writes ``benchmarks/results.html``. Nothing is measured here.
"""

from __future__ import annotations

import base64
import html
import importlib.metadata
import re
import subprocess
from pathlib import Path
from statistics import median
from typing import NamedTuple

import altair as alt
import polars as pl
import vl_convert
from markdown_it import MarkdownIt
from results_page import machine, machine_in_words, today

import discreet as dc

HERE = Path(__file__).parent
PART = re.compile(r"<!-- ([\w-]+): start -->\n(.*?)<!-- \1: end -->", re.DOTALL)
IMAGE = re.compile(r'<img src="([^"]+\.svg)"')
NUMBER = re.compile(r"^[\d,]*\.?\d+$")
PEERS = (".venv-peers", ".venv-synthesis-peers")
NAMED = ("pyfim", "mlxtend", "anonypy", "dpmm")
OURS = ("numpy", "polars", "scipy", "scikit-learn")
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 0.85rem; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #8884; padding: 0.2rem 0.6rem; text-align: right; }
th:first-child, td:first-child { text-align: left; }
img, svg { max-width: 100%; height: auto; background: white; }
details { margin: 1rem 0; border-top: 1px solid #8884; }
summary { font-size: 1.2rem; cursor: pointer; padding: 0.5rem 0; }
nav a { margin-right: 1rem; }
"""


class Ratio(NamedTuple):
    """What one column of a part says of a peer: how many times as much as ours it takes."""

    part: str
    column: str
    values: tuple[float, ...]


def parts_of(text: str) -> dict[str, str]:
    r"""Return the parts of RESULTS.md by name, in its order.

    Examples
    --------
    >>> parts_of("<!-- a: start -->\n# A\n<!-- a: end -->\n")
    {'a': '# A\n'}
    """
    return {match[1]: match[2] for match in PART.finditer(text)}


def ratios_of(part: str, text: str) -> list[Ratio]:
    r"""Return all columns of a part that compare a peer with us: headed "... / ours".

    Examples
    --------
    >>> ratios_of("p", "| data | theirs / ours |\n| --- | --- |\n| a | 2.5 |\n| b | - |\n")
    [Ratio(part='p', column='theirs / ours', values=(2.5,))]
    """
    found, names, columns = list[Ratio](), list[str](), dict[int, list[float]]()

    def close() -> None:
        found.extend(Ratio(part, names[at], tuple(of)) for at, of in columns.items() if of)
        columns.clear()

    for line in [*text.splitlines(), ""]:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            close()
            names = []
        elif not names:
            names = cells
            columns = {at: [] for at, name in enumerate(names) if re.search(r"/ ours\b", name)}
        else:
            for at, of in columns.items():
                if at < len(cells) and NUMBER.match(cells[at]):
                    of.append(float(cells[at].replace(",", "")))
    return found


def page_of(text: str, folder: Path) -> str:
    """Return the HTML page of RESULTS.md, whose plots lie below a folder."""
    parts = parts_of(text)
    ratios = [ratio for name, part in parts.items() for ratio in ratios_of(name, part)]
    links = "".join(f'<a href="#{name}">{html.escape(name)}</a>' for name in parts)
    sections = "".join(
        f'<details id="{name}" open><summary>{html.escape(name)}</summary>'
        f"{_inlined(_rendered(part), folder)}</details>\n"
        for name, part in parts.items()
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>discreet: benchmarks</title><style>{STYLE}</style></head><body>\n"
        f"<h1>discreet beside its peers</h1>\n<p>Page made {today()}, discreet {dc.__version__}. "
        "Every part below says when and on which machine it was measured: compare seconds within "
        f"a part only. This machine: {html.escape(machine_in_words(machine()))}.</p>\n"
        f"<p>{html.escape(versions())}</p>\n<nav>{links}</nav>\n"
        f"<h2>How many times as long as we a peer takes</h2>\n{_summary(ratios)}\n{sections}"
        "</body></html>\n"
    )


def versions() -> str:
    """Return the versions of what is compared and of what we build on, in words."""
    ours = [f"{name} {importlib.metadata.version(name)}" for name in OURS]
    found = []
    for environment in PEERS:
        python = HERE.parent / environment / "bin" / "python"
        if python.exists():
            code = (
                "import importlib.metadata as m\nfor d in m.distributions(): "
                "print(d.metadata['Name'], d.version)"
            )
            done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
            found += [each for each in done.stdout.splitlines() if each.split()[0] in NAMED]
    peers = ", ".join(sorted(found)) or "none installed here"
    return f"With {', '.join(ours)}. Peers: {peers}."


def _summary(ratios: list[Ratio]) -> str:
    """Return a plot and a table of all ratios."""
    if not ratios:
        return "<p>No part compares seconds yet.</p>"
    rows = [
        f"<tr><td>{html.escape(one.part)}</td><td>{html.escape(one.column)}</td>"
        f"<td>{len(one.values)}</td><td>{min(one.values):.3g}</td>"
        f"<td>{median(one.values):.3g}</td><td>{max(one.values):.3g}</td></tr>"
        for one in ratios
    ]
    heads = ("part", "what", "measurements", "least", "median", "most")
    head = "".join(f"<th>{name}</th>" for name in heads)
    return f"{_plot(ratios)}<table><tr>{head}</tr>{''.join(rows)}</table>"


def _plot(ratios: list[Ratio]) -> str:
    """Return all ratios as dots on a logarithmic axis, as SVG."""
    frame = pl.DataFrame(
        [(f"{one.part}: {one.column}", value) for one in ratios for value in one.values if value],
        schema={"what": pl.String, "ratio": pl.Float64},
        orient="row",
    )
    dots = (
        alt.Chart(frame)
        .mark_tick(thickness=2)
        .encode(
            x=alt.X("ratio:Q", scale=alt.Scale(type="log"), title="peer / ours"),
            y=alt.Y("what:N", title=None, sort=None, axis=alt.Axis(labelLimit=400)),
        )
    )
    even = (
        alt.Chart(pl.DataFrame({"ratio": [1.0]})).mark_rule(strokeDash=[4, 4]).encode(x="ratio:Q")
    )
    svg: str = vl_convert.vegalite_to_svg(
        (dots + even)
        .properties(width=600, padding={"left": 60, "right": 5, "top": 5, "bottom": 5})
        .to_json()
    )
    return svg


def _rendered(part: str) -> str:
    """Return the HTML of one part; anything in it that looks like HTML is shown as text."""
    made: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(part)
    return made


def _inlined(page: str, folder: Path) -> str:
    """Return the page with its plots inside it."""

    def data(match: re.Match[str]) -> str:
        path = folder / match[1]
        if not path.is_file():
            return match[0]
        packed = base64.b64encode(path.read_bytes()).decode()
        return f'<img src="data:image/svg+xml;base64,{packed}"'

    return IMAGE.sub(data, page)


def main() -> None:
    """Write the page."""
    text = (HERE / "RESULTS.md").read_text(encoding="utf-8")
    target = HERE / "results.html"
    target.write_text(page_of(text, HERE), encoding="utf-8")
    print(f"{target.relative_to(Path.cwd()) if target.is_relative_to(Path.cwd()) else target}")


if __name__ == "__main__":
    main()
