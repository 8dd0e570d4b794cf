"""Reading a policy: what is right is taken, what is wrong is named with its line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.data.binning import Bins
from discreet.errors import DataError, ParameterError
from discreet.policy import make_policy, read_policy
from discreet.policy.methods import read_method
from discreet.release.methods import METHODS

WHOLE = """\
[source]
file = "data/people.csv"
columns = ["age", "sex", "zip"]
categorical = ["zip"]
missing = "drop"
null_values = ["?"]

[source.bins]
age = [20, 40.5]
height = 10
weight = { width = 2.5, closed = "right" }

[roles]
"full name" = "identifying"
age = "quasi"

[method]
name = "k-mii"
k = 5
leftover = "suppress"
columns = ["age", "sex"]
sample_size = 1000

[release]
format = "csv"
report = false

[ledger]
path = "ledger.sqlite"
source = "survey 2026"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "policy.toml"
    path.write_bytes(text.encode())
    return path


def test_all_that_can_be_said(tmp_path: Path) -> None:
    policy = read_policy(write(tmp_path, WHOLE))
    assert policy.source.bins == {
        "age": Bins(edges=(20, 40.5)),
        "height": Bins(width=10),
        "weight": Bins(width=2.5, closed="right"),
    }
    assert policy.roles == {"full name": "identifying", "age": "quasi"}
    assert policy.method.model_dump() == {
        "name": "k-mii", "k": 5, "leftover": "suppress", "columns": ("age", "sex"),
        "sample_size": 1000, "max_size": None, "l": None, "sensitive": None,
    }  # fmt: skip
    assert (policy.release.format, policy.release.report) == ("csv", False)
    assert policy.source_path == tmp_path / "data/people.csv"
    assert policy.source_name == "survey 2026"


def test_the_least_that_must_be_said(tmp_path: Path) -> None:
    text = '[source]\nfile = "a.csv"\n[method]\nname = "mii-suppress"\ntheta = 4\n'
    policy = read_policy(write(tmp_path, text))
    assert policy.method == read_method({"name": "mii-suppress", "theta": 4})
    assert (policy.release.format, policy.release.report, policy.ledger) == ("parquet", True, None)
    assert policy.source_name == "a.csv"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_texts_of_other_systems(tmp_path: Path, newline: str, mark: str) -> None:
    policy = read_policy(write(tmp_path, mark + WHOLE.replace("\n", newline)))
    assert policy.source.file == "data/people.csv"


@pytest.mark.parametrize(
    ("written", "exact"),
    [("0.1", "1/10"), ('"0.1"', "1/10"), ("1", "1"), ('"1e-6"', "1/1000000"), ("1e-6", "1/1000000"),
     ("0.30000000000000004", "7500000000000001/25000000000000000")],
)  # fmt: skip
def test_epsilon_and_delta_are_exact_decimals(tmp_path: Path, written: str, exact: str) -> None:
    text = '[source]\nfile = "a"\n[method]\nname = "dp-mii-suppress"\nk = 20\ndelta = 1e-9\n'
    policy = read_policy(write(tmp_path, text + f"epsilon = {written}\n"))
    assert policy.method.epsilon == Fraction(exact)
    assert policy.method.delta == Fraction(1, 10**9)


def changed(old: str, new: str) -> str:
    assert old in WHOLE
    return WHOLE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (changed("k = 5", "k = 1"), 19, "k is at least 2, not 1"),
        (changed("k = 5", 'k = "5"'), 19, "k is a whole number, not '5'"),
        (changed("k = 5", "k = 5.0"), 19, "k is a whole number, not 5.0"),
        (changed("k = 5", "k = true"), 19, "k is a whole number, not true"),
        (changed("k = 5\n", ""), 17, r"k is missing: give it"),
        (changed("k = 5", "kk = 5"), 19, "no 'kk' in method 'k-mii'. Did you mean 'k'"),
        (changed("k = 5", "theta = 5\nk = 5"), 19, "'theta'.*belongs to mii-suppress"),
        (changed('"k-mii"', '"k-mi"'), 17, "no method 'k-mi'. Did you mean 'k-mii'"),
        (changed('name = "k-mii"\n', ""), 17, "method has no name. Known: 'k-mii'"),
        (changed('"suppress"', '"supress"'), 20, "'drop' or 'suppress', not 'supress'. Did you"),
        (changed('"drop"', '"dropp"'), 5, "'stated' or 'drop' or 'refuse', not 'dropp'. Did you"),
        (changed('"identifying"', '"identifier"'), 14, "role of column 'full name'.*identifying"),
        (changed('"csv"', '"xlsx"'), 25, "'parquet' or 'csv', not 'xlsx'"),
        (changed("report = false", 'report = "no"'), 26, "report is true or false, not 'no'"),
        (changed("[roles]", "[role]"), 13, "no 'role' in a policy. Did you mean 'roles'"),
        (changed("categorical", "categoric"), 4, "no 'categoric' in .source.. Did you mean 'categ"),
        (changed('["zip"]', '"zip"'), 4, "categorical is a list of texts in quotes, not 'zip'"),
        (changed('["age", "sex", "zip"]', '["age",\n 7]'), 4, "Member 2 of columns is text"),
        (changed('file = "data/people.csv"', "file = 7"), 2, "file is text in quotes, not 7"),
        (changed('"data/people.csv"', '""'), 2, "file is not empty"),
        (changed("[20, 40.5]", "[40, 20]"), 9, "bins of column 'age': edges must increase"),
        (changed("[20, 40.5]", "[]"), 9, "at least one edge"),
        (changed("height = 10", "height = 0"), 10, "bins of column 'height'.*above 0"),
        (changed("height = 10", 'height = "10"'), 10, "bins of column 'height': a width"),
        (changed("height = 10", "height = true"), 10, "bins of column 'height': a width"),
        (changed("width = 2.5", "with = 2.5"), 11, "bins have no 'with'"),
        (changed("width = 2.5", "edges = 2.5"), 11, "edges are a list"),
        (changed('path = "ledger.sqlite"\n', ""), 28, "either a path or a url"),
        (changed('path = "', 'url = "x"\npath = "'), 28, "either a path or a url"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ParameterError, match=message) as error:
        read_policy(path)
    assert str(error.value).startswith(f"{path}, line {line}: ")


@pytest.mark.parametrize(
    ("option", "value"),
    [("epsilon", "0"), ("epsilon", "-1"), ("epsilon", '"one"'), ("epsilon", "true"),
     ("epsilon", "inf"), ("epsilon", '"1e-999999999"'), ("epsilon", "[1]"),
     ("delta", "1"), ("delta", "0"), ("delta", '"nan"')],
)  # fmt: skip
def test_losses_out_of_range(tmp_path: Path, option: str, value: str) -> None:
    given = {"epsilon": "1", "delta": "1e-6"} | {option: value}
    lines = "".join(f"{name} = {text}\n" for name, text in given.items())
    text = f'[source]\nfile = "a"\n[method]\nname = "dp-mii-suppress"\nk = 20\n{lines}'
    with pytest.raises(ParameterError, match=f", line [67]: {option} is a "):
        read_policy(write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "line"),
    [("[source\n", 1), ("a = 1\nb = x\n", 2), ("a = 1\na = 2\n", 2), ('a = "open', 1),
     ("[a]\n\n[a]\n", 3), ("a = [1,\n2,\n", 2), ("x = " + "[" * 5000, 1)],
)  # fmt: skip
def test_a_text_that_is_not_toml(tmp_path: Path, text: str, line: int) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DataError, match="not TOML") as error:
        read_policy(path)
    assert str(error.value).startswith(f"{path}, line {line}: ")


def test_files_that_are_no_policy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file"):
        read_policy(tmp_path / "none.toml")
    with pytest.raises(DataError, match="is a folder"):
        read_policy(tmp_path)
    path = tmp_path / "latin.toml"
    path.write_bytes(b"a = 1\n# caf\xe9\n")
    with pytest.raises(DataError, match="line 2: not UTF-8"):
        read_policy(path)
    with pytest.raises(ParameterError, match=r"\[source\] is missing"):
        read_policy(write(tmp_path, ""))


def test_a_policy_cannot_be_changed() -> None:
    policy = make_policy({"source": {"file": "a"}, "method": {"name": "k-mii", "k": 5}})
    with pytest.raises(ValueError, match="frozen"):
        policy.source.file = "b"


def test_the_password_of_a_ledger_is_not_shown() -> None:
    url = "postgresql://me:secret@host/db"
    values = {"source": {"file": "a"}, "method": {"name": "k-mii", "k": 5}, "ledger": {"url": url}}
    assert "secret" not in repr(make_policy(values))


SIZED = [name for name, each in METHODS.items() if any(o.of_k is not None for o in each.options)]


@pytest.mark.parametrize("name", SIZED)
def test_every_method_can_be_tried_at_another_k(name: str) -> None:
    options: dict[str, dict[str, object]] = {
        "k-mii": {"k": 2},
        "mii-suppress": {"theta": 1},
        "dp-mii-suppress": {"k": 2, "epsilon": "1", "delta": "1e-6"},
        "set-cover": {"k": 2},
        "forest": {"k": 2},
        "agglomerative": {"k": 2},
        "mondrian": {"k": 2},
        "datafly": {"k": 2},
        "incognito": {"k": 2},
    }
    method = read_method({"name": name, "columns": ["a"], **options[name]})
    other = method.at(7)
    assert other.model_dump() != method.model_dump()
    assert other.columns == ("a",)


@pytest.mark.parametrize("name", sorted({*METHODS} - {*SIZED}))
def test_what_makes_no_classes_is_tried_at_no_k(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} makes none"):
        read_method({"name": name, **METHODS[name].example}).at(7)
