"""The policy as it may be published beside the data.

A policy file can hold what is nobody's business: folders of a machine, the password of a
database, remarks. What is published is written anew from what the policy means: the source's file
name without its folder, no ledger, no comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from discreet.policy.toml_text import toml_comment, toml_table

if TYPE_CHECKING:
    from discreet.policy.model import Policy
    from discreet.release.release import Release

_FOLDERS = re.compile(r".*[/\\]", re.DOTALL)


def published_policy(policy: Policy, release: Release | None = None) -> str:
    """Return the text of a policy that may be read by anybody.

    Parameters
    ----------
    policy : Policy
        The policy that was used.
    release : Release, optional
        What came of it: a ``min_frequency`` is published as the ``min_support`` that it meant.
        Both together would tell how many rows the original has.

    Returns
    -------
    str
        TOML with the same source options, roles, hierarchies, method and format. Files are
        their names alone, and the ledger is left out.

    Examples
    --------
    >>> from discreet.policy.read import make_policy
    >>> policy = make_policy({
    ...     "source": {"file": "/home/me/people.csv"}, "method": {"name": "k-mii", "k": 5},
    ...     "ledger": {"url": "postgresql://me:secret@host/db"}})
    >>> print(published_policy(policy))
    # The policy this release was made with, without folders, ledger and remarks.
    <BLANKLINE>
    [source]
    file = "people.csv"
    <BLANKLINE>
    [method]
    name = "k-mii"
    k = 5
    leftover = "drop"
    <BLANKLINE>
    [release]
    format = "parquet"
    report = true
    <BLANKLINE>
    """
    source = policy.source.model_dump(exclude_defaults=True)
    source["file"] = _FOLDERS.sub("", policy.source.file)
    bins = source.pop("bins", {})
    method = policy.method.model_dump(exclude_none=True)
    if "min_frequency" in method and release is not None:
        del method["min_frequency"]
        method["min_support"] = release.guarantee.parameters["min_support"]
    if "public" in method:
        method["public"] = _FOLDERS.sub("", method["public"])
    hierarchies = {name: _FOLDERS.sub("", file) for name, file in policy.hierarchies.items()}
    tables = [
        toml_comment("The policy this release was made with, without folders, ledger and remarks.")
        + "\n",
        toml_table("source", source),
        toml_table("source.bins", bins) if bins else "",
        toml_table("roles", policy.roles) if policy.roles else "",
        toml_table("hierarchies", hierarchies) if hierarchies else "",
        toml_table("method", {"name": method.pop("name"), **method}),
        toml_table("release", policy.release.model_dump()),
    ]
    return "\n".join(table for table in tables if table)
