"""The table a policy speaks of, read as the policy says."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.column import STATED
from discreet.data.files.fimi import read_transactions
from discreet.data.files.packed import find_file, inner_suffix
from discreet.data.hierarchy.check import Grouping, encode_column
from discreet.data.hierarchy.tree import Hierarchy
from discreet.data.read import load, read_table
from discreet.data.suggest_roles import suggest_roles
from discreet.data.table import Table
from discreet.errors import (
    DataError,
    DiscreetError,
    DiscreetWarning,
    HierarchyError,
    ParameterError,
    did_you_mean,
)
from discreet.policy.model import MAX_POLICY_BYTES, policy_from
from discreet.policy.section import toml_key, toml_string, toml_value
from discreet.release.folder import POLICY_FILE
from discreet.verify.files.bounded import ReadLimits, UnreadableError
from discreet.verify.files.folder import open_files

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from discreet.data.binning import BinsLike
    from discreet.data.column import Label
    from discreet.data.suggest_roles import PersonSuggestion, RoleSuggestions
    from discreet.data.transactions import Transactions
    from discreet.policy.model import Policy


_EMPTY = "{} has no rows to protect."


def load_data(policy: Policy) -> Table | Transactions:
    """Return the table of a policy, or its transactions if its method takes them.

    Parameters
    ----------
    policy : Policy
        The policy.

    Returns
    -------
    Table or Transactions
        What the method gets.

    Raises
    ------
    DataError
        If the file cannot be read as the policy says, or holds transactions for another method.
    ParameterError
        If the policy speaks of columns that the file has not.
    """
    path, takes = policy.source_path, policy.method.record.takes
    if inner_suffix(path) != ".dat" or "transactions" not in takes:
        if "table" not in takes:
            raise DataError(
                f"{path} is a table, and {policy.method.name} is for transactions: sets of items "
                "in a .dat file. For tables see discreet choose --help."
            )
        return load_source(policy)
    named = next(_named_columns(policy), None)
    if named is not None:
        name, place = named
        raise ParameterError(
            f"{policy.where(*place)}{path} holds transactions, which have no column '{name}'.",
            column=name,
        )
    baskets = read_transactions(path)
    if not len(baskets):
        raise DataError(_EMPTY.format(path))
    return baskets.stating(one_row_per_person=policy.source.one_row_per_person)


def load_source(policy: Policy) -> Table:
    """Return the table of a policy, columns binned and roles given.

    Parameters
    ----------
    policy : Policy
        The policy.

    Returns
    -------
    Table
        What the method gets.

    Raises
    ------
    DataError
        If the file cannot be read as the policy says.
    ParameterError
        If the policy names a column that the file has not; the line is named. If a column seems
        to say whose each row is, somebody has several, and nothing is stated of people.

    Warns
    -----
    DiscreetWarning
        If a column that is about to be published looks as if it identified people.
    """
    path = policy.source_path
    try:
        table = _read(policy, path)
    except DiscreetError as error:
        _refuse_unknown(policy, _bare(policy, path))
        if policy.path is not None and error.column in policy.repairs:
            raise _in_repairs(policy, error) from None
        raise
    if any(name not in table.columns for name, _ in _named_columns(policy)):
        _refuse_unknown(policy, _bare(policy, path))
    if not table.n_rows:
        raise DataError(_EMPTY.format(path))
    if len(table.identifying) == table.n_columns:
        raise ParameterError(
            f"{policy.where('roles')}All columns are identifying, so that nothing would be "
            "released.",
            parameter="roles",
            remedy="Give some another role.",
        )
    suggested = suggest_roles(table)
    warn_of_identifying(policy, suggested)
    refuse_unstated(policy, suggested.person)
    return table


def _in_repairs(policy: Policy, error: DiscreetError) -> DiscreetError:
    """Return an error about a column whose repair does not fit, with the line that would."""

    def as_line(name: str, value: object) -> str:
        if name != "repairs" or not isinstance(value, dict):
            return f"{name} = {toml_value(value)}"
        column, rules = next(iter(value.items()))
        return f"{toml_key(column)} = {toml_value(rules)}"

    where = policy.where("repairs", str(error.column))
    said = f"{where}{error.words(as_line)}"
    return type(error)(said, parameter=error.parameter, column=error.column)


def read_like(policy: Policy, file: str) -> Table:
    """Return another table, such as a public one, read in the way of the policy's source.

    It need not have every column that has a role.
    """
    path = policy.folder / file
    there = _bare(policy, path)
    if there is not None:
        roles = {name: role for name, role in policy.roles.items() if name in there.columns}
        repairs = {
            name: each
            for name, each in policy.repairs.items()
            if {*(each.age_of or (name,))} <= {*there.columns}
        }
        policy = policy.model_copy(update={"roles": roles, "repairs": repairs})
        if policy.source.person not in there.columns:
            source = policy.source.model_copy(update={"person": None})
            policy = policy.model_copy(update={"source": source})
    return _read(policy, path)


def refuse_unstated(policy: Policy, person: PersonSuggestion | None) -> None:
    """Raise ParameterError if somebody seems to have several rows and nothing is stated."""
    if person is None or not person.repeats:  # none is suggested where it is stated
        return
    remedy = (
        "Give {person} to protect people, however many rows they have: the column is not "
        "released. Give {one_row_per_person} only if you know that every row is another person."
    )
    if policy.path is not None:
        remedy = (
            f"In [source] of {policy.path}, write person = {toml_string(person.column)} to protect "
            "people, however many rows they have: the column is not released. Write "
            "one_row_per_person = true only if you know that every row is another person."
        )
    raise ParameterError(
        f"{policy.where('source')}Column '{person.column}' seems to say whose each row is "
        f"({person.reason}), and nothing is stated of people. Of {person.n_rows:,} rows of "
        f"{person.n_people:,} {person.noun}, k rows that are equal may all be of one person: what "
        "is promised of rows would not protect people.",
        parameter="person",
        column=person.column,
        remedy=remedy,
        options={"person": person.column, "one_row_per_person": True},
    )


def warn_of_identifying(policy: Policy, suggested: RoleSuggestions) -> None:
    """Warn of columns that name people, hold what somebody wrote, or seem to, and are published.

    A role that is given is taken at its word where only the name of a column or the number of its
    values speak against it. Where its values do, such as e-mail addresses, the warning stays.
    """
    for each in suggested.suggestions:
        name = each.column
        given = policy.roles.get(name)
        if each.role != "identifying" or given == "identifying" or not _publishes(policy, name):
            continue
        if name in policy.source.carried:  # it is said what becomes of its numbers
            continue
        if given is not None and not each.kind:
            continue
        has = "has no role" if given is None else f"has the role {given}"
        remedy = "With {roles:out} it is left out."
        if policy.path is not None:
            remedy = f'In [roles] of {policy.path}, {toml_key(name)} = "identifying" leaves it out.'
        if given is None and not each.kind:
            remedy += " If it names nobody, give it another role, such as quasi."
        warning = DiscreetWarning(
            f"Column '{name}' looks identifying ({each.reason}) and {has}, so it would be "
            "published.",
            parameter="roles",
            column=name,
            remedy=remedy,
            options={"roles:out": {name: "identifying"}},
        )
        warnings.warn(warning, stacklevel=3)


def _publishes(policy: Policy, column: str) -> bool:
    """Say whether a method publishes a column that is not identifying."""
    columns = getattr(policy.method, "columns", None)
    # Rows are published with all their columns, whether the claim covers them or not.
    return columns is None or policy.method.record.publishes == "rows" or column in columns


def _read(policy: Policy, path: Path) -> Table:
    """Return the table in the file; what is said of columns that are not kept is passed over."""
    source = policy.source
    kept = source.columns
    suffix = inner_suffix(path)
    roles = {name: r for name, r in policy.roles.items() if kept is None or name in kept}
    needed = {source.person, *(kept or policy.repairs)}
    needed |= {
        each for name, one in policy.repairs.items() if name in needed for each in one.age_of
    }
    repairs = {name: one.to_repair() for name, one in policy.repairs.items() if name in needed}
    bins = {name: cut for name, cut in source.bins.items() if kept is None or name in kept}
    sets = {name: mark for name, mark in source.sets.items() if kept is None or name in kept}
    carried = {name: how for name, how in source.carried.items() if kept is None or name in kept}
    # A hierarchy groups the numbers of its column: they need no bins.
    named = dict.fromkeys((*source.categorical, *policy.hierarchies))
    codes = policy.method.lists_values or [
        name
        for name in named
        if (kept is None or name in kept)
        and (name in source.categorical or name not in source.bins)
    ]
    if suffix == ".dat":
        raise DataError(
            f"{path} holds transactions, and {policy.method.name} is for tables. The methods for "
            "patterns take both; randomize is for transactions."
        )
    if suffix == ".num":
        if sets or carried or repairs:
            word = "sets" if sets else "carried" if carried else "repairs"
            raise ParameterError(
                f"{path} holds numbers of items, which are neither sets nor measured: omit {word}.",
                parameter=word,
            )
        items = load(
            path, bins=bins, categorical=codes, names=source.names, person=source.person,
            one_row_per_person=source.one_row_per_person,
        )  # fmt: skip
        assert isinstance(items, Table)
        chosen = [name for name in kept or items.columns if name != source.person]
        return items.select(chosen).with_roles(
            {name: role for name, role in roles.items() if name != source.person}
        )
    return read_table(
        path,
        delimiter=source.delimiter,
        encoding=source.encoding,
        header=source.header,
        names=source.names,
        null_values=source.null_values,
        roles=roles,
        missing=source.missing,
        bins=bins,
        categorical=codes,
        columns=kept,
        sets=sets,
        carried=carried,
        person=source.person,
        one_row_per_person=source.one_row_per_person,
        repairs=repairs,
        skip_first=source.skip_first,
        skip_last=source.skip_last,
        repeated_header=source.repeated_header,
        sheet=source.sheet,
    )


def _bare(policy: Policy, path: Path) -> Table | None:
    """Return all columns of a file, whatever they hold, if it can be read at all."""
    source = policy.source
    try:
        if inner_suffix(path) == ".num":
            items = load(path)
            return items if isinstance(items, Table) else None
        return read_table(
            path,
            delimiter=source.delimiter,
            encoding=source.encoding,
            header=source.header,
            names=source.names,
            categorical=True,
            skip_first=source.skip_first,
            skip_last=source.skip_last,
            repeated_header=source.repeated_header,
            sheet=source.sheet,
        )
    except DiscreetError:
        return None


def _named_columns(policy: Policy) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield every column that a policy names, with the place where it does."""
    source, method = policy.source, policy.method
    for number, name in enumerate(source.columns or ()):
        yield name, ("source", "columns", number)
    for number, name in enumerate(source.categorical):
        yield name, ("source", "categorical", number)
    for kind in ("bins", "sets", "carried"):
        for name in getattr(source, kind):
            yield name, ("source", kind, name)
    for name, repair in policy.repairs.items():
        yield from ((each, ("repairs", name)) for each in repair.age_of or (name,))
    if source.person is not None:
        yield source.person, ("source", "person")
    for name in policy.roles:
        yield name, ("roles", name)
    for name in policy.hierarchies:
        yield name, ("hierarchies", name)
    for name, option in method.named_columns():
        yield name, ("method", *option)


def _refuse_unknown(policy: Policy, table: Table | None) -> None:
    """Raise for the first column that is named and is not there, or if there are no rows."""
    if table is None:
        return
    there = (*table.columns, *(name for name, one in policy.repairs.items() if one.age_of))
    kept = policy.source.columns or there
    for name, place in _named_columns(policy):
        known = kept if place[0] == "method" else there
        if name not in known:
            among = " among those kept" if name in there else ""
            raise ParameterError(
                f"{policy.where(*place)}There is no column '{name}'{among} in "
                f"{policy.source_path}.",
                column=name,
                remedy=did_you_mean(name, known),
            )
    if not table.n_rows:
        raise DataError(_EMPTY.format(policy.source_path))


# The hierarchies a policy names, read so that they fit the columns they are for.

_NAMED = re.compile(r"(?:.*_hierarchy_)?(?P<column>.+)\.csv", re.DOTALL)


def load_hierarchies(policy: Policy, table: Table) -> dict[str, Hierarchy]:
    """Return column to hierarchy, as the policy says.

    Parameters
    ----------
    policy : Policy
        Names the files, relative to its folder, or says how they are made.
    table : Table
        What they are for.

    Returns
    -------
    dict of str to Hierarchy
        Without those of columns that the policy excludes.

    Raises
    ------
    HierarchyError
        If a file is no hierarchy or lacks a value of its column; the line of the policy is
        named.
    DataError
        If a file cannot be read.
    """
    found = {}
    for column, how in policy.hierarchies.items():
        if column not in table.columns:
            continue
        values, path = table.values(column), ""
        try:
            if isinstance(how, Grouping):
                made = how.of([each for each in values if each != STATED], name=column)
            else:
                path = str(policy.folder / how)
                made = Hierarchy.from_csv(path, name=column)
            tree = fit_values(made, values, column=column)
            encode_column(tree, table, column)
        except DiscreetError as error:
            kind = HierarchyError if isinstance(error, HierarchyError) else DataError
            where = policy.where("hierarchies", column)
            named = "" if path in str(error) else f"{path}: "
            raise kind(f"{where}{named}{error}") from None
        found[column] = tree
    return found


def fit_values(tree: Hierarchy, values: Iterable[Label], *, column: str) -> Hierarchy:
    """Return a hierarchy of texts, as a file holds them, for the values of a column.

    Values that are numbers or dates take the place of their texts, and a missing one, which a
    file has no line for, comes right under the root, also where it is stated by its word.

    Examples
    --------
    >>> ages = Hierarchy.from_levels([("17", "young", "*"), ("40", "old", "*"), ("41", "old", "*")])
    >>> fit_values(ages, [17, 40, None], column="age").leaves
    (17, 40, '41', None)
    """
    wanted = list(values)
    value_of = {str(value): value for value in wanted if value is not None}
    levels = [(value_of.get(str(leaf), leaf), *groups) for leaf, *groups in tree.to_levels()]
    fitted = Hierarchy.from_levels(levels, name=column)
    for word in (None, STATED):
        if word in wanted and word not in fitted.leaves:
            fitted = fitted.with_leaf(word)
    return fitted


def find_hierarchies(
    folder: str | os.PathLike[str],
    file: str | os.PathLike[str],
    *,
    names: Sequence[str] | None = None,
) -> dict[str, str]:
    """Return column to file for the columns of a table that have one in a folder.

    Parameters
    ----------
    folder : path
        Holds ``COLUMN.csv`` or ``NAME_hierarchy_COLUMN.csv``, as ARX calls them; what else is
        in it is passed over.
    file : path
        The table.
    names : sequence of str, optional
        Of all its columns, for a file without a header.

    Raises
    ------
    DataError
        If the folder is not there, or has two files for one column, or none at all.
    """
    columns = read_table(file, names=names, categorical=True).columns
    found = hierarchy_files(folder, columns, but=Path(file))
    if not found:
        raise DataError(
            f"{Path(folder)} has no hierarchy for a column of {file}: COLUMN.csv or "
            "NAME_hierarchy_COLUMN.csv."
        )
    return found


def hierarchy_files(
    folder: str | os.PathLike[str], columns: Collection[str], *, but: Path | None = None
) -> dict[str, str]:
    """Return column to file for the columns that have a hierarchy in a folder."""
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"There is no folder {place} of hierarchies.")
    found: dict[str, str] = {}
    for path in sorted(place.iterdir()):
        named = _NAMED.fullmatch(path.name)
        if named is None or named["column"] not in columns or path == but:
            continue
        column = named["column"]
        if column in found:
            raise DataError(
                f"{place} has two hierarchies for column '{column}': {Path(found[column]).name} "
                f"and {path.name}.",
                column=column,
                remedy="Take one away.",
            )
        found[column] = str(path)
    return found


# The file that a release was made from, read again as it was read for the release.


def read_original(
    file: str | os.PathLike[str],
    *,
    release: str | os.PathLike[str],
    bins: Mapping[str, BinsLike] | None = None,
    names: Sequence[str] | None = None,
) -> Table | Transactions:
    """Return the original of a release, cut and coded as the policy in its folder says.

    Parameters
    ----------
    file : path
        The file that the release was made from.
    release : path
        The folder of the release, or a file without a policy beside it.
    bins : mapping, optional
        Column to edges or step width, in place of the policy's.
    names : sequence of str, optional
        Of all columns of a file without a header, in place of the policy's.

    Returns
    -------
    Table or Transactions
        Without a policy, or with bins, all other numbers are taken as codes.

    Raises
    ------
    DataError
        If the file cannot be read so.

    Warns
    -----
    DiscreetWarning
        If the policy of the release cannot be read.
    """
    policy = Path(release) / POLICY_FILE
    content = None if bins else _policy_beside(Path(release))
    if content is None or inner_suffix(find_file(file)) == ".dat":
        return load(file, bins=bins, names=names, categorical=True)
    try:
        known = policy_from(content, policy)
    except DiscreetError:
        warnings.warn(
            f"{policy} is not a policy that can be read, so that numbers of {file} are taken as "
            "they are. Were they cut into bins? Say how.",
            DiscreetWarning,
            stacklevel=2,
        )
        return load(file, names=names, categorical=True)
    if names:
        source = known.source.model_copy(update={"names": list(names)})
        known = known.model_copy(update={"source": source})
    return read_like(known, str(Path(file).absolute()))


def _policy_beside(release: Path) -> bytes | None:
    """Return the policy of a release in a folder or a zip, which may have been made to do harm."""
    if inner_suffix(release) != ".zip" and not release.is_dir():
        return None
    try:
        return open_files(release, ReadLimits()).readers[POLICY_FILE](MAX_POLICY_BYTES)
    except (DataError, KeyError):
        return None
    except UnreadableError:
        return b"\0"  # no policy either, but one that is spoken of
