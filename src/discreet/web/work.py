"""What a job does, in its process: ``python -m discreet.web.work FOLDER NUMBER``.

It calls what the command line calls, writes how far it is and what came of it, and ends with the
app that started it.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
import warnings
import zipfile
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import discreet as dc
from discreet.assess.look import look
from discreet.assess.risk import prosecutor_risk
from discreet.assess.uniqueness import uniqueness
from discreet.data.files.packed import atomic_path
from discreet.data.hierarchy.check import MOST_WHOLE, Grouping
from discreet.data.hierarchy.edit import EditedTree
from discreet.data.hierarchy.levels import describe_levels
from discreet.data.hierarchy.makers import suggest_way
from discreet.data.hierarchy.tree import Hierarchy
from discreet.data.repair.suggest import suggest_repairs
from discreet.data.table import Table
from discreet.errors import DataError, DiscreetError, DiscreetWarning
from discreet.mine.database import one_per_person
from discreet.patterns import channels, support_for_safety
from discreet.policy.choose import choose
from discreet.policy.init import draft
from discreet.policy.load import load_data, load_hierarchies, load_source
from discreet.policy.methods import read_method
from discreet.policy.plan import EPSILONS, plan_each, plan_epsilons, preview
from discreet.policy.repairs import repair_line
from discreet.policy.run import run_policy
from discreet.randomize.collect import mine_campaign, open_campaign
from discreet.release.folder import RELEASE_FILES
from discreet.release.release import Release
from discreet.report.page import report_parts, templates
from discreet.verify import verify_release
from discreet.web.explore import MOST_COLUMNS, cube_of, paired_cells
from discreet.web.jobs import FULL, Jobs, said_of_disk
from discreet.web.project import Project, put, section

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tomlkit import TOMLDocument

    from discreet.errors import Worded
    from discreet.policy.model import Policy

WIDE: Final = 40  # columns; combinations of three values of more take minutes
N_ROWS: Final = 50  # of the data that a page shows
N_SHOWN: Final = 12  # combinations, columns and values at risk
EVERY: Final = 0.2  # seconds between two reports of progress


class Listener:
    """Writes how far a job is, a few times a second."""

    def __init__(self, jobs: Jobs, number: int) -> None:
        self._jobs, self._number = jobs, number
        self._last, self._stage = 0.0, ""

    def __call__(self, stage: str, share: float, /) -> None:
        """Write the stage and its share done."""
        now = time.monotonic()
        if stage == self._stage and now - self._last < EVERY and share < 1:
            return
        self._last, self._stage = now, stage
        counted = {"counted": 1} if stage == "save" and share == 0 else {}
        self._jobs.update(self._number, stage=stage, share=float(share), **counted)

    def progress(self, stage: str) -> Callable[[float], None]:
        """Return a callable that takes the share alone."""
        return lambda share: self(stage, share)


class Task:
    """One job: the project, its arguments, who hears of progress, and where results go."""

    def __init__(self, project: Project, jobs: Jobs, number: int) -> None:
        self.project, self.number = project, number
        self.arguments: dict[str, Any] = jobs.get(number).arguments
        self.listen = Listener(jobs, number)
        self._jobs = jobs

    def beside(self, ending: str) -> Path:
        """Return a file for a result that is no text."""
        return self._jobs.beside(self.number, ending)

    def fail(self, sentence: str) -> None:
        """Write that it failed, and why as far as the disk takes it."""
        with suppress(OSError):
            self.publish({"error": sentence})
        self._jobs.end(self.number, "failed")

    def publish(self, result: Mapping[str, object]) -> None:
        """Write what came of it so far."""
        self._jobs.write_result(self.number, result)


def make_draft(task: Task) -> dict[str, object]:
    """Draft a policy for a file, as ``discreet init`` does."""
    task.listen("read", 0)
    file = task.project.existing(task.arguments["file"])
    names = task.arguments.get("names") or None
    made = draft(file, folder=task.project.folder, names=names)
    task.project.save(task.arguments["policy"], made.text.encode())
    return {}


def make_census(task: Task) -> dict[str, object]:
    """Write the built-in census of invented people into the folder."""
    task.listen("write", 0)
    dc.write_table(dc.datasets.census(5000, seed=1), task.project.path(task.arguments["file"]))
    return {}


def _read(task: Task) -> tuple[Policy, Any, str | None]:
    """Return a policy, its data, and what must still be stated of people, if anything."""
    policy = task.project.policy(task.arguments["policy"])
    task.listen("read", 0)
    try:
        return policy, load_data(policy), None
    except DiscreetError as error:
        if error.parameter != "person":
            raise
        source = policy.source.model_copy(update={"one_row_per_person": True})
        return policy, load_source(policy.model_copy(update={"source": source})), said(error)


def look_at(task: Task) -> dict[str, object]:
    """Return what a policy's source holds, as ``discreet look`` does, and its first rows."""
    _, data, unstated = _read(task)
    task.listen("look", 0)
    size = _largest(data.n_columns) if isinstance(data, Table) else 3
    found = look(data, max_size=size, n_shown=0, progress=task.listen.progress("look"))
    result: dict[str, object] = {
        "unstated": unstated,
        "sentence": found.sentence,
        "size": found.size,
        "n_rows": found.n_rows,
        "person": None if found.person is None else found.person.to_dict(),
        "columns": [
            {
                "name": each.name, "n_values": each.n_values, "n_missing": each.n_missing,
                "suggested": each.role, "reason": each.reason,
            }
            for each in found.columns
        ],
    }  # fmt: skip
    if isinstance(data, Table):
        result["header"] = list(data.columns)
        result["rows"] = _window(data, 0)
    return result


def _largest(n_columns: int) -> int:
    """Return the most values of a combination that is looked for: in wide tables there are many."""
    return 3 if n_columns <= WIDE else 2 if n_columns <= 2 * WIDE else 1


def show_rows(task: Task) -> dict[str, object]:
    """Return some rows of a policy's source, from one on."""
    _, data, _ = _read(task)
    if not isinstance(data, Table):
        raise DataError("Transactions have no rows of a table.")
    return {"rows": _window(data, task.arguments["first"]), "n_rows": data.n_rows}


def _window(table: Table, first: int) -> list[list[str]]:
    """Return at most so many rows as a page shows, from one on."""
    part = table.take(np.arange(first, min(first + N_ROWS, table.n_rows)))
    cells = [[_text(part.values(name)[code]) for code in part.codes(name)] for name in part.columns]
    return [list(row) for row in zip(*cells, strict=True)]


def find_repairs(task: Task) -> dict[str, object]:
    """Return the repairs that a file seems to need, as ``discreet look`` proposes them."""
    task.listen("look", 0)
    file, names = task.project.existing(task.arguments["file"]), task.arguments["names"]
    found = suggest_repairs(file, names=names)
    mended = []
    for each in found.suggestions:
        proposed = [each.repair] if each.repair is not None else list(each.choices)
        mended.append({
            "column": each.column, "seen": each.seen, "is_open": each.repair is None,
            # A person reads the name of the file, not its path on this machine.
            "doubts": [doubt.replace(f" of {file}:", ":") for doubt in each.doubts],
            "ways": [{"rules": one.to_dict(), "line": repair_line(each.column, one)}
                     for one in proposed],
        })  # fmt: skip
    return {"columns": mended, "reading": dict(found.reading)}


def count_risk(task: Task) -> dict[str, object]:
    """Return the records at risk from somebody who knows some columns."""
    policy, table, _ = _read(task)
    known = task.arguments["columns"]
    k = int(getattr(policy.method, "k", None) or 5)
    task.listen("risk", 0)
    alone = prosecutor_risk(table, columns=known, threshold=0.5)
    few = prosecutor_risk(table, columns=known, threshold=1 / k)
    single = uniqueness(
        table, columns=known, max_size=_largest(len(known)), n_shown=N_SHOWN,
        progress=task.listen.progress("risk"),
    )  # fmt: skip
    return {
        "risk": {
            "k": k,
            "most": _largest(len(known)),
            "of_people": alone.n_people is not None,
            "n": alone.n_counted,
            "n_unique": alone.n_at_risk,
            "n_below": few.n_at_risk,
            "mean": alone.mean,
            "columns": [[*pair] for pair in sorted(single.column_rates, key=lambda pair: -pair[1])],
            "values": [list(each) for each in single.value_rates[:N_SHOWN]],
            "combinations": [str(each) for each in single.combinations],
        }
    }


def draw_trees(task: Task) -> dict[str, object]:
    """Return the levels of each hierarchy of a policy, and the tree with its groups."""
    policy, table, _ = _read(task)
    task.listen("group", 0)
    made = load_hierarchies(policy, table)
    return {
        "trees": {
            column: {"sentence": describe_levels(tree).sentence, "text": tree.render(max_lines=60)}
            for column, tree in made.items()
        }
    }


def read_tree(task: Task) -> dict[str, object]:
    """Return the values of a column with their rows, and the tree that stands over them."""
    policy, column = task.project.policy(task.arguments["policy"]), task.arguments["column"]
    task.listen("read", 0)
    how = policy.hierarchies.get(column)
    table = _one_column(policy, column, uncut=how is None)
    values = table.values(column)
    if len(values) > MOST_WHOLE:
        raise DataError(
            f"Column '{column}' has {len(values):,} values: too many for a tree to be drawn. Make "
            "its groups by a rule: intervals, dates, or beginnings of codes."
        )
    counts = np.bincount(table.codes(column), minlength=len(values)).tolist()
    pairs = dict(zip(values, counts, strict=True))
    task.listen("group", 0)
    result: dict[str, object] = {
        "n_missing": pairs.pop(None, 0),
        "rows": {str(value): n for value, n in pairs.items()},
        "suggested": suggest_way(list(pairs)),
    }
    if how is None:
        return result
    if isinstance(how, str):
        tree = Hierarchy.from_csv(task.project.existing(how), name=column)
    else:
        tree = how.of(values, name=column)
    edited = EditedTree.of(tree)
    return result | {"labels": edited.labels, "parents": edited.parents}


def make_tree(task: Task) -> dict[str, object]:
    """Write the tree of a column into its file, as ``discreet hierarchy build`` does."""
    asked, project = task.arguments, task.project
    policy, column, target = project.policy(asked["policy"]), asked["column"], asked["file"]
    task.listen("read", 0)
    if "way" in asked:
        way = Grouping(**asked["way"])
        # Intervals and dates group the values themselves, not the bins they were cut into.
        table = _one_column(policy, column, uncut=way.steps is not None or way.dates)
        tree = way.of(table.values(column), name=column)
    else:
        tree = Hierarchy.from_csv(project.private / "uploads" / asked["upload"], name=column)
    task.listen("write", 0)
    path = project.path(target)
    path.parent.mkdir(exist_ok=True)
    tree.to_csv(path, overwrite=True)

    def change(document: TOMLDocument) -> None:
        put(section(document, "hierarchies"), column, target)
        source = section(document, "source")
        if "way" in asked and (way.steps is not None or way.dates) and "bins" in source:
            put(source["bins"], column, None)

    project.edit(asked["policy"], project.text(asked["policy"]).version, change)
    return {}


def _one_column(policy: Policy, column: str, *, uncut: bool = False) -> Table:
    """Return a table of one column, as the policy reads it; uncut, numbers stay as they are."""
    source = policy.source
    is_cut = column in source.bins and not uncut
    # Where rows with missing cells are dropped, other columns decide which rows there are.
    kept = source.columns if source.missing == "drop" else (column,)
    codes = dict.fromkeys((*source.categorical, *policy.hierarchies, *([] if is_cut else [column])))
    read = {
        "source": source.model_copy(update={
            "columns": kept, "person": None, "one_row_per_person": True,
            "bins": {name: cut for name, cut in source.bins.items() if name != column or is_cut},
            "categorical": tuple(codes),
        }),
        "roles": {column: "quasi"}, "hierarchies": {},
        "method": read_method({"name": "k-mii", "k": 2}),
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscreetWarning)
        return load_source(policy.model_copy(update=read))


def choose_method(task: Task) -> dict[str, object]:
    """Return what ``discreet choose`` answers."""
    asked = dict(task.arguments)
    task.listen("look", 0)
    return choose(task.project.existing(asked.pop("file")), **asked).to_dict()


def make_plan(task: Task) -> dict[str, object]:
    """Return what several settings would cost, each as it is known."""
    policy = task.project.policy(task.arguments["policy"])
    result: dict[str, object] = {}
    progress = task.listen.progress("plan")
    for plan in plan_each(policy, ks=task.arguments["ks"], progress=progress):
        result = plan.to_dict() | {"sentence": plan.sentence}
        task.publish(result)
    return result


def make_noise_plan(task: Task) -> dict[str, object]:
    """Return how far off counts will be at several epsilons, each as it is known."""
    policy = task.project.policy(task.arguments["policy"])
    result: dict[str, Any] = {"settings": [], "answer": None, "error": None}
    error = task.arguments.get("error")
    progress = task.listen.progress("preview")
    for place, each in enumerate(plan_epsilons(policy, error=error, progress=progress)):
        found = each.expected.to_dict()
        columns: Any = found["column_errors"]
        made = {
            "epsilon": f"{float(each.epsilon):g}", "at": float(each.epsilon), "error": each.error,
            "is_noise": each.is_noise, "sentence": found["sentence"],
            "columns": list(columns.items()),
        }  # fmt: skip
        if place < len(EPSILONS):
            result["settings"].append(made)
        else:
            result["answer"] = made
        task.publish(result)
    return result | {"asked": error}


def try_supports(task: Task) -> dict[str, object]:
    """Return what supports would publish and disclose, as ``discreet patterns safety`` does."""
    policy = task.project.policy(task.arguments["policy"])
    task.listen("read", 0)
    data = load_data(policy)
    task.listen("supports", 0)
    options = policy.method
    asked = {"k": options.k, "columns": options.columns, "per_person": options.per_person}
    found = support_for_safety(data, **asked, progress=task.listen.progress("supports"))
    # A few more below and above the answer: a curve that one can slide along.
    if found.support is not None:
        more = {max(1, round(found.support * share)) for share in (0.8, 0.9, 1.15, 1.4, 2)}
        wanted = [each for each in more if each <= found.n_rows]
        found = support_for_safety(data, **asked, supports=wanted)
    return found.to_dict() | {"sentence": found.sentence}


def find_disclosed(task: Task) -> dict[str, object]:
    """Return what one support would disclose, as ``discreet patterns check`` does."""
    policy = task.project.policy(task.arguments["policy"])
    task.listen("read", 0)
    data, options = load_data(policy), policy.method
    task.listen("check", 0)
    found = channels(
        one_per_person(data, per_person=options.per_person).data, k=options.k,
        min_support=task.arguments["support"], columns=options.columns,
        progress=task.listen.progress("check"),
    )  # fmt: skip
    return {
        "sentence": found.sentence, "n": len(found),
        "worst": [[str(each), each.support] for each in found.worst(N_ROWS)],
    }  # fmt: skip


def read_campaign(task: Task) -> dict[str, object]:
    """Return what a campaign collected, and estimates if they are asked for."""
    asked = task.arguments
    store = open_campaign(task.project.existing(asked["file"]), name=asked["name"])
    n_of_size = store.n_of_size()
    result: dict[str, object] = {
        "n_batches": store.n_batches(), "n_transactions": sum(n_of_size.values()),
        "n_of_size": [[size, n] for size, n in n_of_size.items()],
        "operator": store.campaign.operator.kind, "n_items": len(store.campaign.items),
        "local_epsilon": max(store.campaign.local_epsilons().values()),
        "padded": store.campaign.padded, "mined": None,
    }  # fmt: skip
    if "min_frequency" in asked:
        task.listen("mine", 0)
        result["mined"] = mine_campaign(
            store.randomized(), min_frequency=asked["min_frequency"], max_size=asked["max_size"]
        )
    return result


def run(task: Task) -> dict[str, object]:
    """Make the release of a policy in a folder, as ``discreet run`` does."""
    policy = task.project.policy(task.arguments["policy"])
    folder = task.project.path(task.arguments["release"])
    made = run_policy(policy, folder, on_stage=task.listen)
    rows = made.release.input_rows
    if rows is not None:  # which row came from which is known now only
        np.save(task.beside("npy"), rows)
    return {"sentence": made.sentence, "seconds": made.seconds, "method": made.method,
            "ledger": None if made.entry is None else made.entry.sentence,
            "has_rows": rows is not None}  # fmt: skip


def describe(task: Task) -> dict[str, object]:
    """Return the sections of the report of a release: those of all, or with its original."""
    folder = task.project.existing(task.arguments["release"])
    task.listen("read", 0)
    release = Release.load(folder)
    inside: dict[str, Any] = {}
    if task.arguments.get("policy"):
        policy = task.project.policy(task.arguments["policy"])
        inside = {"original": load_data(policy), "internal": True}
        if task.arguments.get("controls"):
            other = policy.with_input(task.project.existing(task.arguments["controls"]))
            inside["controls"] = load_data(other)
        if release.kind == "transactions":
            raise DataError("What randomized transactions were is not known to their collector.")
    task.listen("report", 0)
    first, sections = report_parts(release, **inside, progress=task.listen.progress("report"))
    page = templates("discreet.web").get_template("report_part.html.j2")
    # The app allows no style but its own; its sheet says how wide a chart is at least.
    made = re.sub(r' style="[^"]*"', "", page.render(sections=sections))
    return {"fragment": made, "claim": first.guaranteed, "done": list(first.done)}


def pair_rows(task: Task) -> dict[str, object]:
    """Keep every cell of the original beside what became of it, to be paged through."""
    _, original, _ = _read(task)
    release = Release.load(task.project.existing(task.arguments["release"]))
    rows = np.load(task.project.private / "results" / f"{task.arguments['run']}.npy")
    released = release.data
    if not (isinstance(released, Table) and isinstance(original, Table)):
        raise DataError("Only releases of rows have rows to compare.")
    task.listen("compare", 0)
    cells, which, about = paired_cells(original, released, rows)
    np.save(task.beside("npy"), cells)
    for key, places in which.items():
        np.save(task.beside(f"{key}.npy"), places)
    return about


def compare_policies(task: Task) -> dict[str, object]:
    """Return what each of two policies costs with the k that it has."""
    costs: list[tuple[str, object]] = []
    for name in (task.arguments["first"], task.arguments["second"]):
        policy = task.project.policy(name)
        of_k = next((o for o in policy.method.record.options if o.of_k is not None), None)
        task.listen("plan", len(costs) / 2)
        if of_k is not None and of_k.of_k is not None:
            k = getattr(policy.method, of_k.name) - of_k.of_k
            *_, found = plan_each(policy, ks=[k])
            costs.append((name, asdict(found.settings[0])))
        elif policy.method.record.preview:
            costs.append((name, {"words": preview(policy).preview().title}))
        else:
            costs.append((name, {"words": f"Nothing says what {policy.method.name} costs."}))
        task.publish({"costs": costs})
    return {"costs": costs}


def pack(task: Task) -> dict[str, object]:
    """Put the files of a release folder into a zip beside it."""
    folder = task.project.existing(task.arguments["release"])
    target = folder.with_name(f"{folder.name}.zip")
    task.listen("zip", 0)
    with (
        atomic_path(target, overwrite=True) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.name in RELEASE_FILES:
                archive.write(path, f"{folder.name}/{path.name}")
    return {"file": target.name}


def check(task: Task) -> dict[str, object]:
    """Return what ``discreet verify`` answers of a folder or a zip."""
    place = task.project.existing(task.arguments["release"])
    name = task.arguments.get("policy")
    task.listen("read", 0)
    original = load_data(task.project.policy(name)) if name else None
    task.listen("verify", 0)
    found = verify_release(place, original=original, progress=task.listen.progress("verify"))
    return found.to_dict()


def count_release(task: Task) -> dict[str, object]:
    """Keep the counts of a release, to be explored."""
    task.listen("read", 0)
    released = Release.load(task.project.existing(task.arguments["release"])).data
    if not isinstance(released, Table):
        raise DataError("Only releases of rows can be explored; this one has none.")
    places = task.arguments["columns"] or range(min(released.n_columns, MOST_COLUMNS))
    names = [released.columns[place] for place in places if place < released.n_columns]
    task.listen("count", 0)
    cube = cube_of(released, names[:MOST_COLUMNS])
    return cube.write(task.beside("bin")) | {"all_columns": list(released.columns)}


TASKS: Final[dict[str, Callable[[Task], dict[str, object]]]] = {
    "census": make_census,
    "draft": make_draft,
    "look": look_at,
    "rows": show_rows,
    "repairs": find_repairs,
    "risk": count_risk,
    "choose": choose_method,
    "trees": draw_trees,
    "tree": read_tree,
    "make-tree": make_tree,
    "plan": make_plan,
    "noise": make_noise_plan,
    "supports": try_supports,
    "disclosed": find_disclosed,
    "campaign": read_campaign,
    "run": run,
    "pack": pack,
    "verify": check,
    "explore": count_release,
    "describe": describe,
    "cells": pair_rows,
    "compare": compare_policies,
}


def said(error: Worded) -> str:
    """Return a sentence of the library in words that fit a form: an option by its name."""
    return error.words(lambda name, value: name if value is ... else f"{name} = {value}")


def _text(value: object) -> str:
    return "" if value is None else str(value)


def main(folder: str, number: str) -> int:
    """Do a job and write how it ended; return 0 if it ended well."""
    _end_with_the_app()
    project = Project(folder)
    jobs = Jobs(project.private)
    task = Task(project, jobs, int(number))
    kind = jobs.get(task.number).kind
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", DiscreetWarning)
            try:
                result = TASKS[kind](task)
            finally:
                notes = [said(w.message) for w in heard if isinstance(w.message, DiscreetWarning)]
        task.publish(result | {"warnings": notes})
        jobs.end(task.number, "done")
    except KeyboardInterrupt:
        task.publish({"warnings": notes})
        jobs.end(task.number, "cancelled")
        return 1
    except DiscreetError as error:
        task.publish({"error": said(error), "column": error.column, "warnings": notes})
        jobs.end(task.number, "failed")
        return 1
    except MemoryError:
        task.fail("There is not enough memory for this. Take fewer rows or columns.")
        return 1
    except OSError as error:
        task.fail(said_of_disk(error))
        return 1
    except Exception as error:  # noqa: BLE001  whatever it is, the app has to say that it ended
        # Polars and others wrap what the system said; their words may hold values of the data.
        is_disk = any(word in str(error).lower() for word in ("no space", "file too large"))
        task.fail(FULL if is_disk else f"The work ended unexpectedly ({type(error).__name__}).")
        return 1
    return 0


def _end_with_the_app() -> None:
    """Interrupt the work when the app has gone: its end of the pipe is closed then."""

    def watch() -> None:
        while os.read(0, 4096):  # nothing is sent: it ends with whoever holds the other end
            pass
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    os.umask(0o077)
    raise SystemExit(main(*sys.argv[1:]))
