"""The screens of a policy, in order: understood, records at risk, roles, method, plan, run.

Each shows ``policy.toml`` as it stands and writes into it; the command that does the same is at its
foot.
"""

from __future__ import annotations

import itertools
import shlex
from typing import TYPE_CHECKING, Any, Final

import tomlkit

from discreet.data.hierarchy.check import Grouping
from discreet.errors import ParameterError
from discreet.policy.choose import EPSILON, PROMISE, PUBLISH, TO, K
from discreet.policy.plan import KS, sizes_of_class
from discreet.release.methods import METHODS
from discreet.web.desk import go
from discreet.web.project import put, section

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
    "sensitive": "what nobody should learn",
    "insensitive": "neither; it is published as it is",
}
WAYS: Final = {
    "dates": "day, month, quarter, year, 5 and 10 years",
    "steps": "intervals of these widths",
    "prefix": "the first characters, so many",
    "icd": "diagnoses of ICD-10 by chapter and category",
    "postcode": "postcodes",
    "codes": "codes with dots or digits, such as NACE",
    "flat": "the value, or nothing",
    "file": "a file with a line for each value",
}
_SETTINGS: Final = ("delimiter", "encoding", "names", "null_values", "categorical")


def _common(desk: Desk, request: Request) -> tuple[str, Policy, dict[str, Any]]:
    """Return the name of the policy, the policy, and what every screen of it shows."""
    name = request.path_params["policy"]
    policy, text = desk.project.policy(name), desk.project.text(name)
    undo, redo = desk.project.can(name)
    return name, policy, {
        "policy": name, "read": policy, "version": text.version, "text": text.text,
        "can_undo": undo, "can_redo": redo, "step": request.url.path.rpartition("/")[2],
    }  # fmt: skip


def data(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what the file was understood to hold."""
    name, policy, values = _common(desk, request)
    looked = _looked(desk, request, name, policy)
    if not isinstance(looked, dict):
        return looked
    return desk.page(
        "data", refusal, **values, look=looked, source=policy.source.model_dump(),
        command=_command("look", policy.source.file),
    )  # fmt: skip


def _looked(desk: Desk, request: Request, name: str, policy: Policy) -> dict[str, Any] | Response:
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
        put(
            source, "person", whose.removeprefix("person:") if whose.startswith("person:") else None
        )
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
    name, policy, values = _common(desk, request)
    looked = _looked(desk, request, name, policy)
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
    return desk.page(
        "risk", refusal, **values, look=looked, found=desk.jobs.result(job.id), known=known,
        command=_command("look", policy.source.file),
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
    name, policy, values = _common(desk, request)
    looked = _looked(desk, request, name, policy)
    if not isinstance(looked, dict):
        return looked
    return desk.page(
        "roles", refusal, **values, look=looked, roles=policy.roles, known_roles=ROLES,
        command=_command("run", name, "-o", "release"),
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


def trees(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show by which groups the values of each column may be replaced."""
    name, policy, values = _common(desk, request)
    looked = _looked(desk, request, name, policy)
    if not isinstance(looked, dict):
        return looked
    found: dict[str, Any] = {}
    if policy.hierarchies:
        arguments = {"policy": name, "source": desk.source_version(policy)}
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
        command=_command("hierarchy", "build", policy.source.file, "--help"),
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


def method(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show the questions of ``choose``, what it recommends, and the options of a method."""
    name, policy, values = _common(desk, request)
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
        given=given, command=_command("run", name, "-o", "release"),
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
    return go(f"/policy/{name}/plan")


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
    name, policy, values = _common(desk, request)
    sizes = _sizes(request)
    arguments = {
        "policy": name, "source": desk.source_version(policy), "ks": sizes,
        "method": policy.method.model_dump_json(exclude={"k", "theta"}),
        "roles": dict(sorted(policy.roles.items())),
    }  # fmt: skip
    job = desk.jobs.latest("plan", arguments)
    if (
        job is None
        or job.state in ("cancelled", "interrupted")
        or (job.is_over and not desk.jobs.result(job.id))
    ):
        number = desk.supervisor.submit("plan", arguments, then_to=request.url.path)
        job = desk.jobs.get(number)
    command = _command("plan", name, *(word for k in sizes for word in ("-k", str(k))))
    return desk.page("plan", refusal, **values, sizes=sizes, command=command, **_plan(desk, job.id))


def plan_part(desk: Desk, request: Request, _: Refusal | None = None) -> Response:
    """Return the chart and the table of a plan, as far as they are known."""
    from starlette.responses import HTMLResponse

    number = request.path_params["number"]
    answer = HTMLResponse(
        desk.text("plan_part.html.j2", policy=request.path_params["policy"], **_plan(desk, number))
    )
    if desk.jobs.get(number).is_over:
        answer.headers["x-over"] = "1"
    return answer


def _sizes(request: Request) -> list[int]:
    given = request.query_params.get("ks", "")
    try:
        sizes = [int(each) for each in given.split(",")] if given else list(KS)
    except ValueError:
        raise ParameterError(
            "k is a list of whole numbers, such as 2,5,10.", parameter="ks"
        ) from None
    return list(sizes_of_class(sizes))


def _plan(desk: Desk, number: int) -> dict[str, Any]:
    """Return a plan with the places of its dots in a chart of 640 by 320."""
    found, job = desk.jobs.result(number), desk.jobs.get(number)
    dots = []
    for each in found.get("settings", ()):
        loss = each["loss"] if each["loss"] is not None else each["loss_rate"]
        if loss is not None:
            dots.append({**each, "lost": loss})
    top = max((each["mean_risk"] for each in dots), default=0) or 1
    wide = max((each["lost"] for each in dots), default=0) or 1
    for each in dots:
        each["x"] = round(70 + 540 * each["lost"] / wide, 1)
        each["y"] = round(270 - 240 * each["mean_risk"] / top, 1)
    return {"plan": found, "dots": dots, "top": top, "wide": wide, "job": job}


async def use_k(desk: Desk, request: Request, form: FormData) -> Response:
    """Write the k of a dot into the policy."""
    name = request.path_params["policy"]
    policy = desk.project.policy(name)
    k = _written(next(o for o in policy.method.record.options if o.of_k is not None),
                 str(form.get("k", "")))  # fmt: skip

    def change(document: tomlkit.TOMLDocument) -> None:
        option = next(o for o in policy.method.record.options if o.of_k is not None)
        assert isinstance(k, int)
        assert option.of_k is not None
        section(document, "method")[option.name] = k + option.of_k

    desk.project.edit(name, str(form.get("version", "")), change)
    return go(f"/policy/{name}/run")


def run(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show what would be made, and start it."""
    name, policy, values = _common(desk, request)
    record = policy.method.record
    release = desk.project.new_release_name()
    return desk.page(
        "run", refusal, **values, record=record, release=release,
        options=policy.method.model_dump(exclude_none=True), is_private=spends(record),
        command=_command("run", name, "-o", release),
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


def _command(*words: str) -> str:
    return shlex.join(["discreet", *words])


SCREENS: Final[dict[str, Show]] = {
    "/policy/{policy}/data": data,
    "/policy/{policy}/risk": risk,
    "/policy/{policy}/roles": roles,
    "/policy/{policy}/trees": trees,
    "/policy/{policy}/method": method,
    "/policy/{policy}/plan": plan,
    "/policy/{policy}/plan/{number:int}": plan_part,
    "/policy/{policy}/run": run,
}
ACTIONS: Final[dict[str, tuple[Act, Show]]] = {
    "/policy/{policy}/data": (save_data, data),
    "/policy/{policy}/draft": (draft_again, data),
    "/policy/{policy}/roles": (save_roles, roles),
    "/policy/{policy}/undo": (step_back, data),
    "/policy/{policy}/trees": (save_trees, trees),
    "/policy/{policy}/method": (save_method, method),
    "/policy/{policy}/plan": (use_k, plan),
    "/policy/{policy}/ledger": (make_ledger, run),
    "/policy/{policy}/run": (start_run, run),
}
