"""What was collected, as a release with its claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.randomize.release import randomized_release
from discreet.release.event import Event

if TYPE_CHECKING:
    from discreet.randomize.collect.store import CampaignStore
    from discreet.randomize.release import RandomizedRelease

ALONE = (
    "People randomized what they sent themselves, as the policy of the campaign says; the service "
    "received the results only and cannot tell."
)


def campaign_release(store: CampaignStore) -> RandomizedRelease:
    """Return the randomized transactions of a campaign with the claim that holds for them.

    Parameters
    ----------
    store : CampaignStore
        The campaign, of :func:`open_campaign`.

    Returns
    -------
    RandomizedRelease
        Save it with its method ``save``; ``discreet verify`` checks it.

    Raises
    ------
    DataError
        If nothing was sent yet.
    """
    sent = store.randomized()
    step = Event(
        name="collect",
        parameters={"campaign": store.campaign.name},
        counts={"n_batches": store.n_batches()},
    )
    return randomized_release(sent, items_are_public=True, events=(step,), assumptions=(ALONE,))
