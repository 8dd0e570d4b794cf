"""Methods that publish patterns, not rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from discreet.errors import ParameterError
from discreet.policy.methods.base import Method, no_files
from discreet.policy.section import ExactNumber, Names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Unpack

    from discreet.data.table import Table
    from discreet.data.transactions import Transactions
    from discreet.limits import Limits
    from discreet.patterns.certified import Certified
    from discreet.patterns.collection import Sanitized
    from discreet.policy.methods.base import Read, Trees
    from discreet.release.release import Release


class Patterns(Method):
    """Publish frequent itemsets, not rows, in a way that tells no small group apart."""

    keeps_rows = False
    planned_by = "See what a support gives away with discreet.patterns.support_for_safety."

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
        self,
        table: Table | Transactions,
        *,
        read: Read = no_files,
        hierarchies: Trees = None,
        **limits: Unpack[Limits],
    ) -> Release:
        """Return the release of the frequent itemsets of a table or of transactions."""
        del read, hierarchies
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

    def named_columns(self) -> Iterator[tuple[str, tuple[str | int, ...]]]:
        """Yield the columns that options name, those that others can know too."""
        yield from super().named_columns()
        for number, name in enumerate(self.quasi or ()):
            yield name, ("quasi", number)

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
