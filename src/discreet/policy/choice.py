"""What is recommended for a file: one method, why, how to run it, and the second best."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.result import Preview, Result

if TYPE_CHECKING:
    from discreet.policy.facts import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One way to publish.

    Attributes
    ----------
    method : str
        Its name in commands, policies and certificates.
    model : str
        What its certificate will claim.
    reason : str
        Why it is recommended, or why it comes second.
    arguments : tuple of str
        The command to run next, word by word.
    not_protected : tuple of str
        What it leaves open: sentences of its certificate.
    notes : tuple of str
        What to know before it is run.
    """

    method: str
    model: str
    reason: str
    arguments: tuple[str, ...]
    not_protected: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command to run next, as a shell takes it."""
        return shlex.join(("discreet", *self.arguments))

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "method": self.method,
            "model": self.model,
            "reason": self.reason,
            "command": self.command,
            "arguments": list(self.arguments),
            "not_protected": list(self.not_protected),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Result):
    """What was asked, what was seen in the file, and what is recommended.

    Attributes
    ----------
    publish, to, promise : str
        The three answers.
    facts : Facts
        What was seen in the file.
    first : Advice
        What is recommended.
    second : Advice or None
        The runner-up.
    """

    publish: str
    to: str
    promise: str
    facts: Facts
    first: Advice
    second: Advice | None

    @property
    def sentence(self) -> str:
        """The recommendation in one sentence."""
        return f"{self.first.method} ({self.first.model}): {self.first.reason}"

    def __repr__(self) -> str:
        return f"Choice: {self.sentence}"

    def __str__(self) -> str:
        """Return the recommendation as lines of text."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return what a person reads, a sentence a line."""
        first, second = self.first, self.second
        lines = [self.facts.sentence, f"Recommended: {self.sentence}"]
        lines += [f"Note: {each}" for each in first.notes]
        lines += ["Next:", f"  {first.command}", "It will not protect:"]
        lines += [f"  {each}" for each in first.not_protected]
        if second is not None:
            lines += [f"Second: {second.method} ({second.model}): {second.reason}"]
            lines += [f"Note: {each}" for each in second.notes if each not in first.notes]
            lines += [f"  {second.command}"]
        return lines

    def preview(self) -> Preview:
        """Return one row for each method."""
        rows = [
            (place, each.method, each.model, each.reason, each.command)
            for place, each in (("first", self.first), ("second", self.second))
            if each is not None
        ]
        header = ("", "method", "claim", "why", "command")
        return Preview(title=self.facts.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "publish": self.publish,
            "to": self.to,
            "promise": self.promise,
            "facts": self.facts.to_dict(),
            "first": self.first.to_dict(),
            "second": None if self.second is None else self.second.to_dict(),
        }
