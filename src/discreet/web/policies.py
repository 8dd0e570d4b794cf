"""The screens of a policy, in order: understood, records at risk, roles, method, plan, run.

Each shows ``policy.toml`` as it stands and writes into it; the command that does the same is at its
foot.
"""

from __future__ import annotations

import itertools
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from starlette.responses import HTMLResponse

from discreet.data.files.packed import inner_suffix
from discreet.errors import ParameterError
from discreet.policy.choose import EPSILON, PROMISE, PUBLISH, TO, K
from discreet.policy.plan import KS, sizes_of_class
from discreet.policy.repairs import repair_line
from discreet.release.methods import METHODS
from discreet.web import kinds
from discreet.web.desk import go
from discreet.web.project import as_inline, put, section
from discreet.web.releases import released_of
from discreet.web.work import N_ROWS

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from discreet.policy.model import Policy
    from discreet.release.method import Method, Option
    from discreet.web.desk import Act, Desk, Refusal, Show

ROLES: Final = {
    "identifying": "names a person; it is left out",
    "quasi": "an attacker may know it",
    "sensitive": "what must not be disclosed of a person",
    "insensitive": "neither; it is published as it is",
}
_SETTINGS: Final = ("delimiter", "encoding", "names", "null_values", "categorical")


def about_policy(desk: Desk, request: Request) -> tuple[str, Policy, dict[str, Any]]:
    """Return the name of the policy, the policy, and what every screen of it shows."""
    name = request.path_params["policy"]
    policy, text = desk.project.policy(name), desk.project.text(name)
    undo, redo = desk.project.can(name)
    return name, policy, {
        "policy": name, "read": policy, "version": text.version, "text": text.text,
        "can_undo": undo, "can_redo": redo, "step": request.url.path.rpartition("/")[2],
    }  # fmt: skip


def data(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what the file was understood to hold, what is messy in it, and some of its rows."""
    name, policy, values = about_policy(desk, request)
    looked = looked_at(desk, request, name, policy)
    if not isinstance(looked, dict):
        return looked
    given = request.query_params.get("from", "1")
    first = max(int(given) - 1, 0) if given.isdecimal() and len(given) < 12 else 0
    rows = looked.get("rows", [])
    if first:
        arguments = {"policy": name, "source": desk.source_version(policy), "first": first}
        job = desk.found("rows", arguments, then_to=f"{request.url.path}?from={first + 1}")
        if not hasattr(job, "id"):
            return job
        rows = desk.jobs.result(job.id).get("rows", [])
    return desk.page(
        "data", refusal, **values, look=looked, source=policy.source.model_dump(), rows=rows,
        first=first, window=N_ROWS, **_repairs(desk, name, policy),
        command=command_line("look", policy.source.file),
    )  # fmt: skip


def _repairs(desk: Desk, name: str, policy: Policy, number: int | None = None) -> dict[str, Any]:
    """Return what seems messy in the file of a policy, and which of it the policy mends."""
    path = policy.source_path
    if number is None:
        if inner_suffix(path) in (".dat", ".num") or not path.is_file():
            return {"messy": None}
        seen, names = path.stat(), policy.source.names
        arguments = {
            "file": policy.source.file, "names": None if names is None else list(names),
            "seen": [seen.st_size, seen.st_mtime_ns],
        }  # fmt: skip
        job = desk.jobs.latest("repairs", arguments)
        if (
            job is None
            or job.state in ("cancelled", "interrupted")
            or (job.is_over and not desk.jobs.result(job.id))
        ):
            number = desk.supervisor.submit("repairs", arguments, then_to=f"/policy/{name}/data")
        else:
            number = job.id
    found = desk.jobs.result(number)
    for each in found.get("columns", ()):
        stands = policy.repairs.get(each["column"])
        rules = None if stands is None else stands.to_repair().to_dict()
        for way in each["ways"]:
            way["stands"] = way["rules"] == rules
        each["stands"] = stands is not None
        each["line"] = "" if stands is None else repair_line(each["column"], stands.to_repair())
    return {"messy": found, "messy_job": desk.jobs.get(number)}


def repairs_part(desk: Desk, request: Request, _: Refusal | None = None) -> Response:
    """Return what seems messy, as soon as it is known."""
    name = request.path_params["policy"]
    policy = desk.project.policy(name)
    values = _repairs(desk, name, policy, request.path_params["number"])
    text = desk.project.text(name)
    answer = HTMLResponse(
        desk.text("repairs_part.html.j2", policy=name, version=text.version, **values)
    )
    if values["messy_job"].is_over:
        answer.headers["x-over"] = "1"
    return answer


async def save_repairs(desk: Desk, request: Request, form: FormData) -> Response:
    """Write a repair that was proposed into the policy, or take one away."""
    name, column = request.path_params["policy"], str(form.get("column", ""))
    policy = desk.project.policy(name)
    messy = _repairs(desk, name, policy)["messy"] or {}
    found = next((each for each in messy.get("columns", ()) if each["column"] == column), None)
    way = str(form.get("way", ""))
    rules = None
    if way.isdecimal() and found is not None and int(way) < len(found["ways"]):
        rules = found["ways"][int(way)]["rules"]
    elif way:
        raise ParameterError("There is no such repair.", parameter="repairs", column=column)

    def change(document: tomlkit.TOMLDocument) -> None:
        table = section(document, "repairs")
        put(table, column, None if rules is None else as_inline(rules))
        if not table:
            del document["repairs"]

    desk.project.edit(name, str(form.get("version", "")), change)
    return go(f"/policy/{name}/data#messy")


async def save_bins(desk: Desk, request: Request, form: FormData) -> Response:
    """Write how columns of numbers are cut; a column without a cut holds codes."""
    name = request.path_params["policy"]
    given = {k.removeprefix("bins:"): str(v).strip() for k, v in form.items() if k[:5] == "bins:"}
    more = str(form.get("more", "")).strip()
    if more:
        given[more] = str(form.get("cut", "")).strip()
    cuts = {column: _cut(column, text) for column, text in given.items()}

    def change(document: tomlkit.TOMLDocument) -> None:
        source = section(document, "source")
        codes = [str(each) for each in source.get("categorical", [])]
        bins = source.get("bins", {})
        for column, cut in cuts.items():
            if cut is None and column not in codes:
                codes.append(column)
            if cut is not None:
                codes = [each for each in codes if each != column]
            if cut is not None and "bins" not in source:
                bins = tomlkit.table()
                source["bins"] = bins
            if cut is None or column not in bins or bins[column] != cut:
                put(bins, column, cut)
        if codes != list(source.get("categorical", [])):
            put(source, "categorical", codes or None)

    desk.project.edit(name, str(form.get("version", "")), change)
    return go(f"/policy/{name}/data")


def _cut(column: str, text: str) -> object:
    """Return a width or a list of edges as a policy writes it; None for an empty field."""
    if not text:
        return None
    try:
        numbers = [float(each) if {".", "e"} & {*each} else int(each) for each in text.split(",")]
    except ValueError:
        raise ParameterError(
            f"Column '{column}' is cut at numbers such as 20, 40, 60, or in steps of one number "
            f"such as 10, not {text!r}.",
            parameter="bins", column=column,
        ) from None  # fmt: skip
    return numbers if len(numbers) > 1 else numbers[0]


def looked_at(desk: Desk, request: Request, name: str, policy: Policy) -> dict[str, Any] | Response:
    """Return what was found in the source of a policy; or the way to the job that looks."""
    arguments = {"policy": name, "source": desk.source_version(policy)}
    job = desk.found("look", arguments, then_to=request.url.path)
    if not hasattr(job, "id"):
        return job
    return desk.jobs.result(job.id)


async def save_data(desk: Desk, request: Request, form: FormData) -> Response:
    """Write how the file is read, and whose its rows are."""
    name = request.path_params["policy"]
    whose = str(form.get("whose", ""))

    def change(document: tomlkit.TOMLDocument) -> None:
        source = section(document, "source")
        for key in _SETTINGS:
            given = str(form.get(key, "")).strip("\r\n")
            listed = key not in ("delimiter", "encoding")
            value: object = [each.strip() for each in given.split(",")] if listed else given
            put(source, key, value if given else None)
        has_header = form.get("header") is not None
        put(source, "header", None if has_header else False)
        put(source, "person", str(form.get("person", "")) if whose == "person" else None)
        put(source, "one_row_per_person", True if whose == "one" else None)

    desk.project.edit(name, str(form.get("version", "")), change)
    return go(f"/policy/{name}/data")


async def draft_again(desk: Desk, request: Request, form: FormData) -> Response:
    """Draft the policy anew, with names for the columns of a file without a header."""
    name = request.path_params["policy"]
    policy = desk.project.policy(name)
    names = [each.strip() for each in str(form.get("names", "")).split(",") if each.strip()]
    desk.project.remember(name)
    number = desk.supervisor.submit(
        "draft", {"file": policy.source.file, "policy": name, "names": names},
        then_to=f"/policy/{name}/data",
    )  # fmt: skip
    return go(f"/job/{number}")


def risk(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show the records at risk from somebody who knows some columns."""
    name, policy, values = about_policy(desk, request)
    looked = looked_at(desk, request, name, policy)
    if not isinstance(looked, dict):
        return looked
    if "header" not in looked:
        return desk.page("risk", refusal, **values, look=looked, found=None)
    asked = request.query_params.getlist("column")  # names of columns, never values
    known = [each for each in looked["header"] if each in asked] or _known(policy, looked)
    arguments = {"policy": name, "source": desk.source_version(policy), "columns": known}
    back = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    job = desk.found("risk", arguments, then_to=back)
    if not hasattr(job, "id"):
        return job
    usual = desk.jobs.latest("risk", {**arguments, "columns": _known(policy, looked)})
    whole = {} if usual is None or usual.id == job.id else desk.jobs.result(usual.id)
    return desk.page(
        "risk", refusal, **values, look=looked, found=desk.jobs.result(job.id), known=known,
        whole=whole,
        command=command_line("look", policy.source.file),
    )  # fmt: skip


def _known(policy: Policy, looked: dict[str, Any]) -> list[str]:
    """Return what an attacker may know: quasi by the policy, or without a role not identifying."""
    suggested = {each["name"]: each["suggested"] for each in looked["columns"]}

    def role(column: str) -> str:
        seems = "" if suggested.get(column) == "identifying" else "quasi"
        return policy.roles.get(column, seems)

    return [column for column in looked["header"] if role(column) == "quasi"]


def roles(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show every column with its role and the reason for it."""
    name, policy, values = about_policy(desk, request)
    looked = looked_at(desk, request, name, policy)
    if not isinstance(looked, dict):
        return looked
    return desk.page(
        "roles", refusal, **values, look=looked, roles=policy.roles, known_roles=ROLES,
        command=command_line("run", name, "-o", "release"),
    )  # fmt: skip


async def save_roles(desk: Desk, request: Request, form: FormData) -> Response:
    """Write the role of each selected column, or of each that was set on its own."""
    name = request.path_params["policy"]
    role = str(form.get("role", ""))
    chosen = [str(each) for each in form.getlist("column")]
    if role and not chosen:
        raise ParameterError("Select the columns first.", parameter="column")
    single = {
        key.removeprefix("role:"): str(value) for key, value in form.items()
        if key.startswith("role:")
    }  # fmt: skip

    def change(document: tomlkit.TOMLDocument) -> None:
        table = section(document, "roles")
        for column, given in (dict.fromkeys(chosen, role) if role else single).items():
            if given and table.get(column, "") != given:
                put(table, column, given)

    desk.project.edit(name, str(form.get("version", "")), change)
    return go(f"/policy/{name}/roles")


async def step_back(desk: Desk, request: Request, form: FormData) -> Response:
    """Undo or redo the last change of a policy."""
    name = request.path_params["policy"]
    (desk.project.redo if form.get("redo") else desk.project.undo)(name)
    step = str(form.get("step", "data"))
    return go(f"/policy/{name}/{step if step.isalpha() else 'data'}")


def method(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show the questions of ``choose``, what it recommends, and the options of a method."""
    name, policy, values = about_policy(desk, request)
    asked = {key: request.query_params.get(key) for key in ("publish", "to", "promise")}
    advice: dict[str, Any] = {}
    if all(asked.values()):
        arguments = {"file": policy.source.file, **asked}
        # Answers are words of a short list, so that they may stand in an address.
        job = desk.found("choose", arguments, then_to=f"{request.url.path}?{request.url.query}")
        if not hasattr(job, "id"):
            return job
        advice = desk.jobs.result(job.id)
    shown = METHODS.get(request.query_params.get("name", ""), policy.method.record)
    given = policy.method.model_dump(exclude_none=True) if shown is policy.method.record else {}
    proposed = {each: _proposed(advice.get(each)) for each in ("first", "second")}
    return desk.page(
        "method", refusal, **values, asked=asked, publish=PUBLISH, to=TO, promise=PROMISE, k=K,
        epsilon=EPSILON, advice=advice, proposed=proposed, methods=METHODS, shown=shown,
        given=given, command=command_line("run", name, "-o", "release"),
    )  # fmt: skip


def _proposed(advice: dict[str, Any] | None) -> dict[str, str]:
    """Return the options of a recommended method, as its command writes them."""
    if not advice:
        return {}
    words = shlex.split(advice["command"])
    options = {option.flag: option.name for option in METHODS[advice["method"]].options}
    pairs = itertools.pairwise(words)
    return {options[flag]: value for flag, value in pairs if flag in options}


async def save_method(desk: Desk, request: Request, form: FormData) -> Response:
    """Write the method and its options."""
    name = request.path_params["policy"]
    record = METHODS.get(str(form.get("name", "")))
    if record is None:
        raise ParameterError("Choose a method.", parameter="name")

    def change(document: tomlkit.TOMLDocument) -> None:
        table = tomlkit.table()
        table["name"] = record.name
        for option in record.options:
            value = _written(option, str(form.get(f"option:{option.name}", "")).strip())
            if value is not None:
                table[option.name] = value
        document["method"] = table
        if not record.hierarchies and "hierarchies" in document:
            del document["hierarchies"]

    desk.project.edit(name, str(form.get("version", "")), change)
    return go(f"/policy/{name}/{'trees' if form.get('then') == 'trees' else 'plan'}")


def _written(option: Option, given: str) -> object:
    """Return an option as a policy writes it; None where the form leaves it open."""
    if not given:
        return None
    if option.kind == "whole":
        try:
            return int(given)
        except ValueError:
            raise ParameterError(
                f"{option.name} is a whole number, not {given!r}.", parameter=option.name
            ) from None
    if option.kind == "flag":
        return given == "true"
    if option.kind == "columns":
        return [each.strip() for each in given.split(",") if each.strip()]
    if option.kind == "domains" and given in option.choices:
        return given
    return given  # exact numbers are text in a policy where they are no plain decimals


def plan(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what settings cost: a dot for each as it is known."""
    name, policy, values = about_policy(desk, request)
    if kinds.kind_of(policy.method.record) != "plan":
        return kinds.plan(desk, request, policy, values, refusal)
    sizes = _sizes(request)
    arguments = kinds.arguments_of(desk, name, policy, ks=sizes)
    job = kinds.started(desk, "plan", arguments, then_to=request.url.path)
    command = command_line("plan", name, "-k", ",".join(map(str, sizes)))
    return desk.page(
        "plan", refusal, **values, sizes=sizes, command=command, **kinds.part(desk, job.id)
    )


def _sizes(request: Request) -> list[int]:
    given = request.query_params.get("ks", "")
    try:
        sizes = [int(each) for each in given.split(",")] if given else list(KS)
    except ValueError:
        raise ParameterError(
            "k is a list of whole numbers, such as 2,5,10.", parameter="ks"
        ) from None
    return list(sizes_of_class(sizes))


def run(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what would be made, and start it."""
    name, policy, values = about_policy(desk, request)
    record = policy.method.record
    release = desk.project.new_release_name()
    return desk.page(
        "run", refusal, **values, record=record, release=release,
        options=policy.method.model_dump(exclude_none=True), is_private=spends(record),
        earlier=[] if spends(record) else released_of(desk).get(Path(policy.source.file).name, []),
        command=command_line("run", name, "-o", release),
    )  # fmt: skip


def spends(record: Method) -> bool:
    """Say whether a method spends a budget: what it makes cannot be made again for free."""
    return any("differential privacy" in claim for claim in record.claims)


async def make_ledger(desk: Desk, request: Request, form: FormData) -> Response:
    """Name a ledger in the policy; the first release makes it."""
    name = request.path_params["policy"]

    def change(document: tomlkit.TOMLDocument) -> None:
        ledger = section(document, "ledger")
        put(ledger, "path", "ledger.sqlite")

    desk.project.edit(name, str(form.get("version", "")), change)
    return go(f"/policy/{name}/run")


async def start_run(desk: Desk, request: Request, form: FormData) -> Response:
    """Start the release, unless it would spend a budget that nobody counts."""
    name = request.path_params["policy"]
    policy, release = desk.project.policy(name), str(form.get("release", "")).strip()
    if spends(policy.method.record) and policy.ledger is None:
        raise ParameterError(
            "A release with differential privacy spends budget each time it is made, and no ledger "
            "counts it.",
            parameter="ledger",
            remedy="Make a ledger first: one click below.",
        )
    target = desk.project.path(release)
    if target.parent != desk.project.folder or target.exists():
        raise ParameterError(
            f"{release} exists, or is no plain name.", parameter="release",
            remedy="Choose another name.",
        )  # fmt: skip
    number = desk.supervisor.submit(
        "run", {"policy": name, "release": release}, then_to=f"/release/{release}"
    )
    return go(f"/job/{number}")


def command_line(*words: str) -> str:
    """Return the command that does the same, to be copied."""
    return shlex.join(["discreet", *words])


SCREENS: Final[dict[str, Show]] = {
    "/policy/{policy}/data": data,
    "/policy/{policy}/repairs/{number:int}": repairs_part,
    "/policy/{policy}/risk": risk,
    "/policy/{policy}/roles": roles,
    "/policy/{policy}/method": method,
    "/policy/{policy}/plan": plan,
    "/policy/{policy}/run": run,
}
ACTIONS: Final[dict[str, tuple[Act, Show]]] = {
    "/policy/{policy}/data": (save_data, data),
    "/policy/{policy}/draft": (draft_again, data),
    "/policy/{policy}/repairs": (save_repairs, data),
    "/policy/{policy}/bins": (save_bins, data),
    "/policy/{policy}/roles": (save_roles, roles),
    "/policy/{policy}/undo": (step_back, data),
    "/policy/{policy}/method": (save_method, method),
    "/policy/{policy}/plan": (kinds.take, plan),
    "/policy/{policy}/budget": (kinds.set_budget, plan),
    "/policy/{policy}/ledger": (make_ledger, run),
    "/policy/{policy}/run": (start_run, run),
}
