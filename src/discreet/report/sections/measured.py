"""Of drawn rows: every quantity that was measured, its noise, and what it cost."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.report.blocks import Grid, Section
from discreet.report.sections.events import number, option
from discreet.report.text import label

if TYPE_CHECKING:
    from discreet.release.event import Event
    from discreet.report.subject import Subject

NOTE = (
    "Which noise was drawn cannot be seen; that it was drawn as stated rests on whoever made the "
    "release."
)


def measured_section(subject: Subject) -> Section:
    """Return what the rows were drawn from."""
    events = subject.release.events
    cells = [event for event in events if event.name == "randomize_cells"]
    measured = [event for event in events if event.name.startswith("measure_")]
    return Section(
        name="measured",
        title="What the rows were drawn from",
        lead="No released row is a person's. Everything that was learnt from people is listed "
        "here, with the noise it got; whatever is computed from it gives away nothing more.",
        blocks=[_cells(cells) if cells else _quantities(measured)],
    )


def _quantities(measured: list[Event]) -> Grid:
    rows = [
        (
            label(str(event.parameters.get("what"))),
            option("n_numbers", event.parameters.get("n_numbers")),
            option("sensitivity", event.parameters.get("sensitivity")),
            f"{event.parameters.get('law')}, {_spread(event):,.1f}",
        )
        for event in measured
    ]
    return Grid(
        caption="Measured quantities",
        header=("what", "numbers", "change by one row", "noise: law, standard deviation in rows"),
        rows=rows,
        numeric=frozenset((1, 2)),
        note="The change is the sum of squares for Gaussian noise, the sum for Laplace noise. "
        f"{NOTE}",
    )


def _cells(cells: list[Event]) -> Grid:
    rows = [
        (
            label(str(event.parameters.get("column"))),
            option("epsilon", event.parameters.get("epsilon")),
            f"{float(number(event, 'p') or 0):.2%}",
        )
        for event in cells
    ]
    return Grid(
        caption="Randomized cells",
        header=("column", "epsilon of a cell", "chance that it keeps its value"),
        rows=rows,
        numeric=frozenset((1, 2)),
        note=f"What a row gives away is the sum over its cells. {NOTE}",
    )


def _spread(event: Event) -> float:
    """Return about the standard deviation of the noise on one number."""
    scale = float(number(event, "scale") or Fraction(0))
    return math.sqrt(scale) if event.parameters.get("law") == "gaussian" else math.sqrt(2) * scale
