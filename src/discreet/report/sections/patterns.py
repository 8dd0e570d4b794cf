"""What a release of patterns publishes: how many itemsets, of which sizes, and a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.table import Table, as_table
from discreet.data.transactions import Transactions
from discreet.errors import LimitError
from discreet.mine.database import one_per_person
from discreet.mine.frequent import frequent
from discreet.patterns.channels import channels, projected
from discreet.patterns.release import STEPS, item_texts
from discreet.patterns.safety import support_for_safety
from discreet.release.guarantee import ONE_ROW
from discreet.report.blocks import Figure, Grid, Note, Paragraph, Section
from discreet.report.charts import MOST_SETS, bars, lattice
from discreet.report.text import counted, label, percent
from discreet.utility.distortion import distortion

if TYPE_CHECKING:
    from discreet.mine.database import Database
    from discreet.mine.itemsets import Itemsets
    from discreet.patterns.channels import Channels
    from discreet.release.release import Release
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject


MOST_ITEMSETS = 25

SEED = 1  # the same page for the same release


def collection_section(subject: Subject) -> Section:
    """Return the published itemsets: by size, the most frequent, and all of few as a lattice."""
    published = subject.release.data
    blocks: list[Block] = [_by_size(published)]
    if len(published) <= MOST_SETS:
        blocks.append(_lattice(published))
    blocks.append(_most_frequent(published))
    return Section(
        name="collection",
        title="Published itemsets",
        lead="An itemset is a combination of values; its support is the number of people who have "
        "all of them. Supports may have been changed on purpose, so that subtracting them "
        "discloses no small group.",
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
    shown = [(_shown(published, i), int(published.supports[i])) for i in order[:MOST_ITEMSETS]]
    return _grid("Most frequent itemsets", shown)


def _grid(caption: str, sets: list[tuple[frozenset[str], int]]) -> Grid:
    rows = [(", ".join(sorted(items)), f"{support:,}") for items, support in sets]
    return Grid(caption=caption, header=("itemset", "support"), rows=rows, numeric=frozenset((1,)))


# For internal pages: the small groups that the original itemsets disclose, and the changes.

MOST_DISCLOSURES = 30

MAX_CLOSED = 1_000_000  # a page is not worth a longer search


def disclosure_section(release: Release[Itemsets], original: object) -> Section:
    """Return the small groups that the original itemsets disclose, and the changes.

    Parameters
    ----------
    release : Release
        Of patterns.
    original : Table, Transactions or frame
        What it was made from.
    """
    k, support = (release.guarantee.parameters[name] for name in ("k", "min_support"))
    assert isinstance(k, int)
    assert isinstance(support, int)
    columns = next(
        (e.parameters["columns"] for e in release.events if "columns" in e.parameters), None
    )
    steps = {event.name for event in release.events}
    way = next((each for each, step in STEPS.items() if step in steps), None)
    known_data = original if isinstance(original, Table | Transactions) else as_table(original)
    data = one_per_person(known_data, per_person=way, seed=SEED if way == "one" else None).data
    named = columns if isinstance(columns, tuple) and isinstance(data, Table) else None
    database = projected(data, named)
    known = projected(data, release.guarantee.columns) if release.guarantee.columns else database
    found = channels(known, k=k, min_support=support, count_all=False)
    before = _as_texts(frequent(database, min_support=support))
    after = release.data
    loss = distortion(before, after)
    who = "rows" if release.guarantee.unit == ONE_ROW else "people"
    blocks: list[Block] = [
        _groups(found, who),
        Paragraph(text=loss.sentence),
        _changes(before, after),
    ]
    blocks += _lowest_safe_support(known, k, support)
    if way == "one":
        blocks.append(Note(text="For these figures one row of each person was chosen anew."))
    return Section(
        name="disclosure",
        title="What the original itemsets disclose",
        lead=f"Groups of fewer than {k} {who} that an attacker could infer by subtracting the "
        "supports of the original itemsets, smallest first; and the changes that prevent it.",
        blocks=blocks,
    )


def _groups(found: Channels, who: str) -> Grid | Note:
    if not len(found):
        return Note(text=found.sentence, tone="good")
    rows = [
        (f"{channel.support:,}", label(str(channel))) for channel in found.worst(MOST_DISCLOSURES)
    ]
    left = len(found) - len(rows)
    return Grid(
        caption="Groups that are disclosed",
        header=(who, "the group"),
        rows=rows,
        numeric=frozenset((0,)),
        note=f"{counted(left, 'more group')} not shown." if left else "",
    )


def _changes(before: Itemsets, after: Itemsets) -> Grid:
    """Return the itemsets whose supports were changed most."""
    now = dict(after)
    changed = [
        (items, support, now.get(items)) for items, support in before if now.get(items) != support
    ]
    changed.sort(key=lambda each: -abs((each[2] or 0) - each[1]) / each[1])
    rows = [
        (
            label(", ".join(sorted(map(str, items)))),
            f"{support:,}",
            "not published" if new is None else f"{new:,}",
            percent(abs((new or 0) - support) / support),
        )
        for items, support, new in changed[:MOST_DISCLOSURES]
    ]
    left = len(changed) - len(rows)
    return Grid(
        caption="Supports before and after, largest change first",
        header=("itemset", "before", "after", "change"),
        rows=rows,
        numeric=frozenset((1, 2, 3)),
        note=f"{counted(left, 'more itemset')} changed." if left else "",
    )


def _lowest_safe_support(database: Database, k: int, support: int) -> list[Block]:
    """Return at which support nothing would have had to be changed, with the curve."""
    try:
        safe = support_for_safety(database, k=k, supports=(support,), max_itemsets=MAX_CLOSED)
    except LimitError:
        text = f"The smallest safe support was not computed: more than {MAX_CLOSED:,} itemsets."
        return [Note(text=text)]
    points = sorted(safe.curve)
    names = [f"{point.support:,}" for point in points]
    most = max((point.n_maximal_channels for point in points), default=0) or 1
    title, words = "Groups that are disclosed, by smallest support", safe.sentence
    return [
        Figure(
            title=title,
            words=words,
            svg=bars(
                names,
                {"groups": [point.n_maximal_channels / most for point in points]},
                colours=["before"],
                title=title,
                words=words,
                axis=f"groups, as a share of the most there are ({most:,})",
            ),
            table=Grid(
                caption=title,
                header=("smallest support", "itemsets", "groups"),
                rows=[
                    (name, f"{point.n_itemsets:,}", f"{point.n_maximal_channels:,}")
                    for name, point in zip(names, points, strict=True)
                ],
                numeric=frozenset((0, 1, 2)),
            ),
        )
    ]


def _as_texts(itemsets: Itemsets) -> Itemsets:
    """Return the itemsets with items as the texts that a release states."""
    texts = item_texts(itemsets.labels, np.unique(itemsets.items).tolist())
    labels = [texts.get(code, str(label)) for code, label in enumerate(itemsets.labels)]
    return replace(itemsets, labels=tuple(labels))
