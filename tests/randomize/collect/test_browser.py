"""The browser client in a real browser: the same operator, by the same statistics."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from discreet.data.transactions import Transactions
from discreet.randomize import CutAndPaste, SelectASize, SizeLaw
from discreet.randomize.collect import ServiceLimits, open_campaign
from discreet.randomize.operators import SizeLawOperator
from tests.browser import chromium
from tests.randomize.collect.law_test import Fit, scaled, tilted, worst_fit
from tests.randomize.collect.service import Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = "<img src=x onerror=alert(1)>"
ITEMS = [HOSTILE, "tea", "milk", *(f"item {i}" for i in range(9))]
ORIGINAL = ["milk", HOSTILE, "item 8"]
OPERATOR = CutAndPaste(cutoff=2, rho="353/1000")
ODD = SelectASize({3: ["1/7", "2/7", "0", "4/7"]}, rho="1/3")
N_DRAWS = 2000
P_LEAST = 1e-9


class Visit:
    """The page, and what happened meanwhile."""

    def __init__(self, browser: Browser, server: Server, fragment: str) -> None:
        self.page: Page = browser.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.sent: list[dict[str, Any]] = []
        self.page.on("request", self._note)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.goto(f"{server.url}/#{fragment}")

    def _note(self, request: Any) -> None:  # noqa: ANN401  playwright's
        self.requests.append(request.url)
        if request.method == "POST":
            self.sent += json.loads(request.post_data)["transactions"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    chromium()  # nothing is started where it could not be seen
    folder = tmp_path_factory.mktemp("browser")
    with serving(
        folder, str(folder / "campaign.sqlite"), operator=OPERATOR, items=ITEMS, max_size=4,
        service_limits=ServiceLimits(max_rate=1e9, burst=10**9, max_body=5000),
        name="<b>breakfast</b>",
    ) as started:  # fmt: skip
        yield started


@pytest.fixture(scope="module")
def script(browser: Browser, server: Server) -> Iterator[Page]:
    visit = Visit(browser, server, server.token)
    visit.page.wait_for_selector("#send")
    yield visit.page
    assert visit.complaints == []


def policy_of(operator: SizeLawOperator, size: int, *, padded: bool = False) -> dict[str, object]:
    law = operator.law(size)
    return {
        "items": ITEMS, "sizes": [size], "padded": padded,
        "laws": {str(size): {"keep": [str(p) for p in law.keep], "rho": str(law.rho)}},
    }  # fmt: skip


def draw_in_browser(page: Page, policy: dict[str, object], original: list[str]) -> list[Any]:
    drawn: list[Any] = page.evaluate(
        "([policy, items, n]) => Array.from({ length: n }, () => "
        "discreet.randomize(policy, items))",
        [policy, original, N_DRAWS],
    )
    return drawn


def draw_in_python(operator: SizeLawOperator) -> list[frozenset[int | str]]:
    codes = sorted(ITEMS.index(item) for item in ORIGINAL)
    originals = Transactions.from_csr(range(0, 3 * N_DRAWS + 1, 3), codes * N_DRAWS, ITEMS)
    return list(operator.randomize(originals).transactions)


@pytest.mark.parametrize("operator", [OPERATOR, ODD], ids=["cut-and-paste", "select-a-size"])
@pytest.mark.parametrize("who", ["browser", "python"])
def test_randomized_sets_follow_the_law_and_no_other(
    script: Page, who: str, operator: SizeLawOperator
) -> None:
    law = operator.law(3)
    if who == "browser":
        drawn = draw_in_browser(script, policy_of(operator, 3), ORIGINAL)
        assert {each["size"] for each in drawn} == {3}
        assert all(sorted(each["items"], key=ITEMS.index) == each["items"] for each in drawn)
        sent = [frozenset(each["items"]) for each in drawn]
    else:
        sent = draw_in_python(operator)

    def fit_of(other: SizeLaw) -> Fit:
        return worst_fit(sent, ORIGINAL, ITEMS, other)

    assert fit_of(law).p_value > P_LEAST
    for wrong in (scaled(law, 0.7), scaled(law, 1.3), tilted(law, Fraction(4, 5))):
        assert fit_of(wrong).p_value < P_LEAST


def test_a_biased_choice_of_what_is_kept_would_be_noticed() -> None:
    first_kept = []
    for each in draw_in_python(OPERATOR):  # as if the first items were kept, not any
        n_kept = sum(item in ORIGINAL for item in each)
        first_kept.append(each - set(ORIGINAL) | set(ORIGINAL[:n_kept]))
    assert worst_fit(first_kept, ORIGINAL, ITEMS, OPERATOR.law(3)).p_value < P_LEAST


@pytest.mark.parametrize("n_own", [1, 5])
def test_padded_transactions_are_filled_up_or_cut(script: Page, n_own: int) -> None:
    """An item stays with the mean of keep / m if it is in, and its chance to be in is m / n."""
    own = ITEMS[:n_own]
    drawn = draw_in_browser(script, policy_of(OPERATOR, 3, padded=True), own)
    assert {each["size"] for each in drawn} == {3}
    law = OPERATOR.law(3)
    stays = sum(j * chance for j, chance in enumerate(law.keep)) / 3
    is_in = min(Fraction(1), Fraction(3, n_own))
    counts = Counter(item for each in drawn for item in each["items"])
    for item in ITEMS:
        share = float(is_in * stays + (1 - is_in) * law.rho if item in own else law.rho)
        sigma = (share * (1 - share) / N_DRAWS) ** 0.5
        assert abs(counts[item] / N_DRAWS - share) < 6.1 * sigma  # p < 1e-9


def test_integers_and_coins_are_exact(browser: Browser, server: Server) -> None:
    """The source gives bytes of a script: then every share is known.

    On a page of its own: bytes of the script that stay in the pool would be the next draws.
    """
    page = Visit(browser, server, server.token).page
    page.wait_for_selector("#send")
    found = page.evaluate(
        """async () => {
            const { randomBelow, bernoulli } = await import("./client.js");
            let nFills = 0;
            let next = () => 0;
            crypto.getRandomValues = (pool) => {
                pool.forEach((_, i) => { pool[i] = next(); });
                nFills += 1;
                return pool;
            };
            const drain = () => { // leaves the pool empty: each of these takes one byte
                const before = nFills;
                let n = 4096;
                while (nFills === before) randomBelow(256n);
                while (n > 1) { randomBelow(256n); n -= 1; }
            };
            drain();
            let at = 0; // all pairs of bytes: 0 0, 0 1, ...
            next = () => { at += 1; return at % 2 ? (at >> 9) % 256 : ((at - 1) >> 1) % 256; };
            const below = Array(1000).fill(0);
            for (let i = 0; i < 64000; i += 1) below[Number(randomBelow(1000n))] += 1;
            const again = []; // pairs from 64000 would favour some: they are drawn again
            for (let i = 0; i < 65; i += 1) again.push(Number(randomBelow(1000n)));
            drain();
            const bytes = [85, 85, 84, 85, 85, 86, 84, 86, ...Array(4088).fill(0)];
            next = () => bytes.shift();
            const third = { numerator: 1n, denominator: 3n };
            const coins = Array.from({ length: 4 }, () => bernoulli(third));
            next = () => 0;
            drain();
            at = -1;
            next = () => { at += 1; return at % 256; };
            const part = { numerator: 90n, denominator: 256n };
            const tosses = Array.from({ length: 256 }, () => bernoulli(part));
            return { below, again, coins, heads: tosses.filter(Boolean).length,
                     sure: bernoulli({ numerator: 7n, denominator: 7n }),
                     never: bernoulli({ numerator: 0n, denominator: 7n }) };
        }"""
    )
    page.close()
    assert found["below"] == [64] * 1000
    assert found["again"] == [0] * 64 + [1]
    assert found["coins"] == [True, False, True, False]
    assert (found["heads"], found["sure"], found["never"]) == (90, True, False)


def test_the_browser_computes_epsilon_itself(script: Page) -> None:
    for operator in (OPERATOR, ODD, CutAndPaste(cutoff=3, rho="1/100")):
        for size, n_items in ((3, 12), (3, 6), (3, 5), (3, 4)):
            found = script.evaluate(
                "async ([policy, size, n]) => { const { lawOf, localEpsilon } = "
                "await import('./client.js'); const e = localEpsilon(lawOf(policy, size), n); "
                "return e === Infinity ? 'inf' : e; }",
                [policy_of(operator, size), size, n_items],
            )
            assert float(found) == pytest.approx(operator.local_epsilon(size, n_items), rel=1e-12)


def test_laws_that_are_none_are_refused(script: Page) -> None:
    for keep, rho in (
        (["1/2", "1/4"], "1/2"), (["1"], "1/2"), (["1/2", "1/2"], "3/2"), (["1/2", "x"], "1/2"),
    ):  # fmt: skip
        policy = {**policy_of(OPERATOR, 1), "laws": {"1": {"keep": keep, "rho": rho}}}
        told = script.evaluate(
            "policy => { try { discreet.randomize(policy, ['tea']); } "
            "catch (error) { return error.message; } }",
            policy,
        )
        assert told


def test_a_person_sends_a_choice(browser: Browser, server: Server) -> None:
    visit = Visit(browser, server, server.token)
    page = visit.page
    page.wait_for_selector("#send:enabled")
    assert page.locator("h1").inner_text() == "<b>breakfast</b>"
    assert page.locator("fieldset label").all_inner_texts() == [f" {item}" for item in ITEMS]
    assert page.locator("img").count() == 0
    page.get_by_label("tea").check()
    page.get_by_label("milk").check()
    assert "Local epsilon" in page.locator("#notice").inner_text()
    before = open_campaign(server.location).n_batches()
    page.locator("#send").click()
    page.get_by_text("Sent. Thank you.").wait_for()
    assert page.locator("#send").is_disabled()
    assert open_campaign(server.location).n_batches() == before + 1
    assert [each["size"] for each in visit.sent] == [2]
    assert visit.complaints == []
    assert all(url.startswith(server.url) for url in visit.requests)
    assert not any(server.token in url for url in visit.requests[1:])
    page.close()


def test_too_many_items_cannot_be_sent(browser: Browser, server: Server) -> None:
    page = Visit(browser, server, server.token).page
    page.wait_for_selector("#send:enabled")
    for item in ITEMS[1:6]:
        page.get_by_label(item, exact=True).check()
    assert page.locator("#send").is_disabled()
    assert "takes 0, 1, 2, 3, 4" in page.locator("#notice").inner_text()
    page.close()


@pytest.mark.parametrize(
    ("fragment", "told"), [("", "lacks the token"), ("wrong", "Give the token")]
)
def test_without_a_token(browser: Browser, server: Server, fragment: str, told: str) -> None:
    page = Visit(browser, server, fragment).page
    page.locator("#said.error").get_by_text(told).wait_for()
    assert page.locator("#choice").is_hidden()
    page.close()


def test_many_are_sent_in_several_requests_and_again_after_a_failure(
    script: Page, server: Server
) -> None:
    before = open_campaign(server.location).n_of_size().get(1, 0)
    answer = script.evaluate(
        """async (token) => {
            const client = new discreet.Client(token);
            const real = globalThis.fetch;
            let n = 0;
            globalThis.fetch = async (...rest) => { // every other answer is lost on its way
                const answer = await real(...rest);
                n += 1;
                if (n % 2) throw new TypeError("lost");
                return answer;
            };
            const sent = await client.send(Array.from({ length: 120 }, () => ["tea"]));
            globalThis.fetch = real;
            return [sent, n];
        }""",
        server.token,
    )
    assert answer[0] == 120
    assert answer[1] >= 6  # the policy and at least two batches, each asked for twice
    assert open_campaign(server.location).n_of_size()[1] == before + 120


def test_the_page_is_what_is_served(server: Server) -> None:
    folder = Path(open_campaign.__code__.co_filename).parent / "static"
    for name in ("client.js", "page.js", "style.css"):
        assert server.ask("GET", f"/{name}").body == (folder / name).read_text()
    for path in folder.iterdir():
        assert "http" not in path.read_text().replace("http-equiv", "")


def test_the_page_counts_what_this_browser_has_sent(browser: Browser, server: Server) -> None:
    context = browser.new_context()
    for n_before in (0, 1, 2):
        page = context.new_page()
        page.goto(f"{server.url}/#{server.token}")
        page.wait_for_selector("#send:enabled")
        notice = page.locator("#notice").inner_text()
        assert (f"has sent {n_before} before" in notice) == bool(n_before)
        page.locator("#send").click()
        page.locator("#said").get_by_text("Sent. Thank you.").wait_for()
        page.close()
    context.close()
