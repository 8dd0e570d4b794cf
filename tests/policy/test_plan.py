"""Plans: the figures are those of the releases they stand for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import discreet as dc
from discreet.assess.anonymity import anonymity
from discreet.assess.risk import prosecutor_risk
from discreet.errors import DiscreetWarning, LimitError, ParameterError
from discreet.policy import facts, make_policy, plan, plan_each, read_policy
from discreet.policy.plan import _warn_of_width
from discreet.utility import cells_changed
from tests.policy.people import POLICY, write_people, write_policy
from tests.suppress.wide import wide_table


@pytest.fixture(scope="module")
def people() -> dc.Table:
    return dc.datasets.census(2000).select(["sex", "region", "education", "condition"])


def test_every_figure_is_that_of_the_release(people: dc.Table) -> None:
    found = plan(people, ks=(5, 2))
    assert [setting.k for setting in found.settings] == [2, 5]
    before = prosecutor_risk(people, columns=people.columns)
    assert found.mean_risk == pytest.approx(before.mean)
    for setting in found.settings:
        release = dc.k_mii(people, k=setting.k)
        lost = cells_changed(people, release.data, rows=release.input_rows)
        assert setting.suppressed_rate == lost.suppressed_rate
        assert setting.loss_rate == lost.loss_rate
        assert (
            setting.n_suppressed_records
            == lost.n_suppressed_records
            == people.n_rows - setting.n_released
        )
        assert setting.smallest_class >= setting.k
        assert setting.smallest_class == anonymity(release.data, columns=people.columns).k
        after = prosecutor_risk(release.data, columns=people.columns)
        assert setting.mean_risk == pytest.approx(after.mean)
        assert setting.n_unique == 0


def test_a_policy_is_planned_with_its_own_method_and_columns(tmp_path: Path) -> None:
    write_people(tmp_path)
    text = POLICY.replace('name = "k-mii"\nk = 3', 'name = "mii-suppress"\ntheta = 1\n'
                          'columns = ["sex", "job"]')  # fmt: skip
    found = plan(read_policy(write_policy(tmp_path, text)), ks=[2, 4])
    assert (found.method, found.columns) == ("mii-suppress", ("sex", "job"))
    assert [setting.n_suppressed_records for setting in found.settings] == [0, 0]


def test_more_than_there_are_rows(people: dc.Table) -> None:
    (setting,) = plan(people, ks=[5000]).settings
    assert (setting.n_released, setting.smallest_class, setting.mean_risk) == (0, 0, 0.0)
    assert setting.loss_rate == 1


@pytest.mark.parametrize("ks", [(), (1,), (2, 2.5), (True,), ("5",)])
def test_sizes_that_are_none(people: dc.Table, ks: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="k"):
        plan(people, ks=ks)


def test_it_shows_itself(people: dc.Table) -> None:
    found = plan(people, ks=(2, 5))
    assert json.loads(json.dumps(found.to_dict()))["settings"][1]["k"] == 5
    assert "█" in found._repr_html_()
    assert "are unique" in found.sentence
    marks = found.plot().to_dict()["datasets"]
    assert {row["k"] for rows in marks.values() for row in rows} == {2, 5}


def test_progress_goes_up_to_the_end(people: dc.Table) -> None:
    seen: list[float] = []
    plan(people, ks=(2, 3, 5), progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


def test_it_can_be_interrupted(people: dc.Table) -> None:
    def stop(fraction: float, /) -> None:
        if fraction > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan(people, ks=(2, 3, 5), progress=stop)


def test_every_setting_is_known_as_soon_as_it_is_tried(people: dc.Table) -> None:
    tried: list[float] = []
    steps = plan_each(people, ks=(5, 2), progress=tried.append)
    assert not tried  # nothing is done before it is asked for
    first = next(steps)
    assert [setting.k for setting in first.settings] == [2]
    assert max(tried) == 0.5
    (second,) = steps
    assert second.settings[0] == first.settings[0]
    whole = plan(people, ks=(2, 5))
    assert [each.loss_rate for each in second.settings] == [e.loss_rate for e in whole.settings]
    assert (second.columns, second.n_unique) == (whole.columns, whole.n_unique)


def test_a_plan_says_beforehand_that_a_table_is_too_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "PROBE_SECONDS", 1)
    wide = wide_table(600, 86)
    with (
        pytest.warns(DiscreetWarning, match=r"more than 1 seconds? in 86 columns.*mondrian"),
        pytest.raises(LimitError, match="Set max_size"),
    ):
        plan(wide, ks=(5,), max_seconds=1)
    method = make_policy(
        {"source": {"file": "a.csv"}, "method": {"name": "mii-suppress", "theta": 4, "max_size": 2}}
    ).method
    _warn_of_width(method, wide)  # warnings are errors: none is given
