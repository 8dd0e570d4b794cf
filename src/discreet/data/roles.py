"""What each column is to an attacker, declared by the curator or suggested from the data.

An identifying column names a person; quasi-identifiers may be known from elsewhere; sensitive
columns are what must not be learnt; insensitive columns are harmless.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from discreet.data.binning import Carried


Role: TypeAlias = Literal["identifying", "quasi", "sensitive", "insensitive"]

ROLES: tuple[Role, ...] = get_args(Role)


class HasRoles:
    """Base of the table: which column has which role."""

    __slots__ = ()
    _roles: dict[str, Role]
    carried: Mapping[str, Carried]

    @property
    def roles(self) -> Mapping[str, Role]:
        """Column to role."""
        return MappingProxyType(self._roles)

    def role(self, column: str) -> Role:
        """Return the role of a column."""
        if column not in self._roles:
            raise ParameterError(
                f"There is no column {column!r}.",
                column=column,
                remedy=did_you_mean(str(column), self._roles),
            )
        return self._roles[column]

    @property
    def quasi(self) -> tuple[str, ...]:
        """Columns that may be known from elsewhere."""
        return tuple(name for name, role in self._roles.items() if role == "quasi")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Columns that must not be learnt."""
        return tuple(name for name, role in self._roles.items() if role == "sensitive")

    @property
    def identifying(self) -> tuple[str, ...]:
        """Columns that name a person; no release contains them."""
        return tuple(name for name, role in self._roles.items() if role == "identifying")

    @property
    def insensitive(self) -> tuple[str, ...]:
        """Columns that are harmless."""
        return tuple(name for name, role in self._roles.items() if role == "insensitive")

    def refuse_carried(self, what: str, columns: Iterable[str] | None = None) -> None:
        """Raise ParameterError if columns, by default all, have one that is carried along."""
        for name in self._roles if columns is None else columns:
            if name in self.carried:
                raise ParameterError(
                    f"Column '{name}' is only carried along, and {what}.",
                    parameter="carried",
                    column=name,
                    remedy="Give it bins in place of that, or leave it out.",
                )


def check_roles(roles: Mapping[str, str] | None, columns: Collection[str]) -> dict[str, Role]:
    """Return the role of every column, quasi where none is given.

    Parameters
    ----------
    roles : mapping, optional
        Column to role.
    columns : collection of str
        All columns of the table.

    Returns
    -------
    dict
        Column to role, in the order of ``columns``.

    Raises
    ------
    ParameterError
        If a column or a role is not known.

    Examples
    --------
    >>> check_roles({"age": "quasi", "income": "sensitive"}, ["age", "income", "sex"])
    {'age': 'quasi', 'income': 'sensitive', 'sex': 'quasi'}
    """
    given = dict(roles or {})
    for column, role in given.items():
        if column not in columns:
            raise ParameterError(
                f"A role is given for column '{column}', which is not in the table.",
                parameter="roles",
                column=column,
                remedy=did_you_mean(str(column), columns),
            )
        if role not in ROLES:
            raise ParameterError(
                f"'{role}' is not a role (column '{column}').",
                parameter="roles",
                column=column,
                remedy=did_you_mean(str(role), ROLES),
            )
    return {column: cast("Role", given.get(column, "quasi")) for column in columns}
