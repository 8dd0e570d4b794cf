"""Texts that try to leave their place in a page, as values and as names of columns."""

from __future__ import annotations

from datetime import UTC, datetime

import discreet as dc
from discreet.release.event import Event
from discreet.release.release import Release
from tests.report.samples import claim

# Written as the page must show them: unseen characters written out.
TEXTS = {
    "<script>document.title='pwned'</script>": "<script>document.title='pwned'</script>",
    "<img src=x onerror='alert(1)'>": "<img src=x onerror='alert(1)'>",
    '" onmouseover="alert(1)" x=\'': '" onmouseover="alert(1)" x=\'',
    "</script></style></svg></title>": "</script></style></svg></title>",
    "</td></table>]]>--><!--": "</td></table>]]>--><!--",
    "{{7*7}}{% raw %}${7*7}": "{{7*7}}{% raw %}${7*7}",
    "&lt;b&gt;&amp;": "&lt;b&gt;&amp;",
    '=HYPERLINK("http://evil.example/","x")': '=HYPERLINK("http://evil.example/","x")',
    "javascript:alert(1)": "javascript:alert(1)",
    "a\u202egpj.exe\u2066b": "a⟨U+202E⟩gpj.exe⟨U+2066⟩b",
    "zero\u200bwidth\ufeff": "zero⟨U+200B⟩width⟨U+FEFF⟩",
    "line\nfeed\r\ttab": "line⟨U+000A⟩feed⟨U+000D⟩⟨U+0009⟩tab",
    "nul\x00esc\x1b[31m": "nul⟨U+0000⟩esc⟨U+001B⟩[31m",
    "long" + "x" * 5000: "long" + "x" * 156 + "… (5,004 characters)",
    "spaces   and ünïcödé 日本語": "spaces   and ünïcödé 日本語",
}


def hostile_original() -> dc.Table:
    """Return a table in which every text is a value eight times, and the first ones are names."""
    texts = [*TEXTS]
    cells = texts * 8
    return dc.Table.from_frame(
        {name: cells[shift:] + cells[:shift] for shift, name in enumerate(texts)}
    )


def hostile_release(original: dc.Table) -> Release:
    """Return the same table as a release in which every other text is hostile, too."""
    script = "<script>document.title='pwned'</script>"
    return Release(
        data=original,
        guarantee=claim(
            5,
            original.columns,
            unit=f"one row {script}",
            assumptions=(f"Assumed: {script}",),
            not_protected=(f"Open: {script} \u202e",),
            experimental=True,
            experimental_reason=f"a seed {script}",
        ),
        events=(Event(name=f"step {script}", parameters={f"option {script}": f"{script}\u202e"}),),
        created=datetime(2026, 3, 1, tzinfo=UTC),
        version=f"0.1 {script}",
    )
