"""A corpus of tampered release folders, with the answer that each deserves.

Every entry is an honest release, an edit, and the answers expected without and with the original.
The attacker is clever: whatever is changed, hashes and checksum are renewed.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

import discreet as dc
from discreet.patterns import additive, certified, pattern_release
from discreet.randomize import CutAndPaste
from discreet.suppress import mii_suppress
from tests.verify.folders import edit, exact, replace_data, spoken

Values: TypeAlias = dict[str, Any]
Edit: TypeAlias = Callable[[Path], object]

SEX_AND_MORE = ["sex", "education", "marital_status"]
PEOPLE = dc.datasets.census(900, seed=4).select(SEX_AND_MORE)
MANY = dc.datasets.census(4000, seed=2).select(SEX_AND_MORE)
TREES = {
    "education": dc.Hierarchy.from_levels(
        [
            [value, "higher" if "doctor" in value or value == "bachelor" else "other", "*"]
            for value in map(str, PEOPLE.values("education"))
        ],
        name="education",
    )
}
BASKETS = dc.Transactions.from_iterable(
    [[*pair, "tea"] for pair in ("ab", "bc", "cd", "ad")] * 40 + [["tea"]] * 9
)


@dataclass(frozen=True)
class Base:
    """An honest release, what it was made from, and the answers it gets."""

    make: Callable[[], dc.Release[Any]]
    original: Any
    alone: str
    with_original: str


def _sampled() -> dc.Release[Any]:
    public = dc.datasets.census(500, seed=9).select(SEX_AND_MORE)
    return dc.dp_mii_suppress(MANY, epsilon=1, delta=1e-6, k=20, scheme="public", public=public)


def _synthetic(**options: Any) -> dc.Release[Any]:  # noqa: ANN401
    domains = {name: list(MANY.values(name)) for name in SEX_AND_MORE}
    return dc.synthetic_release(MANY, domains=domains, **options)


def _imputed() -> dc.Release[Any]:
    made = dc.suppress.impute(_sampled(), rng=1).release
    assert made is not None
    return made


BASES: dict[str, Base] = {
    "k-mii": Base(lambda: dc.k_mii(PEOPLE, k=5), PEOPLE, "verified", "verified"),
    "mondrian": Base(
        lambda: dc.mondrian(PEOPLE, k=5, hierarchies=TREES), PEOPLE, "verified", "verified"
    ),
    "floor": Base(lambda: mii_suppress(PEOPLE, theta=4), PEOPLE, "consistent", "verified"),
    "sampled": Base(_sampled, MANY, "consistent", "consistent"),
    "imputed": Base(_imputed, MANY, "consistent", "consistent"),
    "laplace": Base(
        lambda: _synthetic(epsilon=Fraction(1, 10)), MANY, "consistent", "consistent"
    ),
    "gaussian": Base(
        lambda: _synthetic(epsilon=1, delta=1e-6), MANY, "consistent", "consistent"
    ),
    "local": Base(
        lambda: _synthetic(epsilon=1, trust="local"), MANY, "consistent", "consistent"
    ),
    "patterns": Base(
        lambda: pattern_release(additive(BASKETS, k=3, min_support=5), source=BASKETS),
        BASKETS, "verified", "verified",
    ),
    "witnessed": Base(
        lambda: pattern_release(certified(BASKETS, k=3, min_support=5), source=BASKETS),
        BASKETS, "verified", "verified",
    ),
    "randomized": Base(
        lambda: dc.randomize_transactions(BASKETS, operator=CutAndPaste(2, rho="1/4")),
        BASKETS, "consistent", "consistent",
    ),
}  # fmt: skip


@cache
def _made(kind: str) -> dc.Release[Any]:
    return BASES[kind].make()


def saved(kind: str, folder: Path) -> Path:
    """Save the honest release of a kind, with a page."""
    return _made(kind).save(folder / kind, report="<html>A page.</html>")


# Edits


def at(values: Any, path: str) -> tuple[Any, Any]:  # noqa: ANN401
    """Return what holds the field of a path, and the field's key or number."""
    *before, last = [int(part) if part.lstrip("-").isdigit() else part for part in path.split("/")]
    for part in before:
        values = values[part]
    return values, last


def put(path: str, value: object) -> Edit:
    """Return the edit that gives a field another value."""

    def change(values: Values) -> None:
        holder, key = at(values, path)
        holder[key] = value

    return lambda folder: edit(folder, change)


def add(path: str, value: object) -> Edit:
    """Return the edit that appends to a list."""

    def change(values: Values) -> None:
        holder, key = at(values, path)
        holder[key] = [*holder[key], value]

    return lambda folder: edit(folder, change)


def drop(path: str) -> Edit:
    """Return the edit that takes a field out."""

    def change(values: Values) -> None:
        holder, key = at(values, path)
        del holder[key]

    return lambda folder: edit(folder, change)


def step(name: str, **options: object) -> Edit:
    """Return the edit that gives the first step of a name other parameters."""

    def change(values: Values) -> None:
        event = next(event for event in values["events"] if event["name"] == name)
        event["parameters"] |= options

    return lambda folder: edit(folder, change)


def both(*edits: Edit) -> Edit:
    """Return several edits, one after the other."""

    def change(folder: Path) -> None:
        for each in edits:
            each(folder)

    return change


def rows(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Edit:
    """Return the edit that changes the data, and certifies it as it is now."""

    def put_rows(folder: Path) -> None:
        changed = change(pl.read_parquet(folder / "data.parquet"))
        buffer = io.BytesIO()
        changed.write_parquet(buffer)
        replace_data(folder, buffer.getvalue())
        edit(folder, lambda values: values["data"].update(n_rows=changed.height))

    return put_rows


def file(name: str, content: str, *, certified: bool = True) -> Edit:
    """Return the edit that puts a file there, and its hash into the certificate."""

    def change(folder: Path) -> None:
        (folder / name).write_text(content, encoding="utf-8")
        key = f"{name.split('.', maxsplit=1)[0]}_sha256"
        if certified:
            digest = hashlib.sha256(content.encode()).hexdigest()
            edit(folder, lambda values: values.update({key: digest}))

    return change


def side(name: str, change: Callable[[Values], object]) -> Edit:
    """Return the edit of a side file of JSON."""

    def change_file(folder: Path) -> None:
        values = json.loads((folder / name).read_text(encoding="utf-8"))
        change(values)
        file(name, json.dumps(values))(folder)

    return change_file


def more(path: str, key: str, value: object) -> Callable[[Values], None]:
    def change(values: Values) -> None:
        for part in filter(None, path.split("/")):
            values = values[part]
        values[key] = value

    return change


def careless(path: str, value: object) -> Edit:
    def change(values: Values) -> None:
        holder, key = at(values, path)
        holder[key] = value

    return lambda folder: edit(folder, change, reseal=False)


def _more_rows(folder: Path) -> None:
    edit(folder, lambda values: values["data"].update(n_rows=values["data"]["n_rows"] + 1))


def _unseen_letter(folder: Path) -> None:
    """Rename the first column in data and certificate, by a letter that is not seen."""
    name = pl.read_parquet(folder / "data.parquet").columns[0]
    new = f"{name}\u200b"
    rows(lambda frame: frame.rename({name: new}))(folder)
    path = folder / "certificate.json"
    text = path.read_text(encoding="utf-8").replace(json.dumps(name), json.dumps(new))
    path.write_text(text, encoding="utf-8")
    edit(folder, lambda _: None)


def form(change: Callable[[str], str]) -> Edit:
    """Return the edit of how a certificate is written, not of what it says."""

    def rewrite(folder: Path) -> None:
        path = folder / "certificate.json"
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")

    return rewrite


def form_of(name: str, change: Callable[[str], str]) -> Edit:
    """Return the edit of how a side file is written, certified as it is now."""
    return lambda folder: file(name, change((folder / name).read_text(encoding="utf-8")))(folder)


def form_of_node(place: int, field: int, value: object) -> Edit:
    """Return the edit of one node of the hierarchy, written as it has to be."""

    def change(text: str) -> str:
        values = json.loads(text)
        values["columns"]["education"][place][field] = value
        return json.dumps(values, ensure_ascii=False, sort_keys=True) + "\n"

    return form_of("hierarchies.json", change)


def _reordered(text: str) -> str:
    values = json.loads(text)
    return json.dumps(dict(reversed(values.items())), indent=2, ensure_ascii=False) + "\n"


def assumption(number: int) -> Edit:
    return drop(f"guarantee/assumptions/{number}")


FINGERPRINT = {"algorithm": "HMAC-SHA256", "key_id": "0" * 32, "mac": "1" * 64}


# The corpus


@dataclass(frozen=True)
class Tamper:
    """An edit of the release of a kind, and the answers it deserves."""

    name: str
    base: str
    edit: Edit
    alone: str = "refuted"
    with_original: str = "refuted"
    is_spoken: bool = False


HASH = "0" * 64

# Of every kind: each field of the certificate, and the files of the folder.
COMMON: dict[str, Edit] = {
    "schema_version": put("schema_version", 3),
    "schema_version as text": put("schema_version", "2"),
    "publishes nothing known": put("publishes", "safe rows"),
    "no publishes": drop("publishes"),
    "discreet_version that promises": put("discreet_version", "audited by everybody"),
    "created at no time": put("created", "2026-99-99T00:00:00Z"),
    "discreet_version with a part that promises": put(
        "discreet_version", "0.2.0+checked.by.everybody"
    ),
    "discreet_version of many digits": put("discreet_version", "0.2.0.dev1234567890"),
    "created in words": put("created", "today"),
    "model unknown": put("guarantee/model", "perfect privacy"),
    "parameter beside": put("guarantee/parameters/strength", "total"),
    "unit unknown": put("guarantee/unit", "one city"),
    "neighbours unknown": put("guarantee/neighbours", "any two tables in the world"),
    "column not there": add("guarantee/columns", "nowhere"),
    "assumption that promises": add("guarantee/assumptions", "Nobody can be identified."),
    "assumption twice": both(
        add("guarantee/assumptions", "The input had more than theta rows."),
        add("guarantee/assumptions", "The input had more than theta rows."),
    ),
    "nothing unprotected": put("guarantee/not_protected", ["Nothing is left unprotected."]),
    "a limit left out": drop("guarantee/not_protected/0"),
    "the last limit left out": drop("guarantee/not_protected/-1"),
    "a known limit of another release": add(
        "guarantee/not_protected",
        "Transactions of more items than the public size were cut to it at random.",
    ),
    "a known assumption of another release": add(
        "guarantee/assumptions", "The input had more than theta people."
    ),
    "keys in another order": form(_reordered),
    "blanks in the certificate": form(lambda text: text.replace(": {", ":  {", 1)),
    "a blank line at the end": form(lambda text: f"{text}\n"),
    "an escape in the certificate": form(lambda text: text.replace("data.", "d\\u0061ta.", 1)),
    "a key twice": form(lambda text: text.replace("{", '{\n  "experimental": false,', 1)),
    "relabelled as version 1": both(drop("publishes"), put("schema_version", 1)),
    "limits taken out": put("guarantee/not_protected", []),
    "experimental in one place": put("guarantee/experimental", True),
    "experimental in the other": put("experimental", True),
    "reason without experiment": put("guarantee/experimental_reason", "it is only a test"),
    "experimental for no known reason": both(
        put("guarantee/experimental_reason", "this is safe all the same"),
        lambda folder: edit(
            folder,
            lambda values: (
                values.update(experimental=True), values["guarantee"].update(experimental=True)
            ),
        ),
    ),
    "step unknown": add("events", {"name": "audit", "parameters": {}, "counts": {}}),
    "step of another kind": add(
        "events", {"name": "collect", "parameters": {"campaign": "x"}, "counts": {}}
    ),
    "parameter of a step": put("events/0/parameters/promise", "nobody can be found"),
    "count of a step": put("events/-1/counts/n_people", 12),
    "rows of the input counted": put("events/0/counts/n_rows", 4000),
    "rows dropped counted": put("events/-1/counts/n_rows_dropped", 12),
    "count below zero": put("events/-1/counts/n_rows", -1),
    "no steps": put("events", []),
    "other data file": put("data/file", "data.csv"),
    "data file elsewhere": put("data/file", "../data.parquet"),
    "hash of the data": put("data/sha256", HASH),
    "one row more": _more_rows,
    "type of a column": put("data/columns/0/type", "duration"),
    "role of a column": put("data/columns/0/role", "identifying"),
    "name with an unseen letter": _unseen_letter,
    "fingerprint of an algorithm": put(
        "fingerprint", {"algorithm": "none needed", "key_id": "0" * 32, "mac": HASH}
    ),
    "policy that is not there": put("policy_sha256", HASH),
    "report of another hash": put("report_sha256", HASH),
    "hierarchies that are not there": put("hierarchies_sha256", HASH),
    "operator that is not there": put("operator_sha256", HASH),
    "key unknown": put("verified", True),
    "edited without care": careless("guarantee/unit", "one row, surely"),
    "no checksum": lambda folder: edit(
        folder, lambda values: values.pop("checksum"), reseal=False
    ),
    "file beside": file("notes.txt", "trust me", certified=False),
    "report changed": lambda folder: (folder / "report.html").write_text("<html>Safe.</html>"),
}  # fmt: skip
OF_EACH = ("k-mii", "mondrian", "floor", "sampled", "laplace", "patterns", "randomized")


def _flip(frame: pl.DataFrame) -> pl.DataFrame:
    """Give one row a combination of its own."""
    return frame.with_columns(pl.Series("sex", ["other", *frame["sex"][1:]]))


def _shuffled(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sample(fraction=1, shuffle=True, seed=1)


def _largest_twice(frame: pl.DataFrame) -> pl.DataFrame:
    """Show the largest class twice as often as it was."""
    largest = frame.group_by(frame.columns).len().sort("len", *frame.columns)[-1:]
    again = frame.join(largest, on=frame.columns, how="semi", nulls_equal=True)
    return pl.concat([frame, again, again, again, again]).sort(frame.columns)


def _renamed(frame: pl.DataFrame) -> pl.DataFrame:
    """Give all rows of one value another that nobody has."""
    return frame.with_columns(pl.col("sex").replace("female", "divers")).sort(frame.columns)


def _raw(table: dc.Table, least: int = 1) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Return the original rows, where as many are alike."""
    frame = table.to_frame("polars").sort(table.columns)
    return lambda _: frame.filter(pl.len().over(frame.columns) >= least)


def _raw_sets(frame: pl.DataFrame) -> pl.DataFrame:
    place = {str(label): number for number, label in enumerate(BASKETS.labels)}
    sets = [sorted(place[str(item)] for item in each) for each in BASKETS]
    return frame.with_columns(items=pl.Series(sets, dtype=frame["items"].dtype))


def _support(items: str, value: int) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda frame: frame.with_columns(
        support=pl.when(pl.col("items") == items)
        .then(value)
        .otherwise("support")
        .cast(frame["support"].dtype)
    )


def _nodes(change: Callable[[list[list[Any]]], object]) -> Edit:
    return side("hierarchies.json", lambda values: change(values["columns"]["education"]))


def _first(name: str, **options: object) -> Edit:
    """Return the edit that puts a step before all others."""
    event = {"name": name, "counts": {}, "parameters": options}
    return lambda folder: edit(folder, lambda values: values["events"].insert(0, event))


def _last(name: str, **options: object) -> Edit:
    """Return the edit that puts a step behind all others."""
    return add("events", {"name": name, "counts": {}, "parameters": options})


def _other_order(nodes: list[list[Any]]) -> None:
    """Let the lowest nodes below the root stand in another order."""
    place = [node[1] for node in nodes].index(1)
    nodes[place : place + 2] = nodes[place : place + 2][::-1]


SPECIAL: list[Tamper] = [
    # k-anonymity
    Tamper("k raised", "k-mii", put("guarantee/parameters/k", 500)),
    Tamper("k of 0", "k-mii", put("guarantee/parameters/k", 0)),
    Tamper("no k", "k-mii", drop("guarantee/parameters/k")),
    Tamper("k as a fraction", "k-mii", put("guarantee/parameters/k", exact("5"))),
    Tamper("l that nobody checks", "k-mii", put("guarantee/parameters/l", 3)),
    Tamper("one cell changed", "k-mii", rows(_flip)),
    Tamper("rows shown too often", "k-mii", rows(_largest_twice), "verified"),
    Tamper("a value nobody has", "k-mii", rows(_renamed), "verified"),
    Tamper("the original", "k-mii", rows(_raw(PEOPLE))),
    Tamper("rows as synthetic ones", "k-mii", put("publishes", "synthetic rows")),
    Tamper("of differential privacy", "k-mii", put("guarantee/model", "differential privacy")),
    Tamper("a rule without a step", "k-mii", put("guarantee/model", "k-anonymity and l-diversity")),
    Tamper(
        "a sensitive column without a rule", "k-mii",
        both(
            put("guarantee/model", "k-anonymity and l-diversity"),
            put("guarantee/parameters/l", 2), put("guarantee/parameters/diversity", "distinct"),
            add(
                "events",
                {
                    "name": "obey_rules", "counts": {},
                    "parameters": {"sensitive": ["sex"], "not_ruled": [], "households": None},
                },
            ),
        ),
    ),
    Tamper(
        "households that nobody counts", "k-mii",
        both(
            add(
                "events",
                {
                    "name": "obey_rules", "counts": {},
                    "parameters": {"sensitive": [], "not_ruled": [], "households": "home"},
                },
            ),
            add(
                "guarantee/not_protected",
                "That every class has rows of at least k households is not checkable from the "
                "release: the column that identifies them is not in it.",
            ),
        ),
    ),
    Tamper("leftover unknown", "k-mii", step("enforce_classes", leftover="hide and be safe")),
    Tamper("k of a step as text", "k-mii", step("enforce_classes", k="5")),
    Tamper(
        "a part of the source in words", "k-mii",
        add("events", {
            "name": "restrict_to_part", "counts": {},
            "parameters": {"composition": "parallel", "partition": "x", "part": "all! Be sure."},
        }),
    ),
    # What is due of assumptions and limits, of each kind
    *(
        Tamper(f"assumption {number} left out ({base})", base, assumption(number))
        for base, n in (
            ("mondrian", 1), ("floor", 1), ("sampled", 3), ("imputed", 3), ("laplace", 4),
            ("gaussian", 4), ("local", 4), ("patterns", 2), ("witnessed", 1), ("randomized", 1),
        )
        for number in range(n)
    ),
    *(
        Tamper(f"a fingerprint ({base})", base, put("fingerprint", FINGERPRINT))
        for base in ("sampled", "imputed", "laplace", "gaussian", "local", "randomized")
    ),
    # How side files, numbers and itemsets are written
    Tamper("blanks in hierarchies.json", "mondrian", form_of(
        "hierarchies.json", lambda text: text.replace(", ", ",  ", 1)
    )),
    Tamper("an escape in hierarchies.json", "mondrian", form_of(
        "hierarchies.json", lambda text: text.replace("higher", "high\\u0065r")
    )),
    Tamper("a key twice in hierarchies.json", "mondrian", form_of(
        "hierarchies.json", lambda text: text.replace("{", '{"version": 2, ', 1)
    )),
    Tamper("blanks in operator.json", "randomized", form_of(
        "operator.json", lambda text: f"{text} "
    )),
    Tamper("keys of operator.json in another order", "randomized", form_of(
        "operator.json", lambda text: json.dumps(
            dict(reversed(json.loads(text).items())), indent=1) + "\n"
    )),
    Tamper("a chance not in lowest terms", "randomized", form_of(
        "operator.json", lambda text: text.replace("1/4", "25/100")
    )),
    Tamper("a fraction not in lowest terms", "laplace", put(
        "guarantee/parameters/epsilon", {"exact": "10/100", "decimal": "0.1"}
    )),
    Tamper("a decimal of more digits", "laplace", put(
        "guarantee/parameters/epsilon", {"exact": "1/10", "decimal": "0.1000000000000000001"}
    )),
    Tamper("a blank in an itemset", "patterns", rows(
        lambda frame: frame.with_columns(items=pl.col("items").str.replace('", "', '",  "'))
    )),
    Tamper("an escape in an itemset", "patterns", rows(
        lambda frame: frame.with_columns(items=pl.col("items").str.replace("tea", "t\\u0065a"))
    )),
    Tamper("items of an itemset in another order", "patterns", rows(
        lambda frame: frame.with_columns(
            items=pl.col("items").str.replace('"a", "b"', '"b", "a"', literal=True)
        )
    )),
    # Rows and items of a collection
    Tamper("itemsets from the last to the first", "patterns", rows(lambda frame: frame.reverse())),
    Tamper("a witness in another order", "witnessed", rows(lambda frame: frame.reverse())),
    Tamper("items with an unseen letter", "patterns", rows(
        lambda frame: frame.with_columns(items=pl.col("items").str.replace("tea", "tea\u200b"))
    )),
    Tamper("items with a blank", "patterns", rows(
        lambda frame: frame.with_columns(items=pl.col("items").str.replace("tea", "tea "))
    )),
    Tamper("items that read the same", "patterns", rows(
        lambda frame: frame.with_columns(items=pl.col("items").str.replace("tea", "A"))
    )),
    Tamper("nodes in another order", "mondrian", _nodes(_other_order)),
    # Parameters that could say anything
    Tamper("columns of a collection of sets", "patterns", step(
        "additive_sanitization", columns=["Nobody can be found in this collection"]
    )),
    Tamper("columns of a collection in words", "patterns", step(
        "additive_sanitization", quasi=["nobody is at risk"]
    )),
    Tamper("a generator of another name", "gaussian", step("draw_rows", generator="perfect")),
    Tamper("how a cut is chosen, in words", "mondrian", step("mondrian", choose="very safely")),
    Tamper(
        "a part of a long name", "k-mii", lambda folder: edit(
            folder, lambda values: values["events"].insert(0, {
                "name": "restrict_to_part", "counts": {},
                "parameters": {"composition": "parallel", "partition": "x", "part": "a" * 200},
            }),
        ),
    ),
    # Generalization
    Tamper("key of hierarchies.json", "mondrian", side("hierarchies.json", more("", "note", "x"))),
    Tamper("a node with a note", "mondrian", _nodes(lambda nodes: nodes[0].append("safe"))),
    Tamper("a node of a long label", "mondrian", _nodes(
        lambda nodes: nodes.append(["safe " * 300, 0, 0])
    )),
    Tamper("a node below itself", "mondrian", _nodes(
        lambda nodes: nodes.append(["x", len(nodes), 0])
    )),
    Tamper(
        "hierarchy of a column that was not generalized by it", "mondrian",
        side("hierarchies.json", more("columns", "sex", [["*", None, 1]])),
    ),
    Tamper("hierarchies taken out", "mondrian", both(
        drop("hierarchies_sha256"), lambda folder: (folder / "hierarchies.json").unlink()
    )),
    Tamper("hierarchies of version 1", "mondrian", side(
        "hierarchies.json", more("", "version", 1)
    )),
    Tamper(
        "loss that promises", "mondrian", step("generalize", loss="no information is lost at all")
    ),
    Tamper("a hierarchy of no lines", "mondrian", _nodes(lambda nodes: nodes.clear())),
    Tamper("one node nobody stated", "mondrian", rows(
        lambda frame: frame.with_columns(education=pl.lit("anything"))
    )),
    Tamper("all rows generalized to one value", "mondrian", rows(
        lambda frame: frame.with_columns(
            education=pl.lit("bachelor"), sex=pl.lit("female"), marital_status=pl.lit("single")
        )
    )),
    # The support floor
    Tamper("theta raised", "floor", put("guarantee/parameters/theta", 500)),
    Tamper("theta below zero", "floor", put("guarantee/parameters/theta", -1)),
    Tamper("floor raised", "floor", put("guarantee/parameters/floor", 400), "consistent"),
    Tamper("the original under a floor", "floor", rows(_raw(PEOPLE)), "consistent"),
    Tamper("a value nobody has, under a floor", "floor", rows(_renamed), "consistent"),
    # Sampling
    Tamper("rows not sampled", "sampled", rows(_raw(MANY, 20)), "consistent"),
    Tamper("a class not sampled", "sampled", rows(_largest_twice), "consistent"),
    Tamper("rate lowered", "sampled", step("bernoulli_sample", beta=exact("1/100")), "consistent"),
    Tamper("rate raised", "sampled", step("bernoulli_sample", beta=exact("9/10"))),
    Tamper("rate above one", "sampled", step("bernoulli_sample", beta=exact("3/2"))),
    Tamper("delta lowered", "sampled", put("guarantee/parameters/delta", exact("1/1000000000"))),
    Tamper("epsilon lowered", "sampled", put("guarantee/parameters/epsilon", exact("1/10"))),
    Tamper("epsilon of a step lowered", "sampled", step("k_suppress", epsilon=exact("1/10"))),
    Tamper("delta of a step lowered", "sampled", step("k_suppress", delta=exact("1/1000000000"))),
    Tamper("k of sampling raised", "sampled", step("k_suppress", k=2000)),
    Tamper("scheme unknown", "sampled", step("learn_scheme", scheme="secret")),
    Tamper("scheme of another kind", "sampled", step("learn_scheme", scheme="split")),
    Tamper("rows in another order", "sampled", rows(_shuffled)),
    Tamper("sampled last", "sampled", lambda folder: edit(
        folder, lambda values: values["events"].reverse()
    )),
    Tamper("neighbours of another kind", "sampled", put(
        "guarantee/neighbours", "tables that differ in one row replaced by another"
    )),
    Tamper("no neighbours", "sampled", put("guarantee/neighbours", None)),
    # Imputed
    Tamper("raw rows as imputed", "imputed", rows(_raw(MANY, 20)), "consistent"),
    Tamper("imputed from elsewhere", "imputed", step("impute", source="the original")),
    Tamper("more imputed than there is", "imputed", put("events/-1/counts/n_cells_imputed", 10**6)),
    Tamper("nothing imputed", "imputed", put("events/-1/counts/n_cells_imputed", -3)),
    Tamper("imputed first", "imputed", lambda folder: edit(
        folder, lambda values: values["events"].insert(0, values["events"].pop())
    )),
    # Synthetic rows
    Tamper("the original as synthetic", "laplace", rows(_raw(MANY)), "consistent"),
    Tamper("the original as synthetic, by cells", "local", rows(_raw(MANY)), "consistent"),
    Tamper("scale lowered", "laplace", step("measure_counts", scale=exact("1/2"))),
    Tamper("sensitivity lowered", "laplace", step("measure_counts", sensitivity=0)),
    Tamper("noise unknown", "laplace", step("measure_counts", law="none")),
    Tamper("sum lowered", "laplace", step("draw_rows", spent=exact("1/1000"))),
    Tamper("number of quantities", "laplace", step("draw_rows", n_measured=1)),
    Tamper("epsilon of the sum", "laplace", put("guarantee/parameters/epsilon", exact("1/100"))),
    Tamper("delta beside", "laplace", put("guarantee/parameters/delta", exact("1/2"))),
    Tamper("words of a quantity", "laplace", step("measure_counts", what="counts without risk")),
    Tamper("a list that is shorter", "laplace", step("list_values", n_values=1)),
    Tamper("a list with a promise", "laplace", step("list_values", note="safe")),
    Tamper("a value off the list", "laplace", rows(_renamed)),
    Tamper("a label not there", "laplace", step("draw_rows", label="fate")),
    Tamper("a generator in words", "laplace", step("draw_rows", generator="magic, and it is safe")),
    Tamper("trust swapped", "laplace", step("draw_rows", trust="local")),
    Tamper("law swapped", "gaussian", step("draw_rows", law="laplace")),
    Tamper("delta of noise lowered", "gaussian", put("guarantee/parameters/delta", exact("1/10") | {
        "exact": "1/" + "1" + "0" * 30, "decimal": "1e-30"
    })),
    Tamper("delta of zero", "gaussian", put("guarantee/parameters/delta", exact("0"))),
    Tamper("decimal that claims less", "gaussian", put(
        "guarantee/parameters/epsilon", {"exact": "1/1", "decimal": "0.1"}
    )),
    Tamper("decimal of many digits", "gaussian", put(
        "guarantee/parameters/epsilon", {"exact": "1/1", "decimal": "1e9999"}
    )),
    Tamper("chances of cells", "local", step("randomize_cells", q=exact("0"))),
    Tamper("epsilon of cells", "local", step("randomize_cells", epsilon=exact("1/1000"))),
    Tamper("cells twice", "local", lambda folder: edit(
        folder, lambda values: values["events"].insert(0, next(
            event for event in values["events"] if event["name"] == "randomize_cells"
        ))
    )),
    # Patterns
    Tamper("group of one", "patterns", rows(_support('["tea"]', 168)), "refuted", "refuted"),
    Tamper("support of a part", "patterns", rows(_support('["a"]', 6))),
    Tamper("an itemset taken out", "patterns", rows(
        lambda frame: frame.filter(pl.col("items") != '["a"]')
    )),
    Tamper("a witness without a claim", "patterns", rows(lambda frame: pl.concat(
        [frame, frame[:1].with_columns(kind=pl.lit("witness"))]
    ))),
    Tamper("the last column renamed", "patterns", both(
        rows(lambda frame: frame.rename({"kind": "kinds"})),
        put("data/columns/2/name", "kinds"),
    )),
    Tamper("a column of no item", "patterns", put("guarantee/columns", ["town"])),
    Tamper("a column with an equals sign", "patterns", put("guarantee/columns", ["a=b"])),
    Tamper("n_rows raised", "patterns", put("guarantee/parameters/n_rows", 170)),
    Tamper("min_support raised", "patterns", put("guarantee/parameters/min_support", 100)),
    Tamper("witnessed without one", "patterns", put(
        "guarantee/model", "k-anonymous patterns, witnessed"
    )),
    Tamper("the witness taken out", "witnessed", rows(
        lambda frame: frame.filter(pl.col("kind") == "pattern")
    )),
    Tamper("an itemset of the witness taken out", "witnessed", rows(
        lambda frame: frame.filter(pl.col("items") != '["a"]')
    )),
    # Transactions
    Tamper("raw transactions", "randomized", rows(_raw_sets)),
    Tamper("epsilon of the operator", "randomized", put(
        "guarantee/parameters/epsilon", exact("1/10")
    )),
    Tamper("a smaller epsilon by size", "randomized", step(
        "cut_and_paste", epsilon_by_size=["1: 0.0001", "3: 0.0001"]
    )),
    Tamper("epsilons in words", "randomized", step(
        "cut_and_paste", epsilon_by_size=["3: nothing at all"]
    )),
    Tamper("key of the operator file", "randomized", side("operator.json", more("", "note", "x"))),
    Tamper("option of the operator", "randomized", side(
        "operator.json", more("operator", "note", "safe")
    )),
    Tamper("another operator", "randomized", side(
        "operator.json", lambda v: v.update(operator={"operator": "uniform", "p": "1/2"})
    )),
    Tamper("rho of the operator", "randomized", side(
        "operator.json", more("operator", "rho", "49/100")
    )),
    Tamper("null items stated", "randomized", side("operator.json", more("", "null_items", 2))),
    Tamper("numbers of items", "randomized", step("cut_and_paste", n_items=99)),
    Tamper("any two transactions", "randomized", put(
        "guarantee/neighbours", "any two transactions"
    )),
    Tamper("a size changed", "randomized", rows(
        lambda frame: frame.with_columns(size=pl.lit(5, frame["size"].dtype))
    )),
    Tamper("sets that are not sorted", "randomized", rows(
        lambda frame: frame.with_columns(items=pl.col("items").list.reverse())
    )),
    Tamper("an item twice", "randomized", rows(
        lambda frame: frame.with_columns(items=pl.col("items").list.concat(pl.col("items")))
    )),
    Tamper("the operator taken out", "randomized", both(
        drop("operator_sha256"), lambda folder: (folder / "operator.json").unlink()
    )),
    Tamper("a campaign in words", "randomized", add(
        "events", {"name": "collect", "counts": {}, "parameters": {"campaign": "Safe! For ever."}}
    )),
]  # fmt: skip

# Steps that contradict the claim or each other, with all sentences that they imply.
CONTRADICTIONS: list[Tamper] = [
    Tamper("another theta than the claim has", "k-mii", step("mii_suppress", theta=10**18)),
    Tamper("another k than the claim has", "k-mii", step("enforce_classes", k=999)),
    Tamper("a smaller k than the claim has", "k-mii", step("enforce_classes", k=1)),
    Tamper("another k of clusters", "mondrian", step("mondrian", k=999)),
    Tamper("no columns in a step", "k-mii", step("mii_suppress", columns=[])),
    Tamper("no columns that were generalized", "mondrian", step("generalize", columns=[])),
    Tamper("a step twice", "k-mii", lambda folder: edit(
        folder, lambda values: values["events"].append(values["events"][0])
    )),
    Tamper("steps from the last to the first", "mondrian", lambda folder: edit(
        folder, lambda values: values["events"].reverse()
    )),
    Tamper("two ways of clustering", "mondrian", _first("forest", k=5, loss="lm")),
    Tamper("no way of clustering", "mondrian", drop("events/0")),
    Tamper("another loss", "mondrian", step("mondrian", loss="entropy")),
    Tamper("nothing enforced", "k-mii", drop("events/-1")),
    Tamper("what a sample says of the number of rows", "k-mii", step(
        "mii_suppress", sample_size=9, theta_of_sample=2
    )),
    Tamper("a part that comes last", "k-mii", _last(
        "restrict_to_part", composition="parallel", partition="x", part="y"
    )),
    Tamper("a rule that the model does not have", "k-mii", _last(
        "obey_rules", sensitive=["sex"], not_ruled=[], households=None
    )),
    Tamper("weights that are none", "mondrian", _last("mean_weights", column="sex")),
    Tamper("theta of a step below the claim", "floor", step("mii_suppress", theta=1)),
    Tamper("the scheme of no columns", "sampled", step("suppress_by_scheme", columns=[])),
    Tamper("epsilon of a public scheme", "sampled", step("learn_scheme", epsilon=exact("1/2"))),
    Tamper("another k of a collection", "patterns", step("additive_sanitization", k=999)),
    Tamper("another least support", "patterns", step("additive_sanitization", min_support=999)),
    Tamper("derived by a larger support", "patterns", _last("derive", min_support=10**6)),
    Tamper("two sanitizations", "patterns", _last("suppressive_sanitization", k=3, min_support=5)),
    Tamper("united without people", "patterns", _first("unite_per_person")),
    Tamper("itemsets miscounted", "patterns", put("events/-1/counts/n_itemsets", 12345)),
    Tamper("no report of anybody", "randomized", _first("limit_reports", reports_per_person=0)),
    Tamper("large sets left out that are there", "randomized", _first(
        "leave_out_large", max_size=1
    )),
    Tamper("larger epsilons by size", "randomized", step(
        "cut_and_paste", epsilon_by_size=["1: 999.0000", "3: 999.0000"]
    )),
    Tamper("several reports, and none limited", "randomized", put(
        "guarantee/unit", "one transaction, of several that one person may send"
    )),
    Tamper("made before there was anything", "k-mii", put("created", "0001-01-01T00:00:00Z")),
    Tamper("made in thousands of years", "k-mii", put("created", "9999-12-31T23:59:59Z")),
    Tamper("of version 1 by a version that is none", "k-mii", both(
        drop("publishes"), put("schema_version", 1), put("discreet_version", "checked by everybody")
    )),
]  # fmt: skip

TAMPERS: list[Tamper] = (
    [
        Tamper(f"{name} ({base})", base, change)
        for name, change in COMMON.items()
        for base in OF_EACH
        if (name, base) != ("step of another kind", "randomized")
    ]
    + SPECIAL
    + [replace(each, is_spoken=True) for each in CONTRADICTIONS]
)


def tampered(tamper: Tamper, honest: Path, folder: Path) -> Path:
    """Return a copy of an honest release with its edit.

    Where the steps were changed, the sentences that follow from them are said, too: it is not by
    these that the change is found.
    """
    copy = Path(shutil.copytree(honest, folder / "release"))
    tamper.edit(copy)
    return spoken(copy) if tamper.is_spoken else copy
