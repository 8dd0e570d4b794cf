"""``discreet ledger``: what the releases of a source cost together, and how much they may."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet import checks
from discreet.cli.console import Json, show, show_json

Place = Annotated[
    str,
    typer.Argument(help="An SQLite file, or a postgresql:// URL.", show_default=False),
]


def ledger(
    place: Place,
    *,
    source: Annotated[
        str | None,
        typer.Option(help="What the data is about; all sources are listed without it."),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(help="Set a budget: all releases of the source together, an exact decimal."),
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="The budget's delta, as in `1e-6`; 0 by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the releases a ledger has counted, or set a budget that no release may exceed.

    Releases are counted by `discreet protect --ledger` and `discreet run`. Epsilon and delta
    add up; several k-anonymous releases of one source do not, and are warned of.

    Examples:

        discreet ledger releases.sqlite

        discreet ledger releases.sqlite --source "survey 2026"

        discreet ledger releases.sqlite --source "survey 2026" --epsilon 2 --delta 1e-6
    """
    from discreet.errors import ParameterError
    from discreet.release.ledger import Ledger

    if source is None and (epsilon is not None or delta is not None):
        raise ParameterError("A budget is set for a source: give --source too.", parameter="source")
    if delta is not None and epsilon is None:
        raise ParameterError("A budget has an epsilon: give --epsilon too.", parameter="epsilon")
    limits = {
        name: checks.exact(name, text)
        for name, text in (("epsilon", epsilon), ("delta", delta))
        if text is not None
    }
    opened = Ledger.open(place, create=bool(limits))
    if limits and source is not None:
        opened.budget(source, **limits)
    spent = {name: opened.spent(name) for name in ([source] if source else opened.sources())}
    left = {name: opened.remaining(name) for name in spent}
    if as_json:
        figures = [
            {**cost.to_dict(), "remaining": rest.to_dict() if (rest := left[name]) else None}
            for name, cost in spent.items()
        ]
        show_json({"sources": figures})
        return
    for name, cost in spent.items():
        rest = left[name]
        budget = "no budget is set" if rest is None else f"the budget is {rest.budget}"
        counted = "1 release" if cost.n_releases == 1 else f"{cost.n_releases} releases"
        show(f"{name}: {counted}, {cost.loss} spent; {budget}.")
        show(*(f"  {note}" for note in cost.notes))
    if not spent:
        show("The ledger is empty.")
