"""The reasons for each method, the command that runs it, and what it does not protect.

What is not protected is said in the sentences of the method's certificate.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.patterns.release import pattern_guarantee
from discreet.randomize import release as randomized
from discreet.randomize.operators.law import gamma_of_cut_and_paste
from discreet.release.exact import log_above
from discreet.release.guarantee import IF_ITEMS_PUBLIC, IF_PUBLIC, never_protected, other_columns
from discreet.release.methods import METHODS
from discreet.result import Preview, Result
from discreet.suppress.dp_mii import NOT_PROTECTED as DP_ROWS_OPEN
from discreet.suppress.dp_plan import make_plan
from discreet.suppress.mii import LARGER_COMBINATIONS, NOT_K_ANONYMITY
from discreet.synthesize import budget as synthetic
from discreet.synthesize import expected_errors, expected_pair_errors

if TYPE_CHECKING:
    from discreet.data.suggest_roles import PersonSuggestion
    from discreet.patterns.collection import Method
    from discreet.policy.facts import Facts


OUT = ("-o", "out")

K_OF_SAMPLE = 20  # smallest class of dp-mii-suppress

LARGER = (1, 2, 4, 8, 16)

CUTOFF = 3

MANY_ITEMS = 100

BINS_SEEN = (
    "The bins in the command were chosen by looking at the data, which differential privacy does "
    "not cover: take bins that are usual in your field."
)

FLAT = (
    "Without hierarchies a value is kept or suppressed. With them (discreet hierarchy --help, "
    "--hierarchies FOLDER) groups such as [20, 30) are shown, and less is lost."
)

HELD = "You hold the originals: the guarantee protects people from everybody but you."

NEVER_HELD = "To collect transactions without ever holding them: discreet collect serve --help."


def k_mii(facts: Facts, k: int, reason: str) -> Advice:
    """Return suppression until every row equals k - 1 others."""
    return Advice(
        method="k-mii",
        model=f"k-anonymity with k = {k}",
        reason=reason,
        arguments=_arguments(facts, "k-mii", k=k, **_few_values(facts)),
        not_protected=never_protected("cells are suppressed"),
        notes=_of_width(facts, "most rows of a wide table are then not equal to k - 1 others in "
                               "all its columns, and are dropped: plan says how many."),
    )  # fmt: skip


def mii_suppress(facts: Facts, k: int, reason: str) -> Advice:
    """Return suppression of combinations that fewer than k rows share."""
    theta, few = k - 1, _few_values(facts)
    size = f" and max_size = {few['max_size']}" if few else ""
    return Advice(
        method="mii-suppress",
        model=f"support floor with theta = {theta}{size}",
        reason=reason,
        arguments=_arguments(facts, "mii-suppress", theta=theta, **few),
        not_protected=(
            NOT_K_ANONYMITY,
            *((LARGER_COMBINATIONS,) if few else ()),
            *never_protected("cells are suppressed"),
        ),
        notes=_of_width(facts, "an attacker who knows more values of a row is not covered."),
    )


def _few_values(facts: Facts) -> dict[str, int]:
    """Return max_size where combinations of any size are not found in a moment."""
    most = None if facts.width is None else facts.width.max_size
    return {} if most is None else {"max_size": most}


def _of_width(facts: Facts, consequence: str) -> tuple[str, ...]:
    """Return what a search in a wide table takes, and what max_size comes to."""
    if facts.width is None or facts.width.is_done:
        return ()
    most = facts.width.max_size
    looked = f"With --max-size {most} those of at most {most} values are looked for"
    return (f"{facts.width.sentence} {looked}; {consequence}",)


def generalize(facts: Facts, k: int, method: str, reason: str) -> Advice:
    """Return groups in place of values; with l = 2 where there are sensitive columns."""
    quasi = [name for name in facts.n_values if facts.roles[name] == "quasi"]
    diverse = {"l": 2} if facts.diverse else {}
    model = "k-anonymity and l-diversity" if diverse else "k-anonymity"
    return Advice(
        method=method,
        model=f"{model} with k = {k}" + (", l = 2" if diverse else ""),
        reason=reason,
        arguments=_arguments(facts, method, k=k, **diverse),
        not_protected=(
            *never_protected("groups are shown"), *other_columns(tuple(facts.n_values), quasi)
        ),
        notes=(FLAT,) if facts.diverse or not facts.sensitive else (FLAT, not_diverse(facts)),
    )  # fmt: skip


def not_diverse(facts: Facts) -> str:
    """Return why no diversity is proposed for columns that seem to be sensitive."""
    return (
        f"Of {' or '.join(facts.sensitive)} one value is had by more than half of all, or there is "
        "but one: l-diversity is not proposed, and what a class has in common can be learnt."
    )


def dp_mii_suppress(facts: Facts, epsilon: Fraction, reason: str) -> Advice:
    """Return a sample of the rows, with differential privacy."""
    delta = delta_for(facts.n_rows)
    notes = [BINS_SEEN] if facts.is_cut else []
    needed = shown_from(facts, epsilon)
    if needed >= 1:
        notes.append(
            f"{facts.n_rows:,} rows are too few: a value would be shown if more rows shared it "
            "than there are. Take fewer columns, more rows or a larger epsilon."
        )
    else:
        notes.append(
            f"A value, or two values together, is shown if about {needed:.1%} of the rows share "
            "it; the others are suppressed, and only a sample of the rows is published."
        )
    return Advice(
        method="dp-mii-suppress",
        # Without lists in the policy they are read from the table.
        model=f"{IF_PUBLIC}{synthetic.APPROXIMATE} with epsilon = {_decimal(epsilon)}",
        reason=reason,
        arguments=_arguments(
            facts, "dp-mii-suppress", epsilon=_decimal(epsilon), delta=delta, k=K_OF_SAMPLE
        ),
        not_protected=DP_ROWS_OPEN,
        notes=tuple(notes),
    )  # fmt: skip


def shown_from(facts: Facts, epsilon: Fraction) -> float:
    """Return the share of rows from which on dp-mii-suppress shows a value."""
    plan = make_plan(
        columns=tuple(facts.n_values), scheme="dp", k=K_OF_SAMPLE, epsilon=epsilon,
        delta=Fraction(delta_for(facts.n_rows)), beta=None, theta=None, split_rate=None,
        scheme_epsilon=None,
    )  # fmt: skip
    return plan.theta / (float(plan.split_rate or 1) * max(facts.n_rows, 1))


def synthesize(facts: Facts, epsilon: Fraction, reason: str, *, local: bool = False) -> Advice:
    """Return synthetic rows; with local trust, every cell randomized first."""
    given = {"delta": delta_for(facts.n_rows)}
    if local:
        # Who randomizes a cell has to know which values there are; public lists are better.
        given = {"trust": "local", "values": "from-data"}
    notes = [_accuracy(facts, epsilon, local=local)]
    notes += [BINS_SEEN] if facts.is_cut else []
    notes += [HELD] if local else []
    model = IF_PUBLIC + synthetic.LOCAL if local else synthetic.APPROXIMATE
    return Advice(
        method="synthesize",
        model=f"{model} with epsilon = {_decimal(epsilon)}",
        reason=reason,
        arguments=_arguments(facts, "synthesize", epsilon=_decimal(epsilon), **given),
        not_protected=(
            *((synthetic.TAKEN, synthetic.N_ROWS) if local else ()),
            synthetic.PURPOSE,
            synthetic.RELATIVES,
            synthetic.ACCURACY,
            synthetic.REPEATED,
        ),
        notes=tuple(notes),
    )  # fmt: skip


def _accuracy(facts: Facts, epsilon: Fraction, *, local: bool) -> str:
    """Return the error of counts, and which epsilon would do if they are noise."""

    def expected(loss: Fraction) -> tuple[bool, str]:
        if local:
            far = expected_errors(facts.n_values, epsilon=loss, n_rows=facts.n_rows, split="pairs")
            return any(far.is_noise_by_size[:2]), far.sentence
        delta = Fraction(delta_for(facts.n_rows))
        near = expected_pair_errors(facts.n_values, epsilon=loss, delta=delta, n_rows=facts.n_rows)
        return near.is_noise, near.sentence

    is_noise, sentence = expected(epsilon)
    if not is_noise:
        return sentence
    enough = next((e for e in LARGER if e > epsilon and not expected(Fraction(e))[0]), None)
    more = "no epsilon up to 16 would do" if enough is None else f"epsilon {enough} would do"
    return f"{sentence} With these rows and columns, {more}."


def patterns(facts: Facts, k: int, method: Method, reason: str) -> Advice:
    """Return frequent itemsets that disclose no small group."""
    least = max(k, -(-facts.n_rows // 20))
    return Advice(
        method=f"patterns-{method}",
        model=f"k-anonymous patterns with k = {k}",
        reason=reason,
        arguments=_arguments(facts, f"patterns-{method}", min_support=least, k=k),
        not_protected=pattern_guarantee(
            method, k=k, min_support=least, n_rows=facts.n_rows
        ).not_protected,
    )  # fmt: skip


def randomize(facts: Facts, epsilon: Fraction, reason: str) -> Advice:
    """Return every transaction randomized, within a local epsilon."""
    rho = next(
        (
            Fraction(step, 100)
            for step in range(1, 100)
            if log_above(gamma_of_cut_and_paste(CUTOFF, Fraction(step, 100), CUTOFF)) <= epsilon
        ),
        Fraction(99, 100),
    )
    reached = log_above(gamma_of_cut_and_paste(CUTOFF, rho, CUTOFF))
    foreign = float(rho) * facts.n_values["items"]
    notes = [HELD, NEVER_HELD]
    if foreign > MANY_ITEMS:
        notes.append(
            f"There are {facts.n_values['items']:,} items: each transaction will get about "
            f"{foreign:,.0f} that are not its own, which makes large files and rough estimates. "
            "Group the items, such as products to kinds of product, first."
        )
    if reached > epsilon:
        notes.append(
            f"No cut-and-paste of {CUTOFF} items has an epsilon of {_decimal(epsilon)}: this one "
            f"has {reached:.2f}."
        )
    return Advice(
        method="randomize",
        # Without a list in the command the items are those of the file.
        model=f"{IF_ITEMS_PUBLIC}{randomized.LOCAL} with epsilon of at most {reached:.2f}",
        reason=reason,
        arguments=_arguments(facts, "randomize", cutoff=CUTOFF, rho=_decimal(rho)),
        not_protected=(
            randomized.SIZES, randomized.TAKEN, randomized.PURPOSE, randomized.SENT
        ),
        notes=tuple(notes),
    )  # fmt: skip


def _arguments(facts: Facts, method: str, **options: object) -> tuple[str, ...]:
    """Return the command that runs a method on the file, read as it was looked at."""
    return (*METHODS[method].arguments(facts.file, options), *OUT, *facts.options)


def other_methods(*chosen: str) -> tuple[str, ...]:
    """Return the methods that publish the same as the first of some, and can claim the same.

    Examples
    --------
    >>> other_methods("k-mii", "set-cover")
    ('forest', 'agglomerative', 'mondrian', 'datafly', 'incognito')
    """
    first = METHODS[chosen[0]]
    return tuple(
        name
        for name, record in METHODS.items()
        if record.publishes == first.publishes
        and {*record.claims} & {*first.claims}
        and name not in chosen
    )


def delta_for(n_rows: int) -> str:
    """Return a delta far below one over the number of rows, at most 1e-6.

    Examples
    --------
    >>> delta_for(100), delta_for(30_162)
    ('1e-6', '1e-8')
    """
    return f"1e-{max(6, len(str(n_rows)) + 3)}"


def _decimal(number: Fraction) -> str:
    """Return a number as a person writes it."""
    return f"{float(number):g}"


def _about(person: PersonSuggestion | None) -> str:
    """Return what to decide about people before the command is run, in a sentence or two."""
    if person is None:
        return ""
    if person.repeats:
        return (
            f"People: {person.column} seems to say whose each row is ({person.reason}). With "
            f"--person {shlex.quote(person.column)} the command protects people, however many "
            "rows they have. Put --one-row-per-person in its place only if you know that every "
            "row is another person."
        )
    return (
        f"People: {person.column} seems to say whose each row is ({person.reason}). If you know "
        "that every row is another person, add --one-row-per-person: the guarantee is about "
        "people then, not about rows."
    )


# What is recommended for a file: one method, why, how to run it, and the second best.


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One way to publish.

    Attributes
    ----------
    method : str
        Its name in commands, policies and certificates.
    model : str
        What its certificate will claim.
    reason : str
        Why it is recommended, or why it comes second.
    arguments : tuple of str
        The command to run next, word by word.
    not_protected : tuple of str
        What it does not protect: sentences of its certificate.
    notes : tuple of str
        What to know before it is run.
    """

    method: str
    model: str
    reason: str
    arguments: tuple[str, ...]
    not_protected: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command to run next, as a shell takes it."""
        return shlex.join(("discreet", *self.arguments))

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "method": self.method,
            "model": self.model,
            "reason": self.reason,
            "command": self.command,
            "arguments": list(self.arguments),
            "not_protected": list(self.not_protected),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Result):
    """What was asked, what was seen in the file, and what is recommended.

    Attributes
    ----------
    publish, to, promise : str
        The three answers.
    facts : Facts
        What was seen in the file.
    first : Advice
        What is recommended.
    second : Advice or None
        The runner-up.
    others : tuple of str
        Other methods that publish the same and can claim it.
    """

    publish: str
    to: str
    promise: str
    facts: Facts
    first: Advice
    second: Advice | None
    others: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The recommendation in one sentence."""
        return f"{self.first.method} ({self.first.model}): {self.first.reason}"

    def __repr__(self) -> str:
        return f"Choice: {self.sentence}"

    def __str__(self) -> str:
        """Return the recommendation as lines of text."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return what a person reads, a sentence a line."""
        first, second = self.first, self.second
        lines = [self.facts.sentence, *filter(None, [_about(self.facts.person)])]
        lines.append(f"Recommended: {self.sentence}")
        lines += [f"Note: {each}" for each in first.notes]
        lines += ["Next:", f"  {first.command}", "It will not protect:"]
        lines += [f"  {each}" for each in first.not_protected]
        if second is not None:
            lines += [f"Second: {second.method} ({second.model}): {second.reason}"]
            lines += [f"Note: {each}" for each in second.notes if each not in first.notes]
            lines += [f"  {second.command}"]
        if self.others:
            lines += [f"Others: {', '.join(self.others)}; see discreet protect METHOD --help."]
        return lines

    def preview(self) -> Preview:
        """Return one row for each method."""
        rows = [
            (place, each.method, each.model, each.reason, each.command)
            for place, each in (("first", self.first), ("second", self.second))
            if each is not None
        ]
        header = ("", "method", "claim", "why", "command")
        return Preview(title=self.facts.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "publish": self.publish,
            "to": self.to,
            "promise": self.promise,
            "facts": self.facts.to_dict(),
            "first": self.first.to_dict(),
            "second": None if self.second is None else self.second.to_dict(),
            "others": list(self.others),
        }
