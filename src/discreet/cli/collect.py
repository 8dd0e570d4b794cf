"""``discreet collect``: the service that people send randomized transactions to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.console import Json, progress_bar, show, show_json, stage_bar
from discreet.cli.flow import NoReport, Out, Overwrite
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.data.transactions import Transactions
    from discreet.randomize.collect import CampaignStore, Tokens
    from discreet.release.release import Release

N_SHOWN = 20

collect = typer.Typer(
    name="collect",
    help="Collect transactions that people randomize before they send them, and mine them.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
Database = Annotated[
    str,
    typer.Option("--db", help="An SQLite file, or a postgresql:// URL.", show_default=False),
]
Name = Annotated[
    str | None,
    typer.Option("--campaign", help="Which campaign, if the database has several."),
]


@collect.command()
def serve(
    *,
    database: Database,
    operator: Annotated[
        Path | None,
        typer.Option(
            help='A new campaign: the operator as JSON, such as `{"operator": "cut-and-paste", '
            '"cutoff": 3, "rho": "1/5"}`.',
            show_default=False,
        ),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(help="A new campaign: all items, one on each line.", show_default=False),
    ] = None,
    name: Name = None,
    max_size: Annotated[
        int | None,
        typer.Option(help="A new campaign: the largest transaction taken; 10 by default."),
    ] = None,
    padded: Annotated[
        bool,
        typer.Option(
            "--padded",
            help="A new campaign: bring all to --max-size, so that sizes disclose nothing.",
        ),
    ] = False,
    max_body: Annotated[
        int | None, typer.Option(help="A new campaign: most bytes of a request.")
    ] = None,
    max_batch: Annotated[
        int | None, typer.Option(help="A new campaign: most transactions of a request.")
    ] = None,
    max_rate: Annotated[
        float | None,
        typer.Option(help="A new campaign: requests a second of one address to one worker."),
    ] = None,
    burst: Annotated[
        int | None, typer.Option(help="A new campaign: requests of one address at once.")
    ] = None,
    new_tokens: Annotated[
        bool, typer.Option("--new-tokens", help="Replace lost tokens; the old ones end.")
    ] = False,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8400,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    certificate: Annotated[
        Path | None, typer.Option(help="TLS certificate, PEM; plain HTTP without it.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="Key of the certificate, PEM.")] = None,
    proxy: Annotated[
        str | None, typer.Option(help="Address of a proxy in front, believed on who asks.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Serve a campaign: publish its policy, take randomized transactions, answer analysts.

    With --operator and --items a campaign is made, and its two tokens are shown once: one for
    those who send, one for those who mine. Later the database is enough. People open
    `http://host:port/#TOKEN`, or use `discreet.Client` in Python. The server never sees, stores
    or logs an original.

    Examples:

        discreet collect serve --db campaign.sqlite --operator policy.json --items items.txt

        discreet collect serve --db campaign.sqlite --workers 2

        discreet collect serve --db postgresql://me@host/data --certificate c.pem --key k.pem
    """
    from discreet.randomize.collect import check_port
    from discreet.randomize.collect import serve as run_service

    check_port(host, port)  # before tokens are made that would never be used
    given = {"max_body": max_body, "max_batch": max_batch, "max_rate": max_rate, "burst": burst}
    limits = {option: value for option, value in given.items() if value is not None}
    tokens: Tokens | None
    if operator is not None and items is not None:
        store, tokens = _create(
            database, operator, items, name=name, max_size=max_size, padded=padded, limits=limits
        )
    elif operator or items or max_size is not None or padded or limits:
        raise ParameterError(
            "A new campaign has an --operator and --items; a campaign that exists never changes.",
            parameter="operator",
        )
    else:
        store, tokens = _open(database, name), None
    if new_tokens:
        store, tokens = store.renew_tokens()
    url = f"http{'s' if certificate else ''}://{f'[{host}]' if ':' in host else host}:{port}"
    _show_start(store, tokens, url, as_json=as_json)
    run_service(
        database,
        campaign=store.campaign.name,
        host=host,
        port=port,
        workers=workers,
        certificate=certificate,
        key=key,
        proxy=proxy,
    )


@collect.command()
def status(*, database: Database, name: Name = None, as_json: Json = False) -> None:
    """Show how many transactions of each size were collected.

    Examples:

        discreet collect status --db campaign.sqlite

        discreet collect status --db postgresql://me@host/data --campaign tea --json
    """
    store = _open(database, name)
    n_of_size, n_batches = store.n_of_size(), store.n_batches()
    if as_json:
        show_json({
            "campaign": store.campaign.name,
            "n_batches": n_batches,
            "n_transactions": sum(n_of_size.values()),
            "n_of_size": {str(size): n for size, n in n_of_size.items()},
        })  # fmt: skip
        return
    show(
        f"{store.campaign.name}: {sum(n_of_size.values()):,} transactions in "
        f"{n_batches:,} batches.",
        *(f"  {n:,} of {size} items" for size, n in n_of_size.items()),
    )


@collect.command()
def mine(
    *,
    database: Database,
    min_frequency: Annotated[float, typer.Option(help="Least share of the originals, 0 to 1.")],
    max_size: Annotated[int, typer.Option(min=1, help="Largest itemset.")] = 3,
    name: Name = None,
    as_json: Json = False,
) -> None:
    """Estimate which itemsets are frequent among the originals, which were never collected.

    Each comes with its estimated share and the standard deviation of the estimate.

    Examples:

        discreet collect mine --db campaign.sqlite --min-frequency 0.1

        discreet collect mine --db campaign.sqlite --min-frequency 0.05 --max-size 2 --json
    """
    from discreet.randomize.collect import mine_campaign

    with progress_bar("mining"):
        found = mine_campaign(
            _open(database, name).randomized(), min_frequency=min_frequency, max_size=max_size
        )
    if as_json:
        show_json(found)
    else:
        _show_mined(found)


@collect.command()
def export(
    *,
    database: Database,
    output: Out,
    name: Name = None,
    no_report: NoReport = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Write what was collected as a release folder, with its certificate and page.

    Recover supports from it with `discreet recover`, check it with `discreet verify`.

    Examples:

        discreet collect export --db campaign.sqlite -o collected
    """
    from discreet.policy.pipeline import Job, publish
    from discreet.randomize.collect import campaign_release
    from discreet.report.page import html_report

    def page(release: Release[Transactions], _sent: object, **checked: Any) -> str:  # noqa: ANN401
        return html_report(release, **checked)

    campaign = _open(database, name)
    job = Job(
        read=campaign.randomized,
        protect=lambda sent, _progress: campaign_release(campaign, sent),
        page=None if no_report else page,
    )
    with stage_bar(campaign.campaign.name) as on_stage:
        done = publish(job, output, overwrite=overwrite, on_stage=on_stage)
    n_sent, checked = len(done.release.data), done.verification
    if as_json:
        show_json({"folder": str(output), "n_transactions": n_sent, "answer": checked.answer})
    else:
        show(f"{n_sent:,} randomized transactions are in {output}.", checked.sentence)


def _open(database: str, name: str | None) -> CampaignStore:
    """Return a campaign that exists."""
    from discreet.randomize.collect import open_campaign

    return open_campaign(database, name=name)


def _create(
    database: str,
    operator: Path,
    items: Path,
    *,
    name: str | None,
    max_size: int | None,
    padded: bool,
    limits: dict[str, int | float],
) -> tuple[CampaignStore, Tokens]:
    """Make a campaign from files and return it with its tokens."""
    from discreet.randomize.collect import ServiceLimits, create_campaign, read_items, read_operator

    made = create_campaign(
        database,
        operator=read_operator(_text(operator)),
        items=read_items(_text(items)),
        name="campaign" if name is None else name,
        max_size=max_size,
        padded=padded,
        service_limits=ServiceLimits(**limits),  # type: ignore[arg-type]  # checked there
    )
    return made.store, made.tokens


def _text(path: Path) -> str:
    """Return the text of a file."""
    from discreet.errors import DataError

    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}.") from None


def _show_start(store: CampaignStore, tokens: Tokens | None, url: str, *, as_json: bool) -> None:
    """Say where the service is, what it protects, and the tokens if they are new."""
    import sys

    campaign = store.campaign
    if as_json:
        policy = campaign.policy()
        secrets = {"client": tokens.client, "analyst": tokens.analyst} if tokens else None
        show_json({"url": url, "campaign": campaign.name, "database": store.shown,
                   "local_epsilon": policy["local_epsilon"], "tokens": secrets})  # fmt: skip
    else:
        worst = max(campaign.local_epsilons().values())
        sizes = "sizes are padded" if campaign.padded else "sizes are published"
        show(
            f"Campaign '{campaign.name}' in {store.shown}: {len(campaign.items):,} items, "
            f"operator {campaign.operator.kind}, local epsilon at most {worst:.4g}, {sizes}."
        )
        if tokens:
            show("Keep these tokens, they are not shown again:",
                 f"  for those who send: {tokens.client}",
                 f"  for those who mine: {tokens.analyst}",
                 f"Browsers open {url}/#{tokens.client}")  # fmt: skip
        show(f"Listening on {url}; Ctrl-C ends it.")
    sys.stdout.flush()


def _show_mined(found: dict[str, object]) -> None:
    """Print itemsets with their estimates."""
    itemsets = found["itemsets"]
    assert isinstance(itemsets, list)
    show(f"{len(itemsets):,} itemsets among {found['n_transactions']:,} transactions:")
    for each in itemsets[:N_SHOWN]:
        doubt = "" if each["is_discoverable"] else ", may be noise"
        items = ", ".join(map(str, each["items"]))
        show(f"  {items}: {each['support']:.4f}, sigma {each['sigma']:.4f}{doubt}")
    if len(itemsets) > N_SHOWN:
        show(f"  and {len(itemsets) - N_SHOWN:,} more; --json lists all.")
