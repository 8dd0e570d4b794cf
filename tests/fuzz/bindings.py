"""Calls every binding with arrays that are right, then broken; says which case it is at.

``python -m tests.fuzz.bindings SEED COUNT [KERNEL...]`` runs in a process of its own, because a
kernel that trusts a wrong array ends the process. The last line of the output names the case.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from discreet import _native

native: Any = _native  # called with what its types do not allow

Arguments = dict[str, Any]
Call = Callable[[Arguments], object]

# What a binding may raise. SystemError, which nanobind raises for nothing, is not among them.
EXPECTED = (
    ValueError, TypeError, OverflowError, MemoryError, RuntimeError, IndexError, TimeoutError,
    _native.LimitReached, _native.Contradiction,
)  # fmt: skip

MEMORY = 6 * 2**30  # of the process: an array that is too large is an error, not the end of all
CLAIMED = 2**27  # what a kernel may claim
PATIENCE = 0.5  # seconds; then the kernel is asked to stop


def i32(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.int32)


def u32(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.uint32)


def i64(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.int64)


def u64(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.uint64)


def f64(values: Iterable[float]) -> np.ndarray:
    return np.array(list(values), np.float64)


def f32(values: Iterable[float]) -> np.ndarray:
    return np.array(list(values), np.float32)


# Arrays that are right.


def sets(rng: random.Random, n_sets: int, n_items: int) -> Arguments:
    chosen = [sorted(rng.sample(range(n_items), rng.randint(0, 5))) for _ in range(n_sets)]
    return arrays_of(chosen)


def itemsets(rng: random.Random, n_items: int) -> Arguments:
    """Different sets in canonical order."""
    sizes = range(1, min(n_items, 4) + 1)
    drawn = {tuple(sorted(rng.sample(range(n_items), rng.choice(sizes)))) for _ in range(6)}
    return arrays_of([list(each) for each in sorted(drawn, key=lambda each: (len(each), each))])


def arrays_of(chosen: list[list[int]]) -> Arguments:
    offsets = np.cumsum([0, *map(len, chosen)])
    return {"offsets": i64(offsets), "items": i32(item for each in chosen for item in each)}


def database(rng: random.Random) -> Arguments:
    n, n_items = rng.randint(0, 12), rng.randint(5, 9)
    held = sets(rng, n, n_items)
    weights = i64(rng.randint(1, 4) for _ in range(n))
    return {**held, "weights": weights, "n_items": n_items, "column_of": i32([])}


def made(given: Arguments) -> Any:  # noqa: ANN401
    return native.Database(*given.values())


def collection(rng: random.Random) -> Arguments:
    """All subsets of some sets, with supports that fall."""
    n_items = rng.randint(1, 5)
    masks = [mask for mask in range(1, 2**n_items) if mask.bit_count() <= 4]
    rows = [rng.randrange(2**n_items) for _ in range(rng.randint(1, 12))]
    found = [(mask, sum(row & mask == mask for row in rows)) for mask in masks]
    kept = [(mask, support) for mask, support in found if support]
    items = [[item for item in range(n_items) if mask >> item & 1] for mask, _ in kept]
    return {
        "offsets": i64(np.cumsum([0, *map(len, items)])),
        "items": i32(item for each in items for item in each),
        "supports": i64(support for _, support in kept),
        "n_rows": len(rows),
    }


def held(given: Arguments) -> Any:  # noqa: ANN401
    return native.Collection(*given.values())


def trees(rng: random.Random, n_columns: int, n_rows: int) -> dict[str, list[list[int]]]:
    """Hierarchies of two levels, leaves first, and the leaf of each row."""
    parents, leaves = [], []
    for _ in range(n_columns):
        n_groups = rng.randint(1, 3)
        under = [rng.randint(1, 3) for _ in range(n_groups)]
        n_leaves = sum(under)
        root = n_leaves + n_groups
        above = [n_leaves + group for group in range(n_groups) for _ in range(under[group])]
        parents.append([*above, *[root] * n_groups, -1])
        leaves.append([rng.randrange(n_leaves) for _ in range(n_rows)])
    return {"parents": parents, "leaves": leaves}


def costs_of(parents: list[list[int]], rng: random.Random) -> list[list[int]]:
    return [[rng.randint(0, 9) + place for place in range(len(parent))] for parent in parents]


def columns(rng: random.Random, cost: Callable[..., np.ndarray]) -> Arguments:
    n_rows = rng.randint(1, 14)
    found = trees(rng, rng.randint(1, 3), n_rows)
    return {
        "parents": [i32(each) for each in found["parents"]],
        "costs": [cost(each) for each in costs_of(found["parents"], rng)],
        "leaves": [u32(each) for each in found["leaves"]],
        "k": rng.randint(1, n_rows),
    }


def cover(rng: random.Random) -> Arguments:
    given = columns(rng, i64)
    k, n_rows = given.pop("k"), len(given["leaves"][0])
    nodes = native.generalized_closed(
        given["parents"], given["leaves"], i64([1] * n_rows), k, native.Control()
    )[0]
    return {
        "parents": given["parents"], "leaves": given["leaves"], "costs": given["costs"],
        "nodes": np.ascontiguousarray(nodes), "k": k,
    }  # fmt: skip


def cost_table(rng: random.Random) -> Arguments:
    n_rows = rng.randint(1, 14)
    found = trees(rng, rng.randint(1, 3), n_rows)
    return {
        "parents": [i32(each) for each in found["parents"]],
        "costs": [i64(each) for each in costs_of(found["parents"], rng)],
        "leaves": [i32(each) for each in found["leaves"]],
        "weights": i64(rng.randint(1, 3) for _ in range(n_rows)),
    }


def rule(rng: random.Random, n_rows: int) -> Arguments:
    n_values = rng.randint(1, 5)
    n_edges = rng.randint(0, 4)
    of_each = [
        sorted(rng.sample(range(n_values), rng.randint(1, n_values))) for _ in range(n_values)
    ]
    return {
        "kind": rng.choice(
            ["distinct", "entropy", "recursive", "closeness", "share", "member_closeness"]
        ),
        "level": rng.uniform(1, 3),
        "ratio": rng.uniform(1, 3),
        "values": i32(rng.randrange(n_values) for _ in range(n_rows)),
        "n_values": n_values,
        "starts": i32(rng.randint(0, n_values) for _ in range(n_edges)),
        "stops": i32(rng.randint(0, n_values) for _ in range(n_edges)),
        "lengths": f64(rng.random() for _ in range(n_edges)),
        "units": i32(rng.randrange(4) for _ in range(n_rows)),
        "offsets": i32(np.cumsum([0, *map(len, of_each)])),
        "members": i32(member for each in of_each for member in each),
    }


def clusters(rng: random.Random) -> Arguments:
    table = cost_table(rng)
    n_rows = len(table["weights"])
    return {
        "table": table,
        "rules": [rule(rng, n_rows) for _ in range(rng.randint(0, 2))],
        "k": rng.randint(1, n_rows),
        "clusters": i32(rng.randrange(min(n_rows, 4)) for _ in range(n_rows)),
    }


def contexts(rng: random.Random) -> Arguments:
    """A tree of a root and a node below it, with contexts in the later columns."""
    sizes = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
    weights = [np.cumsum([rng.randint(1, 5) for _ in range(size)]) for size in sizes]
    own = [(0, 0), *((column, node) for column in range(1, len(sizes)) for node in (0, 1))]
    laws = [sorted(rng.sample(range(sizes[c]), rng.randint(0, sizes[c] - 1))) for c, _ in own]
    below = [sorted(rng.randrange(2**63) for _ in law) for law in laws]
    steps = [1 if place == 0 else 0 for place in range(len(own))]
    by_node = [[place for place, (_, node) in enumerate(own) if node == each] for each in (0, 1)]
    return {
        "value_offsets": i64(np.cumsum([0, *sizes])),
        "weights": u64(weight for each in weights for weight in each),
        "node_offsets": i64([0, len(by_node[0]), len(own)]),
        "node_contexts": i32([*by_node[0], *by_node[1]]),
        "columns": i32(column for column, _ in own),
        "law_offsets": i64(np.cumsum([0, *map(len, laws)])),
        "law_values": i32(value for law in laws for value in law),
        "law_below": u64(each for one in below for each in one),
        "rest": u64(int(weights[column][-1]) for column, _ in own),
        "step_offsets": i64(np.cumsum([0, *steps])),
        "step_values": i32([rng.randrange(sizes[0])]),
        "step_nodes": i32([1]),
    }


def layers(rng: random.Random, n_layers: int) -> Arguments:
    sizes = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
    n_values, n_rows = sum(sizes), rng.randint(0, 300)
    return {
        "value_offsets": i64(np.cumsum([0, *sizes])),
        "biases": f32(rng.gauss(0, 1) for _ in range(n_layers * n_values)),
        "links": f32(rng.gauss(0, 1) for _ in range(n_layers * n_values**2)),
        "codes": i32(rng.randrange(size) for size in sizes for _ in range(n_rows)),
    }


def sweep(rng: random.Random) -> Arguments:
    given = layers(rng, rng.randint(0, 2))
    n_columns = len(given["value_offsets"]) - 1
    return {
        **given, "held": np.array([rng.random() < 0.2 for _ in range(n_columns)], np.uint8),
        "key": bytes(32), "first_block": 0, "count": rng.random() < 0.5,
    }  # fmt: skip


def balance(rng: random.Random) -> Arguments:
    given = layers(rng, 1)
    n_values = int(given["value_offsets"][-1])
    return {
        **given, "shares": f64(rng.random() for _ in range(n_values**2)),
        "slack": f64(rng.random() for _ in range(n_values**2)), "n_rounds": rng.randint(0, 3),
        "key": bytes(32), "first_chunk": 0,
    }  # fmt: skip


def cover_sets(rng: random.Random) -> Arguments:
    k = rng.randint(1, 3)
    n_rows = k * rng.randint(1, 4)
    rows = [sorted(range(first, first + k)) for first in range(0, n_rows, k)]
    return {
        "offsets": i64(np.cumsum([0, *map(len, rows)])),
        "rows": i64(row for each in rows for row in each), "n_rows": n_rows, "k": k,
    }  # fmt: skip


def randomized(rng: random.Random) -> Arguments:
    n_items = rng.randint(5, 70)
    given = sets(rng, rng.randint(0, 9), n_items)
    words = [rng.randrange(2**64) for _ in range(4 * 6)]
    thresholds = [rng.randrange(2**64) for _ in range(4 * sum(range(6)))]
    return {
        **given, "n_items": n_items, "sizes": tuple(range(6)), "biases": u64(words),
        "at_most": u64(thresholds), "key": bytes(32), "first_block": 0,
    }  # fmt: skip


def sized(rng: random.Random) -> Arguments:
    n_items, n_groups = rng.randint(5, 70), rng.randint(1, 3)
    n_sets = rng.randint(0, 9)
    return {
        "n_items": n_items, "n_groups": n_groups, **sets(rng, n_sets, n_items),
        "groups": i32(rng.randrange(n_groups) for _ in range(n_sets)),
        "words": u64(rng.randrange(2**5) for _ in range(n_sets * ((n_items + 63) // 64))),
        "itemsets": i32(rng.randrange(n_items) for _ in range(6)), "size": rng.choice([1, 2, 3]),
    }  # fmt: skip


def count_sized(given: Arguments, control: object, progress: object) -> object:
    maps = native.SizedBitmaps(given["n_items"], given["n_groups"])
    maps.add(given["offsets"], given["items"], given["groups"], control, progress)
    maps.add_bitmaps(given["words"], given["groups"], control, progress)
    sizes = maps.group_sizes
    return sizes, maps.supports(given["itemsets"], given["size"], control, progress)


def bitmaps(rng: random.Random) -> Arguments:
    n_rows, n_items = rng.randint(0, 9), rng.randint(1, 130)
    n_words = (n_items + 63) // 64
    return {
        "words": u64(rng.randrange(2) for _ in range(n_rows * n_words)), "n_rows": n_rows,
        "n_items": n_items,
    }  # fmt: skip


def rows(rng: random.Random) -> Arguments:
    n_rows = rng.randint(0, 20)
    made = [u32(rng.randrange(4) for _ in range(n_rows)) for _ in range(rng.randint(0, 4))]
    return {"columns": made, "n_rows": n_rows}


def targets(rng: random.Random) -> Arguments:
    n_rows = rng.randint(0, 20)
    above = [-1 if row == 0 else rng.randint(-1, row - 1) for row in range(n_rows)]
    return {"targets": i64(above), "k": rng.randint(1, 4)}


Kernel = tuple[Callable[[random.Random], Arguments], Callable[..., object]]


def plain(name: str) -> Callable[..., object]:
    """Call a binding with what was made, in its order."""
    return lambda given, control, progress: getattr(native, name)(
        *given.values(), control, progress
    )


def of_database(name: str) -> Kernel:
    def give(rng: random.Random) -> Arguments:
        return {"database": database(rng), "threshold": rng.randint(1, 5), "max_size": 4}

    def call(given: Arguments, control: object, progress: object) -> object:
        data = made(given["database"])
        return getattr(native, name)(data, given["threshold"], given["max_size"], control, progress)

    return give, call


def of_collections(name: str, *, rows: bool = False, closed: bool = False, n: int = 0) -> Kernel:
    def give(rng: random.Random) -> Arguments:
        first = (
            {"database": database(rng)} if rows else {"closed": collection(rng)} if closed else {}
        )
        numbers = {f"number{place}": rng.randint(1, 5) for place in range(n)}
        return {**first, "collection": collection(rng), **numbers}

    def call(given: Arguments, control: object, progress: object) -> object:
        makers = {"database": made, "closed": held, "collection": held}
        values = [makers.get(key, lambda x: x)(value) for key, value in given.items()]
        return getattr(native, name)(*values, control, progress)

    return give, call


def of_people(name: str) -> Kernel:
    def give(rng: random.Random) -> Arguments:
        n = rng.randint(1, 12)
        cells = [(rng.randrange(3), 3 + rng.randrange(2)) for _ in range(n)]
        table = {
            "offsets": i64(range(0, 2 * n + 1, 2)), "items": i32(sum(cells, ())),
            "weights": i64([1] * n), "n_items": 5, "column_of": i32([0, 0, 0, 1, 1]),
        }  # fmt: skip
        people = i32(rng.randrange(4) for _ in range(n))
        return {"database": table, "people": people, "theta": rng.randint(0, 3), "max_size": 2}

    def call(given: Arguments, control: object, progress: object) -> object:
        data, *more = given.values()
        return getattr(native, name)(made(data), *more, control, progress)

    return give, call


def repaired(name: str) -> Kernel:
    def call(given: Arguments, control: object, progress: object) -> object:
        table = native.CostTable(*given["table"].values())
        rules = [native.GroupRule(*each.values()) for each in given["rules"]]
        for each in rules:
            each.holds(i64([0]))
        return getattr(native, name)(table, rules, given["k"], given["clusters"], control, progress)

    return clusters, call


def generated(given: Arguments, control: object, progress: object) -> object:
    tree = native.Contexts(*given["tree"].values())
    more = [value for key, value in given.items() if key != "tree"]
    return native.generate(tree, *more, control, progress)


KERNELS: dict[str, Kernel] = {
    **{name: of_database(name) for name in (
        "frequent", "closed", "maximal", "count_frequent", "count_closed", "count_maximal",
        "minimal_infrequent", "count_minimal_infrequent", "mark_cells", "non_derivable")},
    **{name: of_people(name) for name in (
        "minimal_infrequent_of_people", "mark_cells_of_people")},
    "mark_itemsets": (
        lambda rng: {"database": (one := database(rng)), "itemsets": {**one}},
        lambda given, control, progress: native.mark_itemsets(
            made(given["database"]), made(given["itemsets"]), control, progress)),
    "bounds": (lambda rng: {"supports": i64(rng.randint(-1, 9) for _ in range(8))},
               lambda given, *_: native.bounds(given["supports"])),
    "generalized_closed": (
        lambda rng: {"parents": (found := columns(rng, i64))["parents"], "leaves": found["leaves"],
                     "weights": i64([1] * len(found["leaves"][0])), "k": found["k"]},
        plain("generalized_closed")),
    "count_generalized_closed": (
        lambda rng: {"parents": (found := columns(rng, i64))["parents"], "leaves": found["leaves"],
                     "weights": i64([1] * len(found["leaves"][0])), "k": found["k"]},
        plain("count_generalized_closed")),
    "merge_itemsets": (
        lambda rng: {f"{key}{n}": value for n in (1, 2)
                     for key, value in itemsets(rng, 9).items()},
        plain("merge_itemsets")),
    "supports": (
        lambda rng: {"database": database(rng), **itemsets(rng, 5), "which": i64([0, 1, 1])},
        lambda given, control, progress: native.supports(
            made(given["database"]), given["offsets"], given["items"], given["which"], control,
            progress)),
    "krimp": (
        lambda rng: {"database": database(rng), **(found := itemsets(rng, 5)),
                     "supports": i64(range(len(found["offsets"]) - 1)),
                     "prune": rng.random() < 0.5},
        lambda given, control, progress: native.krimp(
            made(given["database"]), given["offsets"], given["items"], given["supports"],
            given["prune"], control, progress)),
    "krimp_cover": (
        lambda rng: {"database": database(rng), **itemsets(rng, 5)},
        lambda given, control, progress: native.krimp_cover(
            made(given["database"]), given["offsets"], given["items"], control, progress)),
    "rules": (lambda rng: {**collection(rng), "numerator": 1, "denominator": rng.randint(1, 3),
                           "min_support": 1}, plain("rules")),
    "channels_of_rows": of_collections("channels_of_rows", rows=True, n=1),
    "rows_in_channels": of_collections("rows_in_channels", rows=True, n=1),
    "channels_of_collection": of_collections("channels_of_collection", closed=True, n=1),
    "detect_channels": of_collections("detect_channels", n=2),
    "condense": of_collections("condense"),
    "maximal_among": of_collections("maximal_among"),
    "count_channels": of_collections("count_channels", n=2),
    "gen_cover": (
        lambda rng: {**cover(rng), "by_rows": rng.random() < 0.5}, plain("gen_cover")),
    "row_bounds": (
        lambda rng: {**(found := cover(rng)), "weights": f64([1.0] * len(found["leaves"][0])),
                     "rounds": rng.randint(1, 3)}, plain("row_bounds")),
    "cover_to_clusters": (
        cover_sets, lambda given, *_: native.cover_to_clusters(*given.values())),
    "grow_forest": (lambda rng: columns(rng, i32), plain("grow_forest")),
    "cut_forest": (targets, plain("cut_forest")),
    "agglomerative": (
        lambda rng: {"parents": (found := columns(rng, i32))["parents"], "costs": found["costs"],
                     "leaves": found["leaves"], "weights": f64([1.0] * len(found["leaves"][0])),
                     "k": found["k"], "modified": rng.random() < 0.5,
                     "linkage": rng.choice(["change", "ratio"]), "least": 0.5},
        plain("agglomerative")),
    "repair_clusters": repaired("repair_clusters"),
    "improve_clusters": repaired("improve_clusters"),
    "generate": (
        lambda rng: {"tree": contexts(rng), "given": i32([]), "key": bytes(32), "first_block": 0,
                     "n_rows": rng.randint(0, 600)}, generated),
    "sweep_rows": (sweep, plain("sweep_rows")),
    "balance_rows": (balance, plain("balance_rows")),
    "select_a_size": (randomized, plain("select_a_size")),
    "lists_of_bitmaps": (bitmaps, plain("lists_of_bitmaps")),
    "sized_bitmaps": (sized, count_sized),
    "chacha20": (lambda _: {"key": bytes(32), "nonce": bytes(12), "counter": 0},
                 lambda given, *_: native.chacha20(*given.values())),
    "collapse": (rows, plain("collapse")),
    "parse_transactions": (
        lambda rng: {"text": bytes(rng.choice(b"ab 1\n\t\xff\x00") for _ in range(40)),
                     "longest": rng.randint(1, 40)}, plain("parse_transactions")),
    "list_column": (
        lambda rng: sets(rng, 4, 9),
        lambda given, *_: native.ListColumn(*given.values()).__arrow_c_array__()),
}  # fmt: skip

# Names that are no functions over arrays, or that other kernels make here.
WITHOUT = {"Control", "Database", "Collection", "CostTable", "GroupRule", "Contexts",
           "SizedBitmaps", "ListColumn", "LimitReached", "Contradiction"}  # fmt: skip


# What is broken in them.

EXTREME = [
    -1,
    0,
    1,
    2,
    2**31 - 1,
    -(2**31),
    2**31,
    2**32,
    2**32 - 1,
    2**62,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
]
FLOATS = [float("nan"), float("inf"), -float("inf"), -1.0, -0.0, 0.0, 1e308, 5e-324, 1e18]
STEPS = {"rounds", "n_rounds"}  # a kernel that goes on for that many is right to


def broken(value: Any, rng: random.Random, name: str) -> Any:  # noqa: ANN401, C901, PLR0911, PLR0912
    """Return an argument with something wrong in it."""
    if isinstance(value, dict):
        key = rng.choice(list(value))
        return {**value, key: broken(value[key], rng, key)}
    if isinstance(value, np.ndarray):
        return broken_array(value, rng)
    if isinstance(value, bool):
        return rng.choice([True, False, None, 2, "yes"])
    if isinstance(value, int):
        if name in STEPS:
            return rng.choice([-1, 0, 1, 5, 2**40])
        return rng.choice([*EXTREME, value + 1, value - 1, 10**30, 1.5, None])
    if isinstance(value, float):
        return rng.choice([*FLOATS, None])
    if isinstance(value, bytes):
        return rng.choice([value[:-1], value + b"\0", b"", value * 9, None])
    if isinstance(value, str):
        return rng.choice(["", "none", value.upper(), None])
    if isinstance(value, list | tuple) and value:
        changed: list[Any] = list(value)
        place, way = rng.randrange(len(value)), rng.randrange(5)
        if way == 0:
            del changed[place]
        elif way == 1:
            changed.append(changed[place])
        elif way == 2:
            changed[place] = broken(changed[place], rng, name)
        elif way == 3:
            changed.clear()
        else:
            changed[place] = None
        return type(value)(changed)
    return value


def broken_array(array: np.ndarray, rng: random.Random) -> object:  # noqa: C901
    """Return an array with something wrong in it: an entry, the length, the type, the layout."""
    flat = array.copy().reshape(-1)
    ways = rng.randrange(12)
    if ways <= 4 and flat.size:
        place = rng.randrange(flat.size)
        if flat.dtype.kind == "f":
            flat[place] = rng.choice(FLOATS)
        elif flat.dtype.kind in "iu":
            limits = np.iinfo(flat.dtype)
            near = [int(flat[place]) + 1, int(flat[place]) - 1, flat.size, flat.size + 1]
            wanted = rng.choice([*EXTREME, *near])
            flat[place] = min(max(wanted, limits.min), limits.max)
    elif ways == 5 and flat.size:
        flat = np.delete(flat, rng.randrange(flat.size))
    elif ways == 6:
        flat = np.insert(flat, rng.randint(0, flat.size), flat[0] if flat.size else 0)
    elif ways == 7:
        flat = flat[::-1].copy()
    elif ways == 8 and flat.size > 1:
        one, two = rng.sample(range(flat.size), 2)
        flat[one], flat[two] = flat[two], flat[one]
    elif ways == 9:
        flat = flat[:0]
    elif ways == 10:
        return array.astype(
            rng.choice([np.int8, np.int32, np.int64, np.uint64, np.float64, object])
        )
    elif ways == 11:
        return rng.choice([
            np.repeat(flat, 2)[::2], flat.reshape(-1, 1), flat.astype(flat.dtype.newbyteorder()),
            None, flat.tolist(),
        ])  # fmt: skip
    if array.ndim == 2 and flat.size % array.shape[1] == 0:
        return flat.reshape(-1, array.shape[1])
    return flat


def run(name: str, seed: int) -> str:
    """Call a kernel once, and return how it ended."""
    rng = random.Random(f"{name} {seed}")
    give, call = KERNELS[name]
    given = give(rng)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        given = broken(given, rng, "")
    until = time.monotonic() + PATIENCE

    def progress(_: float) -> None:
        if time.monotonic() > until:
            raise TimeoutError

    control = native.Control(rng.randint(1, 2), 10_000, CLAIMED)
    try:
        call(given, control, progress)
    except AttributeError:  # what was broken is a group of arguments, which this file unpacks
        return "not called"
    except EXPECTED as error:
        return type(error).__name__
    return "returned"


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(seed: int, count: int, names: list[str]) -> None:
    """Run cases, each announced before it is run."""
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in names or KERNELS:
        ended: dict[str, int] = {}
        for each in range(seed, seed + count):
            say(f"{name} {each}")
            how = run(name, each)
            ended[how] = ended.get(how, 0) + 1
        say(f"{name}: {ended}")
    say("done")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
