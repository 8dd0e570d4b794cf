"""``discreet hierarchy`` as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.conftest import Outcome

from discreet.data.hierarchy.tree import Hierarchy

Run = Callable[..., Outcome]
PEOPLE = """age,zip,day,icd,job
17,01234,2024-01-31,E11.9,cook
18,01277,2024-01-30,E11.65,clerk
25,98765,2024-02-01,I10,clerk
31,98700,2023-07-09,E11.9,"a ""b"";c"
"""


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "job.csv").write_text("cook;food;*\nclerk;office;*\n")
    return tmp_path


@pytest.mark.parametrize(
    ("column", "options", "path"),
    [
        ("age", ["--steps", "10,20"], ["17", "[10, 20)", "[0, 20)", "*"]),
        ("age", ["--steps", "10", "--origin", "5"], ["17", "[15, 25)", "*"]),
        ("age", ["--steps", "2.5,20"], ["17", "[15, 17.5)", "[0, 20)", "*"]),
        ("zip", ["--prefix", "2,1"], ["01234", "01", "0", "*"]),
        ("zip", ["--postcode"], ["01234", "012", "01", "0", "*"]),
        ("zip", ["--codes"], ["01234", "0123", "012", "01", "0", "*"]),
        ("icd", ["--icd"], ["E11.9", "E11", "E10-E19", "E00-E90", "*"]),
        ("age", ["--prefix", "1"], ["17", "1", "*"]),
        (
            "day",
            ["--dates"],
            ["2024-01-31", "2024-01", "2024-Q1", "2024", "2020-2024", "2020-2029", "*"],
        ),
        ("day", ["--dates", "--levels", "month,decade"], ["2024-01-31", "2024-01", "2020s", "*"]),
        ("job", ["--flat"], ['a "b";c', "*"]),
    ],
)
def test_build_then_check(
    discreet: Run, people: Path, column: str, options: list[str], path: list[str]
) -> None:
    call = ["hierarchy", "build", "people.csv", "--column", column, *options, "-o", "h.csv"]
    code, out, err = discreet(*call)
    assert (code, err) == (0, "")
    is_whole = "--dates" in options or options[1:2] in (["10,20"], ["10"])
    assert is_whole == ("made from the rows" not in out)
    if not is_whole:
        assert f"{3 if column in ('job', 'icd') else 4} values" in out
    assert "h.csv is written." in out
    tree = Hierarchy.from_csv(people / "h.csv")
    assert list(dict.fromkeys(tree.path(path[0]))) == path
    code, out, _ = discreet("hierarchy", "check", "h.csv", "people.csv", "--column", column)
    assert code == 0
    assert "Yes: h.csv is a hierarchy and covers the" in out


def test_build_replaces_nothing_unasked(discreet: Run, people: Path) -> None:
    call = ["hierarchy", "build", "people.csv", "--column", "age", "--flat", "-o", "job.csv"]
    before = (people / "job.csv").read_text()
    code, _, err = discreet(*call)
    assert code == 2
    assert "job.csv exists" in err
    assert "--overwrite" in err
    assert (people / "job.csv").read_text() == before
    code, out, _ = discreet(*call, "--overwrite", "--json")
    assert code == 0
    assert json.loads(out)["levels"][1] == {"n_nodes": 1, "largest": 4, "examples": ["*"]}
    assert (people / "job.csv").read_text() == "17;*\n18;*\n25;*\n31;*\n"


def test_missing_values_have_no_line(discreet: Run, people: Path) -> None:
    (people / "gaps.csv").write_text("age,sex\n3,f\n,m\n4,m\n")
    code, out, _ = discreet(
        "hierarchy", "build", "gaps.csv", "--column", "age", "--steps", "5", "-o", "h.csv"
    )
    assert code == 0
    assert "no line for missing values" in out
    assert (people / "h.csv").read_text() == "".join(
        f"{age};[0, 5);*\n" for age in range(5)
    )  # one interval holds all: a level under the root
    code, out, _ = discreet("hierarchy", "check", "h.csv", "gaps.csv", "--column", "age", "--json")
    assert (code, json.loads(out)["n_missing"]) == (0, 1)


def test_numbers_are_read_as_they_are_written(discreet: Run, people: Path) -> None:
    (people / "n.csv").write_text("x,y\n1.5,a\n1.50,b\n-2,a\n10.25,b\n")
    code, _, _ = discreet(
        "hierarchy", "build", "n.csv", "--column", "x", "--steps", "5", "-o", "h.csv"
    )
    assert code == 0
    tree = Hierarchy.from_csv(people / "h.csv")
    assert set(tree.leaves) == {"1.5", "1.50", "-2", "10.25"}
    assert tree.leaf_counts[tree.node_of("[0, 5)")] == 2


def test_parquet(discreet: Run, people: Path) -> None:
    pl.read_csv(people / "people.csv", try_parse_dates=True).write_parquet(people / "p.parquet")
    for column, how in (("day", ["--dates"]), ("age", ["--steps", "10"])):
        call = ["hierarchy", "build", "p.parquet", "--column", column, *how, "-o", f"{column}.h"]
        assert discreet(*call).code == 0
        call = ["hierarchy", "check", f"{column}.h", "p.parquet"]  # the column by the file's name
        assert discreet(*call).code == 0


def test_check_names_the_values_that_lack(discreet: Run, people: Path) -> None:
    ages = "\n".join(f"{age},f" for age in range(30))
    (people / "many.csv").write_text(f"age,sex\n{ages}\n")
    (people / "h.csv").write_text("".join(f"{age};*\n" for age in range(15)))
    code, out, _ = discreet("hierarchy", "check", "h.csv", "many.csv", "--column", "age")
    said = " ".join(out.split())
    assert code == 1
    assert "No: h.csv lacks 15 of the 30 values of column 'age'" in said
    assert "'15' (1 row, first at row 15)" in said
    assert "'24'" in said
    assert "'25'" not in said
    assert "... 5 more" in said
    code, out, _ = discreet("hierarchy", "check", "h.csv", "many.csv", "--column", "age", "--json")
    found = json.loads(out)
    assert (code, found["passed"], len(found["uncovered"])) == (1, False, 15)
    assert found["uncovered"][0] == {"value": "15", "n_rows": 1, "first_row": 15}


def test_check_tells_of_chains_and_what_is_unused(discreet: Run, people: Path) -> None:
    lines = 'cook;food;*\nclerk;office;*\n"a ""b"";c";*;*\njudge;office;*\n'
    (people / "job.csv").write_text(lines)
    code, out, _ = discreet("hierarchy", "check", "job.csv", "people.csv", "--column", "job")
    assert code == 0
    assert "levels of their own that cost no more than what they hold: 'food'" in out
    assert "1 values more" in out
    code, out, _ = discreet(
        "hierarchy", "check", "job.csv", "people.csv", "--column", "job", "--json"
    )
    found = json.loads(out)
    assert (found["chains"], found["n_unused"], found["n_leaves"]) == (["food"], 1, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;A;*\nb;A;+\n", "h.csv, line 2 ends in '+', h.csv, line 1 in '*'"),
        ("a;A;P;*\nb;A;Q;*\n", "The group 'A' stands under 'P' (h.csv, line 1)"),
        ("a;A;*\na;B;*\nb;B;*\n", "The value 'a' stands twice"),
        ("\n\n", "h.csv, no lines"),
        ('"a;*\n', "h.csv, line 1"),
    ],
)
def test_what_is_no_tree_is_a_no_with_its_line(
    discreet: Run, people: Path, text: str, message: str
) -> None:
    (people / "h.csv").write_text(text)
    code, out, err = discreet("hierarchy", "check", "h.csv", "people.csv", "--column", "job")
    assert (code, err) == (1, "")
    assert "No: h.csv is not a hierarchy." in out
    assert message in " ".join(out.split())
    code, out, err = discreet("hierarchy", "show", "h.csv")
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


def test_show_shortens_large_groups(discreet: Run, people: Path) -> None:
    tree = Hierarchy.intervals(range(90), steps=[45])
    tree.to_csv(people / "h.csv")
    code, out, _ = discreet("hierarchy", "show", "h.csv")
    assert code == 0
    assert "* (90 values)\n├── [0, 45) (45 values)\n│   ├── 0\n" in out
    assert out.count("... 35 more") == 2
    assert "90 values, 2 levels above them." in out
    code, out, _ = discreet("hierarchy", "show", "h.csv", "--depth", "1")
    assert "└── [45, 90) (45 values)\n90 values" in out
    assert "--depth 2 shows all" in out
    code, out, _ = discreet("hierarchy", "show", "h.csv", "--json")
    assert [level["n_nodes"] for level in json.loads(out)["levels"]] == [90, 2, 1]


HOSTILE = ["[bold red]x[/]", "a\x1b[2Jb", 'say "q"; or\nnot', "\u202eevil", ":smile:", "tab\there"]


def test_hostile_labels_are_text(discreet: Run, people: Path) -> None:
    pl.DataFrame({"x": HOSTILE, "y": ["a"] * len(HOSTILE)}).write_csv(people / "x.csv")
    call = ["hierarchy", "build", "x.csv", "--column", "x", "--prefix", "1", "-o", "h.csv"]
    code, built, _ = discreet(*call)
    assert code == 0
    assert set(Hierarchy.from_csv(people / "h.csv").leaves) == set(HOSTILE)
    assert discreet("hierarchy", "check", "h.csv", "x.csv", "--column", "x").code == 0
    _, shown, _ = discreet("hierarchy", "show", "h.csv")
    (people / "job.csv").write_text("b;*\nc;*\n")
    code, checked, _ = discreet("hierarchy", "check", "job.csv", "x.csv", "--column", "x")
    assert code == 1
    for out in (built, shown, checked):
        assert not {"\x1b", "\u202e", "\t"} & set(out)
    for out in (shown, checked):
        said = "".join(out.split())
        assert "[boldred]x[/]" in said
        assert ":smile:" in said
        assert "a\\x1b[2Jb" in said
        assert "\\u202eevil" in said


BUILD = "hierarchy build people.csv --column age -o out.csv"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (BUILD, "Give exactly one of --steps, --prefix, --icd,"),
        (BUILD + " --flat --dates", "Give exactly one of"),
        (BUILD + " --steps 5,x", "'5,x' is not a list of numbers"),
        (BUILD + " --steps 5,12", "--steps 5,12: each must be a multiple of the one before"),
        (BUILD + " --prefix 1,2", "that fall"),
        (BUILD + " --prefix 1.5", "must be a whole number"),
        (BUILD + " --dates", "people.csv, column 'age': '17' is not a date"),
        (
            BUILD.replace("age", "job") + " --steps 5",
            "column 'job': The value 'a \"b\";c' is not a",
        ),
        (BUILD.replace("age", "agee") + " --flat", "'agee'"),
        (BUILD.replace("people", "peple") + " --flat", "Did you mean 'people.csv'?"),
        (BUILD.replace("out.csv", "none/deep/out.csv") + " --flat", "none/deep does not exist"),
        ("hierarchy check none.csv people.csv --column age", "no file 'none.csv'"),
        ("hierarchy check job.csv none.csv --column age", "no file 'none.csv'"),
        ("hierarchy check job.csv people.csv --column jb", "'jb'"),
        ("hierarchy show none.csv", "no file 'none.csv'"),
        ("hierarchy show job.csv --depth 0", "--depth 0 must be at least 1."),
    ],
)
def test_mistakes_are_one_sentence(discreet: Run, people: Path, call: str, message: str) -> None:
    before = sorted(path.name for path in people.iterdir())
    code, out, err = discreet(*call.split())
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())
    assert sorted(path.name for path in people.iterdir()) == before


@pytest.mark.parametrize("verb", ["build", "check", "show"])
def test_help_teaches_with_an_example(discreet: Run, verb: str) -> None:
    code, out, _ = discreet("hierarchy", verb, "--help")
    assert code == 0
    assert f"discreet hierarchy {verb} " in out


def test_adult(discreet: Run, public_data: Path, tmp_path: Path) -> None:
    folder = public_data / "adult_arx"
    data = folder / "adult.csv.xz"
    built = tmp_path / "age.csv"
    steps = ["--column", "age", "--steps", "5,10,20,40"]
    assert discreet("hierarchy", "build", data, *steps, "-o", built).code == 0
    assert Hierarchy.from_csv(built).leaves == tuple(map(str, range(120)))
    code, out, _ = discreet("hierarchy", "check", built, data, "--column", "age", "--json")
    assert (code, json.loads(out)["n_unused"]) == (0, 48)
    files = sorted(folder.glob("adult_hierarchy_*.csv"))
    assert len(files) == 9
    for file in files:
        column = file.stem.removeprefix("adult_hierarchy_")
        assert discreet("hierarchy", "check", file, data, "--column", column).code == 0


def test_columns_of_a_file_without_a_header(discreet: Run, people: Path) -> None:
    lines = (people / "people.csv").read_text().splitlines()
    (people / "bare.csv").write_text("\n".join(lines[1:]) + "\n")
    named = ["--names", lines[0]]
    build = ["hierarchy", "build", "bare.csv", "--column", "age", "--steps", "10", "-o", "age.csv"]
    code, out, _ = discreet(*build, *named)
    assert code == 0
    assert f"--names {lines[0]}" in out.replace("\n", " ")
    (people / "trees").mkdir()
    (people / "age.csv").rename(people / "trees" / "age.csv")
    protect = ["protect", "set-cover", "bare.csv", "-k", "2", "--hierarchies", "trees"]
    assert discreet(*protect, *named, "-o", "out").code == 0
    (people / "trees" / "age.csv").rename(people / "age.csv")
    assert discreet("hierarchy", "check", "age.csv", "bare.csv", *named).code == 0
    assert discreet("hierarchy", "check", "age.csv", "bare.csv").code == 2
