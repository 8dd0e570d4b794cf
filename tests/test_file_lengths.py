"""No file is too long to be read in one go."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
FOLDERS = ("src", "native", "tests", "benchmarks", "docs")
GENERATED = (REPOSITORY / "docs" / "_build", REPOSITORY / "docs" / "api")
MOST_LINES = 350


def written_files() -> list[Path]:
    return [
        path
        for folder in FOLDERS
        for path in (REPOSITORY / folder).rglob("*")
        if path.suffix in {".py", ".hpp", ".cpp"}
        and not any(path.is_relative_to(made) for made in GENERATED)
    ]


def test_no_file_is_longer_than_can_be_read() -> None:
    lengths = {path: len(path.read_bytes().splitlines()) for path in written_files()}
    assert {path.suffix for path in lengths} == {".py", ".hpp", ".cpp"}
    too_long = [
        f"{path.relative_to(REPOSITORY)} has {length} lines: split it by topic"
        for path, length in sorted(lengths.items())
        if length > MOST_LINES
    ]
    assert not too_long, "\n".join(too_long)
