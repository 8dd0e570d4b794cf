"""What was collected, as a release with its claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.randomize.collect.campaign import make_campaign
from discreet.randomize.collect.store import create_store
from discreet.randomize.mining import mine_randomized
from discreet.randomize.release import randomized_release
from discreet.release.event import Event

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from discreet.data.item_sets import Label
    from discreet.data.transactions import Transactions
    from discreet.randomize.collect.campaign import ServiceLimits
    from discreet.randomize.collect.store import CampaignStore, Tokens
    from discreet.randomize.operators import Operator
    from discreet.randomize.operators.base import Randomized
    from discreet.release.release import Release


ALONE = (
    "People randomized what they sent themselves, as the policy of the campaign says; the service "
    "received the results only and cannot check that."
)


def campaign_release(store: CampaignStore, sent: Randomized | None = None) -> Release[Transactions]:
    """Return the randomized transactions of a campaign with the claim that holds for them.

    Parameters
    ----------
    store : CampaignStore
        The campaign, of :func:`open_campaign`.
    sent : Randomized, optional
        What was read from it already, by its ``randomized``.

    Returns
    -------
    Release
        Save it with its method ``save``; ``discreet verify`` checks it.

    Raises
    ------
    DataError
        If nothing was sent yet.
    """
    received = store.randomized() if sent is None else sent
    step = Event(
        name="collect",
        parameters={"campaign": store.campaign.name},
        counts={"n_batches": store.n_batches()},
    )
    return randomized_release(received, items_are_public=True, events=(step,), assumptions=(ALONE,))


# What the collected transactions show of the originals, as the service says it.

MAX_CANDIDATES = 1_000_000  # of one question


def mine_campaign(
    randomized: Randomized, *, min_frequency: float, max_size: int | None = 3
) -> dict[str, object]:
    """Return the itemsets that are frequent among the originals, with estimates, as JSON.

    Parameters
    ----------
    randomized : Randomized
        What was collected.
    min_frequency : float
        Least share of the originals, above 0 and at most 1.
    max_size : int, optional
        Largest itemset.

    Returns
    -------
    dict
        ``n_transactions``, ``min_frequency``, ``itemsets``, those of the largest estimates first,
        and ``stopped``: why larger ones were not looked for, if it was not for want of any.

    Raises
    ------
    DiscreetError
        If the question cannot be answered, as for itemsets that the operator hides.
    """
    found, stopped = [], None
    if len(randomized):
        mined = mine_randomized(
            randomized, min_frequency=min_frequency, max_size=max_size, max_itemsets=MAX_CANDIDATES
        )
        found, stopped = mined.to_frame().to_dicts(), mined.stopped
    found.sort(key=lambda row: (-row["support"], len(row["items"]), row["items"]))
    return {
        "n_transactions": len(randomized),
        "min_frequency": min_frequency,
        "itemsets": found,
        "stopped": stopped,
    }


# Making a campaign.


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCampaign:
    """A campaign that was just made, with the only copy of its tokens."""

    store: CampaignStore
    tokens: Tokens


def create_campaign(
    url_or_path: str | os.PathLike[str],
    *,
    operator: Operator,
    items: Iterable[Label],
    name: str = "campaign",
    max_size: int | None = None,
    padded: bool = False,
    service_limits: ServiceLimits | None = None,
) -> NewCampaign:
    """Make a campaign in a database, and return it with its tokens.

    Parameters
    ----------
    url_or_path : str or path
        The path of an SQLite file, or ``postgresql://user@host/database``. A file is made if it
        is not there, readable by its owner only.
    operator : Operator
        What clients apply: any but ``Mixing``, which needs all transactions at once. Browsers
        apply those of the select-a-size family.
    items : iterable of int, or of str
        All items that there are, from public knowledge, not from data.
    name : str
        What people call it; several campaigns may share a database.
    max_size : int, optional
        Largest transaction that is taken, 10 by default; with ``padded`` the one size that all
        are brought to.
    padded : bool
        Whether transactions are filled up or cut to one size, so that their sizes disclose nothing.
    service_limits : ServiceLimits, optional
        What is taken at a time.

    Returns
    -------
    NewCampaign
        The campaign in its database, and the tokens for those who send and those who mine.

    Raises
    ------
    ParameterError
        If something does not fit together, or there is a campaign of this name already.
    DataError
        If the database cannot be used.

    Notes
    -----
    **Guarantee.** That of the operator: local differential privacy of one transaction, with the
    epsilon of :meth:`Campaign.local_epsilons`. Without ``padded`` it holds among transactions of
    one size only, and the size is published. Not protected: who sends, when, how often, and
    whoever sends the same original twice.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from discreet.randomize import CutAndPaste
    >>> made = create_campaign(
    ...     Path(tempfile.mkdtemp()) / "campaign.sqlite",
    ...     operator=CutAndPaste(cutoff=3, rho="1/4"),
    ...     items=["tea", "milk", "cake", "jam"],
    ...     max_size=2,
    ... )
    >>> made.store.campaign.sizes, made.store.n_of_size()
    ((0, 1, 2), {})
    """
    campaign = make_campaign(
        operator, items, name=name, max_size=max_size, padded=padded, service_limits=service_limits
    )
    store, tokens = create_store(url_or_path, campaign)
    return NewCampaign(store=store, tokens=tokens)
