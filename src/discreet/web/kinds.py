"""Screens of what is no table with classes: noise and its budget, patterns, campaigns.

What a method with noise, or a collection of patterns, would cost; and what was collected.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import HTMLResponse

from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.randomize.collect import open_campaign
from discreet.release.exact import shown
from discreet.release.ledger import Ledger, check_budget
from discreet.report.text import percent
from discreet.web.desk import chart, go
from discreet.web.project import put, section
from discreet.web.work import said

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import tomlkit
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from discreet.policy.model import Policy
    from discreet.release.method import Method
    from discreet.web.desk import Desk, Refusal, Show
    from discreet.web.jobs import Job

KINDS: Final = ("plan", "noise", "supports")  # of plans, as jobs are named


def kind_of(record: Method) -> str:
    """Return what a plan of a method varies: ``plan`` the k, ``noise`` epsilon, or ``supports``."""
    if any(option.of_k is not None for option in record.options) or not record.preview:
        return "plan"
    return "supports" if record.publishes == "patterns" else "noise"


def arguments_of(desk: Desk, name: str, policy: Policy, **more: object) -> dict[str, object]:
    """Return what a plan depends on, whatever k, epsilon or support the policy has now."""
    varied = {"k", "theta"} if kind_of(policy.method.record) == "plan" else {
        "epsilon", "min_support", "min_frequency",
    }  # fmt: skip
    return {
        "policy": name, "source": desk.source_version(policy),
        "method": policy.method.model_dump_json(exclude=varied),
        "roles": dict(sorted(policy.roles.items())), **more,
    }  # fmt: skip


def started(desk: Desk, kind: str, arguments: Mapping[str, object], *, then_to: str) -> Job:
    """Return the job of these arguments, which is started if there is none; it may still run."""
    job = desk.jobs.latest(kind, arguments)
    is_lost = job is None or job.state in ("cancelled", "interrupted")
    if job is not None and not is_lost and (not job.is_over or desk.jobs.result(job.id)):
        return job
    return desk.jobs.get(desk.supervisor.submit(kind, arguments, then_to=then_to))


def plan(
    desk: Desk, request: Request, policy: Policy, values: dict[str, Any], refusal: Refusal | None
) -> Response:
    """Show what is expected of a method with noise, or what supports disclose."""
    name, kind = request.path_params["policy"], kind_of(policy.method.record)
    if kind == "noise":
        error = request.query_params.get("error", "")
        arguments = arguments_of(desk, name, policy, error=_share(error))
        more: dict[str, Any] = {
            "error": error, "budget": budget(policy),
            "command": shlex.join(["discreet", "plan", name]),
        }  # fmt: skip
    else:
        arguments = arguments_of(desk, name, policy)
        support = request.query_params.get("support", "")
        more = {"support": support, "disclosed": None}
        if support:
            if not support.isdecimal():
                raise ParameterError("A support is a number of rows.", parameter="support")
            wanted = {**arguments, "support": int(support)}
            back = f"{request.url.path}?{request.url.query}"
            job = desk.found("disclosed", wanted, then_to=back)
            if not hasattr(job, "id"):
                return job
            more["disclosed"] = desk.jobs.result(job.id)
        words = ["discreet", "patterns"]
        k, file = str(policy.method.k), policy.source.file
        words += ["check", file, "-k", k, "--min-support", support] if support else [
            "safety", file, "-k", k,
        ]  # fmt: skip
        more["command"] = shlex.join(words)
    back = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    job = started(desk, kind, arguments, then_to=back)
    return desk.page(kind, refusal, **values, **more, **part(desk, job.id))


def _share(text: str) -> float | None:
    """Return a share that was written in per cent."""
    if not text.strip():
        return None
    try:
        share = float(text.replace("%", "").replace(",", ".")) / 100
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise ParameterError("Say how far off in per cent, such as 0.5.", parameter="error")
    return share


def plan_part(desk: Desk, request: Request, _: Refusal | None = None) -> Response:
    """Return the chart and the table of a plan, as far as they are known."""
    number = request.path_params["number"]
    job = desk.jobs.get(number)
    if job.kind not in KINDS:
        raise DataError("That job is no plan.")
    values = part(desk, number)
    answer = HTMLResponse(
        desk.text(f"{job.kind}_part.html.j2", policy=request.path_params["policy"], **values)
    )
    if job.is_over:
        # What one can slide along is known at the end only: the page is made anew.
        answer.headers.update(
            {"x-next": job.then_to} if job.kind == "supports" else {"x-over": "1"}
        )
    return answer


def part(desk: Desk, number: int) -> dict[str, Any]:
    """Return a plan with the places of its dots."""
    job, found = desk.jobs.get(number), desk.jobs.result(number)
    made = {"plan": _k_dots, "noise": _noise_dots, "supports": _support_dots}[job.kind](found)
    return {"plan": found, "job": job, **made}


def _k_dots(found: dict[str, Any]) -> dict[str, Any]:
    dots = []
    for each in found.get("settings", ()):
        loss = each["loss"] if each["loss"] is not None else each["loss_rate"]
        if loss is not None:
            dots.append({
                **each, "lost": loss, "key": each["k"], "text": f"k = {each['k']}",
                "said": f"k = {each['k']} loses {percent(loss)}; the mean risk of a record is "
                f"{percent(each['mean_risk'], 2)}, {each['n_suppressed_records']:,} records are "
                "suppressed.",
            })  # fmt: skip
    return {"dots": dots, "chart": chart(dots, x="lost", y="mean_risk")}


def _noise_dots(found: dict[str, Any]) -> dict[str, Any]:
    dots = [
        {
            **each, "at": float(each["at"]), "key": each["epsilon"],
            "text": each["epsilon"], "tone": "bad" if each["is_noise"] else "",
            "said": f"epsilon = {each['epsilon']}: shares of two values together are off by "
            f"{percent(each['error'], 2)} of the rows.",
        }
        for each in found.get("settings", ())
    ]  # fmt: skip
    columns = [name for name, _ in found["settings"][0]["columns"]] if dots else []
    by_column = [(name, [dict(each["columns"]).get(name) for each in dots]) for name in columns]
    return {
        "dots": dots, "by_column": by_column,
        "chart": chart(dots, x="at", y="error", x_log=True),
    }  # fmt: skip


def _support_dots(found: dict[str, Any]) -> dict[str, Any]:
    dots = [
        {
            **each, "key": each["support"], "text": "",
            "tone": "bad" if each["n_maximal_channels"] else "good",
            "said": f"Support {each['support']:,} publishes {each['n_itemsets']:,} itemsets and "
            f"discloses {each['n_maximal_channels']:,} small groups.",
        }
        for each in reversed(found.get("curve", ()))
    ]  # fmt: skip
    drawn = chart(
        dots, x="support", y="n_maximal_channels", x_log=True, said=lambda count: f"{count:,.0f}"
    )
    # Supports lie close together where the answer is searched for.
    shown_ticks: list[tuple[float, str]] = []
    for at, text in drawn["x_ticks"]:
        if not shown_ticks or at - shown_ticks[-1][0] > 48:
            shown_ticks.append((at, text))
    return {"dots": dots, "chart": {**drawn, "x_ticks": shown_ticks}}


async def take(desk: Desk, request: Request, form: FormData) -> Response:
    """Write the setting of a dot into the policy: k, epsilon or the support."""
    name = request.path_params["policy"]
    record = desk.project.policy(name).method.record
    of_k = next((each for each in record.options if each.of_k is not None), None)

    def whole(key: str) -> int:
        text = str(form.get(key, ""))
        if not text.isdecimal():
            raise ParameterError(f"{key} is a whole number, not {text!r}.", parameter=key)
        return int(text)

    def change(document: tomlkit.TOMLDocument) -> None:
        table = section(document, "method")
        if of_k is not None:
            assert of_k.of_k is not None
            put(table, of_k.name, whole("k") + of_k.of_k)
        elif kind_of(record) == "supports":
            put(table, "min_support", whole("min_support"))
            put(table, "min_frequency", None)
        elif kind_of(record) == "noise":
            for key in ("epsilon", "delta", "trust", "values", "public"):
                if key in form:
                    put(table, key, str(form.get(key)).strip() or None)

    desk.project.edit(name, str(form.get("version", "")), change)
    return go(f"/policy/{name}/plan" if "trust" in form else f"/policy/{name}/run")


# The budget of a source, as its ledger counts it.


def ledger_path(policy: Policy) -> Path | None:
    """Return the file of the ledger of a policy, if it names one."""
    ledger = policy.ledger
    return None if ledger is None or ledger.path is None else policy.folder / ledger.path


def budget(policy: Policy) -> dict[str, Any]:
    """Return what of the budget of a policy's source is spent, and what one more release takes."""
    source, path = policy.source_name, ledger_path(policy)
    values: dict[str, Any] = {"source": source, "notes": [], "total": None}
    if path is None:
        where = "is in a database: discreet ledger shows it" if policy.ledger else "is named"
        return values | {"sentence": f"No ledger {where}." if not policy.ledger else
                         f"The ledger {where}."}  # fmt: skip
    if not path.exists():
        return values | {"sentence": "The ledger is empty: nothing is spent, no budget is set."}
    try:
        ledger = Ledger.open(path, create=False)
        spent, left = ledger.spent(source), ledger.remaining(source)
    except DiscreetError as error:
        return values | {"error": said(error)}
    values["notes"] = list(spent.notes)
    if left is None:
        return values | {
            "sentence": f"{spent.loss} is spent by {spent.n_releases} "
            f"{'release' if spent.n_releases == 1 else 'releases'}; no budget is set."
        }
    this = getattr(policy.method, "epsilon", None) or 0
    total = left.budget.epsilon
    width = 400 / float(total)
    return values | {
        "total": shown("epsilon", total), "spent": shown("epsilon", spent.epsilon),
        "this": shown("epsilon", this) if this else "",
        "after": shown("remaining epsilon", max(left.epsilon - this, 0 * total)),
        "is_past": this > left.epsilon,
        "spent_width": round(float(spent.epsilon) * width, 1),
        "this_width": round(min(float(this), float(left.epsilon)) * width, 1) if this else 0,
    }  # fmt: skip


def last_entry(desk: Desk, job: Job) -> str:
    """Return what the ledger has just counted for a run; empty if there is no ledger."""
    try:
        policy = desk.project.policy(str(job.arguments.get("policy", "")))
        path = ledger_path(policy)
        if path is None or not path.exists():
            return ""
        entries = Ledger.open(path, create=False).entries(policy.source_name)
    except DiscreetError:
        return ""  # what is wrong with it is said where the ledger is shown
    return entries[-1].sentence if entries else ""


async def set_budget(desk: Desk, request: Request, form: FormData) -> Response:
    """Set what all releases of a source may cost together, as ``discreet ledger --epsilon``."""
    name = request.path_params["policy"]
    policy = desk.project.policy(name)
    path = ledger_path(policy)
    if path is None:
        raise ParameterError("The policy names no ledger.", parameter="ledger",
                             remedy="Make one on the run screen, by one click.")  # fmt: skip
    figures = check_budget(
        epsilon=str(form.get("budget_epsilon", "")).strip(),
        delta=str(form.get("budget_delta", "")).strip() or 0,
    )
    Ledger.open(path).budget(policy.source_name, epsilon=figures.epsilon, delta=figures.delta)
    return go(f"/policy/{name}/plan")


# Campaigns: what people sent, and what is estimated from it.


def campaigns(desk: Desk) -> list[str]:
    """Return the databases of the folder that hold campaigns."""
    return [path.name for path in desk.project.databases() if _names_of(path)]


def _names_of(path: Path) -> list[str]:
    """Return the campaigns in a file; none if it is something else."""
    import sqlite3
    from contextlib import closing

    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("select name from discreet_campaigns order by name")
            return [str(row[0]) for row in rows]
    except sqlite3.Error:
        return []


def campaign(desk: Desk, request: Request, refusal: Refusal | None = None) -> Response:
    """Show how much a campaign has collected, and estimates of what was never collected."""
    file = request.path_params["file"]
    path = desk.project.existing(file)
    names = _names_of(path)
    if not names:
        raise DataError(f"There is no campaign in {file}.")
    given = request.query_params.get("place", "0")
    name = names[min(int(given) if given.isdecimal() else 0, len(names) - 1)]
    asked = request.query_params.get("min_frequency", "")
    size = request.query_params.get("max_size", "") or "3"
    seen = open_campaign(path, name=name).n_batches()
    arguments: dict[str, object] = {"file": file, "name": name, "seen": seen}
    if asked:
        share = _share(asked)
        if not size.isdecimal() or not 1 <= int(size) <= 10:
            raise ParameterError("The largest itemset has 1 to 10 items.", parameter="max_size")
        arguments |= {"min_frequency": share, "max_size": int(size)}
    back = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    job = desk.found("campaign", arguments, then_to=back)
    if not hasattr(job, "id"):
        return job
    words = ["discreet", "collect", "mine" if asked else "status", "--db", file]
    if len(names) > 1:
        words += ["--campaign", name]
    if asked:
        words += ["--min-frequency", f"{_share(asked)}", "--max-size", size]
    return desk.page(
        "campaign", refusal, file=file, names=names, name=name, asked=asked, size=size,
        found=desk.jobs.result(job.id), command=shlex.join(words),
    )  # fmt: skip


SCREENS: Final[dict[str, Show]] = {
    "/policy/{policy}/plan/{number:int}": plan_part,
    "/campaign/{file}": campaign,
}
