"""Everything exact: the claim, the steps, the columns, and how to repeat it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.report.blocks import Code, Grid, Section
from discreet.report.sections.events import option
from discreet.report.text import label, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.release.any_release import AnyRelease
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject


def parameters_section(
    release: AnyRelease,
    *,
    columns: Grid,
    command: str | None = None,
    policy: str | None = None,
    hashes: Mapping[str, str] | None = None,
) -> Section:
    """Return all figures of the certificate, and how to make the release again."""
    blocks: list[Block] = [_claim(release)]
    blocks += [_steps(release)] if release.events else []
    blocks += [columns, _origin(release, hashes or {})]
    blocks += [Code(title="Command", text=command)] if command else []
    blocks += [Code(title="Policy", text=policy)] if policy else []
    return Section(
        name="details",
        title="All figures",
        lead="For those who check or repeat the work. Numbers are exact, or rounded so that they "
        "never claim more than is true.",
        blocks=blocks,
    )


def _claim(release: AnyRelease) -> Grid:
    claim = release.guarantee
    rows = [("model", claim.model), ("protects", claim.unit)]
    rows += [
        (name, option(name, value) + _exactly(value)) for name, value in claim.parameters.items()
    ]
    rows += [("neighbours", claim.neighbours)] if claim.neighbours else []
    rows += [("columns", listed(map(label, claim.columns)))] if claim.columns else []
    rows.append(("experimental", option("experimental", claim.experimental)))
    return Grid(caption="The claim and its parameters", header=("what", "value"), rows=rows)


def _exactly(value: object) -> str:
    """Return a fraction beside its decimal, if it is short enough to be read."""
    if not isinstance(value, Fraction) or value.denominator == 1:
        return ""
    text = f"{value.numerator}/{value.denominator}"
    return f" (exactly {text})" if len(text) <= 24 else ""


def _steps(release: AnyRelease) -> Grid:
    rows = [
        (
            f"{place}. {event.name}",
            "; ".join(
                f"{name} = {option(name, value)}" for name, value in event.parameters.items()
            ),
            "; ".join(f"{name} = {count:,}" for name, count in event.counts.items()),
        )
        for place, event in enumerate(release.events, start=1)
    ]
    return Grid(caption="What was done, in order", header=("step", "options", "counts"), rows=rows)


def released_columns(subject: Subject) -> Grid:
    """Return the columns of a released table, and which of them the claim is about."""
    # The columns of itemsets are not those that a claim about patterns names.
    covered = set(subject.release.guarantee.columns) & set(subject.data.columns)
    rows = [
        (
            label(name),
            subject.data.role(name),
            "yes" if name in covered or not covered else "no",
            f"{len([value for value in subject.data.values(name) if value is not None]):,}",
        )
        for name in subject.data.columns
    ]
    return Grid(
        caption="The columns of the release",
        header=("column", "role", "covered by the claim", "different values"),
        rows=rows,
        numeric=frozenset((3,)),
    )


def _origin(release: AnyRelease, hashes: Mapping[str, str]) -> Grid:
    rows = [
        ("made on", f"{release.created:%Y-%m-%d %H:%M:%S} UTC"),
        ("made with", f"discreet {release.version}"),
    ]
    if release.fingerprint is not None:
        rows += [
            ("fingerprint of the input (keyed)", release.fingerprint.mac),
            ("key of the fingerprint", release.fingerprint.key_id),
        ]
    rows += [(f"SHA-256 of {name}", digest) for name, digest in hashes.items()]
    return Grid(
        caption="Where it comes from and how to repeat it", header=("what", "value"), rows=rows
    )
