"""
Compiled kernels of discreet. Use discreet.mine; this module's names may change.
"""

from collections.abc import Callable
from typing import Annotated

import numpy
from numpy.typing import NDArray

class LimitReached(Exception):
    pass

class Contradiction(Exception):
    pass

class Control:
    """Threads, limits and progress of one kernel call."""

    def __init__(
        self,
        threads: int = 1,
        max_itemsets: int = 9223372036854775807,
        max_memory: int = 9223372036854775807,
    ) -> None: ...
    @property
    def n_found(self) -> int:
        """Results found so far."""

    @property
    def peak_memory(self) -> int:
        """Most bytes claimed by the kernel at one time."""

    @property
    def fraction(self) -> float:
        """Share of the work done, from 0 to 1."""

class Database:
    """Weighted transactions, checked once and read by every miner."""

    def __init__(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        items: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_items: int,
        column_of: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def total_weight(self) -> int:
        """Number of rows, equal ones counted each."""

class ListColumn:
    """
    Lists of integers as an Arrow array, for polars and others to read without copying; never change the arrays again.
    """

    def __init__(self, offsets: NDArray[numpy.int64], items: NDArray[numpy.integer]) -> None: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """The schema and the array, in capsules."""

def gen_cover(
    parents: list[NDArray[numpy.int32]],
    leaves: list[NDArray[numpy.uint32]],
    costs: list[NDArray[numpy.int64]],
    nodes: NDArray[numpy.int32],
    k: int,
    by_rows: bool,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    A cover of all rows by sets of k to 2k-1 rows of closed sets: (offsets, rows, closed set of each), in the order of choice.
    """

def cover_to_clusters(
    offsets: NDArray[numpy.int64], rows: NDArray[numpy.int64], n_rows: int, k: int
) -> NDArray[numpy.int64]:
    """
    The cluster of each row, numbered by their first rows, of a cover by sets of k to 2k-1 rows.
    """

def row_bounds(
    parents: list[NDArray[numpy.int32]],
    leaves: list[NDArray[numpy.uint32]],
    costs: list[NDArray[numpy.int64]],
    nodes: NDArray[numpy.int32],
    k: int,
    weights: NDArray[numpy.float64],
    rounds: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.float64]:
    """
    What each row pays at least in any clustering, from all closed sets; weights are a first guess of it.
    """

def collapse(
    columns: list[NDArray[numpy.uint32]],
    n_rows: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32]]:
    """
    Group equal rows: (first row of each group, rows in each group, group of each row).
    """

def parse_transactions(
    text: bytes, longest: int, control: Control, progress: Callable[[float], object] | None = None
) -> tuple[
    NDArray[numpy.int64],
    NDArray[numpy.int32],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
]:
    """
    Cut one transaction per line into numbered tokens: (offsets of the lines, token numbers, begin, end and first line of each distinct token).
    """

def frequent(
    database: Database,
    min_support: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Itemsets in at least min_support rows: (offsets, items, supports) in canonical order.
    """

def closed(
    database: Database,
    min_support: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Frequent itemsets without a superset of equal support: (offsets, items, supports).
    """

def maximal(
    database: Database,
    min_support: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Frequent itemsets without a frequent superset: (offsets, items, supports).
    """

def count_frequent(
    database: Database,
    min_support: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int64]:
    """Number of frequent itemsets of each size."""

def count_closed(
    database: Database,
    min_support: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int64]:
    """Number of closed itemsets of each size."""

def count_maximal(
    database: Database,
    min_support: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int64]:
    """Number of maximal itemsets of each size."""

def minimal_infrequent(
    database: Database,
    theta: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Itemsets in 1 to theta rows whose proper subsets, the empty one included, are in more: (offsets, items, supports).
    """

def count_minimal_infrequent(
    database: Database,
    theta: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int64]:
    """Number of minimal infrequent itemsets of each size."""

def mark_cells(
    database: Database,
    theta: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.uint8]:
    """
    1 for each entry of the database's items that lies in a minimal infrequent itemset within its transaction, else 0.
    """

def minimal_infrequent_of_people(
    database: Database,
    people: NDArray[numpy.int32],
    theta: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Itemsets that 1 to theta people have whose proper subsets, the empty one included, more have: (offsets, items, supports).
    """

def mark_cells_of_people(
    database: Database,
    people: NDArray[numpy.int32],
    theta: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.uint8]:
    """
    1 for each entry of the database's items that lies in a minimal infrequent itemset of people within its transaction, else 0.
    """

def mark_itemsets(
    database: Database,
    itemsets: Database,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.uint8]:
    """
    1 for each entry of the database's items that lies in one of the itemsets within its transaction, else 0.
    """

def non_derivable(
    database: Database,
    min_support: int,
    max_size: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[
    NDArray[numpy.int64],
    NDArray[numpy.int32],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
]:
    """
    Frequent itemsets whose bounds differ: (offsets, items, supports, lower bounds, upper bounds).
    """

def bounds(supports: NDArray[numpy.int64]) -> tuple[int, int]:
    """
    Lowest and highest support of an itemset, from those of its proper subsets by bit mask (-1: unknown; the last entry is ignored).
    """

def generalized_closed(
    parents: list[NDArray[numpy.int32]],
    leaves: list[NDArray[numpy.uint32]],
    weights: NDArray[numpy.int64],
    k: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Closed generalized itemsets: (node of each set and column, supports), by support, largest first, then nodes.
    """

def count_generalized_closed(
    parents: list[NDArray[numpy.int32]],
    leaves: list[NDArray[numpy.uint32]],
    weights: NDArray[numpy.int64],
    k: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> int:
    """Number of closed generalized itemsets."""

def merge_itemsets(
    first_offsets: NDArray[numpy.int64],
    first_items: NDArray[numpy.int32],
    second_offsets: NDArray[numpy.int64],
    second_items: NDArray[numpy.int32],
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Itemsets of either list, each once, in canonical order: (offsets, items, places of the first list's, places of the second's).
    """

def supports(
    database: Database,
    offsets: NDArray[numpy.int64],
    items: NDArray[numpy.int32],
    which: NDArray[numpy.int64],
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int64]:
    """In how many rows each of the itemsets numbered in `which` is."""

def krimp(
    database: Database,
    offsets: NDArray[numpy.int64],
    items: NDArray[numpy.int32],
    supports: NDArray[numpy.int64],
    prune: bool,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[
    NDArray[numpy.int64],
    NDArray[numpy.int32],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
    int,
]:
    """
    Krimp's code table from candidates in canonical order: (offsets, items, supports, usages, usages of items alone, number accepted).
    """

def krimp_cover(
    database: Database,
    offsets: NDArray[numpy.int64],
    items: NDArray[numpy.int32],
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]:
    """
    Cover of each transaction by elements in the order given: (offsets, numbers of elements).
    """

def grow_forest(
    parents: list[NDArray[numpy.int32]],
    costs: list[NDArray[numpy.int32]],
    leaves: list[NDArray[numpy.uint32]],
    k: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int64]:
    """
    The row that each row points at, -1 for none: trees of at least k rows, of near rows.
    """

def cut_forest(
    targets: NDArray[numpy.int64],
    k: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int64]:
    """The part of each row: trees cut into parts of k to 3(k - 1) rows."""

def agglomerative(
    parents: list[NDArray[numpy.int32]],
    costs: list[NDArray[numpy.int32]],
    leaves: list[NDArray[numpy.uint32]],
    weights: NDArray[numpy.float64],
    k: int,
    modified: bool,
    linkage: str,
    least: float,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int64]:
    """
    The cluster of each row: the closest two are united until they have k rows.
    """

def chacha20(key: bytes, nonce: bytes, counter: int) -> NDArray[numpy.uint32]:
    """Sixteen blocks of the key stream, one in each column."""

def select_a_size(
    offsets: NDArray[numpy.int64],
    items: NDArray[numpy.int32],
    n_items: int,
    sizes: tuple[int, ...],
    biases: NDArray[numpy.uint64],
    at_most: NDArray[numpy.uint64],
    key: bytes,
    first_block: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.uint64]:
    """
    Randomized transactions as bitmaps: some of each one's items kept, others added by coins.
    """

SELECT_A_SIZE_BLOCK: int = 128

def lists_of_bitmaps(
    words: NDArray[numpy.uint64],
    n_rows: int,
    n_items: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]:
    """Sets as (offsets, items) from bitmaps of whole words."""

class SizedBitmaps:
    """Transactions in groups as one bitmap for each item."""

    def __init__(self, n_items: int, n_groups: int) -> None: ...
    def add(
        self,
        offsets: NDArray[numpy.int64],
        items: NDArray[numpy.int32],
        groups: NDArray[numpy.int32],
        control: Control,
        progress: Callable[[float], object] | None = None,
    ) -> None:
        """
        Add transactions, each to its group; after an error or an interruption the counts are no longer to be used.
        """

    def add_bitmaps(
        self,
        words: NDArray[numpy.uint64],
        groups: NDArray[numpy.int32],
        control: Control,
        progress: Callable[[float], object] | None = None,
    ) -> None:
        """As `add`, for transactions that are bitmaps of whole words."""

    def supports(
        self,
        itemsets: NDArray[numpy.int32],
        size: int,
        control: Control,
        progress: Callable[[float], object] | None = None,
    ) -> NDArray[numpy.int64]:
        """
        Supports of itemsets of one size, a row each, in every group, a column each.
        """

    @property
    def group_sizes(self) -> NDArray[numpy.int64]:
        """Number of transactions in each group."""

def rules(
    offsets: NDArray[numpy.int64],
    items: NDArray[numpy.int32],
    supports: NDArray[numpy.int64],
    n_rows: int,
    min_confidence_numerator: int,
    min_confidence_denominator: int,
    min_support: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[
    NDArray[numpy.int64],
    NDArray[numpy.int32],
    NDArray[numpy.int64],
    NDArray[numpy.int32],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
]:
    """
    Association rules: (antecedent offsets, items, consequent offsets, items, supports of union, antecedent, consequent).
    """

class Contexts:
    """A dependent code tree as generation reads it, checked once."""

    def __init__(
        self,
        value_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        node_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        node_contexts: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        columns: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        law_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        law_values: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        law_below: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rest: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        step_offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        step_values: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        step_nodes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def __repr__(self) -> str: ...

def generate(
    tree: Contexts,
    given: NDArray[numpy.int32],
    key: bytes,
    first_block: int,
    n_rows: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int32]:
    """
    Rows drawn from a dependent code tree, the codes of one column after the other.
    """

GENERATE_BLOCK: int = 256

def sweep_rows(
    value_offsets: NDArray[numpy.int64],
    biases: NDArray[numpy.float32],
    links: NDArray[numpy.float32],
    codes: NDArray[numpy.int32],
    held: NDArray[numpy.uint8],
    key: bytes,
    first_block: int,
    count: bool,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Rows after a Gibbs sweep by each layer, column after column, and their counts of pairs of values.
    """

SWEEP_BLOCK: int = 256

def balance_rows(
    value_offsets: NDArray[numpy.int64],
    biases: NDArray[numpy.float32],
    links: NDArray[numpy.float32],
    codes: NDArray[numpy.int32],
    shares: NDArray[numpy.float64],
    slack: NDArray[numpy.float64],
    n_rounds: int,
    key: bytes,
    first_chunk: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int32]:
    """
    Rows of which cells were drawn anew, column after column, where that brings counts of values and pairs nearer to the wanted ones.
    """

BALANCE_CHUNK: int = 16384

class Collection:
    """Itemsets with supports, checked once."""

    def __init__(
        self,
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        items: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        supports: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_rows: int,
    ) -> None: ...

def channels_of_rows(
    database: Database,
    maximal: Collection,
    k: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Groups of 1 to k - 1 rows that hold the same part of a maximal set: (offsets, items and supports of the inner sets, number of each one's maximal set).
    """

def rows_in_channels(
    database: Database,
    maximal: Collection,
    k: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.uint8]:
    """
    1 for each transaction that is in a group of 1 to k - 1 rows with the same part of a maximal set.
    """

def channels_of_collection(
    closed: Collection,
    maximal: Collection,
    k: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    The same from the supports of the closed sets alone: (offsets, items and supports of the inner sets, number of each one's maximal set).
    """

def detect_channels(
    collection: Collection,
    k: int,
    max_pairs: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> tuple[
    tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64], NDArray[numpy.int64]],
    int,
    int,
    int,
    bool,
]:
    """
    The same from all sets but the empty one, numbers those of the collection; then what count_channels returns, and what condense says is wrong.
    """

def condense(
    collection: Collection, control: Control, progress: Callable[[float], object] | None = None
) -> tuple[NDArray[numpy.uint8], NDArray[numpy.uint8], int, int, bool]:
    """
    Which sets are closed and which maximal; then a set (else -1), an item without which it is missing or less frequent (-1 if the set is listed twice), and whether the latter.
    """

def maximal_among(
    collection: Collection, control: Control, progress: Callable[[float], object] | None = None
) -> NDArray[numpy.uint8]:
    """1 for each set without a superset in the collection."""

def count_channels(
    collection: Collection,
    k: int,
    max_pairs: int,
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> int:
    """
    Number of pairs of a set and one of its subsets that 1 to k - 1 rows tell apart; the collection has all subsets of its members. -1 if there are more pairs than max_pairs, or a set has more than 24 items.
    """

class CostTable:
    """Rows as leaves of hierarchies whose nodes have costs, checked once."""

    def __init__(
        self,
        parents: list[NDArray[numpy.int32]],
        costs: list[NDArray[numpy.int64]],
        leaves: list[NDArray[numpy.int32]],
        weights: NDArray[numpy.int64],
    ) -> None: ...

class GroupRule:
    """A condition on the values of one column in a group of rows."""

    def __init__(
        self,
        kind: str,
        level: float,
        ratio: float,
        values: NDArray[numpy.int32],
        n_values: int,
        starts: NDArray[numpy.int32],
        stops: NDArray[numpy.int32],
        lengths: NDArray[numpy.float64],
        units: NDArray[numpy.int32],
        offsets: NDArray[numpy.int32],
        members: NDArray[numpy.int32],
    ) -> None: ...
    def holds(self, rows: NDArray[numpy.int64]) -> bool:
        """Whether the group of these rows obeys."""

def repair_clusters(
    table: CostTable,
    rules: list[GroupRule],
    k: int,
    clusters: NDArray[numpy.int32],
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int32]:
    """
    The cluster of each row after joining clusters until each has k rows and obeys the rules, or one is left.
    """

def improve_clusters(
    table: CostTable,
    rules: list[GroupRule],
    k: int,
    clusters: NDArray[numpy.int32],
    control: Control,
    progress: Callable[[float], object] | None = None,
) -> NDArray[numpy.int32]:
    """
    The cluster of each row after moving rows while the cost falls; clusters stay of k rows and obey the rules if they did.
    """
