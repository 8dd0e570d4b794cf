"""Write the tables of methods in the guide anew: ``make tables``, or ``python docs/tables.py``.

They are made from the records of ``discreet.release.methods``, and stand between two comments.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.release.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from discreet.release.method import Method, Option

FOLDER = Path(__file__).parent
END = "<!-- end -->"


def options_table() -> str:
    """Return every method with its keys, those that a family shares once."""
    rows = ["| `name` | key | what it says |", "|---|---|---|"]
    first_of: dict[str, Method] = {}
    for record in METHODS.values():
        first = first_of.setdefault(record.family, record)
        shared = {option.name for option in first.options}
        own = [option for option in record.options if first is record or option.name not in shared]
        missing = shared - {option.name for option in record.options}
        but = f" but {_listed(missing)}" if missing else ""
        same = (
            "" if first is record else f" The keys of `{first.name}`{but}{' and:' if own else '.'}"
        )
        if len(missing) > 1:  # little in common: all keys are listed
            same, own = "", list(record.options)
        rows.append(f'| `"{record.name}"` | | {record.summary}{same} |')
        rows += [f"| | `{option.name}` | {_said(option)} |" for option in own]
    return "".join(f"{row}\n" for row in rows)


def claims_table() -> str:
    """Return what each method can claim, and where that is proved."""
    rows = ["| method | publishes | claims | page |", "|---|---|---|---|"]
    done: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for record in METHODS.values():
        done.setdefault((record.publishes, record.claims, record.page), []).append(record.name)
    for (publishes, claims, page), names in done.items():
        rows.append(
            f"| {_listed(names)} | {publishes} | {'; '.join(claims)} | "
            f"[{page.replace('-', ' ')}]({page}.md) |"
        )
    return "".join(f"{row}\n" for row in rows)


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "policy.md": {"options": options_table},
    "guarantees/index.md": {"claims": claims_table},
}


def written(page: str) -> str:
    """Return the text of a page with its tables made anew."""
    text = (FOLDER / page).read_text(encoding="utf-8")
    for name, table in TABLES[page].items():
        before, start, rest = text.partition(f"<!-- made by docs/tables.py: {name} -->\n")
        assert start, f"{page} has no place for the table of {name}"
        text = f"{before}{start}{table()}{rest[rest.index(END) :]}"
    return text


def _said(option: Option) -> str:
    """Return the help of an option with its bounds, words and default."""
    words = ", ".join(f'`"{choice}"`' for choice in option.choices)
    facts = [part for part in (option.range, words) if part]
    if option.default is not None:
        default = f'"{option.default}"' if option.kind == "choice" else option.default
        facts.append(f"`{default}` by default")
    facts += ["required"] if option.required else []
    stated = "; ".join(facts)
    return f"{option.help} {stated[:1].upper()}{stated[1:]}." if stated else option.help


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    for page in TABLES:
        (FOLDER / page).write_text(written(page), encoding="utf-8")
