"""The colours of the page, in light and in dark.

Charts are drawn in the light colours; the style sheet replaces each of them in the dark, so every
colour of a chart is listed here and no two parts of a chart share one.
"""

from __future__ import annotations

from types import MappingProxyType

# Name: (light, dark).
PAGE = MappingProxyType(
    {
        "paper": ("#f6f7f9", "#11161c"),
        "card": ("#ffffff", "#19212a"),
        "ink": ("#18212b", "#e8edf2"),
        "soft": ("#4a5766", "#b3bfcc"),
        "line": ("#d5dbe3", "#334150"),
        "accent": ("#0b5d58", "#5fd3c6"),
        "wash": ("#eaf3f2", "#16302f"),
        "good": ("#17613a", "#74d99f"),
        "good_wash": ("#e6f4ec", "#14301f"),
        "warning": ("#7a4300", "#f4bd6a"),
        "warning_wash": ("#fdf1de", "#352610"),
        "danger": ("#9c1420", "#ff9d98"),
        "danger_wash": ("#fdebec", "#3b171a"),
        "danger_fill": ("#9c1420", "#9c1420"),
        "on_danger": ("#ffffff", "#ffffff"),
    }
)

CHART = MappingProxyType(
    {
        "text": ("#384453", "#c3ced9"),
        "grid": ("#e3e7ec", "#2b3743"),
        "axis": ("#8792a0", "#64727f"),
        "before": ("#8593a5", "#8ea0b4"),
        "after": ("#0f6f68", "#4cc9bb"),
        "hidden": ("#b4540a", "#f0a04b"),
        "step0": ("#eef1f4", "#212b35"),
        "step1": ("#fbd9ae", "#553a1b"),
        "step2": ("#f2a95c", "#8a5a20"),
        "step3": ("#cf6a17", "#cc8330"),
        "step4": ("#83380a", "#ffc57d"),
    }
)
STEPS = tuple(name for name in CHART if name.startswith("step"))

# Text on a ground: pairs that must be readable.
TEXT_ON = tuple(
    (text, ground)
    for text, grounds in {
        "ink": ("paper", "card", "wash", "good_wash", "warning_wash", "danger_wash"),
        "soft": ("paper", "card", "wash"),
        "accent": ("paper", "card", "wash"),
        "good": ("card", "good_wash"),
        "warning": ("card", "warning_wash"),
        "danger": ("card", "danger_wash"),
        "on_danger": ("danger_fill",),
    }.items()
    for ground in grounds
)


def light(name: str) -> str:
    """Return the colour that charts are drawn in.

    Examples
    --------
    >>> light("after")
    '#0f6f68'
    """
    return CHART[name][0]
