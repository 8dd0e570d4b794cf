"""``discreet recover``: what randomized transactions tell about all people together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.files import Json
from discreet.cli.show import show, show_json
from discreet.cli.tell import told_warnings
from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from discreet.data.item_sets import Label
    from discreet.randomize import Randomized


def recover(
    folder: Annotated[
        Path, typer.Argument(help="A release by discreet randomize.", show_default=False)
    ],
    *,
    items: Annotated[
        list[str] | None,
        typer.Option(
            help="An itemset, as `milk,tea`: the share of people who have all of it. Repeatable.",
            show_default=False,
        ),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help="A rule, as `milk=>tea`: of those who have milk, the share who have tea. "
            "Repeatable.",
            show_default=False,
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals, between 0 and 1.")] = 0.95,
    as_json: Json = False,
) -> None:
    """Estimate supports of itemsets and confidences of rules from a randomized release.

    Estimates are unbiased; each comes with an interval, and can lie outside 0 to 1 where there
    is too little to tell.

    Examples:

        discreet recover randomized --items milk,tea --items bread

        discreet recover randomized --rule "milk=>tea" --level 0.99
    """
    from discreet.randomize import RandomizedRelease, confidence, support

    if not items and not rule:
        raise ParameterError(
            "Say what is to be estimated, as --items milk,tea or --rule 'milk=>tea'. For all that "
            f"is frequent: discreet mine randomized {folder} --min-frequency 0.1"
        )
    if not 0 < level < 1:
        raise ParameterError(f"--level {level} must be between 0 and 1.")
    data = RandomizedRelease.load(folder).data
    found: list[dict[str, object]] = []
    with told_warnings():
        for text in items or ():
            names = _labels(data, text)
            one = support(data, names)
            low, high = one.interval(level)
            found.append({"of": names, "estimate": one.support, "low": low, "high": high})
        for text in rule or ():
            before, arrow, after = text.partition("=>")
            if not arrow:
                raise ParameterError(f"--rule {text!r} is not of the form milk=>tea.")
            first, then = _labels(data, before), _labels(data, after)
            ratio = confidence(data, first, then, level=level)
            low, high = ratio.interval
            found.append(
                {"of": first, "then": then, "estimate": ratio.confidence, "low": low, "high": high}
            )
    if as_json:
        show_json({"n_transactions": len(data), "level": level, "found": found})
        return
    for each in found:
        show(_line(each, level))
    if any(each["low"] <= 0 and each["high"] >= 1 for each in found):  # type: ignore[operator]  # floats
        show(
            f"An interval that covers 0 to 1 tells nothing: {len(data):,} transactions are too few "
            "for this operator. Take more of them, fewer items, or an operator that changes less."
        )


def _line(found: dict[str, object], level: float) -> str:
    """Return one estimate in words."""
    of, then = found["of"], found.get("then")
    assert isinstance(of, list)
    name = ", ".join(map(str, of))
    if isinstance(then, list):
        name += f" => {', '.join(map(str, then))}"
    return (
        f"{name}: {found['estimate']:.4f}, between {found['low']:.4f} and {found['high']:.4f} "
        f"({level:.0%} interval)"
    )


def _labels(data: Randomized, text: str) -> list[Label]:
    """Return the items that a text names, as numbers if the items are numbers."""
    known: dict[str, Label] = {str(label): label for label in data.real_labels}
    names = [word.strip() for word in text.split(",") if word.strip()]
    for name in names:
        if name not in known:
            raise ParameterError(f"There is no item {name!r}. {did_you_mean(name, list(known))}")
    if not names:
        raise ParameterError(f"{text!r} names no item.")
    return [known[name] for name in names]
