"""The sentences that a certificate may say, so that none of them can carry a false promise.

A certificate is read by people, and its sentences are not recomputed. So they are held against
this table, which is the verifier's own: another sentence is one line more here.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.verify.certificate import Claims, Step

ASSUMPTIONS = (
    "Every row of the input is another person.",
    (
        "The hierarchies were made without looking at the rows, or what they disclose is "
        "accepted: the released groups and those above them are published."
    ),
    "The input had more than theta rows.",
    "The options were chosen without looking at the table.",
    "Which rows were sampled, the random draws and the key of the fingerprint stay secret.",
    "The scheme comes from a public table, which was not made from the protected one.",
    "The lists of values that columns can have are public.",
    "The lists of values were read from the data, which the guarantee does not cover.",
    (
        "Derived from a collection with a smaller least support by leaving itemsets out: together"
        " with that collection it discloses nothing more than that collection alone."
    ),
    (
        "This is the only collection of its source, or the others were derived from it by a "
        "larger least support."
    ),
    "Whoever uses the supports knows that they were raised on purpose and are not the true ones.",
    (
        "Every person is in one transaction, randomized once. Whoever sends several, or one "
        "several times, loses so many times epsilon."
    ),
    (
        "Epsilon is that of one report: every person is in one transaction, randomized once. "
        "Whoever sends several reports loses so many times epsilon; where the report of a value is "
        "kept and sent again, epsilon times the number of different values."
    ),
    "The list of items was made without looking at any transaction.",
    (
        "People randomized what they sent themselves, as the policy of the campaign says; the "
        "service received the results only and cannot check that."
    ),
    (
        "The options, the number of rows if it was given, and the columns were chosen without "
        "looking at the table."
    ),
    "The random draws, the key of the fingerprint and the table itself stay secret.",
    (
        "One row of each person was chosen at random before anything was measured, and what is "
        "said of the table and its rows is said of the rows chosen."
    ),
    (
        "Every cell was randomized alone, with the chances stated, before anything was learnt "
        "from it. Whoever ran this on a table of true cells saw them, and is trusted with that."
    ),
    "Whoever ran this saw the table as it is, and is trusted to have added the noise stated.",
    (
        "The lists of values that columns can have, and the types of columns, were made without "
        "looking at the table."
    ),
)

SELECTED = (
    "The types that columns have in the table, if it was read as a frame, were chosen without "
    "looking at its rows; the values were selected with noise, within epsilon and delta."
)

NOT_PROTECTED = (
    (
        "Combinations of more than max_size values: an attacker who knows so many values of a row "
        "may know one that few rows of the input have."
    ),
    "A person with several rows: the claim is about single rows, whoever they belong to.",
    (
        "Several rows of one household, where they can be linked by something else: an attacker "
        "who knows more than one of them learns more."
    ),
    (
        "How the rows of a class are shared among those they are of: one may have nearly all of "
        "them, so that no chance of 1 in k is claimed for a row."
    ),
    (
        "More than what one class discloses: shares are claimed for each member by itself, in "
        "each class by itself, of all who have rows in it as if equally likely. Rows in other "
        "classes, several members together, and knowing how many rows somebody has, are not "
        "covered."
    ),
    (
        "The people that a row stands for by its weight: k counts rows, or whose rows they are, "
        "and weights count in the loss alone."
    ),
    (
        "Several rows of one person, where they can be linked by something else: an attacker who "
        "knows more than one of them learns more."
    ),
    "What all rows of a class have in common, such as a diagnosis, is disclosed for each.",
    (
        "Which cells are suppressed depends on all rows, and can disclose something about their "
        "values."
    ),
    "Several releases of the same source: an attacker who holds two of them can combine them.",
    "Whether a person is in the data is not protected.",
    "Which groups are shown depends on all rows, and can disclose something about their values.",
    "A released row can be the only one of its kind in the release: this is not k-anonymity.",
    (
        "That every class has rows of at least k households is not checkable from the release: "
        "the column that identifies them is not in it."
    ),
    "Several rows of one person: n rows together have n times the epsilon, and more delta.",
    "A row, against an attacker who knows which rows were sampled or trained the scheme.",
    "What can be inferred about a person from the rows of others, such as relatives.",
    "The approximate number of rows of the table, which the number of released rows discloses.",
    (
        "Rows of the training part, which every row is in with the probability that delta begins "
        "with: the scheme shows what they hold."
    ),
    (
        "Patterns that use itemsets which are not published: a group of fewer than k rows may "
        "follow for them from the published supports."
    ),
    (
        "An attacker who knows the least support knows that what is not published is rarer, and "
        "may infer more from that."
    ),
    (
        "Disjunctions: that one of two conditions holds for fewer than k rows may follow although"
        " each condition alone is protected."
    ),
    (
        "Whoever knows how many rows the input has, or that every row has one of the published "
        "values of a column, knows how many were added, and may find out which supports were "
        "raised; a count from k to 2 k may be one that was smaller than k."
    ),
    (
        "Whoever knows how many rows the input has knows how many were removed for being in small"
        " groups."
    ),
    (
        "The rows of the witness are published: how often each combination of the published items"
        " occurs there can be read, and may be true."
    ),
    "How the changes were chosen depends on the data, and may disclose something about them.",
    "What all rows of a group have in common can be learnt of each, such as a shared diagnosis.",
    "An attacker who knows some rows can subtract them from the supports.",
    "Several collections of the same source: an attacker who holds two of them can combine them.",
    (
        "The list of items was taken from the transactions: that an item is on it says that "
        "somebody has it."
    ),
    (
        "What is true of many people can be learnt, such as how often items occur together: that "
        "is the purpose."
    ),
    "Transactions of more items than the public size were cut to it at random.",
    "The true size of every transaction is published as it is.",
    "That somebody sent a transaction is disclosed.",
    (
        "The lists of values were read from the table, and the guarantee does not cover that: a "
        "value that is drawn, or counted in the number of values stated, says that somebody has "
        "it, however rare it is."
    ),
    "The number of rows of the table, which is disclosed under local trust.",
    (
        "What is true of the population can be learnt, and with it something about people who are"
        " not in the table: that is the purpose."
    ),
    "What can be learnt about a person from others, such as relatives, whose rows are there.",
    (
        "Rows are drawn from noisy counts of single columns and pairs: they are synthetic, and "
        "what depends on more columns at once may be wrong. The guarantee says nothing about "
        "accuracy."
    ),
    "Several releases of the same source: what they cost adds up.",
)

# What became of several rows of one person before patterns were mined.
MINED = (
    (
        "The transactions of a person were united into one before anything was counted: a support "
        "is the number of people who have all items, in one transaction or over several."
    ),
    (
        "One row or transaction of each person was chosen at random before anything was counted: a "
        "support is the number of people whose chosen one has all items."
    ),
)

REASONS = (
    "a seed was used, and whoever knows it knows which row of each person was counted",
    "made with a seed, from which all draws can be repeated",
    "a seed was used, and whoever knows it can undo the randomization",
)

# A sentence with a number in it.

_PATTERN = re.compile(
    r"Guesses about one person get better, within epsilon: a probability of 1 % before a report is "
    r"seen can be up to [0-9]{1,3} % afterwards\."
)


def unknown_sentence(claims: Claims) -> str | None:
    """Return a sentence of a certificate that no mechanism says, or None.

    Parameters
    ----------
    claims : Claims
        Sentences with names of columns are made anew from the columns of the claim.
    """
    about = (*_of_columns(claims), *_of_reports(claims), *MINED, SELECTED)
    assumed, limits = (*ASSUMPTIONS, *about), (*NOT_PROTECTED, *about)
    tables = (
        (claims.assumptions, (*assumed, *map(_of_people, assumed))),
        (claims.not_protected, (*limits, *map(_of_people, limits))),
        (_given(claims.experimental_reason), REASONS),
    )
    for sentences, known in tables:
        for sentence in sentences:
            if sentence not in known and not _PATTERN.fullmatch(sentence):
                return sentence
        if len(set(sentences)) < len(sentences):
            return next(each for each in sentences if sentences.count(each) > 1)
    return None


def _of_people(sentence: str) -> str:
    """Return a sentence about rows as one about people, as collections of patterns say it."""
    return re.sub(r"\brow\b", "person", re.sub(r"\brows\b", "people", sentence))


def _of_reports(claims: Claims) -> tuple[str, ...]:
    """Return what is said of several reports of a person, its figures computed from the claim."""
    n = next((s.parameters.get(_MOST) for s in claims.events if s.name == "limit_reports"), None)
    epsilon = claims.parameters.get("epsilon")
    if type(n) is not int or not isinstance(epsilon, int | Fraction):
        return ()
    total = f"{math.ceil(n * epsilon * 10**4) / 10**4:.4f}"
    return (_SEVERAL.format(n=n), _TOGETHER.format(n=n, total=total))


_SEVERAL = (
    "Epsilon is that of one report, and a person sends at most {n}. Where the report of a value is "
    "kept and sent again, a person loses epsilon times the number of different values."
)

_TOGETHER = (
    "What all reports of one person disclose together: {n} of them have {n} times epsilon, that is "
    "{total}."
)

_MOST = "reports_per_person"


def _given(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def _of_columns(claims: Claims) -> tuple[str, ...]:
    """Return the sentences that name columns, for those of the claim and those outside it."""
    weights = [step.parameters.get("column") for step in claims.events if step.name == _WEIGHTS]
    outside = [name for name in claims.column_names if name not in claims.covered]
    carried = {step.parameters.get("column"): step.parameters for step in _carried(claims)}
    left = [name for name in outside if name not in carried]
    found = [*_open(outside), *_open(left), *_open([name for name in left if name not in weights])]
    found += [
        _CARRIED[str(said.get("shows"))].format(name)
        for name, said in carried.items()
        if name in outside and said.get("shows") in _CARRIED
    ]
    if claims.covered:
        names = _listed(claims.covered)
        found += [
            f"Nobody who uses the collection knows more of a person than {names}.",
            (
                f"Groups that are disclosed by a value of a column other than {names}: a pattern "
                "with such a value may hold for fewer than k rows."
            ),
        ]
    found += [
        f"The hierarchy of column '{name}' lists exactly the values that occur in the rows: if it "
        "was made from them, its groups disclose which values occur."
        for name in claims.covered
    ]
    return tuple(found)


def _carried(claims: Claims) -> list[Step]:
    return [step for step in claims.events if step.name == "carry_column"]


_CARRIED = {
    "mean": "Column '{}' shows the mean of its class: an attacker who knows the numbers of all "
    "others in a class can work out the last, and a mean shows that a class has an extreme number.",
    "median": "Column '{}' shows the median of its class, which can be the number of one person, "
    "and which an attacker who knows all others in a class can use to narrow down the last.",
    "values": "Column '{}' is carried along outside the claim, its numbers rounded or cut off as "
    "the steps say: an attacker who knows one can distinguish rows of a class.",
}

_WEIGHTS = "mean_weights"


def _open(names: Sequence[str]) -> Iterable[str]:
    """Yield what is said of columns that are released and not in the claim."""
    if not names:
        return
    quoted = ", ".join(f"'{name}'" for name in names)
    subject, them, are = (
        (f"Column {quoted} is", "it", "it is")
        if len(names) == 1
        else (f"Columns {quoted} are", "them", "they are")
    )
    risk = f"an attacker who knows {them} can distinguish rows of a class."
    yield f"{subject} released as {are}: {risk}"


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
