"""What every mechanism releases: a folder that reads back, verifies, and shows tampering."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.release.certificate import CERTIFICATE_FILE, read_certificate
from discreet.verify import Verification
from tests.contract.mechanisms import Mechanism, keeping
from tests.verify.folders import replace_data

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")


def verified(mechanism: Mechanism, folder: Path) -> Verification:
    original = mechanism.data if mechanism.needs_original else None
    return dc.verify_release(folder, original=original)


def assert_equal(one: dc.Release[Any], other: dc.Release[Any]) -> None:
    """Raise AssertionError if two releases differ in anything that is published."""
    assert one.to_dict() == other.to_dict()
    if isinstance(one.data, dc.Table):  # values may be listed in another order
        assert one.data.to_frame("polars").equals(other.data.to_frame("polars"))
        assert (one.data.roles, one.stated) == (other.data.roles, other.stated)
        return
    assert replace(one, created=other.created) == other


@keeping("release")
def test_a_release_reads_back_as_it_was(mechanism: Mechanism, tmp_path: Path) -> None:
    made = mechanism.made
    folder = made.save(tmp_path / "out")
    assert_equal(type(made).load(folder), made)
    text = (folder / CERTIFICATE_FILE).read_text("utf-8")
    certificate = read_certificate(text)
    assert certificate.to_json() == text
    assert read_certificate(certificate.to_json()) == certificate
    assert certificate.read_guarantee() == made.guarantee
    assert certificate.read_events() == made.events


@keeping("release")
def test_a_release_is_what_the_record_of_its_method_says(mechanism: Mechanism) -> None:
    record, made = mechanism.record, mechanism.made
    if record is not None:
        assert made.kind == record.publishes
        assert made.guarantee.model in record.claims
        assert {event.name for event in made.events} <= set(record.words)


@keeping("release")
def test_the_verifier_agrees(mechanism: Mechanism, tmp_path: Path) -> None:
    found = verified(mechanism, mechanism.made.save(tmp_path / "out"))
    assert found.answer != "refuted", found.sentence
    assert not found.failed


@keeping("release")
def test_one_cell_that_breaks_the_claim_is_found(mechanism: Mechanism, tmp_path: Path) -> None:
    folder = mechanism.made.save(tmp_path / "out")
    rows = pl.read_parquet(folder / "data.parquet")
    content = io.BytesIO()
    mechanism.broken(rows).write_parquet(content)
    found = verified(mechanism, replace_data(folder, content.getvalue()))
    assert found.answer == "refuted"
    # The file is certified again as it is, so it takes more than checksums to see it.
    assert {each.name for each in found.failed} - {"certificate", "checksum", "files"}


@keeping("release")
def test_a_seed_is_told(mechanism: Mechanism, tmp_path: Path) -> None:
    folder = mechanism.made.save(tmp_path / "secret")
    assert not read_certificate((folder / CERTIFICATE_FILE).read_text("utf-8")).experimental
    seeded = mechanism.made_again.save(tmp_path / "seeded")
    certificate = read_certificate((seeded / CERTIFICATE_FILE).read_text("utf-8"))
    assert certificate.experimental == mechanism.is_experimental
    assert verified(mechanism, seeded).experimental == mechanism.is_experimental
    if mechanism.is_experimental:
        assert certificate.guarantee.experimental_reason
