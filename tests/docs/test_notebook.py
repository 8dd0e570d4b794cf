"""The notebook runs from its first cell to its last, and every result shows itself as a table."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "first_minutes.ipynb"


def shown(source: str, names: dict[str, object]) -> object:
    """Run a cell as a notebook does and return the value of its last expression."""
    lines = ast.parse(source)
    last = lines.body.pop() if isinstance(lines.body[-1], ast.Expr) else None
    exec(compile(lines, str(NOTEBOOK), "exec"), names)  # noqa: S102  our own notebook
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)  # noqa: S307


@pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")
def test_every_cell_runs_and_shows_its_result() -> None:
    written = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    found = [
        shown("".join(cell["source"]), names)
        for cell in written["cells"]
        if cell["cell_type"] == "code"
    ]
    results = [value for value in found if value is not None]
    assert len(results) == 11
    for value in results:
        html = getattr(value, "_repr_html_", None) or getattr(value, "_repr_mimebundle_", None)
        assert html is not None, value
        assert html()


def test_outputs_are_not_kept() -> None:
    written = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    code = [cell for cell in written["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
