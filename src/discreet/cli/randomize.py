"""``discreet randomize``: transactions that were changed at random, each on its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet import checks
from discreet.cli.console import Json, show, show_json, shown_warnings
from discreet.cli.flow import (
    LedgerPlace,
    NoReport,
    Out,
    Overwrite,
    Seed,
    Source,
    ledger_section,
    policy_of,
    run_with_bar,
)
from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from discreet.data.item_sets import Label
    from discreet.randomize import Randomized


def randomize(
    file: Annotated[
        Path, typer.Argument(help="FIMI .dat file: a line for each person.", show_default=False)
    ],
    *,
    output: Out,
    cutoff: Annotated[
        int | None, typer.Option(help="Keep up to so many items of each transaction.")
    ] = None,
    rho: Annotated[
        str | None,
        typer.Option(help="Put every other item in with this chance, as 0.1 or 1/10."),
    ] = None,
    operator: Annotated[
        Path | None,
        typer.Option(help="Take the operator from this JSON file instead.", show_default=False),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(
            help="The public list of all items, one on a line. Without it the items that occur "
            "are taken, and the certificate says what that discloses.",
            show_default=False,
        ),
    ] = None,
    max_size: Annotated[int | None, typer.Option(help="Remove transactions of more items.")] = None,
    padded_size: Annotated[
        int | None,
        typer.Option(
            help="Pad every transaction to this size first, so that sizes disclose nothing: larger "
            "ones lose items at random, smaller ones get null items."
        ),
    ] = None,
    seed: Seed = None,
    ledger: LedgerPlace = None,
    source: Source = None,
    no_report: NoReport = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Randomize transactions, so that no report proves what its sender has.

    By cut-and-paste: up to CUTOFF items of a transaction are kept, and every other item there is
    comes in with the chance RHO. What is true of many people can be recovered from the result
    with `discreet recover` and `discreet mine randomized`.

    Examples:

        discreet randomize baskets.dat --cutoff 3 --rho 0.25 --max-size 10 -o randomized

        discreet randomize baskets.dat --operator operator.json --items items.txt -o randomized
    """
    from discreet.report.sections.words import in_plain_words

    if (operator is None) == (cutoff is None and rho is None):
        raise ParameterError(
            "Give either --cutoff and --rho, as --cutoff 3 --rho 0.25, or --operator. discreet "
            "choose FILE proposes them.",
            parameter="cutoff",
        )
    if operator is None and (cutoff is None or rho is None):
        raise ParameterError(
            "--cutoff and --rho go together, as --cutoff 3 --rho 0.25.", parameter="cutoff"
        )
    method: dict[str, object] = {
        "name": "randomize", "cutoff": cutoff, "rho": rho,
        "operator": None if operator is None else str(operator),
        "items": None if items is None else str(items),
        "max_size": max_size, "padded_size": padded_size,
    }  # fmt: skip
    policy = policy_of(
        file,
        method,
        sections={
            "release": {"report": not no_report},
            **ledger_section(ledger, source),
        },
    )
    result = run_with_bar(policy, output, overwrite=overwrite, seed=seed)
    release, checked = result.release, result.verification
    if as_json:
        counted = None if result.entry is None else result.entry.to_dict()
        about = {"folder": str(output), "answer": checked.answer, "ledger": counted}
        show_json({**about, **release.to_dict()})
    else:
        show(release, in_plain_words(release.guarantee), checked.sentence, "Not protected:")
        show(*(f"  {each}" for each in release.guarantee.not_protected))
        if result.entry is not None:
            show(f"Ledger: {result.entry.sentence}.")
        show(f"Release: {output}. Recover supports with: discreet recover {output} --items A,B")


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
    are too few transactions to decide.

    Examples:

        discreet recover randomized --items milk,tea --items bread

        discreet recover randomized --rule "milk=>tea" --level 0.99
    """
    import discreet as dc
    from discreet.randomize import confidence, randomized_of, support

    if not items and not rule:
        raise ParameterError(
            "Say what is to be estimated, as --items milk,tea or --rule 'milk=>tea'. For all "
            f"that is frequent: discreet mine randomized {folder} --min-frequency 0.1",
            parameter="items",
        )
    if not 0 < level < 1:
        raise checks.refused("level", level, "above 0 and below 1")
    data = randomized_of(dc.Release.load(folder))
    found: list[dict[str, object]] = []
    with shown_warnings():
        for text in items or ():
            names = _labels(data, text)
            one = support(data, names)
            low, high = one.interval(level)
            found.append({"of": names, "estimate": one.support, "low": low, "high": high})
        for text in rule or ():
            before, arrow, after = text.partition("=>")
            if not arrow:
                raise ParameterError(
                    f"--rule {text!r} is not of the form milk=>tea.", parameter="rule"
                )
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
            f"An interval that covers 0 to 1 shows nothing: {len(data):,} transactions are too few "
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
            raise ParameterError(
                f"There is no item {name!r}.",
                parameter="items",
                remedy=did_you_mean(name, list(known)),
            )
    if not names:
        raise ParameterError(f"{text!r} names no item.", parameter="items")
    return [known[name] for name in names]
