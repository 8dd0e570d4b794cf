"""What checking a release again said, and warnings at the head of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.report.blocks import Note

if TYPE_CHECKING:
    from discreet.release.guarantee import Guarantee
    from discreet.report.protocols import VerificationLike

HOLDS_BUT = "All checks of the claim hold, but this is an experiment and not to be published."


def banners(
    claim: Guarantee, verification: VerificationLike | None, *, internal: bool
) -> list[Note]:
    """Return what must be seen before anything else."""
    found = []
    if internal:
        found.append(
            Note(
                tone="danger",
                title="Internal, not for publication",
                text="This page shows the original data as it is, down to single people. It "
                "must stay with those who may see the original, and never goes with the release.",
            )
        )
    holds = False
    if claim.experimental:
        holds = verification is not None and holds_as_experiment(verification)
        reason = str(claim.experimental_reason).rstrip(".")
        found.append(
            Note(
                tone="danger",
                title="Experimental, not for publication",
                text=f"The guarantee cannot be relied on: {reason}."
                + (f" {HOLDS_BUT}" if holds else ""),
            )
        )
    if verification is not None and not verification.passed and not holds:
        found.append(
            Note(
                tone="danger", title="The check of this release failed", text=verification.sentence
            )
        )
    return found


def outcome(verification: VerificationLike | None) -> Note:
    """Return whether the claim was checked, and what came of it."""
    if verification is None:
        return Note(
            tone="warning",
            title="Not checked yet",
            text="This page states what was claimed when the release was made. Run "
            "“discreet verify” on the release folder to check the claim anew.",
        )
    if verification.passed:
        return Note(tone="good", title="Checked: the claim holds", text=verification.sentence)
    if holds_as_experiment(verification):
        return Note(
            tone="warning",
            title="Checked: the claim holds, but not for publication",
            text=f"{HOLDS_BUT} {verification.sentence}",
        )
    return Note(tone="danger", title="Checked: the claim fails", text=verification.sentence)


def holds_as_experiment(verification: VerificationLike) -> bool:
    """Say whether the claim holds, and the release fails only because it is an experiment.

    The sentence is asked besides the checks: a claim that could not be recomputed has checks
    that are left open, and none that failed.
    """
    failed = [each.name for each in verification.checks if each.passed is False]
    return failed == ["publication"] and ": verified:" in verification.sentence


def single_checks(
    verification: VerificationLike | None, *, in_detail: bool
) -> list[tuple[str, str, str]]:
    """Return name and outcome of each check, and what was found if that may depend on rows."""
    words = {True: "holds", False: "fails", None: "left open"}
    checks = () if verification is None else verification.checks
    return [(each.name, words[each.passed], each.detail if in_detail else "") for each in checks]
