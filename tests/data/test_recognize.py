"""Direct identifiers and free text are recognized by their values, and codes are not."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.column import Label
from discreet.data.recognize import recognize
from discreet.data.recognize.numbers import NUMBERS, luhn
from discreet.data.recognize.values import MOST_VALUES

# Numbers that another implementation, python-stdnum 2.2, found to be right; drawn at random.
VECTORS: dict[str, list[str]] = {
    "German tax numbers": [
        "45803371295", "74971536728", "70923618654", "40247453617", "67794132701", "51274983625",
    ],
    "Dutch citizen numbers (BSN)": [
        "747546782", "073896342", "870232691", "516749286", "636494858", "186953239",
    ],
    "Italian tax codes": [
        "GBONTG84D08H990R", "NGBBJS59P14H934L", "IEDISQ81L26H477R", "MOKOYD94M11H615Z",
        "XVXQFK10A28H053W", "BGZQHE95D15H564S",
    ],
    "French social security numbers": [
        "296091339287706", "159063360030575", "208051357511412", "151051370129013",
        "193123309107636", "144122B88039497",
    ],
    "British NHS numbers": [
        "6105095260", "7520187179", "3790774898", "8524223871", "8099433750", "2932155482",
    ],
    "US social security numbers": [
        "229-47-1076", "394-16-1608", "585-84-9016", "468-39-6845", "046-86-0905", "708-90-4814",
    ],
    "Swedish personal numbers": [
        "110108-7433", "300730-6974", "910418-0170", "880131-2250", "520707-7909", "050510-5932",
    ],
    "Norwegian personal numbers": [
        "27103635514", "28129716039", "07109197291", "26100447885", "18123915247", "13016595327",
    ],
    "Finnish personal numbers": [
        "260682-561V", "290932-207W", "131163-507V", "170563-654B", "170988-5323", "090368-1409",
    ],
    "Danish personal numbers": [
        "210669-5704", "100960-3865", "071151-4816", "160198-3745", "290372-3513", "091198-4863",
    ],
    "Polish personal numbers (PESEL)": [
        "41030326597", "38011396700", "11031333520", "07010803337", "61062898471", "48052129984",
    ],
    "Swiss insurance numbers (AHV)": [
        "7563864674655", "7566951041019", "7560722768495", "7567729849714", "7564881447444",
        "7562268228631",
    ],
    "Belgian national numbers": [
        "39092228633", "37091763781", "76051793688", "32110638191", "79070756164", "10080440532",
    ],
    "Austrian insurance numbers": [
        "1687211107", "9838041202", "8899110246", "4868300399", "8148211273", "1758230197",
    ],
    "Czech and Slovak birth numbers": [
        "6010318083", "1009072075", "8010211484", "5703032104", "6308076049",
        "8151034507",
    ],
    "payment cards": [
        "4870955284130121", "4112019125745056", "4991557240608002", "5264714328271818",
        "5587496761177567", "5371981023927628",
    ],
    "bank accounts (IBAN)": [
        "DE47648579246293431272", "DE20451944023055349469", "DE94848200294906370298",
        "DE15386964846550608800", "DE22802927230541754320", "DE04203242619769490917",
    ],
    "Spanish identity numbers (DNI, NIE)": [
        "09105859K", "41046494G", "80187521E", "X7904230G", "Z3194447M", "Y9139335T",
    ],
}  # fmt: skip

# Numbers that the authorities themselves, or the standards, print as examples.
PRINTED = {
    "bank accounts (IBAN)": ("GB82 WEST 1234 5698 7654 32", "DE89 3704 0044 0532 0130 00"),
    "payment cards": ("4111 1111 1111 1111", "378282246310005", "5555-5555-5555-4444"),
    "German tax numbers": ("86 095 742 719", "65929970489"),
    "British NHS numbers": ("943 476 5919",),
    "Swiss insurance numbers (AHV)": ("756.9217.0769.85", "756.1234.5678.97"),
    "Finnish personal numbers": ("131052-308T",),
    "Polish personal numbers (PESEL)": ("44051401359",),
    "Belgian national numbers": ("85.07.30-033.28",),
    "Swedish personal numbers": ("811218-9876", "19811218-9876"),
    "Danish personal numbers": ("070761-4285",),
    "Italian tax codes": ("RSSMRA85T10A562S",),
    "Spanish identity numbers (DNI, NIE)": ("12345678-Z", "X-1234567-L"),
    "French social security numbers": ("2 69 05 49 588 157 80", "255081416802538"),
    "Dutch citizen numbers (BSN)": ("111222333", "123456782"),
}


def plain(text: str) -> str:
    return "".join(char for char in text.upper() if char not in " ./-+")


def right(kind: str, text: str) -> bool:
    (each,) = [each for each in NUMBERS if each.kind == kind]
    return bool(each.form.fullmatch(text.upper())) and each.passes(plain(text))


@pytest.mark.parametrize("kind", VECTORS)
def test_numbers_of_another_implementation(kind: str) -> None:
    found = recognize(VECTORS[kind])
    assert found is not None
    assert found.kind == kind
    assert not any(value in found.reason for value in VECTORS[kind])


@pytest.mark.parametrize("kind", PRINTED)
def test_printed_examples(kind: str) -> None:
    assert all(right(kind, text) for text in PRINTED[kind])


@pytest.mark.parametrize("kind", [each.kind for each in NUMBERS if each.checked])
def test_a_wrong_digit_is_noticed(kind: str) -> None:
    """Every scheme but that of the Italian tax code finds every single wrong digit."""
    for text in VECTORS[kind]:
        assert right(kind, text)
        for place, char in enumerate(text):
            if not char.isdigit():
                continue
            others = [text[:place] + d + text[place + 1 :] for d in string.digits if d != char]
            passed = sum(right(kind, other) for other in others)
            # A Belgian year may be of two centuries; a Finnish or Spanish letter fits one number.
            assert passed == 0 or (kind == "Belgian national numbers" and passed <= 1)


@given(st.integers(0, 10**15 - 1))
def test_luhn_by_its_definition(number: int) -> None:
    """Exactly one last digit is right, by the table of doubled digits."""
    doubled = {0: 0, 1: 2, 2: 4, 3: 6, 4: 8, 5: 1, 6: 3, 7: 5, 8: 7, 9: 9}
    total = 0
    for place, digit in enumerate(reversed(str(number))):
        total += doubled[int(digit)] if place % 2 == 0 else int(digit)
    assert [d for d in range(10) if luhn(f"{number}{d}")] == [-total % 10]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("e-mail addresses", ["ann.lee@mail.example.org", "bo+x@example.com", "c_d@ex-ample.de"]),
        ("web addresses", ["https://example.org/ann", "http://example.org", "www.example.org/bo"]),
        ("UUIDs", ["123e4567-e89b-12d3-a456-426614174000", "00112233-4455-6677-8899-AABBCCDDEEFF"]),
        ("hash values", ["9e107d9d372bb6826bd81d3542a419d6", "e4d909c290d0fb1ca068ffaddf22cbd0"]),
        ("phone numbers", ["+49 30 1234567", "+1 212 555 0123", "0041 44 123 45 67"]),
        ("phone numbers", ["030 1234567", "0151/23456789", "(0511) 123-4567"]),
        ("phone numbers", ["(212) 555-0123", "212-555-0199", "415-555-0100"]),
        ("phone numbers", ["01 23 45 67 89", "06.12.34.56.78", "01 98 76 54 32"]),
        ("IP addresses", ["192.168.0.1", "10.0.0.254", "172.16.254.1"]),
        ("IP addresses", ["2001:db8::1", "fe80::1ff:fe23:4567:890a", "2001:db8:0:1::17"]),
        ("free text", ["She came with a cough. No fever.", "He was seen by the doctor on duty.",
                       "Relatives were informed. They will call again."]),
    ],
)  # fmt: skip
def test_what_is_written_like_nothing_else(kind: str, values: list[str]) -> None:
    found = recognize(values)
    assert found is not None
    assert found.kind == kind
    assert not any(value in found.reason for value in values)


def test_one_address_in_a_text_is_enough() -> None:
    values = [f"call {i}" for i in range(MOST_VALUES + 100)]
    assert recognize(values) is None
    values[17] = "write to ann@example.org"
    found = recognize(values)
    assert found is not None
    assert found.reason == "1 of its values contains an e-mail address"


def test_free_text_in_many_rows_needs_its_name_or_its_length() -> None:
    short = [f"patient {i} came again with the code" for i in range(200)]
    assert recognize(short, n_present=5000) is None  # labels that many rows share
    assert recognize(short, n_present=5000, name="note") is not None
    assert recognize(short, n_present=210) is not None
    assert recognize([f"{text} {text} and so on" for text in short], n_present=5000)


def digits(n: int, coins: random.Random) -> str:
    return "".join(coins.choice(string.digits) for _ in range(n))


def dates(form: str) -> list[Label]:
    start = datetime(1930, 1, 1)  # noqa: DTZ001  written without a zone
    return [(start + timedelta(days=i * 2.37)).strftime(form) for i in range(4000)]


CODES: dict[str, Callable[[random.Random], list[Label]]] = {
    "ICD": lambda c: [f"{c.choice('ABCIJS')}{digits(2, c)}.{digits(1, c)}" for _ in range(900)],
    "ICD in words": lambda _: [
        f"{what} of {where}, {more}"
        for what in ("Fracture", "Open wound", "Malignant neoplasm of the skin")
        for where in ("left upper arm", "skull and facial bones", "lower leg", "unspecified part")
        for more in ("unspecified", "initial encounter for closed fracture", "subsequent encounter")
    ],
    "ATC": lambda c: [f"{c.choice('ABC')}{digits(2, c)}BA{digits(2, c)}" for _ in range(900)],
    "NDC": lambda c: [f"{digits(5, c)}-{digits(3, c)}-{digits(2, c)}" for _ in range(900)],
    "NDC from 0": lambda c: [f"0{digits(3, c)}-{digits(4, c)}-{digits(2, c)}" for _ in range(900)],
    "German postcodes": lambda c: [digits(5, c) for _ in range(900)],
    "Dutch postcodes": lambda c: [f"{digits(4, c)} {c.choice('ABC')}B" for _ in range(900)],
    "British postcodes": lambda c: [f"SW{digits(1, c)}A {digits(1, c)}AA" for _ in range(90)],
    "American postcodes": lambda c: [f"{digits(5, c)}-{digits(4, c)}" for _ in range(900)],
    "bar codes": lambda c: [f"40{digits(11, c)}" for _ in range(900)],
    "versions": lambda c: [".".join(digits(2, c) for _ in range(4)) for _ in range(900)],
    "ages": lambda _: list(range(100)),
    "incomes": lambda c: [c.randrange(10**4, 10**5) for _ in range(900)],
    "bins": lambda _: [f"[{i}, {i + 10})" for i in range(0, 900, 10)],
    "answers": lambda _: ["Neither agree nor disagree", "Strongly agree with this", "I do not know",
                          "Do not agree at all with this"],
    "decimals": lambda _: [i / 7 for i in range(900)],
    "booleans": lambda _: [False, True],
    "missing": lambda _: [None],
}  # fmt: skip

ADULT = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "income",
]  # fmt: skip


@pytest.mark.parametrize("name", CODES)
def test_codes_are_not_people(name: str) -> None:
    values = list(dict.fromkeys(CODES[name](random.Random(3))))
    assert recognize(values, n_present=5000) is None
    assert recognize([*values, None] if values != [None] else values, n_present=5000) is None


@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%y", "%Y%m%d", "%d-%m-%Y %H.%M", "%Y-%m-%d %H:%M:%S",
     "%H:%M:%S", "%Y%m%d%H%M", "%Y%m%d%H%M%S", "%y%m%d", "%d %m %Y", "%A, %d %B %Y"],
)  # fmt: skip
def test_dates_are_not_people(form: str) -> None:
    assert recognize(list(dict.fromkeys(dates(form))), n_present=5000) is None


@pytest.mark.parametrize("n_digits", range(5, 20))
def test_numbers_without_check_digits_are_not_people(n_digits: int) -> None:
    coins = random.Random(n_digits)
    drawn = {digits(n_digits, coins) for _ in range(2000)}
    assert recognize(sorted(drawn)) is None
    assert recognize(sorted(map(int, drawn))) is None
    assert recognize(list(range(10 ** (n_digits - 1), 10 ** (n_digits - 1) + 2000))) is None
    assert recognize(list(range(10 ** (n_digits - 1), 10 ** (n_digits - 1) + 20000, 10))) is None


def test_half_of_right_check_digits_are_chance_or_a_mixture() -> None:
    coins = random.Random(5)
    values = VECTORS["German tax numbers"] + [digits(11, coins) for _ in range(6)]
    assert recognize(values) is None


def test_no_column_of_adult_is_recognized(public_data: Path) -> None:
    path = public_data / "adult" / "adult.data.xz"
    if not path.is_file():
        pytest.skip("adult absent")
    table = dc.read_table(path, names=ADULT, categorical=True)
    for name in table.columns:
        assert recognize(table.values(name), n_present=table.n_rows, name=name) is None, name
    found = dc.suggest_roles(table)
    assert found.person is None
    assert "identifying" not in found.roles.values()


def test_numbers_that_lost_their_zeros() -> None:
    found = recognize([int(text) for text in VECTORS["Dutch citizen numbers (BSN)"]])
    assert found is not None
    found = recognize([float(text) for text in VECTORS["Dutch citizen numbers (BSN)"]])
    assert found is not None
    assert found.kind == "Dutch citizen numbers (BSN)"


def test_at_most_so_many_values_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.data.recognize import values as module

    seen: list[str] = []

    def kinds_of(text: str) -> tuple[int, ...]:
        seen.append(text)
        return ()

    monkeypatch.setattr(module, "_kinds_of", kinds_of)
    assert recognize([f"u{i:07d}" for i in range(10 * MOST_VALUES)]) is None
    assert MOST_VALUES * 0.99 < len(seen) <= MOST_VALUES
    assert {text[-1] for text in seen} == set(string.digits)
    assert {text[1:4] for text in seen} == {f"{i:03d}" for i in range(5)}


@given(st.lists(st.text(max_size=30) | st.integers() | st.none(), max_size=20))
def test_any_values_are_taken(values: list[Label]) -> None:
    recognize([*sorted({str(value) for value in values if value is not None}), None])
    recognize([*sorted({value for value in values if isinstance(value, int)}), None])
