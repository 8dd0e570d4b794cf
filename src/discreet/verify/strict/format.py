"""Whether a certificate of version 2 says what its format has, and nothing beside it."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from typing import TYPE_CHECKING

from discreet.verify.certificate import PATTERNS, ROWS, TRANSACTIONS
from discreet.verify.files.bounded import plain
from discreet.verify.outcome import Check
from discreet.verify.strict.names import doubtful_labels, fault_of_file, fault_of_names
from discreet.verify.strict.sentences import fault_of_sentences
from discreet.verify.strict.steps import STEPS, unknown_step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from discreet.verify.certificate import Claims

OLD_VERSION = "version"  # the check of certificates of version 1

HIERARCHIES_FILE, OPERATOR_FILE = "hierarchies.json", "operator.json"

# No local part, which could say anything, and no number that is none of a version.
_VERSION = re.compile(
    r"[0-9]{1,4}(\.[0-9]{1,4}){1,3}((a|b|rc)[0-9]{1,4})?(\.(dev|post)[0-9]{1,4})?"
)

_UNITS = {
    TRANSACTIONS: (
        "one transaction",
        "one transaction, which is what one person sends",
        "one transaction, of several that one person may send",
    ),
}

_OPTIONS = {
    "cut-and-paste": {"operator", "cutoff", "rho"},
    "select-a-size": {"operator", "keep", "rho"},
    "uniform": {"operator", "p"},
}


def check_format(claims: Claims, files: Mapping[str, bytes]) -> tuple[Check, ...]:
    """Return whether steps, sentences, names and side files are such as the format has.

    Parameters
    ----------
    claims : Claims
        Of a certificate of version 2. Version 1 demanded none of this, so of such a certificate
        it is not checked.
    files : mapping of str to bytes
        The content of every certified file.

    Returns
    -------
    tuple of Check
        Those that failed; and without a verdict, labels of hierarchies that say less than they
        seem to.
    """
    if claims.version == 1:
        return _unasked(claims)
    faults: dict[str, Callable[[], str | None]] = {
        "steps stated": lambda: unknown_step(claims),
        "sentences": lambda: fault_of_sentences(claims),
        "column names": lambda: fault_of_names(claims.column_names),
        "fields": lambda: _fields(claims),
        "side files": lambda: _side_files(claims, files),
        "written form": lambda: _written_form(claims, files),
    }
    checks = []
    for name, find in faults.items():
        fault = find()
        if fault is not None:
            checks.append(Check(name=name, passed=False, detail=f"{fault.rstrip('.')}."))
    if HIERARCHIES_FILE in files and not checks_failed(checks):
        doubtful = doubtful_labels(files[HIERARCHIES_FILE])
        if doubtful:
            more = f"; and {len(doubtful) - _MOST} more" if len(doubtful) > _MOST else ""
            detail = f"{'; '.join(doubtful[:_MOST])}{more}."
            checks.append(Check(name="labels", passed=None, detail=detail))
    return tuple(checks)


def _unasked(claims: Claims) -> tuple[Check, ...]:
    """Return what was not asked of a certificate of version 1, and whether it can be one at all.

    A certificate of version 2 is relabelled with ease, and less is asked of it then.
    """
    first = re.match(r"0*([0-9]{1,4})\.0*([0-9]{1,4})", claims.discreet_version)
    if first is None or (int(first[1]), int(first[2])) >= (0, 2):
        detail = (
            f"discreet {plain(claims.discreet_version)} does not write certificates of version 1, "
            "of which less is asked, and this one says that it is one."
        )
        return (Check(name=OLD_VERSION, passed=False, detail=detail),)
    detail = (
        "A certificate of version 1: its steps, sentences, smaller fields, names of columns, side "
        "files, fingerprint and counts, and how all files are written, are not checked. Anybody "
        "can call a newer certificate one of version 1, so ask the publisher for one of version 2."
    )
    return (Check(name=OLD_VERSION, passed=None, detail=detail),)


def _written_form(claims: Claims, files: Mapping[str, bytes]) -> str | None:
    """Return which file of JSON is not written as its values have to be, or None.

    Blanks, escapes and the order of keys could say something that the values do not.
    """
    if not claims.is_canonical:
        return "certificate.json is not written as its values are: see blanks, escapes and keys"
    for name, indent in ((HIERARCHIES_FILE, None), (OPERATOR_FILE, 1)):
        if name not in files:
            continue
        values = json.loads(files[name].decode())
        text = json.dumps(values, ensure_ascii=False, indent=indent, sort_keys=True) + "\n"
        if text.encode("utf-8", "surrogatepass") != files[name]:
            return f"{name} is not written as its values are: see blanks, escapes and keys"
    if OPERATOR_FILE in files:
        return _chances(json.loads(files[OPERATOR_FILE].decode())["operator"])
    return None


def _chances(options: object) -> str | None:
    """Return which text among the options of an operator is no fraction in lowest terms."""
    waiting = (
        [value for name, value in options.items() if name != "operator"]
        if isinstance(options, dict)
        else []
    )
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
        elif isinstance(value, str):
            above, _, below = value.partition("/")
            parts = (above, below or "1")
            if not all(part.isdigit() and str(int(part)) == part for part in parts):
                return f"{OPERATOR_FILE} has a chance that is not written as p/q"
            if math.gcd(*map(int, parts)) != 1 or below == "1":
                return f"{OPERATOR_FILE} has a chance that is not in lowest terms"
    return None


_MOST = 5


def checks_failed(checks: list[Check]) -> bool:
    """Say whether one of some checks failed."""
    return any(check.passed is False for check in checks)


def _fields(claims: Claims) -> str | None:
    """Return which of the smaller fields is not as the format has it."""
    units = _UNITS.get(claims.publishes)
    outside = [name for name in claims.covered if name not in claims.column_names]
    faults = {
        "discreet_version is no version": not _VERSION.fullmatch(claims.discreet_version),
        "created is no time": not _is_time(claims.created),
        "The algorithm of the fingerprint is not known": (
            claims.algorithm not in {None, "HMAC-SHA256"}
        ),
        "A fingerprint is made without noise: differential privacy does not cover it": (
            claims.algorithm is not None and "differential privacy" in claims.model
        ),
        "A release is experimental for a reason, and no other has one": (
            claims.experimental != (claims.experimental_reason is not None)
        ),
        f"{claims.model} has no neighbours": (
            claims.neighbours is not None and "differential privacy" not in claims.model
        ),
        f"The unit '{claims.unit}' is not one of {claims.publishes}": (
            units is not None and claims.unit not in units
        ),
        "The claim names a column twice": len(set(claims.covered)) < len(claims.covered),
        "The claim is about a column that is not released": (
            bool(outside) and claims.publishes != PATTERNS
        ),
        "A released column is identifying by the certificate": any(
            column.role == "identifying" for column in claims.columns
        ),
        "No steps are stated": not claims.events,
    }
    return next((words for words, is_so in faults.items() if is_so), None)


def _is_time(text: str) -> bool:
    """Say whether a text is a time at which a release can have been made."""
    try:
        year = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").year
    except ValueError:
        return False
    return _YEARS[0] <= year <= _YEARS[1]


_YEARS = (2020, 2100)


def _side_files(claims: Claims, files: Mapping[str, bytes]) -> str | None:
    """Return what a side file states that it should not, or where one does not belong."""
    generalized = claims.step("generalize")
    if HIERARCHIES_FILE in claims.files:
        if claims.publishes != ROWS or generalized is None:
            return f"{HIERARCHIES_FILE} belongs to rows that were generalized"
        # For the distance of values the sensitive columns have hierarchies too.
        promised: list[str] = []
        rules = claims.step("obey_rules")
        named = [generalized.parameters.get("hierarchies")]
        if rules is not None and claims.parameters.get("distance") == "hierarchical":
            named.append(rules.parameters.get("sensitive"))
        for columns in named:
            promised += columns if isinstance(columns, tuple) else ()
        content = files.get(HIERARCHIES_FILE)
        fault = None if content is None else fault_of_file(content, promised)
        if fault is not None:
            return f"{HIERARCHIES_FILE} {fault}"
    if OPERATOR_FILE in files:
        return _operator(claims, files[OPERATOR_FILE])
    return None


def _operator(claims: Claims, content: bytes) -> str | None:
    """Return what ``operator.json`` states beside the operator of the certificate."""
    values = json.loads(content.decode())
    options = values["operator"]
    kind = options.get("operator")
    if kind not in _OPTIONS or set(options) != _OPTIONS[kind]:
        return f"{OPERATOR_FILE} states other options than those of its operator"
    stated = [step for step in claims.events if STEPS[step.name].counts == ("n_transactions",)]
    if [step.name for step in stated] != [kind.replace("-", "_")]:
        return f"The steps state another operator than {OPERATOR_FILE}"
    n_null, n_items = values["null_items"], len(values["items"])
    given = stated[0].parameters
    if (given.get("n_items"), given.get("n_null_items")) != (n_items - n_null, n_null):
        return f"The steps state other numbers of items than {OPERATOR_FILE}"
    if stated[0].counts.get("n_transactions", claims.n_rows) != claims.n_rows:
        return "The steps state another number of transactions than is released"
    if any(
        not isinstance(item, str | int) or len(str(item)) > _LONGEST for item in values["items"]
    ):
        return f"{OPERATOR_FILE} has an item that is no word or number"
    return None


_LONGEST = 1000
