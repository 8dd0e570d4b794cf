"""How much of the code a stranger has to open: measured from the imports, held to limits.

Run by ``make check``. Imports inside functions and for type checkers count like all others. A room
is a folder right below ``src/discreet``; the face of a package is its ``__init__.py``.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "discreet"
FAMILIES = ("suppress", "generalize", "randomize", "synthesize", "patterns")

MOST_FILES = 284  # the app's screens are a file for each thing that is shown
MOST_LONELY = 39  # modules that one other module of their room imports, and nobody else
MOST_LINES = 620  # some 600: a little over is no reason to part what belongs together
MOST_IN_FOLDER = 17  # with the face; the verifier has a file for each thing it recomputes
MOST_NEEDED = 5  # other modules of the room that an algorithm needs, directly or not


@dataclass(frozen=True)
class Code:
    """The modules of the package and what each imports."""

    files: dict[str, Path]
    imports: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def is_face(self, module: str) -> bool:
        return self.files[module].name == "__init__.py"

    def importers(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for module, imported in self.imports.items():
            for one in imported:
                found[one].add(module)
        return found


def read_code(source: Path) -> Code:
    """Return the modules below a folder and their imports of each other."""
    files = {_module(path, source): path for path in sorted(source.rglob("*.py"))}
    trees = {module: ast.parse(path.read_text("utf-8")) for module, path in files.items()}
    shown = {
        module: {alias.asname or alias.name for node in _from_imports(tree) for alias in node.names}
        for module, tree in trees.items()
        if files[module].name == "__init__.py"
    }
    code = Code(files)
    for module, tree in trees.items():
        if module == source.name:
            continue  # the top names, which are loaded when they are used
        for node in _from_imports(tree):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                # ``from room import name`` is the face's name where it has one, else a module.
                is_module = name in files and alias.name not in shown.get(str(node.module), ())
                target = name if is_module else str(node.module)
                if target in files and target != module:
                    code.imports[module].add(target)
        for plain in ast.walk(tree):
            if isinstance(plain, ast.Import):
                code.imports[module] |= {a.name for a in plain.names if a.name in files}
    return code


def lonely(code: Code) -> list[str]:
    """Return the modules whose only importer is one other module of the same room."""
    found = []
    for module, importers in sorted(code.importers().items()):
        one = next(iter(importers))
        if len(importers) == 1 and _room(one) == _room(module) and not code.is_face(one):
            found.append(module)
    return found


def circles(code: Code) -> list[list[str]]:
    """Return the groups of modules that import each other, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(code.imports[module]):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            circle = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(circle) > 1:
                found.append(sorted(circle))

    for module in code.files:
        if module not in index:
            visit(module)
    return found


def needed(code: Code, module: str) -> set[str]:
    """Return the other modules of its room that a module needs, directly or not.

    A face is no module to read, but what it shows is: going through one hides nothing.
    """
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for other in code.imports[waiting.pop()]:
            if _room(other) == _room(module) and other not in found:
                found.add(other)
                waiting.append(other)
    return {other for other in found if not code.is_face(other)} - {module}


def algorithms(code: Code) -> list[str]:
    """Return the modules whose functions the faces of the five families show."""
    found = set()
    for family in FAMILIES:
        found |= {one for one in code.imports[f"discreet.{family}"] if not code.is_face(one)}
    return sorted(found)


def _from_imports(tree: ast.Module) -> list[ast.ImportFrom]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
    ]


def _module(path: Path, source: Path) -> str:
    parts = (source.name, *path.relative_to(source).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def _room(module: str) -> list[str]:
    return module.split(".")[:2]


def main() -> int:
    """Print the measures beside their limits; return 1 if one of them is passed."""
    code = read_code(SOURCE)
    lengths = {m: len(path.read_bytes().splitlines()) for m, path in code.files.items()}
    folders = Counter(path.parent for path in code.files.values())
    alone, rings = lonely(code), circles(code)
    need = {module: needed(code, module) for module in algorithms(code)}
    n_imports = sum(map(len, code.imports.values())) / len(code.files)
    longest, fullest = max(lengths, key=lengths.__getitem__), max(folders, key=folders.__getitem__)
    neediest = max(need, key=lambda module: len(need[module]))
    measures = [
        ("source files", len(code.files), MOST_FILES, ""),
        ("modules with one importer, in their room", len(alone), MOST_LONELY, ""),
        ("circles of imports", len(rings), 0, "; ".join(map(", ".join, rings))),
        ("lines of the longest file", lengths[longest], MOST_LINES, longest),
        ("files of the fullest folder", folders[fullest], MOST_IN_FOLDER, fullest.name),
        ("modules of its room that an algorithm needs", len(need[neediest]), MOST_NEEDED, neediest),
    ]
    for what, value, most, where in measures:
        mark = "  TOO MANY" if value > most else ""
        sys.stdout.write(f"{what:45} {value:5}  at most {most:4}  {where}{mark}\n")
    sys.stdout.write(f"{'imports of our own a module':45} {n_imports:5.1f}\n")
    if "--all" in sys.argv:
        for module, others in sorted(need.items(), key=lambda pair: -len(pair[1])):
            sys.stdout.write(f"{len(others):3} {module}: {', '.join(sorted(others))}\n")
        sys.stdout.write("\n".join(["one importer:", *alone, ""]))
    return int(any(value > most for _, value, most, _ in measures))


if __name__ == "__main__":
    raise SystemExit(main())
