"""``discreet synthesize``: synthetic rows in place of a table."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.console import (
    Bins,
    Categorical,
    ColumnNames,
    File,
    Json,
    OneRowEach,
    Person,
    SetColumns,
    show,
    show_json,
    shown_warnings,
)
from discreet.cli.flow import (
    BoundsOption,
    ExportOption,
    LedgerPlace,
    NoReport,
    Overwrite,
    Roles,
    Seed,
    Source,
    exporting,
    ledger_section,
    policy_of,
    run_with_bar,
)
from discreet.errors import EstimateWarning, ParameterError, WeakGuaranteeWarning

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.synthesize.expected import ExpectedErrors, ExpectedPairErrors


class Trust(StrEnum):
    """Who sees the rows as they are."""

    CENTRAL = "central"
    LOCAL = "local"


class Generator(StrEnum):
    """What rows are drawn from."""

    MARGINALS = "marginals"
    KRIMP = "krimp"


class Values(StrEnum):
    """Where lists of values come from that are not given."""

    PRIVATE = "private"
    FROM_DATA = "from-data"


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
            help="central: noise is added to counts. local: every cell is randomized before "
            "anything is learnt from it, which costs much accuracy."
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
            "last value of a column says that cells may be missing. Without it values are "
            "selected within the budget, which needs --delta; see --values.",
            show_default=False,
        ),
    ] = None,
    values: Annotated[
        Values | None,
        typer.Option(
            help="Without --domains: private, the default, lists values that enough rows have; "
            "from-data takes all that occur, and then nothing is differentially private unless "
            "they are public.",
            show_default=False,
        ),
    ] = None,
    rows_per_person: Annotated[
        int,
        typer.Option(
            help="With --person: take so many rows of each person at most, at random; more rows, "
            "and so many times the noise.",
            min=1,
        ),
    ] = 1,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Spend nothing: predict the error of counts, and stop."),
    ] = False,
    seed: Seed = None,
    role: Roles = None,
    bins: Bins = None,
    categorical: Categorical = None,
    sets: SetColumns = None,
    names: ColumnNames = None,
    person: Person = None,
    one_row_per_person: OneRowEach = False,
    ledger: LedgerPlace = None,
    source: Source = None,
    export: ExportOption = None,
    bounds: BoundsOption = False,
    no_report: NoReport = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Publish synthetic rows in place of a table, with differential privacy.

    Noisy counts of values and of pairs of values are measured within the budget, and rows are
    drawn from them. The release is verified before the folder appears.

    Examples:

        discreet synthesize people.csv --epsilon 1 --delta 1e-9 --plan

        discreet synthesize people.csv --epsilon 1 --delta 1e-9 --role name=identifying -o out

        discreet synthesize people.csv --epsilon 8 --trust local --domains values.csv -o out
    """
    if output is None and not plan:
        raise ParameterError(
            "Give the folder to make by --output, or --plan to spend nothing.", parameter="output"
        )
    from discreet.policy.load import load_data
    from discreet.policy.run import context_of

    method: dict[str, object] = {
        "name": "synthesize", "epsilon": epsilon, "delta": delta, "trust": trust.value,
        "n_rows": rows, "label": label, "generator": generator.value,
        "rows_per_person": rows_per_person,
        "values": None if values is None else values.value,
        "public": None if domains is None else str(domains),
    }  # fmt: skip
    policy = policy_of(
        file, method, bins=bins, categorical=categorical, role=role, names=names, sets=sets,
        person=person, one_row_per_person=one_row_per_person,
        sections={"release": {"report": not no_report}, **ledger_section(ledger, source)},
    )  # fmt: skip
    policy = exporting(policy, export, bounds=bounds)
    with shown_warnings():
        data = load_data(policy)
        expected: Any = policy.method.preview(data, context=context_of(policy, data))
        if not plan:
            _warn(expected, policy.method.delta, len(data))
    if plan or output is None:
        if as_json:
            show_json(expected.to_dict())
        else:
            show(expected, "Nothing was spent.")
        return
    result = run_with_bar(policy, output, overwrite=overwrite, data=data, seed=seed)
    release, checked = result.release, result.verification
    if as_json:
        show_json(
            {
                "folder": str(output),
                "answer": checked.answer,
                "expected": expected.to_dict(),
                "ledger": None if result.entry is None else result.entry.to_dict(),
                **release.to_dict(),
            }
        )
        return
    show(f"The release is in {output}.", f"Guarantee: {release.guarantee.sentence}")
    show(checked.sentence, f"Accuracy: {expected.preview().title}", "Not protected:")
    show(*(f"  {each}" for each in release.guarantee.not_protected))
    if result.entry is not None:
        show(f"Ledger: {result.entry.sentence}.")
    show(f"Next: discreet verify {output}")


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
