"""The whole way on a made-up census: a folder with data, policy, release and reports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.write import write_table
from discreet.errors import ParameterError
from discreet.policy.model import read_policy
from discreet.policy.run import run_policy
from discreet.release.folder import atomic_folder

if TYPE_CHECKING:
    import os
    from typing import Unpack

    from discreet.data.table import Table
    from discreet.limits import Limits
    from discreet.policy.run import RunResult

ABOUT = "Made by discreet demo: invented people. A further demo replaces this folder.\n"
FILES = ("about.txt", "census.csv", "policy.toml", "release", "internal-report.html")
POLICY = """\
# How the made-up census is protected. Change k, then: discreet run policy.toml -o another

# Over all twelve columns nearly every record is unique, so nearly all would be suppressed.
[source]
file = "census.csv"
columns = ["sex", "age", "region", "education", "condition"]
one_row_per_person = true  # without it, the guarantee is of rows, not of people

[source.bins]
age = [20, 40, 60, 80]

[roles]
condition = "sensitive"

[method]
name = "k-mii"
k = 5

[release]
format = "csv"
report = true
"""


def run_demo(table: Table, folder: str | os.PathLike[str], **limits: Unpack[Limits]) -> RunResult:
    """Write a census, a policy, the release and the internal report into one new folder.

    Parameters
    ----------
    table : Table
        The sample of :func:`discreet.data.datasets.census`.
    folder : path
        Where to; the folder of an earlier demo is replaced, no other.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    RunResult
        Of the release in ``folder/release``.

    Raises
    ------
    ParameterError
        If the folder exists and is not that of an earlier demo.
    """
    target = Path(folder)
    _refuse_foreign(target)
    with atomic_folder(target, files=FILES, overwrite=True) as staging:
        (staging / "about.txt").write_text(ABOUT)
        (staging / "policy.toml").write_text(POLICY)
        write_table(table, staging / "census.csv")
        page = staging / "internal-report.html"
        result = run_policy(
            read_policy(staging / "policy.toml"),
            staging / "release",
            internal_report=page,
            **limits,
        )
    return replace(result, folder=target / "release", internal_report=target / page.name)


def _refuse_foreign(target: Path) -> None:
    """Raise ParameterError if a folder is there that no demo made."""
    if not target.is_dir() or not any(target.iterdir()):
        return
    about = target / "about.txt"
    if not about.is_file() or about.read_bytes() != ABOUT.encode():
        raise ParameterError(
            f"{target} exists and is not of an earlier demo.",
            parameter="folder",
            remedy="Choose another name.",
        )
