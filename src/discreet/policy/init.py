"""A first policy for a file: what can be seen in the data, and every option with a comment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic_core import PydanticUndefined

from discreet import checks
from discreet.data.files.packed import find_file, inner_suffix
from discreet.data.files.stats import STATS
from discreet.data.read import EXCEL
from discreet.data.repair.suggest import RepairSuggestions, suggest_repairs
from discreet.data.suggest_roles import suggest_roles
from discreet.policy.choose import rows_method
from discreet.policy.facts import table_facts, understand, usable_names
from discreet.policy.methods import model_of
from discreet.policy.model import LedgerOptions, ReleaseOptions, Source
from discreet.policy.repairs import repair_line
from discreet.policy.section import toml_comment, toml_key, toml_string, toml_value
from discreet.release.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from discreet.data.suggest_roles import PersonSuggestion
    from discreet.policy.facts import Measured
    from discreet.policy.section import Section


def draft_policy(
    file: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] = ".",
    k: int = 5,
    names: Sequence[str] | None = None,
) -> str:
    r"""Return the text of a policy for a file, for a person to read and correct.

    Parameters
    ----------
    file : path
        The table.
    folder : path
        Where the policy will be kept: the file is named relative to it.
    k : int
        What to propose, at least 2.
    names : sequence of str, optional
        Of all columns, for a file without a header.

    Returns
    -------
    str
        TOML that :func:`~discreet.policy.model.read_policy` takes: roles with the reason for
        each, edges for measured numbers, every option explained.

    Raises
    ------
    DataError
        If the file cannot be read as a table.

    Notes
    -----
    The text shows ranges of the data. It is for its curator; what is published with a release is
    written anew, without comments.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("email,sex\na@x,f\nb@x,m\n")
    >>> print(draft_policy(path, folder=path.parent))
    # Policy for people.csv, drafted by discreet init. Read it, correct it, then:
    #   discreet plan policy.toml            # what would it cost?
    #   discreet run policy.toml -o out      # make the release
    ...
    [roles]
    # column = identifying | quasi | sensitive | insensitive; quasi by default.
    email = "identifying"  # its name says that it holds e-mail addresses
    sex = "quasi"  # may be known from elsewhere
    ...
    """
    return draft(file, folder=folder, k=k, names=names).text


class Draft(NamedTuple):
    """The text of a drafted policy, who its rows seem to be about, and what is messy in them."""

    text: str
    person: PersonSuggestion | None
    messy: RepairSuggestions


def draft(
    file: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] = ".",
    k: int = 5,
    names: Sequence[str] | None = None,
) -> Draft:
    """Return the text of a policy as :func:`draft_policy` does, and what its reader must decide."""
    found = find_file(file)
    toml_string(str(found))  # a policy has to name it
    k = checks.whole("k", k, at_least=2)
    messy = _messy(found, names)
    cuts, codes, table = read = understand(
        found, names=names, repairs=messy.repairs, reading=messy.reading
    )
    usable = None if names else usable_names(table.columns)
    if usable is not None:
        return draft(file, folder=folder, k=k, names=usable)
    facts = table_facts(found, read)
    name = rows_method(facts)
    method: dict[str, object] = {"name": name, "k": k}
    method |= {"l": 2} if facts.diverse else {}
    suggested = suggest_roles(table)
    roles = [
        f"{toml_key(each.column)} = {toml_string(each.role)}  {toml_comment(each.reason)}"
        for each in suggested.suggestions
    ]
    source: dict[str, object] = {"file": _relative(found, Path(folder))}
    source |= {"names": list(names)} if names else {}
    source |= messy.reading
    source |= {"categorical": codes} if codes else {}
    source |= {"sets": table.sets} if table.sets else {}
    others = [other for other in METHODS if other != name]
    lines = [
        toml_comment(
            f"Policy for {found.name}, drafted by discreet init. Read it, correct it, then:"
        ),
        "#   discreet plan policy.toml            # what would it cost?",
        "#   discreet run policy.toml -o out      # make the release",
        "",
        "[source]",
        *_people(suggested.person),
        *_options(Source, source, leave_out=("bins", *_PEOPLE)),
        "",
        *_bins(cuts),
        *_repairs(messy, found),
        "[roles]",
        "# column = identifying | quasi | sensitive | insensitive; quasi by default.",
        *roles,
        "",
        toml_comment("For methods that generalize: groups of values, one file for each column, as"),
        toml_comment(f"discreet hierarchy build {found.name} --column age --steps 5,10 writes it:"),
        "# [hierarchies]",
        '# age = "age.csv"',
        "",
        "[method]",
        toml_comment(f"{facts.unique_words}. Proposed for that:"),
        toml_comment(METHODS[name].summary),
        toml_comment(f"Others: {', '.join(others)}; discreet choose compares them."),
        *_options(model_of(METHODS[name]), method),
        "",
        "[release]",
        *_options(ReleaseOptions, {"format": "parquet", "report": True, **_export(found)}),
        "",
        toml_comment("Where releases of the source are counted, so that together they keep"),
        toml_comment("within its budget, or a warning is given:"),
        "# [ledger]",
        *_options(LedgerOptions, {}),
        "",
    ]
    return Draft("\n".join(lines), suggested.person, messy)


def _export(file: Path) -> dict[str, object]:
    """Return the export that whoever has such a file can open, if it is no CSV or Parquet."""
    kind = inner_suffix(file)
    if kind in EXCEL:
        return {"export": "xlsx"}
    return {"export": "dta" if kind == ".dta" else "sav"} if kind in STATS else {}


def _messy(file: Path, names: Sequence[str] | None) -> RepairSuggestions:
    """Return the repairs that a file seems to need; items need none."""
    if inner_suffix(file) in (".num", ".dat"):
        return RepairSuggestions()
    return suggest_repairs(file, names=names)


_DOUBTS_SHOWN = 3


def _repairs(messy: RepairSuggestions, file: Path) -> list[str]:
    """Return the table of repairs, or how one would look."""
    explained = [
        "# Cells that are mended before anything else. Nothing else is changed: strike a line out,",
        "# and its column stays as it is.",
    ]
    if not messy.suggestions:
        example = '# sex = { trim = true, missing = ["?"], values = { m = "male", M = "male" } }'
        return ["# [repairs]", explained[0], explained[1], example, ""]
    lines = ["[repairs]", *explained]
    for each in messy.suggestions:
        lines.append(toml_comment(f"{each.column}: {each.seen}."))
        doubts = [doubt.replace(f" of {file}:", ":") for doubt in each.doubts]
        lines += [toml_comment(f"  {doubt}") for doubt in doubts[:_DOUBTS_SHOWN]]
        if len(doubts) > _DOUBTS_SHOWN:
            lines.append("#   and more; discreet look names ten.")
        if each.repair is not None:
            lines.append(repair_line(each.column, each.repair))
        elif each.choices:
            lines.append("# Nothing is changed until you take the # away before one of these:")
            lines += [toml_comment(repair_line(each.column, one)) for one in each.choices]
        else:
            lines.append("# Nothing is changed: correct the file.")
    return [*lines, ""]


_PEOPLE = ("person", "one_row_per_person")


def _people(person: PersonSuggestion | None) -> list[str]:
    """Return what can be stated of people, as comments: it is for the curator to state."""
    lines = []
    if person is not None and person.repeats:
        lines = [
            f"Whose is each row? {person.column}: {person.reason}.",
            "discreet run stops until you state one of the next two: take the # away before it.",
        ]
    elif person is not None:
        lines = [
            f"Is every row another person? {person.column}: {person.reason}.",
            "If you state it, the guarantee is about people; if not, about single rows.",
        ]
    column = "patient_id" if person is None else person.column
    proposed = {"person": column, "one_row_per_person": True}
    order = _PEOPLE if person is None or person.repeats else _PEOPLE[::-1]
    for name in order:
        lines.append(Source.model_fields[name].description or "")
        lines.append(f"{name} = {toml_value(proposed[name])}")
    return [toml_comment(line) for line in lines]


def _relative(file: Path, folder: Path) -> str:
    """Return the path of a file as seen from a folder, with slashes on every system."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive
        return file.absolute().as_posix()


def _bins(cuts: Mapping[str, Measured]) -> list[str]:
    """Return the table of bins, or how one would look."""
    explained = [
        "# Columns of measured numbers: edges as here, or one number for steps of that width.",
        "# The edges were chosen by looking at the data; better ones are the usual ones.",
        "# Methods of differential privacy (synthesize, dp-mii-suppress) need edges from public",
        "# knowledge: replace these before you use one.",
    ]
    if not cuts:
        return ["# [source.bins]", explained[0], "# age = [20, 40, 60]", ""]
    lines = [
        f"{toml_key(name)} = {toml_value(cut.edges)}  "
        + toml_comment(f"{cut.n_values} numbers from {cut.low:g} to {cut.high:g}")
        for name, cut in cuts.items()
    ]
    return ["[source.bins]", *explained, *lines, ""]


def _options(
    section: type[Section], given: Mapping[str, object], *, leave_out: tuple[str, ...] = ()
) -> list[str]:
    """Return every option of a section with its explanation; those not given as comments."""
    lines = []
    names = sorted(section.model_fields, key=lambda name: name not in given)
    for name in names:
        field = section.model_fields[name]
        if name in leave_out:
            continue
        if field.description:
            lines.append(toml_comment(field.description))
        if name in given:
            lines.append(f"{name} = {toml_value(given[name])}")
            continue
        default = field.default
        example = default if default not in (None, (), PydanticUndefined) else _example(field)
        lines.append(f"# {name} = {toml_value(example)}")
    return lines


def _example(field: object) -> object:
    """Return the example that a field is declared with."""
    examples = getattr(field, "examples", None)
    assert examples, field
    return examples[0]
