"""Every method, of people who have several rows: the unit is a person, or the method refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import discreet as dc
from discreet.data.people import People
from discreet.errors import ParameterError
from tests.contract.mechanisms import MECHANISMS, Mechanism

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")

OF_METHODS = [each for each in MECHANISMS if each.record is not None]


@pytest.mark.parametrize("mechanism", OF_METHODS, ids=lambda each: each.name)
def test_rows_of_people_are_protected_as_people_or_not_at_all(mechanism: Mechanism) -> None:
    assert mechanism.record is not None
    whose = People.of("patient", np.arange(len(mechanism.data)) * 2 // 3)
    assert (whose.n_people, whose.most_rows) == (-(-len(mechanism.data) * 2 // 3), 2)
    data = replace(mechanism.data, people=whose)
    unsaid = {"patterns": "per_person", "transactions": "reports_per_person"}
    asked = unsaid.get(mechanism.record.publishes)
    if asked and "one of each" not in mechanism.name:
        with pytest.raises(ParameterError) as refused:  # what becomes of several rows is not said
            mechanism.run(data)
        assert refused.value.parameter == asked
        return
    release = mechanism.run(data)
    assert release.guarantee.unit.startswith("one person, who may have several ")
    if isinstance(release.data, dc.Table):
        assert "patient" not in release.data.columns
        assert release.data.people is None
    assert "patient" not in str(release.to_dict())
