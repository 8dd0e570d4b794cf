"""Tables of published codes: their types tell nothing of the rows."""

from __future__ import annotations

import numpy as np
import polars as pl

from discreet.data.column import Label
from discreet.data.table import Table
from discreet.suppress.schemes import column_domains


def test_types_do_not_tell_which_listed_values_occur() -> None:
    listed: dict[str, list[Label]] = {"age": [30, 40, 50], "sex": ["f", "m"]}
    ages = pl.Series([30, 40, 50], dtype=pl.Int8)
    sexes = pl.Series(["f", "m", "f"], dtype=pl.Enum(["f", "m"]))
    every = Table.from_frame(pl.DataFrame({"age": ages, "sex": sexes}))
    fewer = Table.from_frame(pl.DataFrame({"age": ages.head(2), "sex": sexes.head(2)}))
    schemas = []
    for people in (every, fewer):
        known = column_domains(people, columns=("age", "sex"), domains=listed)
        made = known.decode(np.array([[0, 1], [2, 0]]), like=people)
        assert made.n_dropped == 0
        schemas.append(made.to_frame().schema)
    assert schemas[0] == schemas[1]
