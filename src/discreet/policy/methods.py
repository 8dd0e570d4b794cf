"""The methods a policy can name: the options of each, and the function that does the work.

A new method is one class here and one entry in :data:`AnyMethod`; reading policies, ``protect``,
``run`` and ``plan`` then know it.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

from pydantic import Field, field_validator, model_validator

from discreet.errors import ParameterError
from discreet.policy.section import ExactNumber, Names, Section, Values

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction
    from typing import Unpack

    from discreet.data.table import Table
    from discreet.data.transactions import Transactions
    from discreet.mine.limits import Limits
    from discreet.patterns.certified import Certified
    from discreet.patterns.sanitized import Sanitized
    from discreet.release.release import Release

Read: TypeAlias = "Callable[[str], Table]"
_COLUMNS = "The columns that the claim covers; all but the identifying ones by default."


def no_files(file: str) -> Table:
    """Refuse to read, where nobody said how."""
    raise ParameterError(f"{file} can only be read by a policy.")


class Method(Section):
    """The options of one way to protect a table."""

    columns: Names | None = Field(default=None, description=_COLUMNS, examples=[["age", "sex"]])

    @abstractmethod
    def protect(self, table: Table, *, read: Read = no_files, **limits: Unpack[Limits]) -> Release:
        """Return the release of a table; ``read`` gives other tables, by file name."""

    @abstractmethod
    def at(self, k: int) -> Method:
        """Return the same method for classes of ``k``, to compare settings with."""


class KMii(Method):
    """Hide rare combinations, then drop or hide the rows that fewer than k share."""

    name: Literal["k-mii"] = "k-mii"
    k: int = Field(ge=2, description="Every released row is the same as at least k - 1 others.")
    leftover: Literal["drop", "suppress"] = Field(
        default="drop",
        description="Rows in smaller classes are dropped, or kept with all cells hidden.",
    )
    sample_size: int | None = Field(
        default=None,
        ge=1,
        description="Look for rare combinations in so many rows only: faster, hides more or less.",
        examples=[10_000],
    )

    def protect(self, table: Table, *, read: Read = no_files, **limits: Unpack[Limits]) -> Release:
        """Return the k-anonymous release of a table."""
        del read
        from discreet.suppress.k_mii import k_mii

        sample = {} if self.sample_size is None else {"sample_size": self.sample_size}
        return k_mii(
            table, k=self.k, leftover=self.leftover, columns=self.columns, **sample, **limits
        )

    def at(self, k: int) -> KMii:
        """Return the same options with another k."""
        return self.model_copy(update={"k": k})


class MiiSuppress(Method):
    """Hide the cells of rare combinations; no row is dropped, and classes may be small."""

    name: Literal["mii-suppress"] = "mii-suppress"
    theta: int = Field(
        ge=1, description="A combination of values is rare if at most theta rows share it."
    )

    def protect(self, table: Table, *, read: Read = no_files, **limits: Unpack[Limits]) -> Release:
        """Return the release in which no visible combination is rare."""
        del read
        from discreet.suppress.mii import mii_suppress

        return mii_suppress(table, theta=self.theta, columns=self.columns, **limits)

    def at(self, k: int) -> MiiSuppress:
        """Return the same options with theta = k - 1."""
        return self.model_copy(update={"theta": k - 1})


class DpMiiSuppress(Method):
    """Publish a sample of the rows, suppressed by a scheme, with differential privacy."""

    name: Literal["dp-mii-suppress"] = "dp-mii-suppress"
    epsilon: ExactNumber = Field(
        description="Privacy loss, more than 0; a smaller one protects more. Exact decimal."
    )
    delta: ExactNumber = Field(
        description="Chance that the loss is larger, more than 0 and far below 1 / rows. Exact."
    )
    k: int = Field(ge=2, description="Rows of which fewer than k are sampled alike are left out.")
    scheme: Literal["dp", "public", "split"] = Field(
        default="dp",
        description="How the cells to hide are learnt: with noise, from a public table, or as is.",
    )
    public: str | None = Field(
        default=None,
        min_length=1,
        description='For "public": a table that anybody may see, read like the source.',
        examples=["public.csv"],
    )
    domains: dict[str, Values] | None = Field(
        default=None,
        description='For "dp": the values each column can have, from public knowledge.',
        examples=[{"sex": ["f", "m"]}],
    )
    split_rate: ExactNumber | None = Field(
        default=None,
        description='For "dp" and "split": share of the rows that train and are not published.',
        examples=[0.3],
    )
    scheme_epsilon: ExactNumber | None = Field(
        default=None,
        description='For "dp": privacy loss of the rows that train; epsilon by default.',
        examples=[1],
    )
    theta: int | None = Field(
        default=None,
        ge=0,
        description="What so many training rows share at most is hidden; computed by default.",
        examples=[20],
    )
    beta: ExactNumber | None = Field(
        default=None,
        description="Share of the rows to sample; the largest that delta allows by default.",
        examples=[0.1],
    )

    @field_validator("epsilon", "scheme_epsilon")
    @classmethod
    def _check_epsilon(cls, epsilon: Fraction | None) -> Fraction | None:
        if epsilon is not None and epsilon <= 0:
            raise ParameterError(f"a number more than 0, not {float(epsilon):g}")
        return epsilon

    @field_validator("delta", "split_rate", "beta")
    @classmethod
    def _check_share(cls, share: Fraction | None) -> Fraction | None:
        if share is not None and not 0 < share < 1:
            raise ParameterError(f"a number more than 0 and less than 1, not {float(share):g}")
        return share

    def protect(self, table: Table, *, read: Read = no_files, **limits: Unpack[Limits]) -> Release:
        """Return the differentially private release of a table."""
        from discreet.suppress.dp_mii import dp_mii_suppress

        return dp_mii_suppress(
            table,
            epsilon=self.epsilon,
            delta=self.delta,
            k=self.k,
            scheme=self.scheme,
            columns=self.columns,
            domains=self.domains,
            public=None if self.public is None else read(self.public),
            split_rate=self.split_rate,
            scheme_epsilon=self.scheme_epsilon,
            theta=self.theta,
            beta=self.beta,
            **limits,
        )

    def at(self, k: int) -> DpMiiSuppress:
        """Return the same options with another k."""
        return self.model_copy(update={"k": k})


class Patterns(Method):
    """Publish frequent itemsets, not rows, in a way that tells no small group apart."""

    columns: Names | None = Field(
        default=None,
        description="The columns that itemsets are about; all but the identifying ones by default.",
        examples=[["age", "sex"]],
    )
    k: int = Field(ge=2, description="No group of fewer rows can be told apart.")
    min_support: int | None = Field(
        default=None,
        ge=1,
        description="Least number of rows of an itemset; or give min_frequency.",
        examples=[100],
    )
    min_frequency: ExactNumber | None = Field(
        default=None,
        description="Least share of the rows, in place of min_support.",
        examples=[0.1],
    )

    @model_validator(mode="after")
    def _one_threshold(self) -> Patterns:
        if (self.min_support is None) == (self.min_frequency is None):
            raise ParameterError("a patterns method has min_support or min_frequency: give one")
        if self.min_frequency is not None and not 0 < self.min_frequency <= 1:
            raise ParameterError("min_frequency is a share, more than 0 and at most 1")
        return self

    def protect(
        self, table: Table | Transactions, *, read: Read = no_files, **limits: Unpack[Limits]
    ) -> Release:
        """Return the release of the frequent itemsets of a table or of transactions."""
        del read
        from discreet.data.table import Table
        from discreet.patterns.release import pattern_release

        if isinstance(table, Table):
            wrong = next((n for n in self.columns or () if n in table.identifying), None)
            if wrong is not None:
                raise ParameterError(
                    f"Column '{wrong}' is identifying, and no itemset may speak of it: leave it "
                    "out of columns."
                )
        elif self.columns is not None:
            raise ParameterError("columns are those of a table; transactions have none.")
        made = self._sanitize(table, **limits)
        return pattern_release(made, source=table, columns=self.columns)

    @abstractmethod
    def _sanitize(
        self, data: Table | Transactions, **limits: Unpack[Limits]
    ) -> Sanitized | Certified:
        """Return what is to be published."""

    @property
    def _frequency(self) -> float | None:
        return None if self.min_frequency is None else float(self.min_frequency)

    def at(self, k: int) -> Patterns:
        """Return the same options with another k."""
        return self.model_copy(update={"k": k})


class PatternsAdditive(Patterns):
    """Raise supports until no small group is left; no itemset is lost."""

    name: Literal["patterns-additive"] = "patterns-additive"
    quasi: Names | None = Field(
        default=None,
        description="Those columns that others can know of a person; all by default.",
        examples=[["age", "sex"]],
    )

    def _sanitize(self, data: Table | Transactions, **limits: Unpack[Limits]) -> Sanitized:
        from discreet.patterns.additive import additive

        return additive(
            data, k=self.k, min_support=self.min_support, min_frequency=self._frequency,
            columns=self.columns, quasi=self.quasi, **limits,
        )  # fmt: skip


class PatternsSuppressive(Patterns):
    """Leave out the rows of small groups; supports are those of the other rows."""

    name: Literal["patterns-suppressive"] = "patterns-suppressive"

    def _sanitize(self, data: Table | Transactions, **limits: Unpack[Limits]) -> Sanitized:
        from discreet.patterns.suppressive import suppressive

        return suppressive(
            data, k=self.k, min_support=self.min_support, min_frequency=self._frequency,
            columns=self.columns, **limits,
        )  # fmt: skip


class PatternsCertified(Patterns):
    """Publish the itemsets of rows in large groups, and these rows as a proof."""

    name: Literal["patterns-certified"] = "patterns-certified"

    def _sanitize(self, data: Table | Transactions, **limits: Unpack[Limits]) -> Certified:
        from discreet.patterns.certified import certified

        return certified(
            data, k=self.k, min_support=self.min_support, min_frequency=self._frequency,
            columns=self.columns, **limits,
        )  # fmt: skip


AnyMethod: TypeAlias = Annotated[
    KMii | MiiSuppress | DpMiiSuppress | PatternsAdditive | PatternsSuppressive | PatternsCertified,
    Field(discriminator="name"),
]
METHODS: dict[str, type[Method]] = {
    each.model_fields["name"].default: each for each in get_args(get_args(AnyMethod)[0])
}
