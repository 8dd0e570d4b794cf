"""Guarantees for each kind of data, to be varied by tests."""

from __future__ import annotations

from fractions import Fraction

from discreet.release.guarantee import ADD_REMOVE, Guarantee


def k_anonymity(k: int = 5, /, **changed: object) -> Guarantee:
    fields: dict[str, object] = {
        "model": "k-anonymity",
        "parameters": {"k": k},
        "unit": "one person, who has one row",
        "columns": ("age", "sex"),
        "not_protected": ("What a class has in common can be learnt.",),
    }
    return Guarantee(**{**fields, **changed})  # type: ignore[arg-type]


def private(**changed: object) -> Guarantee:
    fields: dict[str, object] = {
        "model": "(epsilon, delta)-differential privacy",
        "parameters": {"epsilon": Fraction(1, 10), "delta": Fraction(1, 10**6), "scheme": "public"},
        "unit": "one person, who has one row",
        "neighbours": ADD_REMOVE,
        "not_protected": ("What holds for the population can be learnt.",),
    }
    return Guarantee(**{**fields, **changed})  # type: ignore[arg-type]


def patterns(**changed: object) -> Guarantee:
    fields: dict[str, object] = {
        "model": "k-anonymous patterns",
        "parameters": {"k": 2, "min_support": 3, "n_rows": 9},
        "unit": "one person, who has one row",
        "not_protected": ("What a group has in common can be learnt.",),
    }
    return Guarantee(**{**fields, **changed})  # type: ignore[arg-type]


def local(**changed: object) -> Guarantee:
    fields: dict[str, object] = {
        "model": "local differential privacy",
        "parameters": {"epsilon": Fraction(3)},
        "unit": "one transaction, which is what one person sends",
        "neighbours": "any two transactions of the same size",
        "not_protected": ("True sizes are published.",),
    }
    return Guarantee(**{**fields, **changed})  # type: ignore[arg-type]
