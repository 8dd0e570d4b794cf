"""The methods a policy can name: the options of each, and the function that does the work.

A new method is one class here and one entry in :data:`AnyMethod`; reading policies, ``protect``,
``run`` and ``plan`` then know it.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias, get_args

from pydantic import Field

from discreet.policy.methods.base import Method, Read, no_files
from discreet.policy.methods.generalization import (
    Agglomerative,
    Datafly,
    Forest,
    Generalization,
    Incognito,
    Mondrian,
    SetCover,
)
from discreet.policy.methods.patterns import (
    Patterns,
    PatternsAdditive,
    PatternsCertified,
    PatternsSuppressive,
)
from discreet.policy.methods.suppression import DpMiiSuppress, KMii, MiiSuppress
from discreet.policy.methods.synthesis import Synthesize

__all__ = [
    "METHODS",
    "AnyMethod",
    "DpMiiSuppress",
    "Generalization",
    "KMii",
    "Method",
    "MiiSuppress",
    "Patterns",
    "Read",
    "Synthesize",
    "no_files",
]

AnyMethod: TypeAlias = Annotated[
    KMii
    | MiiSuppress
    | DpMiiSuppress
    | SetCover
    | Forest
    | Agglomerative
    | Mondrian
    | Datafly
    | Incognito
    | Synthesize
    | PatternsAdditive
    | PatternsSuppressive
    | PatternsCertified,
    Field(discriminator="name"),
]
METHODS: dict[str, type[Method]] = {
    each.model_fields["name"].default: each for each in get_args(get_args(AnyMethod)[0])
}
