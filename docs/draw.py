"""Draw the figures of the guide anew: ``make figures``, or ``python docs/draw.py [FOLDER]``.

Everything is computed from the invented census and baskets that come with discreet, and from
pyproject.toml: no other data and no network is needed. Random draws have a seed. The picture of a
report in the README needs Debian's chromium: ``make picture``, or ``python docs/draw.py picture``.
"""

from __future__ import annotations

import html
import math
import re
import shutil
import sys
import tempfile
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import discreet as dc
from discreet.assess.anonymity import anonymity
from discreet.generalize.release import LossSummary
from discreet.patterns import additive, channels, pattern_release
from discreet.randomize import CutAndPaste, randomized_of, support
from discreet.report.charts import bars, draw, light
from discreet.utility import cells_changed, marginal_fidelity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from discreet.data.table import Table
    from discreet.release.release import Release

FOLDER = Path(__file__).parent / "figures"
PROJECT = Path(__file__).parents[1] / "pyproject.toml"
COLUMNS = ("sex", "age", "region", "education", "marital_status")
_END_OF_TITLE = "</title>"


def why() -> str:
    """Draw how many records are unique in the columns that an attacker knows."""
    people = dc.datasets.census(5000)
    order = ("sex", "region", "education", "marital_status", "age", "occupation")
    labels = [order[0], *(f"and {name}" for name in order[1:])]
    unique = [
        anonymity(people, columns=order[: n + 1]).n_rows_below(2) / people.n_rows
        for n in range(len(order))
    ]
    return bars(
        labels,
        {"unique": unique},
        colours=["suppressed"],
        title="Unique records, by the columns an attacker knows",
        words=_shares(labels, unique),
        axis="share of 5,000 records that are unique",
    )


def suppression() -> str:
    """Draw the share of suppressed cells of each column, with age in years and in tens."""
    years = dc.datasets.census(5000).select(COLUMNS)
    tens = dc.Table.from_frame(years.to_frame(), bins={"age": 10})
    series = {"age in years": _suppressed(years), "age in tens": _suppressed(tens)}
    return bars(
        COLUMNS,
        series,
        colours=["suppressed", "after"],
        title="Cells that K-MII suppresses at k = 5, by column",
        words="; ".join(f"{name}: {_shares(COLUMNS, shares)}" for name, shares in series.items()),
        axis="share of released cells that are suppressed",
    )


def _suppressed(table: Table) -> list[float]:
    release = dc.k_mii(table, k=5)
    changes = cells_changed(table, release.data, rows=release.input_rows)
    n_suppressed = dict(zip(changes.columns, changes.suppressed_by_column.tolist(), strict=True))
    return [n_suppressed[name] / release.data.n_rows for name in COLUMNS]


def generalization() -> str:
    """Draw the loss of four methods against k."""
    people = dc.datasets.census(2000).select(COLUMNS)
    trees = {name: dc.datasets.census_hierarchies()[name] for name in COLUMNS}
    methods: dict[str, Callable[..., Release]] = {
        "set_cover": dc.set_cover,
        "mondrian": dc.mondrian,
        "forest": dc.forest,
        "datafly": dc.datafly,
    }
    ks: tuple[float, ...] = (5, 10, 20, 50)
    series: dict[str, dict[float, float]] = {name: {} for name in methods}
    for name, method in methods.items():
        for k in ks:
            release = method(people, k=k, hierarchies=trees)
            series[name][k] = cast(LossSummary, release.loss).loss
    return _lines(series, title="Loss of four methods, by k", x="k", y="share of information lost")


def patterns() -> str:
    """Draw how many small groups itemsets disclose, before and after sanitization."""
    baskets = dc.datasets.baskets(5000)
    values = []
    for least in (250, 100, 50, 25):
        made = pattern_release(additive(baskets, k=10, min_support=least), source=baskets)
        n_sets = len(dc.mine.frequent(baskets, min_support=least))
        before = len(channels(baskets, k=10, min_support=least))
        after = len(channels(made.data, k=10))
        label = f"support {least}: {n_sets:,} itemsets"
        values.append({"label": label, "n": before, "text": f"{before}, sanitized {after}"})
    return _counted_bars(values, title="Small groups that itemsets disclose")


def randomization() -> str:
    """Draw supports recovered from randomized baskets beside the true ones."""
    baskets = dc.datasets.baskets(50_000)
    sets = (("milk",), ("bread",), ("butter",), ("bread", "milk"), ("bread", "butter"))
    held = dict(dc.mine.frequent(baskets, min_support=1, max_size=2))
    values = []
    for rho in ("1/10", "1/4"):
        operator = CutAndPaste(cutoff=3, rho=rho)
        release = dc.randomize_transactions(
            baskets, operator=operator, items=sorted(baskets.labels), seed=1
        )
        epsilon = math.ceil(100 * Fraction(release.guarantee.parameters["epsilon"])) / 100
        for items in sets:
            low, high = support(randomized_of(release), items).interval(0.95)
            true = held[frozenset(items)] / baskets.n_transactions
            values.append(
                {"label": " and ".join(items), "by": f"epsilon {epsilon}", "true": true,
                 "low": low, "high": high}
            )  # fmt: skip
    return _intervals(values, title="Supports recovered from 50,000 randomized baskets")


def synthesis() -> str:
    """Draw the error of pairs of columns of synthetic rows, by budget and trust."""
    names = ("sex", "education", "marital_status", "income")
    people = dc.datasets.census(5000).select(names)
    lists = {name: dc.datasets.census_hierarchies()[name] for name in names}
    trusts: tuple[Literal["central", "local"], ...] = ("central", "local")
    series: dict[str, dict[float, float]] = {trust: {} for trust in trusts}
    for epsilon in (0.5, 1, 2, 4):
        for trust in trusts:
            delta = 1e-6 if trust == "central" else 0
            made = dc.Synthesizer(epsilon, delta=delta, trust=trust, domains=lists, seed=1)
            synthetic = made.fit(people).sample(people.n_rows)
            series[trust][epsilon] = marginal_fidelity(people, synthetic, sizes=(2,)).mean(2)
    return _lines(
        series,
        title="Error of cross tables of two columns, by epsilon",
        x="epsilon",
        y="mean total variation",
    )


def layers() -> str:
    """Draw the layers of the architecture as pyproject.toml has them."""
    rows = layer_names(tomllib.loads(PROJECT.read_text(encoding="utf-8")))
    width, step = 120, 44
    parts = []
    for place, names in enumerate(rows):
        for column, name in enumerate(names):
            x, y = 8 + column * width, 8 + place * step
            colour = light("suppressed") if name == "verify" else light("after")
            parts.append(
                f'<rect x="{x}" y="{y}" width="{width - 10}" height="{step - 12}" rx="4" '
                f'fill="none" stroke="{colour}"/><text x="{x + (width - 10) / 2:g}" y="{y + 21}" '
                f'text-anchor="middle" font-family="monospace" font-size="13" '
                f'fill="{light("text")}">{name}</text>'
            )
    high, wide = 8 + step * len(rows), 8 + width * max(map(len, rows))
    words = "; ".join(", ".join(names) for names in rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="The layers of the '
        f'architecture, from the top. {words}" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}">'
        f"<title>The layers of the architecture</title>{''.join(parts)}</svg>"
    )


def layer_names(project: Mapping[str, object]) -> list[list[str]]:
    """Return the packages of each layer, from the top, of a pyproject.toml that was read."""
    contracts = project["tool"]["importlinter"]["contracts"]  # type: ignore[index]
    (found,) = (each["layers"] for each in contracts if each["type"] == "layers")
    return [re.findall(r"\w+", layer) for layer in found]


def _lines(series: Mapping[str, Mapping[float, float]], *, title: str, x: str, y: str) -> str:
    import altair as alt

    values = [
        {"name": name, "x": str(at), "y": value}
        for name, points in series.items()
        for at, value in points.items()
    ]
    chart = alt.Chart(alt.InlineData(values=values), width=340, height=200)
    drawn = chart.mark_line(point=True).encode(
        x=alt.X("x:O", title=x, sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("y:Q", title=y),
        color=alt.Color(
            "name:N",
            title=None,
            sort=None,
            scale=alt.Scale(
                domain=list(series),
                range=[light(each) for each in ("after", "before", "suppressed", "step4")],
            ),
        ),
        strokeDash=alt.StrokeDash(
            "name:N", sort=None, title=None, scale=alt.Scale(domain=list(series))
        ),
    )
    words = "; ".join(
        f"{name}: " + ", ".join(f"{x} {at:g} {value:.3f}" for at, value in points.items())
        for name, points in series.items()
    )
    return draw(drawn, ["0.00"], title, words)


def _counted_bars(values: list[dict[str, object]], *, title: str) -> str:
    import altair as alt

    base = alt.Chart(alt.InlineData(values=values), width=340, height=alt.Step(24)).encode(
        x=alt.X("n:Q", title="groups of fewer than 10 baskets that are disclosed"),
        y=alt.Y("label:N", sort=None, title=None),
    )
    texts = base.mark_text(align="left", dx=4, color=light("text")).encode(text="text:N")
    labels = [str(row["label"]) for row in values]
    words = "; ".join(f"{row['label']}: {row['text']}" for row in values)
    return draw(base.mark_bar(color=light("suppressed")) + texts, labels, title, words)


def _intervals(values: list[dict[str, object]], *, title: str) -> str:
    import altair as alt

    base = alt.Chart(alt.InlineData(values=values), width=340, height=alt.Step(14)).encode(
        y=alt.Y("label:N", sort=None, title=None), yOffset=alt.YOffset("by:N", sort=None)
    )
    axis = alt.X("low:Q", title="share of the baskets", axis=alt.Axis(format="~%"))
    colours = alt.Scale(range=[light("step2"), light("before")])
    shade = alt.Color("by:N", title="95 % interval", sort=None, scale=colours)
    spans = base.mark_bar(height=8).encode(x=axis, x2="high:Q", color=shade)
    ticks = base.mark_tick(thickness=3, size=12, color=light("after")).encode(x="true:Q")
    words = "; ".join(
        f"{row['label']}, {row['by']}: true {row['true']:.1%}, interval {row['low']:.1%} to "
        f"{row['high']:.1%}"
        for row in values
    )
    return draw(spans + ticks, [str(row["label"]) for row in values], title, words)


MESSY = """patient;sex;born;admitted;ward
P1;m;31.01.1950;2024-02-03;Surgery
P2;M;1952-07-01;04.02.2024;surgery
P3;male;12.12.1955;45330;Surgery
P4;f;03.03.1981;12.02.2024;Eyes
P5;F;14.09.1983;2024-02-20;eyes
P6;female;30.11.1982;21.02.2024;Eyes
"""
REPAIRS: dict[str, dict[str, object]] = {
    "sex": {"values": {"m": "male", "M": "male", "f": "female", "F": "female"}},
    "born": {"date": "day-first"},
    "admitted": {"date": "day-first", "excel_dates": True, "period": "month"},
    "ward": {"case": "lower"},
    "age": {"age_of": ["born", "admitted"]},
}


def _admissions() -> tuple[list[list[object]], Release]:
    """Return the cells of a small messy file, and a release of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "admissions.csv"
        file.write_text(MESSY, encoding="utf-8")
        table = dc.read_table(
            file, person="patient", repairs=REPAIRS,
            columns=["sex", "age", "admitted", "ward"],
        )  # fmt: skip
    ages = dc.Hierarchy.intervals(range(100), steps=[10, 20])
    release = dc.set_cover(table, k=3, hierarchies={"age": ages})
    return [[*line.split(";")] for line in MESSY.splitlines()], release


def publish() -> str:
    """Draw a messy file beside what is published of it."""
    messy, release = _admissions()
    return _tables(
        "A messy file, and what is published of it",
        {"admissions.csv": messy, "export.xlsx": _rows(release.data)},
    )


def received() -> str:
    """Draw what a recipient sees of a release that was checked."""
    _, release = _admissions()
    with tempfile.TemporaryDirectory() as folder:
        found = dc.verify_release(release.save(Path(folder) / "release", export="xlsx"))
    answers = {True: "holds", None: "not checked", False: "fails"}
    checks: list[list[object]] = [["check", "answer"]]
    checks += [[check.name, answers[check.passed]] for check in found.checks[:9]]
    return _tables(
        "A release, and what is checked of it",
        {"data.parquet": _rows(release.data), f"discreet verify: {found.answer}": checks},
    )


def code() -> str:
    """Draw a frame, and the frame that comes back."""
    people = dc.Table.from_frame(
        {"sex": ["f", "f", "f", "m", "m", "m", "m"],
         "age": [31, 38, 33, 45, 41, 48, 52],
         "job": ["nurse", "nurse", "nurse", "clerk", "clerk", "smith", "cook"]},
        bins={"age": [40]}, one_row_per_person=True,
    )  # fmt: skip
    release = dc.k_mii(people, k=2)
    return _tables(
        "A frame, and the frame that comes back from k_mii",
        {"people": _rows(people), "release.data.to_frame()": _rows(release.data)},
    )


def _rows(table: Table) -> list[list[object]]:
    cells = table.to_polars().rows()
    return [[*table.columns], *(["" if cell is None else cell for cell in row] for row in cells)]


def _tables(title: str, tables: Mapping[str, Sequence[Sequence[object]]]) -> str:
    """Draw tables side by side, an arrow between them."""
    line, letter, gap, top = 22, 7.2, 56, 34
    parts, words, left, high = [], [], 0.0, 0
    for number, (name, rows) in enumerate(tables.items()):
        texts = [[str(cell) for cell in row] for row in rows]
        wide = [max(map(len, column)) * letter + 16 for column in zip(*texts, strict=True)]
        if number:
            middle = top + line * 2
            parts.append(
                f'<path d="M{left + 12:.0f} {middle}h26m-8 -6l8 6l-8 6" fill="none" '
                f'stroke="{light("axis")}" stroke-width="2"/>'
            )
            left += gap
        parts.append(_text(left, 16, name, "bold"))
        for row, cells in enumerate(texts):
            at = top + row * line
            shade = light("grid") if not row else "#ffffff"
            parts.append(
                f'<rect x="{left:.0f}" y="{at}" width="{sum(wide):.0f}" height="{line}" '
                f'fill="{shade}" stroke="{light("grid")}"/>'
            )
            x = left
            for cell, width in zip(cells, wide, strict=True):
                parts.append(_text(x + 8, at + 15, cell, "bold" if not row else "normal"))
                x += width
        left += max(sum(wide), len(name) * letter)
        high = max(high, top + len(texts) * line + 4)
        words.append(f"{name}: {'; '.join(', '.join(row) for row in texts)}")
    label = html.escape(f"{title}. {'. '.join(words)}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
        f'width="{left + 2:.0f}" height="{high}" viewBox="-1 0 {left + 2:.0f} {high}">'
        f"<title>{html.escape(title)}</title>{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, text: str, weight: str) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-family="monospace" font-size="12" '
        f'font-weight="{weight}" fill="{light("text")}">{html.escape(text)}</text>'
    )


def _shares(labels: Sequence[str], shares: Sequence[float]) -> str:
    return ", ".join(f"{name} {share:.1%}" for name, share in zip(labels, shares, strict=True))


FIGURES: dict[str, Callable[[], str]] = {
    each.__name__: each
    for each in (
        publish,
        received,
        code,
        why,
        suppression,
        generalization,
        patterns,
        randomization,
        synthesis,
        layers,
    )
}


def drawn(name: str) -> str:
    """Return a figure as the text of an SVG file, on white, so that it can be read in the dark."""
    svg = str(FIGURES[name]())
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return svg.replace(_END_OF_TITLE, _END_OF_TITLE + ground, 1) + "\n"


def picture(path: Path) -> None:
    """Save the top of the demo's report, as far as what is not protected, as a PNG file."""
    from playwright.sync_api import sync_playwright

    from discreet.policy.demo import run_demo

    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("The picture of a report needs chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        run_demo(dc.datasets.census(20_000), Path(folder) / "demo")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        # A page of 1,200 pixels, drawn at 80 %: about the width at which a README is shown.
        page = browser.new_page(viewport={"width": 1200, "height": 1600}, device_scale_factor=0.8)
        page.goto((Path(folder) / "demo" / "release" / "report.html").as_uri())
        last = page.get_by_role("heading", name="What is not protected", exact=True)
        box = last.locator("..").bounding_box()
        assert box is not None  # a heading that is shown has a box around it
        height = box["y"] + box["height"] + 9
        page.screenshot(path=path, clip={"x": 0, "y": 0, "width": 1200, "height": height})
        browser.close()


SCREENS: tuple[tuple[str, str, int], ...] = (
    ("app-plan", "/policy/policy.toml/plan", 1010),
    ("app-explore", "/release/release/explore", 860),
    ("app-release", "/release/release", 1000),
)


def screens(folder: Path) -> None:
    """Save screens of the app on the folder of the demo as PNG files."""
    import subprocess

    from playwright.sync_api import sync_playwright

    from discreet.policy.demo import run_demo

    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("Pictures of the app need chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        run_demo(dc.datasets.census(5000), Path(place) / "demo")
        command = [sys.executable, "-u", "-m", "discreet", "app", "demo", "--no-browser"]
        app = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True)  # noqa: S603  our own
        assert app.stdout is not None
        address = next(line for line in app.stdout if "/enter?" in line).split()[-1]
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 1000}, device_scale_factor=0.8)
        page.goto(address)
        root = address.partition("/enter")[0]
        page.wait_for_url(f"{root}/")
        for name, path, height in SCREENS:
            page.goto(root + path)
            page.wait_for_url(f"**{path}", timeout=120_000)
            page.wait_for_selector("#plan progress", state="detached", timeout=120_000)
            page.wait_for_timeout(800)  # what moves has arrived
            if name == "app-explore":
                page.locator(".explorer a").nth(1).click()
                page.wait_for_timeout(400)
            page.screenshot(
                path=folder / f"{name}.png",
                clip={"x": 0, "y": 0, "width": 1200, "height": height}, full_page=True,
            )  # fmt: skip
        browser.close()
        app.terminate()
        app.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["picture"]:
        picture(FOLDER / "report.png")
        screens(FOLDER)
        raise SystemExit
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(exist_ok=True)
    for name in FIGURES:
        (folder / f"{name}.svg").write_text(drawn(name), encoding="utf-8")
