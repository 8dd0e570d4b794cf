"""What the page asks of a verification: any object with these three fields will do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class CheckLike(Protocol):
    """One check: what was checked, whether it holds (None: could not be told), and how so."""

    @property
    def name(self) -> str:
        """What was checked."""

    @property
    def passed(self) -> bool | None:
        """Whether it holds; None if it could not be checked."""

    @property
    def detail(self) -> str:
        """What was found."""


class VerificationLike(Protocol):
    """The outcome of checking a release again, from what is released."""

    @property
    def passed(self) -> bool:
        """Whether everything that could be checked holds."""

    @property
    def sentence(self) -> str:
        """The outcome in one plain sentence."""

    @property
    def checks(self) -> Sequence[CheckLike]:
        """The single checks."""
