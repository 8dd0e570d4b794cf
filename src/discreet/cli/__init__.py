"""The command line: parse, call the library, print. No logic of its own."""

from discreet.cli.app import main

__all__ = ["main"]
