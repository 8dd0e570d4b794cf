"""The sentences that a certificate says: which it must, which it may, and no other.

A certificate is read by people, and its sentences are not recomputed. So they are held against
these tables, which are the verifier's own: an invented sentence could promise anything, and one
that is left out hides a limit. What has to be said follows from model, parameters, unit and steps.

A new sentence of a mechanism is a line in the function for what it publishes: by ``must`` with the
condition under which it has to be said, or in ``may`` if the certificate does not show whether it
has to. Nothing else is needed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.verify.certificate import (
    LIMIT,
    PATTERNS,
    ROWS,
    SYNTHETIC,
    TRANSACTIONS,
    chose_one,
    rows_of_each,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.verify.certificate import Claims


@dataclass(slots=True)
class Said:
    """What one of the two lists of a certificate has to say, and what it may say beside it."""

    due: list[str] = field(default_factory=list)
    may: list[str] = field(default_factory=list)

    def must(self, sentence: str, *, when: bool = True) -> None:
        """Demand a sentence, if it is due."""
        if when:
            self.due.append(sentence)


def fault_of_sentences(claims: Claims) -> str | None:
    """Return in words which sentence is left out, or does not belong there, or None.

    Parameters
    ----------
    claims : Claims
        Sentences with names of columns and figures are made anew from those of the claim.
    """
    assumed, limits = demanded(claims)
    reasons = Said(may=list(REASONS))
    reason = claims.experimental_reason
    lists = (
        ("assumptions", claims.assumptions, assumed),
        ("what is not protected", claims.not_protected, limits),
        ("reasons", () if reason is None else (reason,), reasons),
    )
    for where, sentences, said in lists:
        for sentence in sentences:
            if sentence not in said.due and sentence not in said.may:
                return f"This is no sentence of such a certificate, under {where}: {sentence!r}"
        if len(set(sentences)) < len(sentences):
            twice = next(each for each in sentences if sentences.count(each) > 1)
            return f"This stands twice under {where}: {twice!r}"
    for where, sentences, said in lists:
        for sentence in said.due:
            if sentence not in sentences:
                return f"This is left out of {where}, and holds of such a release: {sentence!r}"
    return None


def demanded(claims: Claims) -> tuple[Said, Said]:
    """Return what a certificate has to say, and may say: assumptions, and what is not protected.

    Of a model that no table is about nothing may be said; it is refuted for other reasons.
    """
    assumed, limits = Said(), Said()
    of_privacy = "differential privacy" in claims.model
    if claims.publishes == ROWS and not of_privacy:
        _of_classes(claims, assumed, limits)
    elif claims.publishes == ROWS:
        _of_sampling(claims, assumed, limits)
    elif claims.publishes == SYNTHETIC:
        _of_synthesis(claims, assumed, limits)
    elif claims.publishes == PATTERNS:
        _of_patterns(claims, assumed, limits)
    elif claims.publishes == TRANSACTIONS:
        _of_transactions(claims, assumed, limits)
    if claims.publishes != TRANSACTIONS:
        assumed.must(ALL_DIFFERENT, when=claims.unit == ONE_ROW_EACH)
    if claims.publishes in (ROWS, SYNTHETIC):
        assumed.must(ONE_OF_EACH, when=chose_one(claims))
        assumed.must(_AT_MOST.format(n=rows_of_each(claims)), when=_has(claims, LIMIT))
    return assumed, limits


def _has(claims: Claims, step: str) -> bool:
    return any(event.name == step for event in claims.events)


def _option(claims: Claims, step: str, name: str) -> object:
    """Return an option of the first step of a name, None if there is none."""
    found = (event.parameters.get(name) for event in claims.events if event.name == step)
    return next(found, None)


# Units, and what is said of people for each.

ONE_ROW = "one row"

ONE_ROW_EACH = "one person, who has one row"

SEVERAL_ROWS = "one person, who may have several rows"

HOUSEHOLD = "one household"

ALL_DIFFERENT = "Every row of the input is another person."

ONE_OF_EACH = (
    "One row of each person was chosen at random before anything was measured, and what is said of "
    "the table and its rows is said of the rows chosen."
)

_AT_MOST = (
    "At most {n} rows of each person, chosen at random, were taken before anything was measured, "
    "and what is said of the table and its rows is said of the rows taken."
)

_N_TIMES = "Several rows of one person: n rows together have n times the epsilon, and more delta."

_LINKED = {
    ONE_ROW: "A person with several rows: the claim is about single rows, whoever they belong to.",
    SEVERAL_ROWS: (
        "Several rows of one person, where they can be linked by something else: an attacker who "
        "knows more than one of them learns more."
    ),
    HOUSEHOLD: (
        "Several rows of one household, where they can be linked by something else: an attacker "
        "who knows more than one of them learns more."
    ),
}

REASONS = (
    "a seed was used, and whoever knows it knows which row of each person was counted",
    "made with a seed, from which all draws can be repeated",
    "a seed was used, and whoever knows it can undo the randomization",
)

# Rows in classes, and the support floor.


def _of_classes(claims: Claims, assumed: Said, limits: Said) -> None:
    is_floor = claims.model == "support floor"
    counted = "people" if claims.unit == SEVERAL_ROWS else "rows"
    assumed.must(f"The input had more than theta {counted}.", when=is_floor)
    limits.must(
        "A released row can be the only one of its kind in the release: this is not k-anonymity.",
        when=is_floor,
    )
    limits.must(_LARGER, when=is_floor and "max_size" in claims.parameters)
    limits.must(
        "What all rows of a class have in common, such as a diagnosis, is disclosed for each."
    )
    chosen = "groups are shown" if _has(claims, "generalize") else "cells are suppressed"
    limits.must(
        f"Which {chosen} depends on all rows, and can disclose something about their values."
    )
    limits.must(
        "Several releases of the same source: an attacker who holds two of them can combine them."
    )
    limits.must("Whether a person is in the data is not protected.")
    carried = [step.parameters for step in claims.events if step.name == "carry_column"]
    apart: list[object] = [said.get("column") for said in carried]
    apart.append(_option(claims, "mean_weights", "column"))
    outside = [name for name in claims.column_names if name not in (*claims.covered, *apart)]
    limits.must(_open(outside), when=bool(outside))
    for said in carried:
        sentence = _CARRIED.get(str(said.get("shows")), "").format(said.get("column"))
        limits.must(sentence, when=said.get("column") not in claims.covered)
    linked = _LINKED.get(claims.unit)
    limits.must(linked or "", when=linked is not None)
    several = claims.unit in (SEVERAL_ROWS, HOUSEHOLD)
    limits.must(_UNEVEN, when=several and not is_floor)
    figures = claims.parameters
    by_share = figures.get("diversity") == "share" or figures.get("distance") == "members"
    limits.must(_PER_CLASS, when=by_share)
    _of_generalized(claims, assumed, limits)


def _of_generalized(claims: Claims, assumed: Said, limits: Said) -> None:
    """Add what is said of hierarchies, households and weights."""
    stated = _option(claims, "generalize", "hierarchies")
    named = stated if isinstance(stated, tuple) else ()
    assumed.must(_UNSEEN, when=bool(named) or "hierarchies.json" in claims.files)
    by_tree = claims.parameters.get("distance") == "hierarchical"
    assumed.may += [_UNSEEN] if by_tree else []
    # Whether a hierarchy lists just what occurs is seen in the original only.
    limits.may += [_FROM_ROWS.format(name) for name in named]
    homes = _option(claims, "obey_rules", "households")
    limits.must(_HOUSEHOLDS, when=isinstance(homes, str))
    weighted = _has(claims, "mean_weights")
    limits.must(_WEIGHTED, when=weighted)
    limits.may += [_WEIGHTED] if _has(claims, "generalize") else []  # weights may stay unpublished


# Of columns of numbers that are only carried along.
_CARRIED = {
    "mean": "Column '{}' shows the mean of its class: an attacker who knows the numbers of all "
    "others in a class can work out the last, and a mean shows that a class has an extreme number.",
    "median": "Column '{}' shows the median of its class, which can be the number of one person, "
    "and which an attacker who knows all others in a class can use to narrow down the last.",
    "values": "Column '{}' is carried along outside the claim, its numbers rounded or cut off as "
    "the steps say: an attacker who knows one can distinguish rows of a class.",
}

_LARGER = (
    "Combinations of more than max_size values: an attacker who knows so many values of a row may "
    "know one that few rows of the input have."
)

_UNEVEN = (
    "How the rows of a class are shared among those they are of: one may have nearly all of them, "
    "so that no chance of 1 in k is claimed for a row."
)

_PER_CLASS = (
    "More than what one class discloses: shares are claimed for each member by itself, in each "
    "class by itself, of all who have rows in it as if equally likely. Rows in other classes, "
    "several members together, and knowing how many rows somebody has, are not covered."
)

_WEIGHTED = (
    "The people that a row stands for by its weight: k counts rows, or whose rows they are, and "
    "weights count in the loss alone."
)

_UNSEEN = (
    "The hierarchies were made without looking at the rows, or what they disclose is accepted: "
    "the released groups and those above them are published."
)

_FROM_ROWS = (
    "The hierarchy of column '{}' lists exactly the values that occur in the rows: if it was made "
    "from them, its groups disclose which values occur."
)

_HOUSEHOLDS = (
    "That every class has rows of at least k households is not checkable from the release: the "
    "column that identifies them is not in it."
)


def _open(names: Sequence[str]) -> str:
    """Return what is said of columns that are released and not in the claim."""
    quoted = ", ".join(f"'{name}'" for name in names)
    subject, them, are = (
        (f"Column {quoted} is", "it", "it is")
        if len(names) == 1
        else (f"Columns {quoted} are", "them", "they are")
    )
    risk = f"an attacker who knows {them} can distinguish rows of a class."
    return f"{subject} released as {are}: {risk}"


# Sampled rows under differential privacy.

_OTHERS = "What can be inferred about a person from the rows of others, such as relatives."

LISTS_PUBLIC = "The lists of values that columns can have are public."


def _of_sampling(claims: Claims, assumed: Said, limits: Said) -> None:
    assumed.must("The options and the edges of bins were chosen without looking at the table.")
    assumed.must(
        "Which rows were sampled, the random draws and the key of the fingerprint stay secret."
    )
    scheme = _option(claims, "learn_scheme", "scheme")
    taken = claims.model.startswith(_IF_PUBLIC)
    assumed.must(
        "The scheme comes from a public table, which was not made from the protected one.",
        when=scheme == "public",
    )
    assumed.must(LISTS_PUBLIC, when=scheme == "dp" and not taken)
    assumed.must(
        "The lists of values were read from the data, which the guarantee does not cover.",
        when=scheme == "dp" and taken,
    )
    limits.must(
        "Rows of the training part, which every row is in with the probability that delta begins "
        "with: the scheme shows what they hold.",
        when=scheme == "split",
    )
    limits.must(_N_TIMES, when=claims.unit != SEVERAL_ROWS)
    limits.must(
        "A row, against an attacker who knows which rows were sampled or trained the scheme."
    )
    limits.must(_OTHERS)
    limits.must(
        "The approximate number of rows of the table, which the number of released rows discloses."
    )


_IF_PUBLIC = "Only if the lists of values are public: "

# Synthetic rows.


def _of_synthesis(claims: Claims, assumed: Said, limits: Said) -> None:
    local = _option(claims, "draw_rows", "trust") == "local"
    taken, selected = claims.model.startswith(_IF_PUBLIC), _has(claims, "select_values")
    for sentence in _CHOSEN:
        assumed.must(sentence)
    assumed.must(_RANDOMIZED if local else _CENTRAL)
    assumed.must(_LISTED, when=not taken and not selected)
    assumed.must(SELECTED, when=selected)
    limits.must(_TAKEN, when=taken)
    counted = "people" if claims.unit == SEVERAL_ROWS else "rows"
    limits.must(
        f"The number of {counted} of the table, which is disclosed under local trust.", when=local
    )
    limits.must(_N_TIMES, when=claims.unit == ONE_ROW)
    for sentence in _SYNTHETIC:
        limits.must(sentence)


_CHOSEN = (
    (
        "The options, the number of rows if it was given, the columns and the edges of bins were "
        "chosen without looking at the table."
    ),
    "The random draws, the key of the fingerprint and the table itself stay secret.",
)

_RANDOMIZED = (
    "Every cell was randomized alone, with the chances stated, before anything was learnt from it. "
    "Whoever ran this on a table of true cells saw them, and is trusted with that."
)

_CENTRAL = "Whoever ran this saw the table as it is, and is trusted to have added the noise stated."

_LISTED = (
    "The lists of values that columns can have, and the types of columns, were made without "
    "looking at the table."
)

SELECTED = (
    "The types that columns have in the table, if it was read as a frame, were chosen without "
    "looking at its rows; the values were selected with noise, within epsilon and delta."
)

_TAKEN = (
    "The lists of values were read from the table, and the guarantee does not cover that: a value "
    "that is drawn, or counted in the number of values stated, says that somebody has it, however "
    "rare it is."
)

_SYNTHETIC = (
    (
        "What is true of the population can be learnt, and with it something about people who are "
        "not in the table: that is the purpose."
    ),
    "What can be learnt about a person from others, such as relatives, whose rows are there.",
    (
        "Rows are drawn from noisy counts of single columns and pairs: they are synthetic, and "
        "what depends on more columns at once may be wrong. The guarantee says nothing about "
        "accuracy."
    ),
    "Several releases of the same source: what they cost adds up.",
)

# Patterns.


def _of_patterns(claims: Claims, assumed: Said, limits: Said) -> None:
    is_additive = _has(claims, "additive_sanitization")
    assumed.must(_ONCE)
    assumed.must(
        "Whoever uses the supports knows that they were raised on purpose and are not the true "
        "ones.",
        when=is_additive,
    )
    assumed.must(_DERIVED, when=_has(claims, "derive"))
    found = Said()
    names = _listed(claims.covered)
    assumed.must(
        f"Nobody who uses the collection knows more of a person than {names}.",
        when=bool(claims.covered),
    )
    found.must(
        f"Groups that are disclosed by a value of a column other than {names}: a pattern with such "
        "a value may hold for fewer than k rows.",
        when=bool(claims.covered),
    )
    proved = _has(claims, "certified_sanitization")
    for sentence in (_CHOICE,) if proved else _INFERRED:
        found.must(sentence)
    found.must(_ADDED, when=is_additive)
    found.must(_REMOVED, when=_has(claims, "suppressive_sanitization"))
    for sentence in _GROUPS:
        found.must(sentence)
    # Of people one set of items each was counted: sentences speak of them; rows are not linked.
    of_people = claims.unit in (SEVERAL_ROWS, "one person, who may have several transactions")
    limits.due += map(_of_people, found.due) if of_people else found.due
    limits.must(_WITNESS, when=proved)
    for step, sentence in _MINED.items():
        assumed.must(sentence, when=_has(claims, step))
    linked = None if of_people else _LINKED.get(claims.unit)
    limits.must(linked or "", when=linked is not None)


_MINED = {
    "unite_per_person": (
        "The transactions of a person were united into one before anything was counted: a support "
        "is the number of people who have all items, in one transaction or over several."
    ),
    "choose_one_per_person": (
        "One row or transaction of each person was chosen at random before anything was counted: a "
        "support is the number of people whose chosen one has all items."
    ),
}

_ONCE = (
    "This is the only collection of its source, or the others were derived from it by a larger "
    "least support."
)

_DERIVED = (
    "Derived from a collection with a smaller least support by leaving itemsets out: together "
    "with that collection it discloses nothing more than that collection alone."
)

_INFERRED = (
    (
        "Patterns that use itemsets which are not published: a group of fewer than k rows may "
        "follow for them from the published supports."
    ),
    (
        "An attacker who knows the least support knows that what is not published is rarer, and "
        "may infer more from that."
    ),
    (
        "Disjunctions: that one of two conditions holds for fewer than k rows may follow although "
        "each condition alone is protected."
    ),
)

_ADDED = (
    "Whoever knows how many rows the input has, or that every row has one of the published values "
    "of a column, knows how many were added, and may find out which supports were raised; a count "
    "from k to 2 k may be one that was smaller than k."
)

_REMOVED = (
    "Whoever knows how many rows the input has knows how many were removed for being in small "
    "groups."
)

_WITNESS = (
    "The rows of the witness are published: how often each combination of the published items "
    "occurs there can be read, and may be true."
)

_CHOICE = "How the changes were chosen depends on the data, and may disclose something about them."

_GROUPS = (
    "What all rows of a group have in common can be learnt of each, such as a shared diagnosis.",
    "An attacker who knows some rows can subtract them from the supports.",
    "Several collections of the same source: an attacker who holds two of them can combine them.",
)


def _of_people(sentence: str) -> str:
    """Return a sentence about rows as one about people, as collections of patterns say it."""
    return re.sub(r"\brow\b", "person", re.sub(r"\brows\b", "people", sentence))


def _listed(names: Sequence[str]) -> str:
    *first, last = names or ("",)
    return f"{', '.join(first)} and {last}" if first else last


# Randomized transactions.


def _of_transactions(claims: Claims, assumed: Said, limits: Said) -> None:
    n = _option(claims, "limit_reports", "reports_per_person")
    epsilon = claims.parameters.get("epsilon")
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | Fraction) or epsilon < 0:
        return
    if type(n) is int:
        assumed.must(_SEVERAL.format(n=n))
        total = f"{math.ceil(n * epsilon * 10**4) / 10**4:.4f}"
        limits.must(_TOGETHER.format(n=n, total=total))
    else:
        assumed.must(_SENT_ONCE)
    public = any(step.parameters.get("items_are_public") is True for step in claims.events)
    assumed.must("The list of items was made without looking at any transaction.", when=public)
    limits.must(_ITEMS_TAKEN, when=not public)
    assumed.must(_ALONE, when=_has(claims, "collect"))
    padded = claims.neighbours == "any two transactions"
    limits.must(
        "Transactions of more items than the public size were cut to it at random.", when=padded
    )
    limits.must("The true size of every transaction is published as it is.", when=not padded)
    limits.must(_PATTERNS_LEARNT)
    limits.must(_guesses(epsilon))
    limits.must("That somebody sent a transaction is disclosed.")


def _guesses(epsilon: int | Fraction) -> str:
    """Return what epsilon means for a guess: a chance of 1 % grows by at most e to epsilon."""
    odds = math.exp(min(float(epsilon), 700.0)) / 99
    after = math.ceil(100 * odds / (1 + odds))
    return (
        "Guesses about one person get better, within epsilon: a probability of 1 % before a report "
        f"is seen can be up to {after} % afterwards."
    )


_SENT_ONCE = (
    "Epsilon is that of one report: every person is in one transaction, randomized once. Whoever "
    "sends several reports loses so many times epsilon; where the report of a value is kept and "
    "sent again, epsilon times the number of different values."
)

_SEVERAL = (
    "Epsilon is that of one report, and a person sends at most {n}. Where the report of a value is "
    "kept and sent again, a person loses epsilon times the number of different values."
)

_TOGETHER = (
    "What all reports of one person disclose together: {n} of them have {n} times epsilon, that is "
    "{total}."
)

_ITEMS_TAKEN = (
    "The list of items was taken from the transactions: that an item is on it says that somebody "
    "has it."
)

_ALONE = (
    "People randomized what they sent themselves, as the policy of the campaign says; the service "
    "received the results only and cannot check that."
)

_PATTERNS_LEARNT = (
    "What is true of many people can be learnt, such as how often items occur together: that is "
    "the purpose."
)
