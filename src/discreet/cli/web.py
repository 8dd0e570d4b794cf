"""``discreet app``: the local web app on a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def app(
    folder: Annotated[
        Path, typer.Argument(help="Where your files, policies and releases are.")
    ] = Path(),
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The port on this machine; 0: one that is free.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option(help="Open a browser, or only print the address.")
    ] = True,
) -> None:
    """Open the app on a folder: look, protect, verify and compare by clicking.

    Only a browser of this machine can reach it, with the address that is printed or opened, once.
    What it makes are the files that the command line makes: policies and releases, in the folder.
    It ends when you close it, after an hour without use, or with Ctrl-C.

    Examples:

        discreet app

        discreet app discreet-demo

        discreet app ~/survey --no-browser --port 8500
    """
    from discreet.web.server import serve_app

    serve_app(folder, port=port, browser=browser, say=typer.echo)
