"""What a verification found: one line for each check, and one sentence for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.result import Preview, Result

_WORDS = {True: "yes", False: "NO", None: "not checkable"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was checked.

    Parameters
    ----------
    name : str
        What it is about, in a word or two.
    passed : bool or None
        None if it is not checkable from the files, or if you have to judge it.
    detail : str
        What was found, in plain words; it repeats no value of the original, and of released
        ones only those at fault.
    """

    name: str
    passed: bool | None
    detail: str

    def to_dict(self) -> dict[str, object]:
        """Return the check as plain values."""
        return {"name": self.name, "passed": self.passed, "detail": self.detail}


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a checker found: the checks that the claim rests on, and all in the order to show."""

    claim: tuple[Check, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verification(Result):
    """Whether a release is what it claims to be.

    Parameters
    ----------
    passed : bool
        True if no check failed and the claim itself was recomputed and holds.
    sentence : str
        The answer in one sentence.
    checks : tuple of Check
        Everything that was checked.
    not_protected : tuple of str
        What the release says that it does not protect; read it even if all is well.
    experimental : bool
        Whether the release says that it is not for publication.
    """

    passed: bool
    sentence: str
    checks: tuple[Check, ...]
    not_protected: tuple[str, ...] = ()
    experimental: bool = False

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.passed is False)

    @property
    def not_checkable(self) -> tuple[Check, ...]:
        """The checks that the files do not allow, or that you have to judge."""
        return tuple(check for check in self.checks if check.passed is None)

    def __repr__(self) -> str:
        return f"Verification({self.sentence})"

    def preview(self) -> Preview:
        """Return one row for each check."""
        rows = [(check.name, _WORDS[check.passed], check.detail) for check in self.checks]
        return Preview(title=self.sentence, header=("check", "passed", "found"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain values."""
        return {
            "passed": self.passed,
            "sentence": self.sentence,
            "experimental": self.experimental,
            "checks": [check.to_dict() for check in self.checks],
            "not_protected": list(self.not_protected),
        }
