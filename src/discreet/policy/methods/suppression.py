"""Methods that hide cells and leave out rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator

from discreet.errors import ParameterError
from discreet.policy.methods.base import Method, no_files
from discreet.policy.section import ExactNumber, Values

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Unpack

    from discreet.data.table import Table
    from discreet.limits import Limits
    from discreet.policy.methods.base import Read, Trees
    from discreet.release.release import Release


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

    def protect(
        self,
        table: Table,
        *,
        read: Read = no_files,
        hierarchies: Trees = None,
        **limits: Unpack[Limits],
    ) -> Release:
        """Return the k-anonymous release of a table."""
        del read, hierarchies
        from discreet.suppress.mii import k_mii

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

    def protect(
        self,
        table: Table,
        *,
        read: Read = no_files,
        hierarchies: Trees = None,
        **limits: Unpack[Limits],
    ) -> Release:
        """Return the release in which no visible combination is rare."""
        del read, hierarchies
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

    @property
    def lists_values(self) -> bool:
        """Whether the values of all columns are listed."""
        return self.domains is not None

    def protect(
        self,
        table: Table,
        *,
        read: Read = no_files,
        hierarchies: Trees = None,
        **limits: Unpack[Limits],
    ) -> Release:
        """Return the differentially private release of a table."""
        del hierarchies
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
