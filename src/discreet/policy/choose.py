"""Which method suits a file, given what is published, who receives it, and what is promised."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from discreet import checks
from discreet.errors import InfeasibleError
from discreet.policy import advice
from discreet.policy.advice import Choice
from discreet.policy.facts import facts_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from discreet.policy.advice import Advice
    from discreet.policy.facts import Facts

Publish: TypeAlias = Literal["table", "synthetic", "patterns", "transactions"]
To: TypeAlias = Literal["public", "partner", "inside"]
Promise: TypeAlias = Literal["k-anonymity", "small-groups", "differential-privacy", "local"]
RowsMethod: TypeAlias = Literal["k-mii", "set-cover", "agglomerative", "mondrian"]
Pair: TypeAlias = "tuple[Advice, Advice | None]"

PUBLISH: Final[dict[Publish, str]] = {
    "table": "the records, with values suppressed or generalized",
    "synthetic": "synthetic rows, drawn from a model of the table",
    "patterns": "which values or items are frequent together",
    "transactions": "every transaction, randomized",
}
TO: Final[dict[To, str]] = {
    "public": "anyone, without limit",
    "partner": "a partner bound by contract",
    "inside": "colleagues who may not see the original",
}
PROMISE: Final[dict[Promise, str]] = {
    "k-anonymity": "every row equals at least k - 1 others",
    "small-groups": "nothing is shown that holds for fewer than k people",
    "differential-privacy": "no single person makes a noticeable difference to the release",
    "local": "everything is randomized before anyone learns from it",
}
K: Final[dict[To, int]] = {"public": 10, "partner": 5, "inside": 3}
EPSILON: Final[dict[To, int]] = {"public": 1, "partner": 2, "inside": 4}
LOCAL_EPSILON: Final[dict[To, int]] = {"public": 4, "partner": 6, "inside": 8}
FEW_UNIQUE = 0.05
FEW_ROWS = 50_000  # up to so many set-cover takes about a minute
FEW_WIDE_ROWS = (
    10_000  # up to so many agglomerative, with distances between all rows, takes as long
)
SHOWN_FROM = 0.1
NOT_RECORDS = (
    "synthetic rows describe no real person, and {promise} is about records of people. Promise "
    "differential-privacy for them, or publish the table"
)
_REFUSED: Final[dict[tuple[Publish, Promise], str]] = {
    ("table", "local"): "a curator who never saw the records cannot publish "
    "them. Publish synthetic rows, or promise differential-privacy",
    ("synthetic", "k-anonymity"): NOT_RECORDS.format(promise="k-anonymity"),
    ("synthetic", "small-groups"): NOT_RECORDS.format(promise="small-groups"),
    ("patterns", "differential-privacy"): "published supports are whole numbers without noise, "
    "which one person can change. Publish synthetic rows with differential-privacy and mine them, "
    "or promise small-groups",
    ("patterns", "local"): "patterns are mined from what people really have. Publish transactions, "
    "or synthetic rows, that were randomized, and mine those",
    ("transactions", "k-anonymity"): "transactions are not generalized or suppressed here: nearly "
    "each is unique. Publish their patterns with small-groups, or promise local",
    (
        "transactions",
        "small-groups",
    ): "no method publishes whole transactions with this "
    "promise. Publish their patterns, or promise local",
}


def choose(
    file: str | os.PathLike[str],
    *,
    publish: Publish,
    to: To,
    promise: Promise,
    k: int | None = None,
    epsilon: Fraction | float | str | None = None,
    names: Sequence[str] | None = None,
) -> Choice:
    r"""Return a recommended method for a file, the command that runs it, and the second best.

    Parameters
    ----------
    file : path
        A table, or FIMI ``.dat`` transactions.
    publish : {"table", "synthetic", "patterns", "transactions"}
        What is to be published.
    to : {"public", "partner", "inside"}
        Who receives it; it decides which k and epsilon are proposed.
    promise : {"k-anonymity", "small-groups", "differential-privacy", "local"}
        What must be true of it.
    k : int, optional
        At least 2; by default 10, 5 or 3, by ``to``.
    epsilon : number or str, optional
        Above 0; by default 1, 2 or 4, and 4, 6 or 8 if local.
    names : sequence of str, optional
        Of all columns of a table without a header.

    Returns
    -------
    Choice
        ``first`` and ``second`` with ``reason``, ``command`` and ``not_protected``.

    Raises
    ------
    ParameterError
        If an answer is not known or a number out of its range.
    InfeasibleError
        If nothing keeps the promise for what is published of this file, with the reason.

    Notes
    -----
    No guarantee: rules of thumb that look at the data. The figures are not for publication, and
    k and epsilon are proposals, which a person has to answer for.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "baskets.dat"
    >>> _ = file.write_text("1 2\n" * 300 + "1 3\n" * 200)
    >>> choose(file, publish="patterns", to="partner", promise="small-groups").first.method
    'patterns-additive'
    """
    for name, given, known in (
        ("publish", publish, get_args(Publish)),
        ("to", to, get_args(To)),
        ("promise", promise, get_args(Promise)),
    ):
        checks.one_of(name, given, known)
    size = checks.whole("k", K[to] if k is None else k, at_least=2)
    budget = LOCAL_EPSILON if promise == "local" or publish == "transactions" else EPSILON
    loss = checks.exact("epsilon", budget[to] if epsilon is None else epsilon, above=0)
    if (publish, promise) in _REFUSED:
        raise InfeasibleError(
            f"{{publish}} with {{promise}}: {_REFUSED[publish, promise]}.",
            parameter="promise",
            options={"publish": publish, "promise": promise},
        )
    facts = facts_of(file, names=names)
    _check_kind(facts, publish)
    if promise in ("k-anonymity", "small-groups") and facts.n_people < size:
        who = "rows" if facts.n_people == facts.n_rows else "people"
        raise InfeasibleError(
            f"{facts.file} has {facts.n_people} {who}, fewer than {{k}}: nothing could be "
            "published.",
            parameter="k",
            remedy=f"Take a smaller k, or more {who}.",
            options={"k": size},
        )
    first, second = _recommend(facts, publish=publish, to=to, promise=promise, k=size, loss=loss)
    named = [each.method for each in (first, second) if each is not None]
    return Choice(
        publish=publish, to=to, promise=promise, facts=facts, first=first, second=second,
        others=advice.other_methods(*named),
    )  # fmt: skip


def _check_kind(facts: Facts, publish: Publish) -> None:
    """Raise InfeasibleError if a file does not hold what is to be published."""
    if facts.kind == "transactions" and publish in ("table", "synthetic"):
        raise InfeasibleError(
            f"{facts.file} holds transactions, which have no columns to generalize, suppress or "
            "synthesize.",
            parameter="publish",
            remedy="With {publish:patterns} what is frequent is published, with "
            "{publish:transactions} each one, randomized.",
            options={f"publish:{kind}": kind for kind in get_args(Publish)},
        )
    if facts.kind == "table" and publish == "transactions":
        raise InfeasibleError(
            f"{facts.file} holds a table, not transactions.",
            parameter="publish",
            remedy="Take {publish:table} to publish its rows, {publish:synthetic} for synthetic "
            "rows, {publish:patterns} for frequent itemsets.",
            options={f"publish:{kind}": kind for kind in get_args(Publish)},
        )


def _recommend(
    facts: Facts, *, publish: Publish, to: To, promise: Promise, k: int, loss: Fraction
) -> Pair:
    """Return the first and the second choice."""
    if publish == "patterns":
        return _patterns(facts, to, k)
    if publish == "transactions":
        why = "each transaction is randomized on its own, and supports can be recovered from many."
        if promise == "differential-privacy":
            why += " That is more than you asked for: no curator has to be trusted with the counts."
        return advice.randomize(facts, loss, why), None
    if publish == "synthetic":
        return _synthetic(facts, to, promise, loss)
    if promise == "k-anonymity":
        return _same_rows(facts, k)
    if promise == "small-groups":
        return (
            advice.mii_suppress(facts, k, "it suppresses no more than this needs."),
            advice.k_mii(facts, k, "it promises more, k-anonymity, and suppresses more."),
        )
    return _dp_table(facts, loss)


def rows_method(facts: Facts) -> RowsMethod:
    """Return the method for k-anonymity at little loss: suppression where few records are unique.

    Notes
    -----
    Suppressing every identifying combination loses much as soon as many records are
    unique: of Adult with eight columns a third of all cells at k = 5, where set-cover loses 8 %.
    """
    too_wide = facts.width is not None and not facts.width.is_done
    if facts.unique_rate <= FEW_UNIQUE and not facts.sensitive and not too_wide:
        return "k-mii"
    return _generalizer(facts)


def _generalizer(facts: Facts) -> RowsMethod:
    """Return the method that generalizes at little loss in the time that the table allows."""
    if facts.width is not None:  # set-cover's time grows steeply with columns
        return "agglomerative" if facts.n_rows <= FEW_WIDE_ROWS else "mondrian"
    return "mondrian" if facts.n_rows > FEW_ROWS else "set-cover"


def _same_rows(facts: Facts, k: int) -> Pair:
    """Return the methods for k-anonymity."""
    method = _generalizer(facts)
    if rows_method(facts) == "k-mii":
        return (
            advice.k_mii(
                facts, k, f"only {facts.unique_words}, so that little is "
                " suppressed, and every value shown is true.",
            ),
            advice.generalize(facts, k, method, "it can show groups in place of suppressed values, "
                              "which pays if you have hierarchies."),
        )  # fmt: skip
    why = f"{facts.unique_words}: suppressing rare values everywhere "
    why += "would lose much. This method generalizes by groups of rows, and suppresses no record"
    why += {
        "mondrian": "; fast enough for this many rows and columns.",
        "agglomerative": "; the time of others grows too steeply with columns.",
    }.get(method, ", with a bound on the loss.")
    if facts.diverse:
        why += (
            f" With l = 2 every class has two values or more of {' and of '.join(facts.sensitive)}."
        )
    return (
        advice.generalize(facts, k, method, why),
        advice.k_mii(
            facts, k, "simpler, but it suppresses a rare combination wherever it occurs"
            + (", and says nothing about sensitive values." if facts.sensitive else "."),
        ),
    )  # fmt: skip


def _dp_table(facts: Facts, loss: Fraction) -> Pair:
    """Return true rows if enough of them would be shown, else synthetic ones."""
    rows = "the only method that shows true rows with differential privacy."
    if advice.shown_from(facts, loss) <= SHOWN_FROM:
        return (
            advice.dp_mii_suppress(facts, loss, rows),
            advice.synthesize(facts, loss, "it keeps the number of rows and suppresses no cell, "
                              "but its rows are synthetic."),
        )  # fmt: skip
    return (
        advice.synthesize(
            facts, loss, "true rows with differential privacy would be nearly empty here: "
            "synthetic rows are more useful.",
        ),
        advice.dp_mii_suppress(facts, loss, rows),
    )  # fmt: skip


def _synthetic(facts: Facts, to: To, promise: Promise, loss: Fraction) -> Pair:
    """Return synthetic rows, by central or local trust."""
    if promise == "local":
        central = Fraction(EPSILON[to])
        return (
            advice.synthesize(facts, loss, "every cell is randomized on its own.", local=True),
            advice.synthesize(facts, central, "far more accurate at a smaller epsilon, if "
                              "the curator may see the table."),
        )  # fmt: skip
    return (
        advice.synthesize(facts, loss, "noise is added to counts once, and synthetic rows are "
                          "drawn from them."),
        advice.synthesize(
            facts, Fraction(LOCAL_EPSILON[to]), "every cell is randomized on its own, which needs "
            "less trust and costs much accuracy.", local=True,
        ),
    )  # fmt: skip


def _patterns(facts: Facts, to: To, k: int) -> Pair:
    """Return safe patterns: proved safe for anybody, closer to the data for a partner."""
    strict = "the only method that protects against every pattern over the published items."
    if to == "public":
        return (
            advice.patterns(facts, k, "certified", strict),
            advice.patterns(facts, k, "additive", "no itemset is lost, but patterns over "
                            "unpublished itemsets are not protected."),
        )  # fmt: skip
    return (
        advice.patterns(facts, k, "additive", "no itemset is lost; supports are raised a little."),
        advice.patterns(facts, k, "certified", f"{strict[:-1]}, at the price of more change."),
    )
