"""The section of a policy that says how messy cells are mended, and lines of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from discreet.data.repair.rules import Repair
from discreet.policy.section import Names, Section, toml_key, toml_value


class ColumnRepair(Section):
    """How the cells of one column are mended, in this order, before anything else is done."""

    trim: bool = Field(
        default=False, description="Drop blanks at both ends, and all but one between words."
    )
    missing: Names = Field(
        default=(), description="Cells that mean missing.", examples=[["?", "NA"]]
    )
    case: Literal["lower", "upper"] | None = Field(
        default=None, description="Write all letters small, or all large.", examples=["lower"]
    )
    values: dict[str, str] = Field(
        default_factory=dict,
        description="What stands there, and what it means.",
        examples=[{"m": "male", "M": "male"}],
    )
    number: bool = Field(default=False, description="Cells are numbers.")
    decimal: Literal[".", ",", "either"] | None = Field(
        default=None, description="Cells are numbers, with this before decimals.", examples=[","]
    )
    thousands: Literal[".", ",", " ", "'"] | None = Field(
        default=None, description="Cells are numbers, with this between thousands.", examples=["."]
    )
    date: Literal["day-first", "month-first", "year-first"] | None = Field(
        default=None,
        description="Cells are dates in this order; a year of four digits may always come first.",
        examples=["day-first"],
    )
    excel_dates: bool = Field(
        default=False, description="Whole numbers are dates as Excel counts days."
    )
    century: int | None = Field(
        default=None,
        description="First of the hundred years that two digits can mean.",
        examples=[1930],
    )
    drop_time: bool = Field(default=False, description="Drop the time of day behind dates.")
    period: str | int | None = Field(
        default=None,
        description="Dates are shown by month, quarter, year, decade, or rounds of so many years.",
        examples=["month"],
    )
    age_of: Names = Field(
        default=(),
        description="A new column: the age in years of who was born on the first date, on the "
        "second.",
        examples=[["born", "admitted"]],
    )
    yes: Names = Field(default=(), description="Cells that mean true.", examples=[["yes", "1"]])
    no: Names = Field(default=(), description="Cells that mean false.", examples=[["no", "0"]])
    other: Literal["refuse", "missing"] = Field(
        default="refuse",
        description="Cells that are no number, date, or yes or no: an error, or missing.",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> ColumnRepair:
        self.to_repair()
        return self

    def to_repair(self) -> Repair:
        """Return what mends the column."""
        return Repair(**self.model_dump())


def repair_line(column: str, repair: Repair) -> str:
    """Return the line of a policy that mends a column.

    Examples
    --------
    >>> from discreet.data.repair.rules import Repair
    >>> print(repair_line("weight", Repair(decimal=",", missing=["?"])))
    weight = { missing = ["?"], decimal = "," }
    """
    return f"{toml_key(column)} = {toml_value(repair.to_dict())}"
