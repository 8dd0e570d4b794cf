"""What releases have in common, whatever kind of data they publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from discreet.release.event import Event
    from discreet.release.fingerprint import Fingerprint
    from discreet.release.guarantee import Guarantee


class AnyRelease(Protocol):
    """A release of a table, of patterns or of randomized transactions."""

    @property
    def guarantee(self) -> Guarantee:
        """The claim."""

    @property
    def events(self) -> tuple[Event, ...]:
        """What was done."""

    @property
    def fingerprint(self) -> Fingerprint | None:
        """Of the input."""

    @property
    def created(self) -> datetime:
        """When."""

    @property
    def version(self) -> str:
        """With which discreet."""

    def to_dict(self) -> dict[str, object]:
        """Return all but the data as plain values."""
