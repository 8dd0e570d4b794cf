"""What a verification found: one line for each check, and one sentence for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Callable

Answer: TypeAlias = Literal["verified", "consistent", "refuted"]

VERIFIED: Answer = "verified"
CONSISTENT: Answer = "consistent"
REFUTED: Answer = "refuted"

PUBLICATION = "publication"  # the check that fails for an experimental release, whatever it is

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
    unseen : str
        What the claim rests on and nobody can see here, such as "that noise was drawn": a
        release with such a check is consistent with its claim at most. Empty for any other check.
    """

    name: str
    passed: bool | None
    detail: str
    unseen: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the check as plain values."""
        return {
            "name": self.name,
            "passed": self.passed,
            "detail": self.detail,
            "unseen": self.unseen,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a checker found: the checks that the claim rests on, and all in the order to show."""

    claim: tuple[Check, ...]
    checks: tuple[Check, ...]


def answer_of(checks: tuple[Check, ...], claim: tuple[Check, ...]) -> Answer:
    """Return what checks come to; what was not recomputed is never more than refuted.

    Parameters
    ----------
    checks : tuple of Check
        All of them. That an experimental release is none to publish refutes nothing.
    claim : tuple of Check
        Those that the claim rests on: each must have a verdict, or name what cannot be seen.

    Examples
    --------
    >>> seen = Check(name="total", passed=True, detail="Added up.")
    >>> drawn = Check(name="noise", passed=None, detail="", unseen="that noise was drawn")
    >>> unknown = Check(name="steps", passed=None, detail="Not known.")
    >>> [answer_of((seen, each), (seen, each)) for each in (seen, drawn, unknown)]
    ['verified', 'consistent', 'refuted']
    """
    if any(check.passed is False and check.name != PUBLICATION for check in checks):
        return REFUTED
    if not claim or any(check.passed is None and not check.unseen for check in claim):
        return REFUTED
    return CONSISTENT if any(check.unseen for check in checks) else VERIFIED


def guarded(name: str, check: Callable[[], tuple[Check, ...]]) -> tuple[Check, ...]:
    """Return what a check found; if it breaks down, that it failed.

    Whatever can be read can have been written to break the arithmetic of a checker. That it did
    is no reason to stop, and none to pass.

    Examples
    --------
    >>> guarded("delta", lambda: (1 // 0,))[0].detail
    'It could not be worked out (ZeroDivisionError), so it does not pass.'
    """
    try:
        return check()
    except Interrupted:
        raise
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001  a hostile folder
        kind = type(error).__name__
        detail = f"It could not be worked out ({kind}), so it does not pass."
        return (Check(name=name, passed=False, detail=detail),)


class Interrupted(Exception):  # noqa: N818  no error: the listener wants an end
    """Whoever hears of the progress has raised: carries that out of all guards."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verification(Result):
    """Whether a release is what it claims to be.

    Parameters
    ----------
    answer : {"verified", "consistent", "refuted"}
        *verified*: the claim was recomputed from the files and holds. *consistent*: all that can
        be recomputed was, and nothing speaks against the claim, which rests on something that
        cannot be seen; the sentence names it. *refuted*: a check failed, or the claim could not
        be recomputed, as one that is not known.
    sentence : str
        The answer in one sentence.
    checks : tuple of Check
        Everything that was checked.
    not_protected : tuple of str
        What the release says that it does not protect; read it even if all is well.
    experimental : bool
        Whether the release says that it is not for publication.
    """

    answer: Answer
    sentence: str
    checks: tuple[Check, ...]
    not_protected: tuple[str, ...] = ()
    experimental: bool = False

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.passed is False)

    @property
    def unseen(self) -> tuple[str, ...]:
        """What the claim rests on and cannot be seen, each beginning with "that"."""
        return tuple(dict.fromkeys(check.unseen for check in self.checks if check.unseen))

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
            "answer": self.answer,
            "sentence": self.sentence,
            "experimental": self.experimental,
            "checks": [check.to_dict() for check in self.checks],
            "not_protected": list(self.not_protected),
        }
