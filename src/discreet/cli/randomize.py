"""``discreet randomize``: transactions that were changed at random, each on its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.files import Json
from discreet.cli.flow import LedgerPlace, NoReport, Out, Overwrite, Source
from discreet.cli.progress import progress_bar
from discreet.cli.show import show, show_json
from discreet.cli.tell import told_warnings
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.data.item_sets import Label
    from discreet.data.transactions import Transactions
    from discreet.randomize import Operator, RandomizedRelease


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
            "are taken, and the certificate says what that gives away.",
            show_default=False,
        ),
    ] = None,
    max_size: Annotated[
        int | None, typer.Option(help="Leave out transactions of more items.")
    ] = None,
    padded_size: Annotated[
        int | None,
        typer.Option(
            help="Bring every transaction to this size first, so that sizes tell nothing: larger "
            "ones lose items at random, smaller ones get null items."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="For experiments that are repeated. Such a release is not to publish."),
    ] = None,
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
    import discreet as dc
    from discreet.data.files.find import find_file, inner_suffix
    from discreet.policy.publish_release import Draft, publish_release
    from discreet.randomize import randomize_transactions
    from discreet.report.randomized import randomized_report
    from discreet.report.sections.words import in_plain_words

    chosen = _operator(operator, cutoff, rho)
    if inner_suffix(find_file(file)) != ".dat":
        raise ParameterError(
            f"{file} is a table, and this is for transactions: sets of items in a .dat file. For "
            "tables see discreet choose --help."
        )
    data = dc.read_transactions(file)
    listed = _items(items, data)

    def make() -> Draft[RandomizedRelease]:
        release = randomize_transactions(
            data, operator=chosen, items=listed, max_size=max_size, padded_size=padded_size,
            seed=seed,
        )  # fmt: skip
        return Draft(release=release, report=None if no_report else randomized_report)

    with told_warnings(), progress_bar(f"randomizing {file}"):
        done = publish_release(
            make, output, overwrite=overwrite, experiments=seed is not None, ledger=ledger,
            source=source or file.stem,
        )  # fmt: skip
    release, checked = done.release, done.verification
    if as_json:
        show_json({"folder": str(output), "verified": checked.passed, **release.to_dict()})
    else:
        show(release, in_plain_words(release.guarantee), checked.sentence, "Not protected:")
        show(*(f"  {each}" for each in release.guarantee.not_protected))
        show(f"Release: {output}. Recover supports with: discreet recover {output} --items A,B")


def _operator(file: Path | None, cutoff: int | None, rho: str | None) -> Operator:
    """Return the operator that the options name."""
    from discreet.randomize import CutAndPaste, operator_from_dict

    if (file is None) == (cutoff is None and rho is None):
        raise ParameterError(
            "Give either --cutoff and --rho, as --cutoff 3 --rho 0.25, or --operator. discreet "
            "choose FILE proposes them."
        )
    if file is None:
        if cutoff is None or rho is None:
            raise ParameterError("--cutoff and --rho go together, as --cutoff 3 --rho 0.25.")
        return CutAndPaste(cutoff, rho=rho)
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError:
        raise ParameterError(f"{file} is not whole JSON.") from None
    if isinstance(values, dict) and isinstance(values.get("operator"), dict):
        values = values["operator"]  # the file of a release
    if not isinstance(values, dict):
        raise ParameterError(f"{file} does not describe an operator.")
    return operator_from_dict(values)


def _items(file: Path | None, data: Transactions) -> list[Label] | None:
    """Return the list of items, as numbers if those of the data are numbers."""
    if file is None:
        return None
    try:
        words = file.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise ParameterError(f"{file} cannot be read: {error.strerror}.") from error
    words = [word.strip() for word in words if word.strip()]
    if data.labels and isinstance(data.labels[0], int):
        wrong = next((word for word in words if not word.lstrip("-").isdigit()), None)
        if wrong is not None:
            raise ParameterError(f"{file}: {wrong!r} is not a number, as the items of the data.")
        return [int(word) for word in words]
    return list(words)
