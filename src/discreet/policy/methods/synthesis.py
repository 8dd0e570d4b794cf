"""Rows that are nobody's, drawn in place of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from discreet.data.domains import lists_in_file
from discreet.errors import ParameterError
from discreet.policy.methods.base import Method, no_files
from discreet.policy.section import ExactNumber, Values

if TYPE_CHECKING:
    from typing import NoReturn, Unpack

    from discreet.data.domains import DomainsLike
    from discreet.data.table import Table
    from discreet.limits import Limits
    from discreet.policy.methods.base import Read, Trees
    from discreet.release.release import Release
    from discreet.synthesize.expected import ExpectedErrors, ExpectedPairErrors


class Synthesize(Method):
    """Draw rows from a differentially private model of the table."""

    keeps_rows = False
    planned_by = "discreet plan, or plan_stand_in, tells how far off its counts will be."

    name: Literal["synthesize"] = "synthesize"
    epsilon: ExactNumber = Field(
        description="Privacy loss of a row, more than 0; a smaller one protects more. Exact."
    )
    delta: ExactNumber = Field(
        default=0,
        validate_default=True,
        description="Chance that the loss is larger, far below 1 / rows; 0 needs more noise.",
        examples=["1e-9"],
    )
    trust: Literal["central", "local"] = Field(
        default="central",
        description="Noise on what is measured, or cells randomized before anything is learnt.",
    )
    generator: Literal["marginals", "krimp"] = Field(
        default="marginals", description="What rows are drawn from; krimp is coarser."
    )
    label: str | None = Field(
        default=None, description="A column that is drawn first, such as a class.", examples=["sex"]
    )
    n_rows: int | None = Field(
        default=None,
        ge=1,
        description="How many rows to draw; about as many as there are by default.",
        examples=[1000],
    )
    domains: dict[str, Values] | None = Field(
        default=None,
        description="The values each column can have, from public knowledge; else those that occur "
        "are told.",
        examples=[{"sex": ["f", "m"]}],
    )
    public: str | None = Field(
        default=None,
        min_length=1,
        description="In place of domains: a table that has every value, read like the source. An "
        "empty cell above the last value of a column says that cells may be missing.",
        examples=["values.csv"],
    )

    @model_validator(mode="after")
    def _check(self) -> Synthesize:
        if self.epsilon <= 0:
            raise ParameterError(f"epsilon is more than 0, not {float(self.epsilon):g}")
        if not 0 <= self.delta < 1:
            raise ParameterError(f"delta is from 0 to less than 1, not {float(self.delta):g}")
        if self.domains is not None and self.public is not None:
            raise ParameterError("the values of columns are in domains or in public: give one")
        return self

    def protect(
        self,
        table: Table,
        *,
        read: Read = no_files,
        hierarchies: Trees = None,
        **limits: Unpack[Limits],
    ) -> Release:
        """Return a release of drawn rows, and how far off their supports are expected to be."""
        del hierarchies
        from discreet.synthesize import synthetic_release

        made = synthetic_release(
            table, epsilon=self.epsilon, delta=self.delta, trust=self.trust, n_rows=self.n_rows,
            label=self.label, columns=self.columns, domains=self._domains(read),
            generator=self.generator, threads=limits.get("threads"),
            progress=limits.get("progress"),
        )  # fmt: skip
        return replace(made, loss=self.expected(table, read=read))

    def expected(
        self, table: Table, *, read: Read = no_files
    ) -> ExpectedErrors | ExpectedPairErrors:
        """Return how far off supports will be; nothing is spent."""
        from discreet.synthesize import plan_synthesis

        return plan_synthesis(
            table, epsilon=self.epsilon, delta=self.delta, trust=self.trust, columns=self.columns,
            domains=self._domains(read),
        )  # fmt: skip

    @property
    def lists_values(self) -> bool:
        """Whether the values of all columns are listed, here or in a file."""
        return self.domains is not None or self.public is not None

    def _domains(self, read: Read) -> DomainsLike | None:
        return self.domains if self.public is None else lists_in_file(read(self.public))

    def at(self, k: int) -> NoReturn:
        """Refuse: there are no classes."""
        raise ParameterError(f"No classes of {k} rows are made by synthesize. {self.planned_by}")
