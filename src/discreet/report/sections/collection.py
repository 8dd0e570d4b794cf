"""What a release of patterns publishes: how many itemsets, of which sizes, and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.patterns.release import patterns_of
from discreet.report.blocks import Figure, Grid, Section
from discreet.report.charts import bars
from discreet.report.lattice import MOST_SETS, lattice
from discreet.report.text import counted, label, percent

if TYPE_CHECKING:
    from discreet.mine.itemsets import Itemsets
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject

MOST_SHOWN = 25


def collection_section(subject: Subject) -> Section:
    """Return the published itemsets: by size, the most frequent, and all of few as a lattice."""
    published = patterns_of(subject.release)
    blocks: list[Block] = [_by_size(published)]
    if len(published) <= MOST_SETS:
        blocks.append(_lattice(published))
    blocks.append(_most_frequent(published))
    return Section(
        name="collection",
        title="What is published",
        lead="An itemset is a combination of values; its support is the number of people who have "
        "all of them. Supports may have been changed on purpose, so that nobody can subtract "
        "them to find a small group.",
        blocks=blocks,
    )


def _shown(published: Itemsets, index: int) -> frozenset[str]:
    """Return the items of an itemset as they may be shown."""
    return frozenset(label(word) for word in published.in_words(index))


def _by_size(published: Itemsets) -> Figure:
    sizes = published.sizes.tolist()
    found = [(size, sizes.count(size)) for size in sorted(set(sizes))]
    names = [counted(size, "value") for size, _ in found]
    shares = [n / len(sizes) for _, n in found]
    title = "Itemsets by number of values"
    words = f"{counted(len(sizes), 'itemset')} with up to {counted(max(sizes), 'value')}."
    return Figure(
        title=title,
        words=words,
        svg=bars(names, {"itemsets": shares}, colours=["after"], title=title, words=words,
                 axis="share of itemsets"),
        table=Grid(
            caption=title,
            header=("values", "itemsets", "share"),
            rows=[(name, f"{n:,}", percent(n / len(sizes)))
                  for name, (_, n) in zip(names, found, strict=True)],
            numeric=frozenset((1, 2)),
        ),
    )  # fmt: skip


def _lattice(published: Itemsets) -> Figure:
    sets = [(_shown(published, i), int(s)) for i, s in enumerate(published.supports)]
    title = "The collection as a lattice"
    words = "Each itemset is joined to those with one value more; the number is its support."
    return Figure(
        title=title,
        words=words,
        svg=lattice(sets, title=title, words=words),
        table=_grid(title, sets),
    )


def _most_frequent(published: Itemsets) -> Grid:
    order = sorted(range(len(published)), key=lambda i: (-int(published.supports[i]), i))
    shown = [(_shown(published, i), int(published.supports[i])) for i in order[:MOST_SHOWN]]
    return _grid("Most frequent itemsets", shown)


def _grid(caption: str, sets: list[tuple[frozenset[str], int]]) -> Grid:
    rows = [(", ".join(sorted(items)), f"{support:,}") for items, support in sets]
    return Grid(caption=caption, header=("itemset", "support"), rows=rows, numeric=frozenset((1,)))
