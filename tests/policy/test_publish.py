"""The policy that is published: the same release, and nothing of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.policy import make_policy, published_policy, read_policy
from tests.policy.test_read import WHOLE, write


@pytest.mark.parametrize(
    "file",
    ["/home/ann/people.csv", "../secret/people.csv", "C:\\Users\\ann\\people.csv", "people.csv"],
)
def test_folders_passwords_and_remarks_are_left_out(tmp_path: Path, file: str) -> None:
    values = {
        "source": {"file": file},
        "method": {"name": "k-mii", "k": 5},
        "ledger": {"url": "postgresql://ann:geheim@host/db", "source": "inner name"},
    }
    text = published_policy(make_policy(values))
    assert 'file = "people.csv"' in text
    for secret in ("ann", "secret", "Users", "geheim", "host", "inner name", "[ledger]"):
        assert secret not in text
    assert read_policy(write(tmp_path, text)).method == make_policy(values).method


def test_it_reads_back_as_the_same_choices(tmp_path: Path) -> None:
    policy = read_policy(write(tmp_path, "# Ann said so\n" + WHOLE))
    text = published_policy(policy)
    again = read_policy(write(tmp_path, text))
    assert "Ann" not in text
    assert again.source == policy.source.model_copy(update={"file": "people.csv"})
    assert (again.roles, again.method, again.release) == (
        policy.roles, policy.method, policy.release)  # fmt: skip
    assert published_policy(again) == text


def test_exact_decimals_stay_exact(tmp_path: Path) -> None:
    method = {"name": "dp-mii-suppress", "epsilon": "0.1", "delta": "1e-9", "k": 20}
    policy = make_policy({"source": {"file": "a.csv"}, "method": method})
    again = read_policy(write(tmp_path, published_policy(policy)))
    assert again.method == policy.method
