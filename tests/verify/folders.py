"""Release folders made by hand, and the ways to tamper with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import discreet as dc
from discreet.release.event import Event
from discreet.release.guarantee import ADD_REMOVE, Guarantee
from discreet.release.release import Release
from discreet.verify import Check, Verification
from discreet.verify.certificate import read_claims
from discreet.verify.strict.sentences import demanded

Edit = Callable[[dict[str, Any]], object]

OPEN = ("Whether a person is in the data is not protected.",)
SEEDED = "made with a seed, from which all draws can be repeated"
PEOPLE: dict[str, list[object]] = {
    "age": [30, 30, 30, 40, 40, 40, 40, None, None],
    "sex": ["f", "f", "f", "m", "m", "m", "m", "m", "m"],
}
K_MII = (
    Event(
        name="mii_suppress",
        parameters={"theta": 1, "columns": ("age", "sex")},
    ),
    Event(
        name="enforce_classes",
        parameters={"k": 2, "leftover": "drop"},
    ),
)


def k_anonymous(
    folder: Path,
    rows: Mapping[str, list[object]] | None = None,
    *,
    k: int = 2,
    columns: tuple[str, ...] | None = None,
    events: tuple[Event, ...] = K_MII,
    format: Literal["parquet", "csv"] = "parquet",  # noqa: A002
    report: str | None = None,
    seeded: bool = False,
) -> Path:
    """Save a release that claims k-anonymity."""
    data = dc.Table.from_frame(dict(PEOPLE if rows is None else rows), categorical=True)
    claim = Guarantee(
        model="k-anonymity",
        parameters={"k": k},
        unit="one person, who has one row",
        columns=data.columns if columns is None else columns,
        not_protected=OPEN,
        experimental=seeded,
        experimental_reason=SEEDED if seeded else None,
    )
    if events is K_MII:
        first, enforced = K_MII
        events = (
            replace(first, parameters={"theta": k - 1, "columns": claim.columns}),
            replace(enforced, parameters={**enforced.parameters, "k": k}),
        )
    release = Release(data=data, guarantee=claim, events=events)
    return spoken(release.save(folder / "release", format=format, report=report))


def support_floor(folder: Path, rows: Mapping[str, list[object]], *, theta: int) -> Path:
    """Save a release that claims a support floor, made by suppressing cells."""
    data = dc.Table.from_frame(dict(rows), categorical=True)
    claim = Guarantee(
        model="support floor",
        parameters={"theta": theta, "floor": theta + 1},
        unit="one row",
        columns=data.columns,
        not_protected=OPEN,
    )
    event = Event(name="mii_suppress", parameters={"theta": theta, "columns": data.columns})
    return spoken(Release(data=data, guarantee=claim, events=(event,)).save(folder / "release"))


def sampled(
    folder: Path,
    *,
    scheme: str = "public",
    beta: Fraction = Fraction(1, 10),
    k: int = 3,
    epsilon: Fraction = Fraction(1),
    delta: Fraction = Fraction(1, 1000),
    total: tuple[Fraction, Fraction] | None = None,
    rows: Mapping[str, list[object]] | None = None,
) -> Path:
    """Save a release that claims differential privacy by sampling.

    The exact delta at beta = 1/10, k = 3 and epsilon = 1 is the one given: a class of three.
    """
    rate, epsilon_1 = Fraction(1, 3), Fraction(1, 2)
    values: dict[str, list[object]] = {"a": [*"xxxyyyy"], "b": [*[None] * 3, *"zzzz"]}
    data = dc.Table.from_frame(dict(values if rows is None else rows), categorical=True)
    learn: dict[str, Any] = {"scheme": scheme, "epsilon": None, "delta": None, "theta": 9}
    if scheme == "dp":
        learn |= {
            "epsilon": epsilon_1, "delta": Fraction(0), "max_size": 2, "n_columns": 2,
            "sensitivity": 3, "noise": "discrete Laplace", "scale": 3 / epsilon_1,
        }  # fmt: skip
    events = [
        Event(name="learn_scheme", parameters=learn),
        Event(name="suppress_by_scheme", parameters={"columns": data.columns}),
        Event(name="bernoulli_sample", parameters={"beta": beta}),
        Event(name="k_suppress", parameters={"k": k, "epsilon": epsilon, "delta": delta}),
    ]
    if scheme != "public":
        events = [Event(name="split_rows", parameters={"split_rate": rate}), *events]
    due = (epsilon, rate + (1 - rate) * delta) if scheme == "split" else (epsilon, delta)
    claimed = due if total is None else total
    claim = Guarantee(
        model="(epsilon, delta)-differential privacy",
        parameters={"epsilon": claimed[0], "delta": claimed[1]},
        unit="one row",
        neighbours=ADD_REMOVE,
        columns=data.columns,
        assumptions=("The lists of values that columns can have are public.",)
        if scheme == "dp"
        else (),
        not_protected=("Several releases of the same source: what they cost adds up.",),
    )
    release = Release(data=data, guarantee=claim, events=tuple(events))
    return spoken(release.save(folder / "release"))


def edit(folder: Path, change: Edit, *, reseal: bool = True) -> Path:
    """Change a certificate; as an attacker would, with its checksum renewed, or carelessly."""
    path = folder / "certificate.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    change(values)
    if reseal:
        values.pop("checksum", None)
        text = json.dumps(values, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
        values["checksum"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(
        json.dumps(values, sort_keys=True, indent=2, ensure_ascii=False) + "\n", "utf-8"
    )
    return folder


def spoken(folder: Path) -> Path:
    """Say all that a certificate has to say: for folders that are made by hand, to test the rest.

    That mechanisms say just this is what honest releases show, in the corpus of tampers.
    """
    assumed, limits = demanded(read_claims((folder / "certificate.json").read_bytes()))

    def change(values: dict[str, Any]) -> None:
        values["guarantee"].update(assumptions=assumed.due, not_protected=limits.due)

    return edit(folder, change)


def replace_data(folder: Path, content: bytes, *, recertify: bool = True) -> Path:
    """Put another data file in place and, as an attacker would, certify that one."""
    name = "data.csv" if (folder / "data.csv").exists() else "data.parquet"
    (folder / name).write_bytes(content)

    def change(values: dict[str, Any]) -> None:
        values["data"]["sha256"] = hashlib.sha256(content).hexdigest()

    return edit(folder, change) if recertify else folder


def exact(number: Fraction | str) -> dict[str, str]:
    """Return a fraction as certificates write it, for numbers of few digits."""
    value = Fraction(number)
    return {"exact": f"{value.numerator}/{value.denominator}", "decimal": f"{float(value):.12g}"}


def in_order(nodes: list[list[Any]]) -> list[list[Any]]:
    """Return the nodes of a stated hierarchy in the order of their labels, from the root down."""

    def path(place: int) -> list[tuple[str, bool, int]]:
        label, parent, height = nodes[place]
        above = [] if parent is None else path(parent)
        return [*above, (label or "", label is None, height)]

    order = sorted(range(len(nodes)), key=path)
    place_of = {old: new for new, old in enumerate(order)}
    return [
        [label, None if parent is None else place_of[parent], height]
        for label, parent, height in (nodes[old] for old in order)
    ]


def columns_of(records: list[tuple[object, ...]], width: int) -> dict[str, list[object]]:
    """Return records as columns c0, c1, ..."""
    return {f"c{j}": [record[j] for record in records] for j in range(width)}


# What departs from the published format, before anything is recomputed.
FORMAT = ("steps stated", "sentences", "column names", "fields", "side files", "written form")


def check(found: Verification, name: str) -> Check:
    """Return the only check of a name."""
    (wanted,) = [each for each in found.checks if each.name == name]
    return wanted


def failed(found: Verification) -> list[str]:
    """Return the names of the checks that failed, those of the format only if no other did."""
    assert found.answer == "refuted" or found.experimental
    names = [each.name for each in found.failed]
    return [name for name in names if name not in FORMAT] or names
