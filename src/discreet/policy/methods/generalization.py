"""Methods that show groups of hierarchies in place of values."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator, model_validator

from discreet.errors import ParameterError
from discreet.policy.methods.base import Method, no_files
from discreet.policy.section import ExactNumber, Names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction
    from typing import Unpack

    from discreet.data.table import Table
    from discreet.generalize.problem import Options
    from discreet.limits import Limits
    from discreet.policy.methods.base import Read, Trees
    from discreet.release.release import Release


class Generalization(Method):
    """Show groups of values in place of values, until every row is like k - 1 others."""

    name: str
    columns: Names | None = Field(
        default=None,
        description="The columns to generalize; the quasi-identifiers by default.",
        examples=[["age", "sex"]],
    )
    k: int = Field(ge=2, description="Every released row is the same as at least k - 1 others.")
    loss: Literal["lm", "entropy", "tree", "suppression", "plain_entropy"] = Field(
        default="lm", description="What is to be small."
    )
    l: ExactNumber | None = Field(  # noqa: E741  the paper's letter
        default=None,
        description="l-diversity of the sensitive columns in every class, at least 1.",
        examples=[3],
    )
    diversity: Literal["distinct", "entropy", "recursive"] = Field(
        default="distinct", description="Which l-diversity."
    )
    c: ExactNumber | None = Field(
        default=None, description="The ratio of recursive (c, l)-diversity.", examples=[2]
    )
    t: ExactNumber | None = Field(
        default=None,
        description="t-closeness of the sensitive columns in every class, from 0 to 1.",
        examples=[0.2],
    )
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        default="equal", description="Between sensitive values, for t-closeness."
    )
    sensitive: Names | None = Field(
        default=None,
        description="The columns that l and t are about; those with that role by default.",
        examples=[["diagnosis"]],
    )
    weights: str | None = Field(
        default=None,
        min_length=1,
        description="A column of numbers: how many people a row stands for.",
        examples=["weight"],
    )
    households: str | None = Field(
        default=None,
        min_length=1,
        description="A column that says which rows belong together; a class has k of them.",
        examples=["household"],
    )

    @field_validator("l")
    @classmethod
    def _check_l(cls, low: Fraction | None) -> Fraction | None:
        if low is not None and low < 1:
            raise ParameterError(f"a number of at least 1, not {float(low):g}")
        return low

    @field_validator("c")
    @classmethod
    def _check_c(cls, ratio: Fraction | None) -> Fraction | None:
        if ratio is not None and ratio <= 0:
            raise ParameterError(f"a number more than 0, not {float(ratio):g}")
        return ratio

    @field_validator("t")
    @classmethod
    def _check_t(cls, near: Fraction | None) -> Fraction | None:
        if near is not None and not 0 <= near <= 1:
            raise ParameterError(f"a number from 0 to 1, not {float(near):g}")
        return near

    @model_validator(mode="after")
    def _check_together(self) -> Generalization:
        if (self.diversity == "recursive" and self.l is not None) != (self.c is not None):
            raise ParameterError('c belongs to diversity = "recursive" with an l, and only there')
        if self.l is not None and self.diversity != "entropy" and self.l.denominator != 1:
            raise ParameterError(f"l is a whole number for {self.diversity} diversity")
        return self

    def protect(
        self,
        table: Table,
        *,
        read: Read = no_files,
        hierarchies: Trees = None,
        **limits: Unpack[Limits],
    ) -> Release:
        """Return the release in which every row shows what its group has in common."""
        del read
        function = self.name.replace("-", "_")
        home = importlib.import_module("discreet.generalize")
        generalize: Callable[..., Release] = getattr(home, function)
        options = {**self._options(hierarchies), **self._own_options()}
        return generalize(table, k=self.k, **options, **limits)

    def _own_options(self) -> dict[str, object]:
        """Return the options that only this method has."""
        return {}

    def _options(self, hierarchies: Trees) -> Options:
        """Return the options that all methods of the family share."""
        return {
            "hierarchies": hierarchies or {},
            "columns": self.columns,
            "loss": self.loss,
            "sensitive": self.sensitive,
            "l": None if self.l is None else float(self.l),
            "diversity": self.diversity,
            "c": None if self.c is None else float(self.c),
            "t": None if self.t is None else float(self.t),
            "distance": self.distance,
            "weights": self.weights,
            "households": self.households,
        }

    def named_columns(self) -> Iterator[tuple[str, tuple[str | int, ...]]]:
        """Yield every column that an option names."""
        yield from super().named_columns()
        for number, name in enumerate(self.sensitive or ()):
            yield name, ("sensitive", number)
        if self.weights is not None:
            yield self.weights, ("weights",)
        if self.households is not None:
            yield self.households, ("households",)

    def covered(self, table: Table) -> tuple[str, ...]:
        """Return the columns that are generalized."""
        other = {self.weights, self.households}
        if self.l is not None or self.t is not None:
            other |= {*(self.sensitive or ())}
        return self.columns or tuple(name for name in table.quasi if name not in other)

    def at(self, k: int) -> Generalization:
        """Return the same options with another k."""
        return self.model_copy(update={"k": k})


class SetCover(Generalization):
    """Groups from a cover of the rows by frequent generalized combinations; proved near best."""

    name: Literal["set-cover"] = "set-cover"


class Forest(Generalization):
    """Groups from trees of nearest rows; proved to lose at most 3 (k - 1) times the least."""

    name: Literal["forest"] = "forest"


class Agglomerative(Generalization):
    """Groups that grow by joining the nearest ones; nothing is proved, often good."""

    name: Literal["agglomerative"] = "agglomerative"


class Mondrian(Generalization):
    """Groups from cutting the rows at one column after another; quick."""

    name: Literal["mondrian"] = "mondrian"


class FullDomain(Generalization):
    """Take whole columns up their hierarchy, and drop rows that still stand out."""

    max_dropped: ExactNumber | None = Field(
        default=None,
        description="Share of the rows that may be dropped; as the method has it by default.",
        examples=[0.01],
    )

    @field_validator("max_dropped")
    @classmethod
    def _check_share(cls, share: Fraction | None) -> Fraction | None:
        if share is not None and not 0 <= share <= 1:
            raise ParameterError(f"a number from 0 to 1, not {float(share):g}")
        return share

    def _own_options(self) -> dict[str, object]:
        return {} if self.max_dropped is None else {"max_dropped": float(self.max_dropped)}


class Datafly(FullDomain):
    """Whole columns go up their hierarchy, the one with most values first; a baseline."""

    name: Literal["datafly"] = "datafly"


class Incognito(FullDomain):
    """Whole columns go up their hierarchy as little as possible; a baseline."""

    name: Literal["incognito"] = "incognito"
