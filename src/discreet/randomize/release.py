"""Randomized transactions as a release: the claim that holds for them, and what was done."""

from __future__ import annotations

import json
import math
import os
import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import checks
from discreet.data.item_sets import check_labels
from discreet.data.transactions import Transactions, as_transactions
from discreet.errors import DataError, DiscreetError, GuaranteeError, ParameterError, did_you_mean
from discreet.noise import noise_from
from discreet.randomize.breach import posterior_bound
from discreet.randomize.operators import CutAndPaste, operator_from_dict
from discreet.randomize.operators.base import Randomized
from discreet.randomize.padded import randomize_padded
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import IF_ITEMS_PUBLIC, Guarantee
from discreet.release.release import Release

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from discreet.checks import Number
    from discreet.data.item_sets import Label
    from discreet.randomize.operators.base import Operator


def randomized_release(
    randomized: Randomized,
    *,
    items_are_public: bool,
    fingerprint: Fingerprint | None = None,
    events: tuple[Event, ...] = (),
    assumptions: tuple[str, ...] = (),
    reports_per_person: int | None = None,
) -> Release[Transactions]:
    """Return randomized transactions with the claim that holds for them.

    Parameters
    ----------
    randomized : Randomized
        Made by an operator that every person can apply alone.
    items_are_public : bool
        Whether the list of items was made without looking at the transactions; if not, the claim
        begins with this condition, and ledgers and the verifier count no epsilon without it.
    fingerprint : Fingerprint, optional
        Of the input, if there was one place that had it.
    events : tuple of Event
        What was done before.
    assumptions : tuple of str
        What else must be true for the claim to hold, a sentence each.
    reports_per_person : int, optional
        The most transactions of one person; one if it is not given.

    Raises
    ------
    GuaranteeError
        If the operator gives no finite local epsilon.
    DataError
        If there are no transactions.
    """
    if reports_per_person is not None:
        checks.whole("reports_per_person", reports_per_person, at_least=1)
    if not len(randomized):
        raise DataError("There is nothing to release: no transaction was sent.")
    return Release(
        data=randomized.transactions,
        kind="transactions",
        sizes=randomized.sizes,
        operator=randomized.operator.to_dict(),
        n_null_items=randomized.dummies,
        guarantee=claim_of(
            randomized,
            items_are_public=items_are_public,
            assumptions=assumptions,
            reports_per_person=reports_per_person,
        ),
        events=(*events, randomize_event(randomized, items_are_public=items_are_public)),
        fingerprint=fingerprint,
    )


def randomized_of(release: Release[Any]) -> Randomized:
    """Return the transactions of a release with what is needed to recover the truth from them.

    Parameters
    ----------
    release : Release
        Of randomized transactions.

    Raises
    ------
    DataError
        If the release is of another kind, or its operator is not known.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = dc.Transactions.from_iterable([["tea", "milk"], ["milk"]] * 50)
    >>> release = randomize_transactions(baskets, operator=CutAndPaste(cutoff=3, rho="1/4"))
    >>> randomized_of(release).n_of_size()
    {1: 50, 2: 50}
    """
    if release.kind != "transactions" or release.operator is None or release.sizes is None:
        raise DataError(f"This is a release of {release.kind}, not one of randomized transactions.")
    try:
        operator = operator_from_dict(dict(release.operator))
    except DiscreetError as error:
        raise DataError(f"operator.json: {error}") from error
    return Randomized(
        transactions=release.data,
        sizes=release.sizes,
        operator=operator,
        experimental=release.guarantee.experimental,
        dummies=release.n_null_items,
    )


# From transactions to a release of randomized ones: the whole way, for whoever holds a file.


def randomize_transactions(
    transactions: object,
    *,
    operator: Operator | str | os.PathLike[str] | None = None,
    cutoff: int | None = None,
    rho: Number | None = None,
    items: Iterable[Label] | os.PathLike[str] | None = None,
    max_size: int | None = None,
    padded_size: int | None = None,
    reports_per_person: int | None = None,
    seed: int | None = None,
) -> Release[Transactions]:
    """Return a release in which every transaction was randomized on its own.

    Parameters
    ----------
    transactions : Transactions, frame or iterable of sets
        One for each person; or, of transactions that know whose they are, several.
    operator : Operator or path, optional
        Such as :class:`~discreet.randomize.CutAndPaste`; or its JSON file, as releases have it.
    cutoff, rho : optional
        In place of an operator: those of :class:`~discreet.randomize.CutAndPaste`.
    items : iterable of labels or path, optional
        The public list of all items, or a file with one on each line. By default the items that
        occur; then the claim holds only if these are public, and begins with that.
    max_size : int, optional
        Suppress transactions of more items, at least 1; the certificate says how many.
    padded_size : int, optional
        Bring every transaction to this one size first, at least 1: larger ones lose items at
        random, smaller ones get null items. Then sizes disclose nothing, and the claim holds
        between any two transactions. It must not be chosen by looking at them.
    reports_per_person : int, optional
        Where transactions know whose they are: the most that are taken of one person, at least
        1, chosen at random; a public number. Epsilon is that of one report, and the certificate
        states that of a person, so many times as much.
    seed : int, optional
        For experiments that are repeated and not published.

    Returns
    -------
    Release
        Save it with :meth:`~discreet.release.release.Release.save`; recover supports from its
        :func:`~discreet.randomize.randomized_of`.

    Raises
    ------
    DataError
        If a transaction has an item that is not on the list.
    GuaranteeError
        If the operator gives no finite local epsilon.
    ParameterError
        If there is not one operator, it is not defined for some size, or a file cannot be read.

    Notes
    -----
    **Guarantee.** Local differential privacy of one transaction among those of the same size,
    which is published; with ``padded_size``, among all transactions. Without ``items`` it holds
    only if the items that occur are public. See the certificate.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = dc.Transactions.from_iterable([["tea", "milk"], ["milk"]] * 50)
    >>> operator = CutAndPaste(cutoff=3, rho="1/4")
    >>> randomize_transactions(baskets, operator=operator, items=["bread", "milk", "tea"])
    Release of 100 randomized transactions: local differential privacy with epsilon = ...
    """
    steps: tuple[Event, ...] = ()
    transactions, chosen = as_transactions(transactions), _operator(operator, cutoff, rho)
    source = transactions
    transactions, steps = _at_most(transactions, reports_per_person, seed)
    if isinstance(items, os.PathLike):
        items = _items_in_file(Path(items))
    kept = transactions if items is None else listed(transactions, items)
    if max_size is not None and padded_size is not None:
        raise ParameterError(
            "Give max_size or padded_size: with one size nothing is too large.",
            parameter="max_size",
        )
    if max_size is not None:
        kept, left_out = _small(kept, max_size)
        steps = (*steps, *left_out)
    if padded_size is not None:
        padded_size = checks.whole("padded_size", padded_size, at_least=1)
    sent = (
        chosen.randomize(kept, seed=seed)
        if padded_size is None
        else randomize_padded(chosen, kept, size=padded_size, seed=seed)
    )
    return randomized_release(
        sent,
        items_are_public=items is not None,
        fingerprint=Fingerprint.of(source),
        events=steps,
        reports_per_person=reports_per_person,
    )


def _at_most(
    transactions: Transactions, most: int | None, seed: int | None
) -> tuple[Transactions, tuple[Event, ...]]:
    """Return at most so many transactions of each person, and the step of choosing them."""
    people = transactions.people
    if (people is None) != (most is None):
        raise ParameterError(
            "{reports_per_person} is for transactions that know whose they are."
            if most is not None
            else "A person may have several of these transactions, and epsilon is that of one.",
            parameter="reports_per_person",
            remedy="Make them with person=, or leave it out."
            if most is not None
            else "Say by {reports_per_person} how many are taken at most; it is published.",
            options={"reports_per_person": most or ...},
        )
    if people is None or most is None:
        return transactions, ()
    most = checks.whole("reports_per_person", most, at_least=1)
    order = noise_from(seed).permutation(len(transactions))
    taken = transactions.take(people.some_rows_each(order, most))
    step = Event(name="limit_reports", parameters={"reports_per_person": most})
    return taken, (step,)


def listed(transactions: Transactions, items: Iterable[Label]) -> Transactions:
    """Return the same sets over a list of all items, in the order of the list.

    Items are compared as texts, and labels are those of the list: one word among numbers makes all
    items of a file texts.

    Examples
    --------
    >>> listed(Transactions.from_iterable([["tea"]]), ["milk", "tea"]).items.tolist()
    [1]
    """
    labels = check_labels(items)
    place = {str(label): code for code, label in enumerate(labels)}
    for code in np.flatnonzero(transactions.supports).tolist():
        label = transactions.labels[code]
        if str(label) not in place:
            hint = did_you_mean(str(label), [str(each) for each in labels])
            raise DataError(f"Item {label!r} is not on the list of items. {hint}")
    codes = np.array([place.get(str(label), -1) for label in transactions.labels], np.int32)
    moved = codes[transactions.items] if len(codes) else transactions.items
    return Transactions.from_csr(transactions.offsets, moved, labels)


def check_operator(options: Mapping[str, object]) -> None:
    """Raise ParameterError unless options name one operator, by two numbers or by a file."""
    by_numbers = {options["cutoff"] is not None, options["rho"] is not None}
    if by_numbers == {True, False}:
        raise ParameterError(
            "{cutoff} and {rho} go together, as {cutoff:some} and {rho:some}",
            parameter="cutoff",
            options={"cutoff": ..., "rho": ..., "cutoff:some": 3, "rho:some": 0.25},
        )
    if by_numbers == {options["operator"] is not None}:
        raise ParameterError(
            "randomize has either {cutoff} and {rho}, or {operator}: give one of them",
            parameter="operator",
            options={"cutoff": ..., "rho": ..., "operator": ...},
        )


def _operator(
    given: Operator | str | os.PathLike[str] | None, cutoff: int | None, rho: Number | None
) -> Operator:
    """Return the operator that is meant."""
    check_operator({"operator": given, "cutoff": cutoff, "rho": rho})
    if cutoff is not None and rho is not None:
        return CutAndPaste(cutoff, rho=rho)
    if not isinstance(given, str | os.PathLike):
        assert given is not None
        return given
    file = Path(given)
    text = _text(file)
    try:
        values = json.loads(text)
    except ValueError:
        raise ParameterError(f"{file} is not whole JSON.", parameter="operator") from None
    if isinstance(values, dict) and isinstance(values.get("operator"), dict):
        values = values["operator"]  # the file of a release
    if not isinstance(values, dict):
        raise ParameterError(f"{file} does not describe an operator.", parameter="operator")
    return operator_from_dict(values)


def _items_in_file(file: Path) -> list[Label]:
    """Return a list of items, as numbers if all are whole numbers, whatever transactions have."""
    words = [word.strip() for word in _text(file).split("\n") if word.strip()]
    return list(map(int, words)) if all(map(_WHOLE.fullmatch, words)) else list(words)


_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


def _text(file: Path) -> str:
    """Return the text of a file."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ParameterError(f"{file} cannot be read: {reason}.") from None


def _small(transactions: Transactions, max_size: int) -> tuple[Transactions, tuple[Event, ...]]:
    """Return the transactions of at most so many items, and the step of suppressing others."""
    max_size = checks.whole("max_size", max_size, at_least=1)
    fits = transactions.sizes <= max_size
    step = Event(
        name="leave_out_large",
        parameters={"max_size": max_size},
        counts={"n_left_out": int((~fits).sum())},
    )
    return transactions.take(np.flatnonzero(fits)), (step,)


# What randomized transactions promise to those who sent them, and what they do not.

LOCAL = "local differential privacy"

UNIT = "one transaction, which is what one person sends"

ONE_OF_SEVERAL = "one transaction, of several that one person may send"

SAME_SIZE = "any two transactions of the same size"

ANY = "any two transactions"

ONCE = (
    "Epsilon is that of one report: every person is in one transaction, randomized once. Whoever "
    "sends several reports loses so many times epsilon; where the report of a value is kept and "
    "sent again, epsilon times the number of different values."
)

SEVERAL = (
    "Epsilon is that of one report, and a person sends at most {n}. Where the report of a value is "
    "kept and sent again, a person loses epsilon times the number of different values."
)

TOGETHER = (
    "What all reports of one person disclose together: {n} of them have {n} times epsilon, that is "
    "{total}."
)

PUBLIC = "The list of items was made without looking at any transaction."

TAKEN = (
    "The list of items was taken from the transactions: that an item is on it says that somebody "
    "has it."
)

PURPOSE = (
    "What is true of many people can be learnt, such as how often items occur together: that is "
    "the purpose."
)

CUT = "Transactions of more items than the public size were cut to it at random."

SIZES = "The true size of every transaction is published as it is."

SENT = "That somebody sent a transaction is disclosed."

SEEDED = "a seed was used, and whoever knows it can undo the randomization"

PRIOR = Fraction(1, 100)

LEAST = Fraction(1, 10**9)  # stated where nothing is disclosed: claims need an epsilon above 0


def epsilon_by_size(
    operator: Operator, *, sizes: Mapping[int, int], n_items: int
) -> dict[int, Fraction]:
    r"""Return the local epsilon of every size that occurs, rounded up.

    .. math:: \varepsilon_m = \ln \max_{t, u, t'} \frac{p[t \to t']}{p[u \to t']}

    where :math:`t` and :math:`u` are transactions of :math:`m` items, :math:`t'` any set.

    Raises
    ------
    GuaranteeError
        If there is no bound for a size: some result then excludes some transactions.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> found = epsilon_by_size(CutAndPaste(cutoff=3, rho="1/4"), sizes={1: 10, 2: 5}, n_items=9)
    >>> {m: float(epsilon) for m, epsilon in found.items()}
    {1: 2.5649493574615367, 2: 3.610917912644225}
    """
    found = {}
    for m in sorted(sizes):
        epsilon = operator.local_epsilon(m, n_items)
        if not math.isfinite(epsilon):
            raise GuaranteeError(
                f"Transactions of {m} items have no finite local epsilon under {operator.kind}: "
                "some result cannot come from all of them. Let every number of items be kept "
                "with some chance."
            )
        found[m] = max(Fraction(epsilon), LEAST)
    return found


def claim_of(
    randomized: Randomized,
    *,
    items_are_public: bool,
    assumptions: tuple[str, ...] = (),
    reports_per_person: int | None = None,
) -> Guarantee:
    """Return the claim that holds for every person who sent one of these transactions.

    Parameters
    ----------
    randomized : Randomized
        What is published.
    items_are_public : bool
        Whether the list of items was stated by somebody who had not seen the transactions.
    assumptions : tuple of str
        What else must be true for the claim to hold, a sentence each.
    reports_per_person : int, optional
        The most reports of one person; one if it is not given.
    """
    n = reports_per_person
    sizes = randomized.n_of_size()
    by_size = epsilon_by_size(randomized.operator, sizes=sizes, n_items=randomized.n_items)
    epsilon = max(by_size.values(), default=LEAST)
    return Guarantee(
        # An item that one transaction alone has is listed with certainty: no epsilon covers that.
        model=LOCAL if items_are_public else IF_ITEMS_PUBLIC + LOCAL,
        parameters={"epsilon": epsilon},
        unit=UNIT if n is None else ONE_OF_SEVERAL,
        neighbours=ANY if randomized.dummies else SAME_SIZE,
        assumptions=(
            ONCE if n is None else SEVERAL.format(n=n),
            *((PUBLIC,) if items_are_public else ()),
            *assumptions,
        ),
        not_protected=(
            CUT if randomized.dummies else SIZES,
            *(() if items_are_public else (TAKEN,)),
            *(() if n is None else (TOGETHER.format(n=n, total=_up(n * epsilon)),)),
            PURPOSE,
            _better_guesses(epsilon),
            SENT,
        ),
        experimental=randomized.experimental,
        experimental_reason=SEEDED if randomized.experimental else None,
    )


def randomize_event(randomized: Randomized, *, items_are_public: bool) -> Event:
    """Return what was done: the operator, and the local epsilon of every size."""
    sizes = randomized.n_of_size()
    by_size = epsilon_by_size(randomized.operator, sizes=sizes, n_items=randomized.n_items)
    return Event(
        name=randomized.operator.kind.replace("-", "_"),
        parameters={
            "epsilon_by_size": tuple(f"{m}: {_up(epsilon)}" for m, epsilon in by_size.items()),
            "items_are_public": items_are_public,
            "n_items": randomized.n_items - randomized.dummies,
            "n_null_items": randomized.dummies,
        },
        counts={"n_transactions": len(randomized)},
    )


def _better_guesses(epsilon: Fraction) -> str:
    """Return what epsilon means for one guess, in words."""
    after = float(posterior_bound(PRIOR, gamma=Fraction(math.exp(float(epsilon)))))
    return (
        "Guesses about one person get better, within epsilon: a probability of 1 % before a report "
        f"is seen can be up to {math.ceil(100 * after)} % afterwards."
    )


def _up(epsilon: Fraction) -> str:
    """Return a number with four digits, rounded up.

    Examples
    --------
    >>> _up(Fraction(20001, 10000)), _up(Fraction(200001, 100000))
    ('2.0001', '2.0001')
    """
    return f"{math.ceil(epsilon * 10**4) / 10**4:.4f}"
