"""Certificates written by earlier versions stay readable, and mean what they meant."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from discreet.release.certificate import read_certificate

HERE = Path(__file__).parent


def test_version_1() -> None:
    text = (HERE / "certificate-v1.json").read_text(encoding="utf-8")
    certificate = read_certificate(text)
    assert certificate.to_json() == text
    claim = certificate.read_guarantee()
    assert claim.parameters == {
        "epsilon": Fraction(1, 3),
        "delta": Fraction(1, 10**7),
        "beta": Fraction(7, 20),
        "k": 20,
        "scheme": "public",
    }
    assert claim.experimental
    assert claim.columns == ("age", "sex", "Beruf/métier")
    first, second = certificate.read_events()
    assert first.part == ("region", "north")
    assert second.counts == {"n_rows": 1200}
    assert second.parameters["columns"] == ("age", "sex", "Beruf/métier")
    fingerprint = certificate.read_fingerprint()
    assert fingerprint is not None
    assert fingerprint.key is None
    assert certificate.data.file == "data.parquet"
    assert certificate.read_roles()["sex"] == "sensitive"
