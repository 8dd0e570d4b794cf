"""The measure of the structure, on a made-up package whose structure is known."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests import check_structure
from tests.check_structure import algorithms, circles, lonely, needed, read_code

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.check_structure import Code

    Make = Callable[[dict[str, str]], Code]

FACES = {f"{family}/__init__.py": "" for family in check_structure.FAMILIES}


@pytest.fixture(name="make")
def fixture_make(tmp_path: Path) -> Make:
    def make(sources: dict[str, str]) -> Code:
        for name, text in {"__init__.py": "", **sources}.items():
            path = tmp_path / "discreet" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return read_code(tmp_path / "discreet")

    return make


def test_circles_are_found_through_lazy_and_type_only_imports(make: Make) -> None:
    code = make(
        {
            "data/__init__.py": "",
            "data/a.py": "from discreet.data.b import f",
            "data/b.py": "def f():\n    from discreet.data import c",
            "data/c.py": "if TYPE_CHECKING:\n    from discreet.data.a import T",
            "data/alone.py": "import discreet.data.a",
        }
    )
    assert circles(code) == [["discreet.data.a", "discreet.data.b", "discreet.data.c"]]


def test_imports_that_only_go_down_are_no_circle(make: Make) -> None:
    code = make({"a.py": "from discreet import b, c", "b.py": "from discreet import c", "c.py": ""})
    assert circles(code) == []


def test_a_module_is_lonely_with_one_importer_in_its_room(make: Make) -> None:
    code = make(
        {
            "mine/__init__.py": "from discreet.mine.shown import f",
            "mine/shown.py": "from discreet.mine.helper import g\nfrom discreet.mine.two import h",
            "mine/helper.py": "",  # one neighbour imports it
            "mine/two.py": "",  # two do
            "mine/other.py": "from discreet.mine.two import h\nfrom discreet.data.far import i",
            "data/far.py": "",  # one module of another room
        }
    )
    assert lonely(code) == ["discreet.mine.helper"]


def test_an_algorithm_needs_what_its_modules_need_through_faces_but_no_other_room(
    make: Make,
) -> None:
    code = make(
        {
            **FACES,
            "suppress/__init__.py": "from discreet.suppress.method import method",
            "suppress/method.py": "from discreet.suppress.near import f\nfrom discreet import data",
            "suppress/near.py": "def f():\n    from discreet.suppress.deep import far",
            "suppress/deep/__init__.py": "from discreet.suppress.deep.far import far",
            "suppress/deep/far.py": "from discreet.data.table import T",
            "suppress/other.py": "from discreet.suppress.method import method",
            "data/__init__.py": "",
            "data/table.py": "",
        }
    )
    assert algorithms(code) == ["discreet.suppress.method"]
    near, far = "discreet.suppress.near", "discreet.suppress.deep.far"
    assert needed(code, "discreet.suppress.method") == {near, far}
    assert needed(code, near) == {far}


def test_a_name_of_a_face_is_no_module_of_that_name(make: Make) -> None:
    code = make(
        {
            "krimp/__init__.py": "from discreet.krimp.krimp import krimp",
            "krimp/krimp.py": "",
            "user.py": "from discreet.krimp import krimp",
        }
    )
    assert code.imports["discreet.user"] == {"discreet.krimp"}


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("MOST_FILES", 9),
        ("MOST_LONELY", 2),
        ("MOST_LINES", 3),
        ("MOST_IN_FOLDER", 4),
        ("MOST_NEEDED", 2),
    ],
)
def test_a_limit_may_be_reached_but_not_passed(
    limit: str,
    value: int,
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = make(
        {
            **FACES,
            "suppress/__init__.py": "from discreet.suppress.x import x",
            "suppress/x.py": "\nimport discreet.suppress.y\nimport discreet.suppress.z",
            "suppress/y.py": "",
            "suppress/z.py": "",
        }
    )
    monkeypatch.setattr(sys, "argv", ["check_structure.py"])
    monkeypatch.setattr(check_structure, "SOURCE", code.files["discreet"].parent)
    monkeypatch.setattr(check_structure, limit, value)
    assert check_structure.main() == 0
    assert "TOO MANY" not in capsys.readouterr().out
    monkeypatch.setattr(check_structure, limit, value - 1)
    assert check_structure.main() == 1
    assert capsys.readouterr().out.count("TOO MANY") == 1
