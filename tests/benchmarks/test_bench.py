"""The page of results is whole, needs no other file, and shows data as text."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import bench
import pytest
from html_page import page_of, parts_of, ratios_of

FOLDER = Path(__file__).parents[2] / "benchmarks"
RESULTS = (FOLDER / "RESULTS.md").read_text(encoding="utf-8")


def test_the_page_has_every_part_and_needs_no_other_file() -> None:
    page = page_of(RESULTS, FOLDER)
    for name, text in parts_of(RESULTS).items():
        assert f'id="{name}"' in page
        assert text.splitlines()[0].removeprefix("# ").split(":")[0] in page
    sources = re.findall(r'src="([^"]*)"', page)
    assert len(sources) > 10
    assert all(each.startswith("data:image/svg+xml") for each in sources)


def test_ratios_are_summed_up() -> None:
    text = (
        "| data | CPU: ours / theirs | theirs / ours |\n| --- | --- | --- |\n"
        "| a | 1 s / 2 s | 2.0 |\n| b | 1 s / 1,000 s | 1,000.0 |\n| c | - | - |\n\nwords\n"
        "| k | MB |\n| --- | --- |\n| 1 | 2 |\n"
    )
    (found,) = ratios_of("p", text)
    assert found.values == (2.0, 1000.0)
    page = page_of(f"<!-- p: start -->\n{text}<!-- p: end -->\n", FOLDER)
    assert "<td>2</td><td>2</td><td>501</td><td>1e+03</td>" in page
    for name in ("mining", "krimp", "randomize-speed"):
        assert ratios_of(name, parts_of(RESULTS)[name])


def test_what_looks_like_html_is_shown_as_text() -> None:
    page = page_of("<!-- p: start -->\n# <script>alert(1)</script>\n<!-- p: end -->\n", FOLDER)
    assert "<script>" not in page


def test_one_failure_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, code in (("bad", "raise SystemExit(3)"), ("good", f"open(r'{tmp_path}/ran', 'w')")):
        (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.setattr(bench, "HERE", tmp_path)
    monkeypatch.setattr(bench, "RUNS", {"bad": ["bad.py"], "good": ["good.py"]})
    assert bench.run_all(["bad", "good"]) == ["bad"]
    assert (tmp_path / "ran").exists()


def test_every_script_with_a_part_on_the_page_is_run() -> None:
    writing = {
        path.name for path in FOLDER.glob("*.py")
        if re.search(r"\bwrite_part\(", path.read_text(encoding="utf-8")) and _is_script(path)
    }  # fmt: skip
    assert writing - {"results_page.py"} == {command[0] for command in bench.RUNS.values()}


def _is_script(path: Path) -> bool:
    return any(isinstance(node, ast.If) for node in ast.parse(path.read_text("utf-8")).body)
