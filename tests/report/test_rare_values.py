"""Public pages: no value of few rows, nothing of columns that are nearly empty, no input counts."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.release.event import Event
from discreet.report.page import html_report
from discreet.report.sections.utility import marginals
from discreet.report.subject import make_subject
from tests.generalize.releases import chunked, people


@pytest.fixture
def table() -> dc.Table:
    """60 people of whom two have an illness that nobody else has, and a column nearly empty."""
    return dc.Table.from_frame(
        {
            "sex": ["f", "m"] * 30,
            "note": [None] * 58 + ["zebra"] * 2,
            "ill": ["flu"] * 40 + ["cold"] * 18 + ["scurvy"] * 2,
        },
        roles={"ill": "sensitive", "note": "insensitive"},
    )


@pytest.mark.parametrize("with_original", [False, True])
def test_values_of_few_rows_and_nearly_empty_columns(
    table: dc.Table, *, with_original: bool
) -> None:
    release = dc.k_mii(table, k=5, columns=["sex"])
    assert {"scurvy"} <= {*release.data.values("ill")}
    original = table if with_original else None
    public = html_report(release, original=original)
    for hidden in ("scurvy", "zebra"):
        assert hidden not in public
    assert "scurvy" in html_report(release, original=original, internal=True)
    assert "1 column of which over 95% is suppressed: not shown." in public
    found = marginals(make_subject(release, original=original))
    assert [each.column for each in found] == ["sex", "ill"]
    assert [row.label for row in found[1].rows if row.label != "flu"] == ["rarer values"]


def test_certificates_do_not_count_the_input(tmp_path: Path, table: dc.Table) -> None:
    made = {
        "k-mii": dc.k_mii(table.select(["sex", "ill"]), k=19),
        "floor": dc.mii_suppress(table.select(["sex", "ill"]), theta=4),
        "clusters": chunked(people(), k=5),
        "datafly": dc.datafly(people().select(["age", "job", "sex"]), k=5),
    }
    unpublished = {"n_rows", "n_cells", "n_cells_suppressed", "n_rows_dropped", "n_rows_suppressed"}
    for name, release in made.items():
        folder = release.save(tmp_path / name)
        events = json.loads((folder / "certificate.json").read_text())["events"]
        assert not [key for event in events for key in event["counts"] if key in unpublished]
        assert any({*event.internal} & unpublished for event in release.events), name
        assert not any(event.internal for event in dc.Release.load(folder).events)
        assert dc.Release.load(folder).events == release.events


def test_the_internal_page_has_the_counts(table: dc.Table) -> None:
    release = dc.k_mii(table.select(["sex", "ill"]), k=19)
    dropped = release.events[1].internal["n_rows_dropped"]
    assert dropped == 60 - release.data.n_rows > 0
    public, internal = (html_report(release, internal=inside) for inside in (False, True))
    assert "suppressed records" in internal
    assert f"n_rows_dropped = {dropped}" in internal
    assert "n_rows_dropped" not in public
    assert "of 60" not in public
    assert "n_cells" not in public


def test_what_is_counted_inside() -> None:
    event = Event(name="drop", counts={"n_itemsets": 3}, internal={"n_rows_dropped": 2})
    assert event.all_counts == {"n_itemsets": 3, "n_rows_dropped": 2}
    assert event.to_dict()["counts"] == {"n_itemsets": 3}
    assert pickle.loads(pickle.dumps(event)).all_counts == event.all_counts  # noqa: S301
    assert event == Event.from_dict(event.to_dict())
    with pytest.raises(ParameterError, match="published and not published"):
        Event(name="drop", counts={"n": 1}, internal={"n": 1})
    with pytest.raises(ParameterError, match="at least 0"):
        Event(name="drop", internal={"n": -1})
