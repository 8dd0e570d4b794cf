"""The page of randomized transactions: in plain words, escaped, from the release alone."""

from __future__ import annotations

import re

import discreet as dc
from discreet.randomize import CutAndPaste, randomize_transactions
from discreet.report.page import html_report
from tests.report.hostile import TEXTS


def test_what_the_page_says() -> None:
    baskets = dc.Transactions.from_iterable([["tea", "milk"], ["milk"]] * 2000)
    release = randomize_transactions(
        baskets, operator=CutAndPaste(cutoff=3, rho="1/4"), items=["jam", "milk", "tea"]
    )
    page = html_report(release, command="discreet randomize")
    text = re.sub(r"<[^>]+>", " ", page)
    assert "4,000 randomized transactions" in text
    assert "the odds of a guess between the two can rise by that factor" in text
    assert "never proves" not in text  # the factor is 21
    assert "Recovered shares with 95 % intervals" in text
    assert "Every transaction was randomized on its own, by cut-and-paste" in text
    assert "Not verified yet" in text
    assert "<script" not in page


def test_a_large_epsilon_is_told_plainly() -> None:
    baskets = dc.Transactions.from_iterable([["tea", "milk"], ["milk"]] * 50)
    release = randomize_transactions(
        baskets, operator=CutAndPaste(cutoff=3, rho="1/1000"), items=["ham", "jam", "milk", "tea"]
    )
    assert "protects hardly anyone" in html_report(release)


def test_hostile_items_are_text() -> None:
    baskets = dc.Transactions.from_iterable([[text] for text in TEXTS] * 20)
    page = html_report(randomize_transactions(baskets, operator=CutAndPaste(cutoff=1, rho="1/4")))
    assert "<script>document" not in page
    assert "<img" not in page
    assert "\u202e" not in page


def test_supports_that_cannot_be_recovered() -> None:
    baskets = dc.Transactions.from_iterable([["a"], ["b"]] * 20)
    half = dc.randomize.SelectASize({1: ["1/2", "1/2"]}, rho="1/2")  # what is sent is pure noise
    page = html_report(randomize_transactions(baskets, operator=half))
    assert "Nothing can be recovered" in page
