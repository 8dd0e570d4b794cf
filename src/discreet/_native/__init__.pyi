from collections.abc import Callable

import numpy
from numpy.typing import NDArray

class LimitReached(Exception): ...

class Control:
    def __init__(
        self, threads: int = 1, max_itemsets: int = ..., max_memory: int = ...
    ) -> None: ...
    @property
    def n_found(self) -> int: ...
    @property
    def peak_memory(self) -> int: ...
    @property
    def fraction(self) -> float: ...

class Database:
    def __init__(
        self,
        offsets: NDArray[numpy.int64],
        items: NDArray[numpy.int32],
        weights: NDArray[numpy.int64],
        n_items: int,
        column_of: NDArray[numpy.int32],
    ) -> None: ...
    @property
    def total_weight(self) -> int: ...

def collapse(
    columns: list[NDArray[numpy.uint32]],
    n_rows: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32]]: ...
def parse_transactions(
    text: bytes,
    longest: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[
    NDArray[numpy.int64],
    NDArray[numpy.int32],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
]: ...
