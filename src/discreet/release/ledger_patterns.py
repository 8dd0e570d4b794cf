"""Several collections of patterns of one source: which go together, and what to do otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.release.composition import Entry

DERIVE = "derive"
_ADVICE = (
    "Who holds both can compare supports and find groups that each of them hides. Sanitize once, "
    "at the smallest min_support you need, and derive the others from that release."
)


def advice_on_patterns(new: Entry, earlier: Sequence[Entry]) -> tuple[str | None, list[Entry]]:
    """Return what to say of earlier collections of patterns, and the other earlier releases.

    Parameters
    ----------
    new : Entry
        The release to be recorded.
    earlier : sequence of Entry
        Earlier releases of the source that no epsilon covers.

    Returns
    -------
    str or None
        A warning, if the new release is a collection of patterns that was not derived from the
        earlier ones.
    list of Entry
        Earlier releases that this says nothing of.
    """
    if not _is_patterns(new):
        return None, list(earlier)
    others = [entry for entry in earlier if not _is_patterns(entry)]
    collections = [entry for entry in earlier if _is_patterns(entry)]
    if is_derived(new, collections):
        # It tells no more than its parent, which was warned of when it was recorded.
        return None, []
    if not collections:
        return None, others
    return f"{_difference(new, collections)} {_ADVICE}", others


def is_derived(new: Entry, collections: Sequence[Entry]) -> bool:
    """Say whether a collection was derived from a recorded one, by larger supports only."""
    if not new.events or new.events[-1].name != DERIVE or new.fingerprint is None:
        return False
    *before, _ = new.events
    return any(
        entry.fingerprint == new.fingerprint
        and list(entry.events) == before
        and entry.guarantee.model == new.guarantee.model
        for entry in collections
    )


def _is_patterns(entry: Entry) -> bool:
    return "patterns" in entry.guarantee.model


def _difference(new: Entry, collections: Sequence[Entry]) -> str:
    """Return how a collection differs from earlier ones, in one sentence."""
    last = collections[-1]
    before, after = last.guarantee.parameters, new.guarantee.parameters
    head = f"'{new.source}' has a collection of patterns already (release {last.number}"
    smallest = min(
        (entry for entry in collections),
        key=lambda entry: int(entry.guarantee.parameters["min_support"]),
    )
    least = int(smallest.guarantee.parameters["min_support"])
    if int(after["min_support"]) < least:
        return (
            f"'{new.source}' has a collection of patterns down to min_support = {least} (release "
            f"{smallest.number}), and this one goes down to {after['min_support']}."
        )
    if after["k"] != before["k"]:
        return f"{head}, k = {before['k']}), and this one has k = {after['k']}."
    ways = [_way(entry) for entry in (last, new)]
    if ways[0] != ways[1]:
        return f"{head}, by {ways[0]}), and this one was made by {ways[1]}."
    return f"{head}, min_support = {before['min_support']}), and this one was made anew."


def _way(entry: Entry) -> str:
    """Return how a collection was made, as its first step calls it."""
    return entry.events[0].name.replace("_", " ") if entry.events else entry.guarantee.model
