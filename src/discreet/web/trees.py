"""The trees by which values are generalized: made by a rule, from a file, or by hand.

What stands in ``trees/COLUMN.csv`` is what the screen shows and what the next run uses. A change is
a form: the nodes that were selected, what to do with them, and the version of the tree that they
were selected in.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse

from discreet.data.hierarchy.check import Grouping
from discreet.data.hierarchy.edit import EditedTree
from discreet.errors import HierarchyError, ParameterError
from discreet.report.text import counted
from discreet.web.desk import go
from discreet.web.policies import about_policy, command_line, looked_at
from discreet.web.project import StaleError, put, section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from discreet.policy.model import Policy
    from discreet.web.desk import Act, Desk, Refusal, Show

WAYS: Final = {
    "steps": "Intervals of numbers, such as 5, 10 and 20 wide",
    "dates": "Dates by day, month, quarter, year, 5 and 10 years",
    "prefix": "Beginnings of codes, such as their first 3, 2 and 1 characters",
    "icd": "Diagnoses of ICD-10 by category, ten categories, chapter",
    "postcode": "Postcodes by area, then by its first 3, 2 and 1 characters",
    "codes": "Codes such as those of NACE, a digit shorter at each level",
    "flat": "All values under one root, to be grouped by hand",
    "file": "A file with a line for each value",
}


def trees(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show by which groups the values of each column may be replaced."""
    name, policy, values = about_policy(desk, request)
    looked = looked_at(desk, request, name, policy)
    if not isinstance(looked, dict):
        return looked
    found: dict[str, Any] = {}
    if policy.hierarchies:
        arguments = {
            "policy": name, "source": desk.source_version(policy), "trees": _made_of(desk, policy),
        }  # fmt: skip
        job = desk.found("trees", arguments, then_to=request.url.path)
        if not hasattr(job, "id"):
            return job
        found = desk.jobs.result(job.id)
    files = [path.name for path in desk.project.folder.glob("*.csv")]
    files += [f"trees/{path.name}" for path in (desk.project.folder / "trees").glob("*.csv")]
    return desk.page(
        "trees", refusal, **values, look=looked, found=found, ways=WAYS, files=sorted(files),
        given={column: _way(how) for column, how in policy.hierarchies.items()},
        is_used=policy.method.record.hierarchies,
        command=command_line("hierarchy", "build", policy.source.file, "--help"),
    )  # fmt: skip


def _way(how: object) -> tuple[str, str]:
    """Return how a hierarchy is made: the way, and the numbers or the file that go with it."""
    if isinstance(how, str):
        return "file", how
    written = how.as_written() if isinstance(how, Grouping) else {}
    way = next((each for each in WAYS if each in written), "")
    value = written.get(way)
    return way, ", ".join(map(str, value)) if isinstance(value, list) else ""


async def save_trees(desk: Desk, request: Request, form: FormData) -> Response:
    """Write how the groups of columns are made."""
    name = request.path_params["policy"]
    ways = {key.removeprefix("way:"): str(way) for key, way in form.items() if key[:4] == "way:"}

    def change(document: tomlkit.TOMLDocument) -> None:
        table = section(document, "hierarchies")
        for column, way in ways.items():
            put(table, column, _grouping(way, str(form.get(f"with:{column}", "")), column))
        if not table:
            del document["hierarchies"]

    desk.project.edit(name, str(form.get("version", "")), change)
    return go(f"/policy/{name}/trees")


def _grouping(way: str, given: str, column: str) -> object:
    """Return how a policy writes that groups are made; None for no groups."""
    if not way:
        return None
    if way == "file":
        return given
    if way not in WAYS:
        raise ParameterError(
            f"There is no such way to make groups: {way!r}.", parameter="hierarchies"
        )
    made = tomlkit.inline_table()
    if way not in ("steps", "prefix"):
        made[way] = True
        return made
    try:
        numbers = [float(each) if "." in each else int(each) for each in given.split(",")]
    except ValueError:
        raise ParameterError(
            f"The groups of column '{column}' need numbers such as 5, 10, not {given!r}.",
            parameter="hierarchies", column=column,
        ) from None  # fmt: skip
    made[way] = numbers
    return made


def _made_of(desk: Desk, policy: Policy) -> list[object]:
    """Return what changes with the trees of a policy: how they are made, and their files."""
    return [
        [column, [how, _stat(desk.project.path(how))] if isinstance(how, str) else how.as_written()]
        for column, how in policy.hierarchies.items()
    ]


# One tree, to be changed.

WINDOW: Final = 100  # children of a group that are shown at once
MOST_ROWS: Final = 1500  # lines of a tree on a page
FIRST_ROWS: Final = 60  # lines of a tree that is opened by itself
MOST_FOUND: Final = 200
MOST_NAMED: Final = 300  # groups that a field proposes
MOST_KEPT: Final = 24  # trees that are remembered, so that no change has to read a file again
NARROWEST: Final = 3.0  # thousandths of the width that a group gets in a picture of the levels


@dataclass(frozen=True, slots=True)
class Standing:
    """A tree as it stands in its file, with the rows of each value."""

    tree: EditedTree
    rows: dict[str, int]
    n_missing: int = 0

    def counted(self) -> tuple[list[int], list[int]]:
        """Return for each node its values, and its rows."""
        return self.tree.counted(self.rows)


# From what a tree is named by to the tree; the numbers of its nodes stay from change to change.
_KEPT: OrderedDict[tuple[str, ...], Standing] = OrderedDict()


def _keep(key: tuple[str, ...], standing: Standing) -> None:
    _KEPT[key] = standing
    _KEPT.move_to_end(key)
    while len(_KEPT) > MOST_KEPT:
        _KEPT.popitem(last=False)


@dataclass(slots=True)
class Page:
    """What the screen of a column knows: its policy, the file of the tree, and the tree."""

    name: str
    policy: Policy
    column: str
    how: Grouping | str | None
    content: bytes
    standing: Standing | None = None
    found: dict[str, Any] = field(default_factory=dict)
    key: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """What a form carries, so that a change of an older tree is noticed."""
        written = "" if self.how is None else str(self.how)
        return hashlib.sha256(written.encode() + b"\0" + self.content).hexdigest()[:16]

    @property
    def k(self) -> int:
        """The size of class that small groups are compared with."""
        return int(getattr(self.policy.method, "k", None) or 5)


def _page(desk: Desk, request: Request, *, then_to: str) -> Page | Response:
    """Return what is known of a column and its tree; or the way to the job that counts its rows."""
    name, column = request.path_params["policy"], request.query_params.get("column", "")
    policy = desk.project.policy(name)
    how = policy.hierarchies.get(column)
    content = desk.project.existing(how).read_bytes() if isinstance(how, str) else b""
    page = Page(name, policy, column, how, content)
    read = [policy.source.model_dump(exclude={"one_row_per_person", "person"}),
            desk.source_version(policy) if policy.source.missing == "drop" else "",
            _stat(policy.source_path), str(policy.repairs.get(column))]  # fmt: skip
    source = hashlib.sha256(json.dumps(read, default=str).encode()).hexdigest()[:16]
    page.key = (str(desk.project.folder), name, column, source)
    page.standing = _KEPT.get((*page.key, page.version))
    if page.standing is None:
        arguments = {"policy": name, "column": column, "source": source, "tree": page.version}
        job = desk.found("tree", arguments, then_to=then_to)
        if not hasattr(job, "id"):
            return job
        page.found = desk.jobs.result(job.id)
        if "labels" in page.found:
            tree = EditedTree.from_nodes(page.found["labels"], page.found["parents"])
            page.standing = Standing(tree, page.found["rows"], page.found["n_missing"])
            _keep((*page.key, page.version), page.standing)
    return page


def _stat(path: Path) -> list[int]:
    seen = path.stat() if path.exists() else None
    return [] if seen is None else [seen.st_size, seen.st_mtime_ns]


def tree(
    desk: Desk,
    request: Request,
    refusal: Refusal | None = None,
    *,
    done: tuple[str, int | None] = ("", None),
    found: Iterable[int] | None = None,
) -> Response:
    """Show the tree of a column: its levels, its groups as far as they are open, what to do."""
    column = request.query_params.get("column", "")
    form: FormData | None = getattr(request.state, "form", None)
    opened = form.getlist("open") if form else request.query_params.getlist("open")
    name, policy, values = about_policy(desk, request)
    values["step"] = "trees"
    page = _page(desk, request, then_to=f"/policy/{name}/tree?{request.url.query}")
    if not isinstance(page, Page):
        return page
    shown: dict[str, Any] = {
        "tree_version": page.version,
        "column": column,
        "done": done[0],
        "focus": done[1],
    }
    standing = page.standing
    if standing is not None:
        drawn = _Drawing(standing, opened)
        shown |= {
            "drawn": drawn, "levels": _levels(standing, page.k, drawn.n_rows), "k": page.k,
            "lacking": standing.tree.lacking(standing.rows), "n_missing": standing.n_missing,
            "found": None if found is None else [drawn.line(node) for node in found],
            "groups": [standing.tree.labels[n] for n in standing.tree.groups()[:MOST_NAMED]],
        }  # fmt: skip
    is_file = isinstance(page.how, str)
    shown |= {
        "is_file": is_file, "how": None if is_file else page.how, "refusal": refusal,
        "policy": name, "can_undo": values["can_undo"], "can_redo": values["can_redo"],
    }  # fmt: skip
    if request.headers.get("x-part"):
        # A refusal that our own script asked for stands on the page, not in its console.
        return HTMLResponse(desk.text("tree_part.html.j2", **shown))
    way, given = _way(page.how) if page.how is not None and not is_file else ("", "")
    suggested = (
        _way(Grouping(**page.found["suggested"])) if page.found.get("suggested") else ("", "")
    )
    known = [c for c, role in policy.roles.items() if role == "quasi"] or [*policy.hierarchies]
    way, given = (way, given) if way else suggested
    numbers = [given.replace(" ", "")] if way in ("steps", "prefix") else []
    build = ("build", policy.source.file, "--column", column, f"--{way}", *numbers)
    command = ("show", str(page.how)) if is_file else (*build, "-o", _file_of(policy, column))
    return desk.page(
        "tree", **(values | shown), failure=page.found.get("error"), ways=WAYS,
        way=way or suggested[0], given=given if way else suggested[1], columns=known,
        is_used=policy.method.record.hierarchies, is_cut=column in policy.source.bins,
        command=command_line("hierarchy", *command),
    )  # fmt: skip


def tree_part(desk: Desk, request: Request, _: Refusal | None = None) -> Response:
    """Return what is right under a group, from some place on: a window of a tree."""
    page = _page(desk, request, then_to="/")
    query = request.query_params
    if not isinstance(page, Page) or page.standing is None or query.get("version") != page.version:
        return HTMLResponse(status_code=409)
    node, start = int(query.get("node", "0")), int(query.get("from", "0"))
    drawn = _Drawing(page.standing, [f"{node}:{start + WINDOW}"])
    inside = drawn.window(node, start)
    return HTMLResponse(
        desk.text("tree_lines.html.j2", lines=inside, policy=page.name, column=page.column,
                  node=node, start=start)
    )  # fmt: skip


@dataclass(slots=True)
class Line:
    """A node as a page shows it, and the lines under it."""

    node: int
    label: str
    is_value: bool
    n_values: int
    n_rows: int
    share: float
    is_open: bool = False
    n_children: int = 0
    n_shown: int = 0
    inside: list[Line] = field(default_factory=list)
    path: str = ""

    @property
    def n_more(self) -> int:
        """How many lines under it are not shown yet."""
        return self.n_children - self.n_shown


class _Drawing:
    """The lines of a tree that are open, at most so many."""

    def __init__(self, standing: Standing, opened: Iterable[object]) -> None:
        self._tree = standing.tree
        self.n_values, self.n_rows = standing.counted()
        self._left = MOST_ROWS
        self._open = dict(filter(None, map(_opened, map(str, opened))))
        for node in [each for each in self._open if each in self._tree.children]:
            self._reveal(node)
        if not self._open:
            self._open = self._by_itself()
        self.root = self._drawn(self._tree.root)

    def window(self, node: int, start: int) -> Line:
        """Return a group with its lines from a place on."""
        line = self.line(node)
        inside = self._tree.children.get(node, ())
        line.inside = [self.line(child) for child in inside[start : start + WINDOW]]
        line.is_open, line.n_shown = True, start + len(line.inside)
        return line

    def line(self, node: int) -> Line:
        """Return a node without what is under it."""
        tree = self._tree
        total = self.n_rows[tree.root]
        return Line(
            node, tree.labels[node], tree.is_value(node), self.n_values[node], self.n_rows[node],
            round(100 * self.n_rows[node] / total, 1) if total else 0.0,
            n_children=len(tree.children.get(node, ())),
            path=" / ".join(tree.labels[up] for up in reversed(tree.above(node))),
        )  # fmt: skip

    def _drawn(self, node: int) -> Line:
        """Return a node with the lines under it that are open; those nearer to the root first."""
        top = self.line(node)
        waiting = [top]
        while waiting:
            lines, waiting = waiting, []
            for line in lines:
                most = min(self._open.get(line.node, 0), self._left)
                if line.is_value or most <= 0:
                    continue
                children = self._tree.children[line.node][:most]
                line.inside = [self.line(child) for child in children]
                line.is_open, line.n_shown = True, len(children)
                self._left -= len(children)
                waiting += line.inside
        return top

    def _reveal(self, node: int) -> None:
        """Open what is above a node, far enough to see it."""
        tree = self._tree
        for up in tree.above(node):
            place = tree.children[up].index(node)
            self._open[up] = max(self._open.get(up, 0), (place // WINDOW + 1) * WINDOW)
            node = up

    def _by_itself(self) -> dict[int, int]:
        """Return the groups that are open on a page that nothing was opened on."""
        tree = self._tree
        found, n = {tree.root: WINDOW}, min(len(tree.children[tree.root]), WINDOW)
        level = list(tree.children[tree.root])
        while level:
            held = sum(len(tree.children.get(node, ())) for node in level)
            if not held or n + held > FIRST_ROWS:
                break
            found |= dict.fromkeys((node for node in level if node in tree.children), WINDOW)
            n += held
            level = [child for node in level for child in tree.children.get(node, ())]
        return found


def _opened(text: str) -> tuple[int, int] | None:
    """Return a group and how many of its lines are shown, as ``12`` or ``12:300`` says it."""
    found = re.fullmatch(r"(\d{1,9})(?::(\d{1,6}))?", text, re.ASCII)
    return (int(found[1]), int(found[2] or WINDOW)) if found else None


def _levels(standing: Standing, k: int, n_rows: list[int]) -> list[dict[str, Any]]:
    """Return each level, from the values to the root: its groups, the small ones, a picture."""
    tree = standing.tree
    depth_of = dict(tree.walk())
    deepest = max(depth_of.values())
    total = n_rows[tree.root]
    levels: list[dict[str, Any]] = []
    for depth in range(deepest, -1, -1):
        nodes = [n for n, at in depth_of.items()
                 if at == depth or (at < depth and tree.is_value(n))]  # fmt: skip
        used = [n for n in nodes if n_rows[n]]
        small = [n for n in used if n_rows[n] < k]
        groups = [n for n in nodes if not tree.is_value(n)]
        levels.append({
            "place": deepest - depth, "n_groups": len(nodes), "n_small": len(small),
            "smallest": min((n_rows[n] for n in used), default=0),
            "rows_small": sum(n_rows[n] for n in small) / (total or 1),
            "examples": [tree.labels[n] for n in (groups or nodes)[:3]],
            "strip": _strip(tree, nodes, n_rows, total, k),
        })  # fmt: skip
    return levels


def _strip(
    tree: EditedTree, nodes: list[int], n_rows: list[int], total: int, k: int
) -> list[dict[str, Any]]:
    """Return the segments of a level, in thousandths of its width; narrow ones are put together."""
    made: list[dict[str, Any]] = []
    at, place = 0, 0
    for node in nodes:
        wide, start = 1000 * n_rows[node] / (total or 1), 1000 * at / (total or 1)
        at += n_rows[node]
        if not n_rows[node]:
            continue
        last = made[-1] if made else None
        if last is not None and wide < NARROWEST and last["several"]:
            last["wide"] += wide
            last["several"] += 1
            last["is_small"] = last["is_small"] or n_rows[node] < k
            continue
        place += 1
        made.append({
            "x": start, "wide": wide, "label": tree.labels[node], "n_rows": n_rows[node],
            "several": int(wide < NARROWEST), "is_small": n_rows[node] < k, "odd": place % 2,
        })  # fmt: skip
    for each in made:
        each["fits"] = int(each["wide"] / 8.5) - 1  # characters
        each["x"], each["wide"] = round(each["x"], 1), round(max(each["wide"] - 1, 0.6), 1)
    return made


async def change_tree(desk: Desk, request: Request, form: FormData) -> Response:
    """Change the tree of a column as a form says, and show it."""
    request.state.form = form
    column, do = request.query_params.get("column", ""), str(form.get("do", ""))
    back = f"/policy/{request.path_params['policy']}/tree?{request.url.query}"
    if do in ("undo", "redo"):
        (desk.project.undo if do == "undo" else desk.project.redo)(request.path_params["policy"])
        said = "The last change was taken back." if do == "undo" else "The change was made again."
        return _answer(desk, request, (said, None))
    page = _page(desk, request, then_to=back)
    if not isinstance(page, Page):
        return page
    if page.standing is None or not isinstance(page.how, str):
        raise ParameterError("There is no tree to be changed: make one first.", parameter="column")
    if form.get("version") != page.version:
        raise StaleError(
            f"The tree of '{column}' was changed meanwhile, in another window or by a program. "
            "Your change was not saved; the page shows the tree as it is now."
        )
    before = page.standing
    if do == "find":
        return tree(desk, request, found=_search(before.tree, str(form.get("text", ""))))
    after, said, at = _change(before, do, form)
    content = after.text.encode()
    if content != page.content:
        desk.project.write(page.name, {page.how: content})
    page.content = content
    _keep((*page.key, page.version), Standing(after, before.rows, before.n_missing))
    return _answer(desk, request, (said, at))


def _answer(desk: Desk, request: Request, done: tuple[str, int | None]) -> Response:
    """Return the tree as it is now: at once where our script asked, else as a page of its own."""
    if request.headers.get("x-part"):
        return tree(desk, request, done=done)
    form: FormData = request.state.form
    opened = [f"open={each}" for each in map(str, form.getlist("open")) if _opened(each)]
    query = "&".join([request.url.query, *opened[:200]])
    return go(f"/policy/{request.path_params['policy']}/tree?{query}#tree")


def _change(before: Standing, do: str, form: FormData) -> tuple[EditedTree, str, int | None]:
    """Return a tree after what a form asks for, what was done in words, and where."""
    old = before.tree
    nodes = [int(each) for each in map(str, form.getlist("node")) if each.isdecimal()]
    nodes = list(dict.fromkeys(nodes))
    label = str(form.get("label", "")).strip()
    n = counted(len(nodes), "entry", "entries")
    new = len(old.labels)  # the number of a node that is made now
    if do == "move":
        given = str(form.get("to_node", ""))
        to = int(given) if given.isdecimal() else old.group_called(str(form.get("to", "")).strip())
        return old.moved(nodes, to), f"Moved {n} into {old.labels[to]}.", to
    if do == "group":
        return old.grouped(nodes, label), f"Put {n} into the new group {label}.", new
    if do == "merge":
        return old.merged(nodes, label), f"Made one group of {n}: {label}.", new
    if do == "rename":
        if len(nodes) != 1:
            raise HierarchyError("Select the one group that gets another name.")
        return old.renamed(nodes[0], label), f"Renamed to {label}.", nodes[0]
    if do == "dissolve":
        up = old.parents[nodes[0]] if nodes and nodes[0] < new else None
        return old.dissolved(nodes), f"Dissolved {n}: what they held is one level up.", up
    if do == "add":
        lacking = old.lacking(before.rows)
        said = f"Put {counted(len(lacking), 'value')} under the root."
        return old.with_values(lacking), said, old.root
    raise ParameterError("There is no such change of a tree.", parameter="do")


def _search(tree: EditedTree, text: str) -> list[int]:
    """Return the values and groups whose label holds a text, in order."""
    wanted = text.strip().casefold()
    if not wanted:
        raise HierarchyError("Write what to look for.")
    found = (node for node, _ in tree.walk() if wanted in tree.labels[node].casefold())
    return [node for _, node in zip(range(MOST_FOUND), found, strict=False)]


async def make_tree(desk: Desk, request: Request, form: FormData) -> Response:
    """Make the tree of a column by a rule, and write it into its file and the policy."""
    column, way = request.query_params.get("column", ""), str(form.get("way", ""))
    made = _grouping(way, str(form.get("with", "")), column)
    if not isinstance(made, dict):
        raise ParameterError("Choose how the groups are made.", parameter="way", column=column)
    return _start(desk, request, {"way": dict(made.unwrap())})  # type: ignore[attr-defined]  # tomlkit's


async def import_tree(desk: Desk, request: Request, form: FormData) -> Response:
    """Take the tree of a column from a file, as ARX writes it."""
    given = form.get("file")
    if not isinstance(given, UploadFile) or not given.filename:
        raise ParameterError("Choose a file first.", parameter="file")
    place = desk.project.private / "uploads"
    handle, path = tempfile.mkstemp(dir=place, suffix=".csv")
    with os.fdopen(handle, "wb") as file:
        file.write(await given.read())
    return _start(desk, request, {"upload": Path(path).name})


def _start(desk: Desk, request: Request, asked: Mapping[str, object]) -> Response:
    """Start the job that writes a tree; the policy and the file can be had back."""
    name, column = request.path_params["policy"], request.query_params.get("column", "")
    policy = desk.project.policy(name)
    if not policy.method.record.hierarchies:
        raise ParameterError(f"{policy.method.name} does not generalize: choose another method.")
    file = _file_of(policy, column)
    desk.project.remember(name, file)
    arguments = {"policy": name, "column": column, "file": file, **asked}
    number = desk.supervisor.submit(
        "make-tree", arguments, then_to=f"/policy/{name}/tree?{request.url.query}"
    )
    return go(f"/job/{number}")


def _file_of(policy: Policy, column: str) -> str:
    """Return the file of a column's tree: the one it has, or one of its name that no other has."""
    how = policy.hierarchies.get(column)
    if isinstance(how, str):
        return how
    taken = {each for each in policy.hierarchies.values() if isinstance(each, str)}
    stem = re.sub(r"[^\w-]+", "_", column)[:60].strip("_") or "column"
    names = (f"trees/{stem}{end}.csv" for end in ("", *(f"-{n}" for n in range(2, 10_000))))
    return next(name for name in names if name not in taken)


SCREENS: Final[dict[str, Show]] = {
    "/policy/{policy}/trees": trees,
    "/policy/{policy}/tree": tree,
    "/policy/{policy}/tree/part": tree_part,
}
ACTIONS: Final[dict[str, tuple[Act, Show]]] = {
    "/policy/{policy}/trees": (save_trees, trees),
    "/policy/{policy}/tree": (change_tree, tree),
    "/policy/{policy}/tree/make": (make_tree, tree),
    "/policy/{policy}/tree/import": (import_tree, tree),
}
