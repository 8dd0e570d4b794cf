"""``discreet synthesize``: a table of drawn rows in place of a table of people."""

from __future__ import annotations

import warnings
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.console import (
    Bins,
    Categorical,
    ColumnNames,
    File,
    Json,
    parse_bins,
    parse_names,
    progress_bar,
    show,
    show_json,
    told_warnings,
)
from discreet.cli.flow import LedgerPlace, NoReport, Overwrite, Roles, Source, parse_pairs
from discreet.errors import DataError, EstimateWarning, ParameterError, WeakGuaranteeWarning

if TYPE_CHECKING:
    from discreet.data.column import Label
    from discreet.data.table import Table
    from discreet.release.release import Release
    from discreet.synthesize.expected import ExpectedErrors, ExpectedPairErrors


MOST_DIGITS = 500  # before or after the point


class Trust(StrEnum):
    """Who sees the rows as they are."""

    CENTRAL = "central"
    LOCAL = "local"


class Generator(StrEnum):
    """What rows are drawn from."""

    MARGINALS = "marginals"
    KRIMP = "krimp"


def synthesize(
    file: File,
    *,
    epsilon: Annotated[
        str,
        typer.Option(
            help="Privacy loss of a row, an exact decimal: 1 or less protects well, above 8 "
            "hardly anybody.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder to make.", show_default=False),
    ] = None,
    delta: Annotated[
        str,
        typer.Option(
            help="Far below 1 / rows, as in `1e-9`, for less noise; 0 for the stricter guarantee."
        ),
    ] = "0",
    trust: Annotated[
        Trust,
        typer.Option(
            help="central: counts get noise. local: every cell is randomized before anything is "
            "learnt from it, which costs much accuracy."
        ),
    ] = Trust.CENTRAL,
    rows: Annotated[
        int | None,
        typer.Option(help="How many rows to draw; about as many as there are by default.", min=1),
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="A column that is drawn first, such as a class.")
    ] = None,
    generator: Annotated[
        Generator, typer.Option(help="What rows are drawn from; krimp is coarser.")
    ] = Generator.MARGINALS,
    domains: Annotated[
        Path | None,
        typer.Option(
            help="A public table that has every value of every column; an empty cell above the "
            "last value of a column says that cells may be missing. Without it the values that "
            "occur are taken, and the certificate says what that gives away.",
            show_default=False,
        ),
    ] = None,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Spend nothing: tell how far off counts will be, and stop."),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(help="For experiments that are repeated. Such a release is not to publish."),
    ] = None,
    role: Roles = None,
    bins: Bins = None,
    categorical: Categorical = None,
    names: ColumnNames = None,
    ledger: LedgerPlace = None,
    source: Source = None,
    no_report: NoReport = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Draw rows that are nobody's in place of a table, with differential privacy.

    Noisy counts of values and of pairs of values are measured within the budget, and rows are
    drawn from them. The release is verified before the folder appears.

    Examples:

        discreet synthesize people.csv --epsilon 1 --delta 1e-9 --plan

        discreet synthesize people.csv --epsilon 1 --delta 1e-9 --role name=identifying -o out

        discreet synthesize people.csv --epsilon 8 --trust local --domains values.csv -o out
    """
    if output is None and not plan:
        raise ParameterError("Give the folder to make by --output, or --plan to spend nothing.")
    from discreet.synthesize import plan_synthesis, synthetic_release

    losses = (_exact("--epsilon", epsilon), _exact("--delta", delta))
    # Numbers that are listed are no measurements; which rows there are must not decide that.
    codes = categorical if domains is None else True
    lists = None if domains is None else _lists(domains, bins)
    table = _table(file, bins=bins, categorical=codes, names=names, role=role)
    expected = plan_synthesis(
        table, epsilon=losses[0], delta=losses[1], trust=trust.value, domains=lists
    )
    if plan or output is None:
        if as_json:
            show_json(expected.to_dict())
        else:
            show(expected, "Nothing was spent.")
        return
    from discreet.policy.run import Draft, publish_release
    from discreet.report.page import html_report

    with told_warnings(), progress_bar(f"learning from {file}") as progress:
        _warn(expected, losses[1], table.n_rows)

        def make() -> Draft[Release]:
            release = synthetic_release(
                table, epsilon=losses[0], delta=losses[1], trust=trust.value, n_rows=rows,
                label=label, domains=lists, generator=generator.value, seed=seed,
                progress=progress,
            )  # fmt: skip
            return Draft(release=release, report=None if no_report else html_report)

        done = publish_release(
            make, output, overwrite=overwrite, experiments=seed is not None, ledger=ledger,
            source=source or file.stem,
        )  # fmt: skip
    release, checked = done.release, done.verification
    if as_json:
        show_json(
            {
                "folder": str(output),
                "verified": checked.passed,
                "expected": expected.to_dict(),
                **release.to_dict(),
            }
        )
        return
    show(f"The release is in {output}.", f"Guarantee: {release.guarantee.sentence}")
    show(checked.sentence, f"Accuracy: {expected.sentence}", "Not protected:")
    show(*(f"  {each}" for each in release.guarantee.not_protected))
    show(f"Next: discreet verify {output}")


def _table(
    file: Path,
    *,
    bins: list[str] | None,
    categorical: list[str] | bool | None,
    names: str | None = None,
    role: list[str] | None = None,
) -> Table:
    """Return the table in a file; the numbers of identifying columns need no bins."""
    import discreet as dc

    roles = parse_pairs("--role", role)
    data = dc.load(
        file, bins=parse_bins(bins), categorical=categorical or (), names=parse_names(names),
        roles=roles,
    )  # fmt: skip
    if not isinstance(data, dc.Table):
        raise ParameterError(
            f"{file} holds transactions, and this is for tables. See discreet randomize --help."
        )
    return data


def _lists(file: Path, bins: list[str] | None) -> dict[str, list[Label]]:
    """Return the values of every column of a public table."""
    from discreet.data.domains import lists_in_file

    try:
        return lists_in_file(_table(file, bins=bins, categorical=True))
    except (DataError, ParameterError) as error:
        raise type(error)(f"--domains {file}: {error}") from None


def _warn(expected: ExpectedErrors | ExpectedPairErrors, delta: Fraction, n_rows: int) -> None:
    """Warn, before anything is spent, of a release that is worth little."""
    if expected.is_noise:
        warnings.warn(expected.sentence, EstimateWarning, stacklevel=2)
    if delta * n_rows >= 1:
        warnings.warn(
            f"--delta {float(delta):g} is at least one over {n_rows:,} rows: publishing some of "
            "them as they are would satisfy it. Take one far below.",
            WeakGuaranteeWarning,
            stacklevel=2,
        )


def _exact(option: str, text: str) -> Fraction:
    """Return a number as it is written."""
    try:
        number = Decimal(text)
        if number and abs(number.adjusted()) > MOST_DIGITS:
            raise ParameterError(f"{option}: {text} is out of all bounds.")
        return Fraction(number)
    except (InvalidOperation, ValueError, OverflowError):
        raise ParameterError(f"{option}: {text!r} is not a number.") from None
