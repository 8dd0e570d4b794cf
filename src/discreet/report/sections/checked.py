"""What checking a release again said, and warnings at the head of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.report.blocks import Note

if TYPE_CHECKING:
    from discreet.release.guarantee import Guarantee
    from discreet.report.protocols import VerificationLike


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
    if claim.experimental:
        found.append(
            Note(
                tone="danger",
                title="Experimental, not for publication",
                text=f"The guarantee cannot be relied on: {claim.experimental_reason}",
            )
        )
    if verification is not None and not verification.passed:
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
    return Note(tone="danger", title="Checked: the claim fails", text=verification.sentence)


def single_checks(
    verification: VerificationLike | None, *, in_detail: bool
) -> list[tuple[str, str, str]]:
    """Return name and outcome of each check, and what was found if that may depend on rows."""
    words = {True: "holds", False: "fails", None: "left open"}
    checks = () if verification is None else verification.checks
    return [(each.name, words[each.passed], each.detail if in_detail else "") for each in checks]
