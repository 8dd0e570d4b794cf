"""Records of methods agree with the functions they name."""

from __future__ import annotations

import inspect
from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.errors import ParameterError
from discreet.policy.methods import model_of, read_method
from discreet.release.method import LIMITS, PATH, Kind, Method, Option, resolve
from discreet.release.methods import METHODS

OPTION = Option(name="k", kind="whole", help="Least size.", required=True, at_least=2)


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda each: each.name)
def test_paths_lead_to_functions(record: Method) -> None:
    paths = [record.function, record.check, record.preview]
    paths += [words for words in record.words.values() if PATH.fullmatch(words)]
    for path in filter(None, paths):
        assert callable(resolve(path))


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda each: each.name)
def test_the_function_takes_every_option(record: Method) -> None:
    parameters = inspect.signature(record.load()).parameters
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    wanted = {option.argument for option in record.options} | {*record.limits}
    wanted |= {"seed"} if record.takes_seed else set()
    wanted |= {"hierarchies"} if record.hierarchies else set()
    assert takes_any or wanted <= set(parameters)
    for option in record.options:
        known = parameters.get(option.argument)
        if known is not None and option.default is not None:
            assert known.default == option.default
        if known is not None:
            assert option.required or known.default is not known.empty


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda each: each.name)
def test_the_example_is_a_method_of_a_policy(record: Method) -> None:
    method = read_method({"name": record.name, **record.example})
    assert method.record is record
    assert isinstance(method, model_of(record))
    for option in record.options:  # what a drafted policy shows can be written
        assert option.required or option.default is not None or option.example is not None


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda each: each.name)
def test_flags_are_told_apart(record: Method) -> None:
    flags = [option.flag for option in record.options if option.kind != "domains"]
    common = {"-o", "--output", "--set", "--seed", "--role", "--bins", "--categorical", "--names",
              "--format", "--ledger", "--source", "--no-report", "--internal-report",
              "--overwrite", "--json", "--hierarchy", "--hierarchies", "-h", "--help"}  # fmt: skip
    assert len(flags) == len({*flags}) == len({*flags} - common)
    assert {*record.limits} <= {*LIMITS}


@pytest.mark.parametrize(
    ("bounds", "words", "inside", "outside"),
    [
        ({}, "", [0], []),
        ({"at_least": 2}, "at least 2", [2], [1]),
        ({"above": 0}, "more than 0", [Fraction(1, 9)], [0]),
        ({"at_least": 0, "at_most": 1}, "from 0 to 1", [0, 1], [-1, 2]),
        ({"at_least": 0, "below": 1}, "from 0 to less than 1", [0], [1]),
        ({"above": 0, "below": 1}, "more than 0 and less than 1", [Fraction(1, 2)], [0, 1]),
        ({"above": 0, "at_most": 1}, "more than 0 and at most 1", [1], [0]),
        ({"at_most": 9}, "at most 9", [9], [10]),
    ],
)
def test_bounds_in_words(
    bounds: dict[str, int], words: str, inside: list[object], outside: list[object]
) -> None:
    option = Option(name="x", kind="exact", help="A number.", **bounds)  # type: ignore[arg-type]
    assert option.range == words
    assert all(map(option.allows, inside))
    assert not any(map(option.allows, outside))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "K MII"}, "no name of a method"),
        ({"function": "k_mii"}, "function of 'k-mii' is a path"),
        ({"check": "no path"}, "check of 'k-mii' is a path"),
        ({"publishes": "row"}, "Did you mean 'rows'"),
        ({"claims": ()}, "claims nothing"),
        ({"options": (OPTION, OPTION)}, "two options of one name"),
        ({"example": {}}, "every required option"),
        ({"example": {"k": 2, "kk": 3}}, "no unknown one"),
    ],
)
def test_records_that_contradict_themselves(change: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        replace(METHODS["k-mii"], **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "choices"), [("hole", ()), ("choice", ()), ("whole", ("a",))])
def test_options_that_contradict_themselves(kind: Kind, choices: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError, match="Option 'x'"):
        Option(name="x", kind=kind, help="", choices=choices)
