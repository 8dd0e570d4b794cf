"""What is measured of synthetic data, as plain values for the cache.

*Fidelity*, *compression* and *forest* compare synthetic data for all rows with all rows, as the
paper does. *Learning* and *attacks* need records that were not used, so the synthetic data are made
from four fifths of the rows and the others are held out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier  # type: ignore[import-untyped]
from synthesize_data import SETS

from discreet.assess.attacks import (
    attribute_attack,
    membership_attack,
    rare_itemsets,
    records_in_common,
)
from discreet.synthesize import krimp, krimp_classifier
from discreet.utility import held_out_accuracy, itemset_fidelity, marginal_fidelity
from discreet.utility.itemset_fidelity import item_databases
from discreet.utility.pairs import pair_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from synthesize_data import Parts

    import discreet as dc

MIN_FREQUENCY = 0.1
N_TARGETS = 2000
SIZES = (4, 6, 8)  # of rare itemsets: of Adult's smaller ones hardly any has support 1
SEED = 1
LEAF = 5  # least rows of a leaf of the goals' forest


def fidelity(parts: Parts, made: dc.Table, name: str) -> dict[str, Any]:
    """Return distances of marginals, and frequent itemsets missed and wrongly found."""
    del name
    marginals = marginal_fidelity(parts.whole, made)
    itemsets = itemset_fidelity(parts.whole, made, min_frequency=MIN_FREQUENCY)
    n_missed = itemsets.n_false_negatives
    return {
        "ways": {str(size): marginals.mean(size) for size in (1, 2, 3)},
        "worst": {str(size): marginals.worst(size).total_variation for size in (1, 2, 3)},
        "n_frequent": itemsets.n_both + n_missed,
        "n_made": itemsets.n_both + itemsets.n_false_positives,
        "n_both": itemsets.n_both,
        "false_negatives": n_missed,
        "false_positives": itemsets.n_false_positives,
        "nfd": itemsets.nfd,
        "nfd_by_group": itemsets.nfd_by_group,
    }


def compression(parts: Parts, made: dc.Table, name: str) -> dict[str, float]:
    """Return Krimp's ratios of both tables by the code tables of both.

    Codes of the other table are smoothed by one, because it may use what one's own never does.
    """
    databases = item_databases(pair_columns(parts.whole, made))
    tables = [krimp(each, min_support=SETS[name].min_support, threads=1) for each in databases]

    def ratio(code: int, data: int) -> float:
        if code == data:
            return tables[code].compression_ratio
        bits = float(tables[code].encoded_lengths(databases[data], smoothing=1).sum())
        return (bits + tables[code].table_bits) / tables[data].standard_bits

    return {
        "original by original": ratio(0, 0),
        "made by original": ratio(0, 1),
        "made by made": ratio(1, 1),
        "original by made": ratio(1, 0),
    }


def forest(parts: Parts, made: dc.Table, name: str) -> dict[str, float]:
    """Return the accuracy on the real rows of a forest trained on synthetic data for all of them.

    The goals state 0.860 for a bootstrap of Adult. On rows held out no forest has it (0.853); one
    with leaves of at least five rows has it on the rows that the bootstrap was drawn from. For
    methods that do not copy rows both are alike.
    """
    del name
    pairs = {pair.name: pair for pair in pair_columns(parts.whole, made)}
    figures = pairs.pop(parts.label)
    real = np.stack([pair.original for pair in pairs.values()], axis=1)
    learnt = np.stack([pair.release for pair in pairs.values()], axis=1)
    model = RandomForestClassifier(n_estimators=100, min_samples_leaf=LEAF, random_state=SEED)
    model.fit(learnt, figures.release)
    return {"accuracy": float((model.predict(real) == figures.original).mean())}


def learning(parts: Parts, made: dc.Table, name: str) -> dict[str, float | None]:
    """Return accuracies on the rows held out of models trained on the synthetic data."""
    seen = held_out_accuracy(made, parts.held_out, target=parts.label, rng=SEED)
    features = [column for column in parts.whole.columns if column != parts.label]
    rows, unseen = item_databases(
        pair_columns(made.select(features), parts.held_out.select(features))
    )
    labels = [made.values(parts.label)[code] for code in made.codes(parts.label).tolist()]
    classifier = krimp_classifier(
        rows, classes=labels, min_support=SETS[name].min_support, threads=1
    )
    truth = parts.held_out.values(parts.label)
    right = [
        guess == truth[code]
        for guess, code in zip(
            classifier.predict(unseen), parts.held_out.codes(parts.label).tolist(), strict=True
        )
    ]
    return {
        "krimp": sum(right) / len(right),
        **{model: accuracies.mean for model, accuracies in seen.models.items()},
        "majority": seen.majority,
    }


def attacks(parts: Parts, made: dc.Table, name: str) -> dict[str, object]:
    """Return how much synthetic data disclose about the rows they were made from, beside others."""
    del name
    train, others, label = parts.train, parts.held_out, parts.label
    sizes = [size for size in SIZES if size <= train.n_columns]
    return {
        "membership": membership_attack(
            made, train, controls=others, n_targets=N_TARGETS, rng=SEED
        ).to_dict(),
        "attribute": attribute_attack(
            made, train, sensitive=label, controls=others, n_targets=N_TARGETS, rng=SEED
        ).to_dict(),
        "records": records_in_common(made, train, controls=others, rng=SEED).to_dict(),
        "rare": rare_itemsets(made, train, sizes=sizes, controls=others, rng=SEED).to_dict(),
    }


OF_WHOLE: dict[str, Callable[[Parts, dc.Table, str], dict[str, Any]]] = {
    "fidelity": fidelity,
    "compression": compression,
    "forest": forest,
}
OF_TRAIN: dict[str, Callable[[Parts, dc.Table, str], dict[str, Any]]] = {
    "learning": learning,
    "attacks": attacks,
}
