"""``discreet ledger``: what the releases of a source cost together, and how much they may."""

from __future__ import annotations

from typing import Annotated

import typer

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
        typer.Option(
            help="What the data is about, whatever the case and the spaces; all sources are "
            "listed without it."
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(help="Set a budget: all releases of the source together, an exact decimal."),
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="The budget's delta, as in `1e-6`; 0 by default.")
    ] = None,
    expect_head: Annotated[
        str | None,
        typer.Option(
            help="A head that was printed before: if no entry has it any more, entries were "
            "removed or written anew, and this fails.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the releases a ledger has counted, or set a budget that no release may exceed.

    Releases are counted by `discreet protect --ledger` and `discreet run`. Epsilon and delta
    add up; several k-anonymous releases of one source do not, and are warned of.

    Each entry holds the hash of the one before. Note the head, which is the hash of the last
    one, where the ledger is not kept, and give it by --expect-head the next time.

    Examples:

        discreet ledger releases.sqlite

        discreet ledger releases.sqlite --source "survey 2026"

        discreet ledger releases.sqlite --source "survey 2026" --epsilon 2 --delta 1e-6

        discreet ledger releases.sqlite --expect-head 5f1c...
    """
    from discreet.errors import ParameterError
    from discreet.release.ledger import Ledger, check_budget

    if source is None and (epsilon is not None or delta is not None):
        raise ParameterError("A budget is set for a source: give --source too.", parameter="source")
    if delta is not None and epsilon is None:
        raise ParameterError("A budget has an epsilon: give --epsilon too.", parameter="epsilon")
    budget = None if epsilon is None else check_budget(epsilon=epsilon, delta=delta or 0)
    opened = Ledger.open(place, create=budget is not None, expected_head=expect_head)
    if budget is not None and source is not None:
        opened.budget(source, epsilon=budget.epsilon, delta=budget.delta)
    spent = {name: opened.spent(name) for name in ([source] if source else opened.sources())}
    left = {name: opened.remaining(name) for name in spent}
    chain = opened.verify()
    if as_json:
        figures = [
            {**cost.to_dict(), "remaining": rest.to_dict() if (rest := left[name]) else None}
            for name, cost in spent.items()
        ]
        show_json({"sources": figures, **chain._asdict()})
        return
    for name, cost in spent.items():
        rest = left[name]
        most = "no budget is set" if rest is None else f"the budget is {rest.budget}"
        counted = "1 release" if cost.n_releases == 1 else f"{cost.n_releases} releases"
        show(f"{name}: {counted}, {cost.loss} spent; {most}.")
        show(*(f"  {note}" for note in cost.notes))
    if not spent:
        show("The ledger is empty.")
    entries = "1 entry" if chain.n_entries == 1 else f"{chain.n_entries} entries"
    show(f"Head after {entries}: {chain.head}")
