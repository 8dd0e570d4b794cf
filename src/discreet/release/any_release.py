"""What releases have in common, whatever kind of data they publish."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
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


def claims_of(release: AnyRelease) -> dict[str, object]:
    """Return all of a release but its data as plain values: what its certificate says."""
    return {
        "guarantee": release.guarantee.to_dict(),
        "events": [event.to_dict() for event in release.events],
        "fingerprint": None if release.fingerprint is None else release.fingerprint.to_dict(),
        "created": release.created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "discreet_version": release.version,
    }


def this_second() -> datetime:
    """Return the time in whole seconds of UTC."""
    return datetime.now(UTC).replace(microsecond=0)


def this_version() -> str:
    """Return the version of discreet."""
    import discreet

    return discreet.__version__
