"""What every method of a policy has in common: its columns, and the function that does the work."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from pydantic import Field

from discreet.errors import ParameterError
from discreet.policy.section import Names, Section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Unpack

    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table
    from discreet.limits import Limits
    from discreet.release.release import Release

Read: TypeAlias = "Callable[[str], Table]"
Trees: TypeAlias = "Mapping[str, Hierarchy] | None"
_COLUMNS = "The columns that the claim covers; all but the identifying ones by default."


def no_files(file: str) -> Table:
    """Refuse to read, where nobody said how."""
    raise ParameterError(f"{file} can only be read by a policy.")


class Method(Section):
    """The options of one way to protect a table."""

    keeps_rows: ClassVar[bool] = True  # whether each released row is one of the original's
    planned_by: ClassVar[str] = ""  # what tells the cost of a method that does not keep them

    columns: Names | None = Field(default=None, description=_COLUMNS, examples=[["age", "sex"]])

    @property
    def lists_values(self) -> bool:
        """Whether the values of all columns are listed, so that no number is a measurement."""
        return False

    @abstractmethod
    def protect(
        self,
        table: Table,
        *,
        read: Read = no_files,
        hierarchies: Trees = None,
        **limits: Unpack[Limits],
    ) -> Release:
        """Return the release of a table; ``read`` gives other tables, by file name."""

    def named_columns(self) -> Iterator[tuple[str, tuple[str | int, ...]]]:
        """Yield every column that an option names, with the option and its place in a list."""
        for number, name in enumerate(self.columns or ()):
            yield name, ("columns", number)

    def covered(self, table: Table) -> tuple[str, ...]:
        """Return the columns of a table that the claim will be about."""
        return self.columns or tuple(n for n in table.columns if n not in table.identifying)

    @abstractmethod
    def at(self, k: int) -> Method:
        """Return the same method for classes of ``k``, to compare settings with."""
