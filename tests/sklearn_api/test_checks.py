"""scikit-learn's own battery of checks, with what cannot pass and why."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]
from sklearn.utils.estimator_checks import (  # type: ignore[import-untyped]
    parametrize_with_checks,
)

from discreet.sklearn import GeneralizingTransformer, KrimpClassifier, Synthesizer
from discreet.synthesize import pairs

TEXT = "subtracts two results, and text has no difference; test_transformer compares by equality"
FAILS = {
    "GeneralizingTransformer": {
        "check_estimators_pickle": TEXT,
        "check_fit_idempotent": TEXT,
        "check_methods_sample_order_invariance": TEXT,
        "check_methods_subset_invariance": TEXT,
        "check_pipeline_consistency": TEXT,
        "check_transformer_data_not_an_array": TEXT,
        "check_transformer_general": TEXT,
        "check_fit2d_1sample": "one row is like no other: an InfeasibleError, not a ValueError",
    },
}


def expected(estimator: BaseEstimator) -> dict[str, str]:
    return FAILS.get(type(estimator).__name__, {})


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [KrimpClassifier(), GeneralizingTransformer(2), Synthesizer(1, domains="from-data")],
    expected_failed_checks=expected,
)
def test_scikit_learn_agrees(
    estimator: BaseEstimator,
    check: Callable[[BaseEstimator], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Checks give columns of hundreds of numbers; a model of them takes seconds to train.
    monkeypatch.setattr(pairs, "N_TRAINED", 1000)
    check(estimator)
