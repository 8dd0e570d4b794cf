"""Where random numbers come from: a seed repeats, and the secure source never does."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np

from discreet.noise import Noise, SecureNoise, SeededNoise, noise_from


def test_the_seed_decides() -> None:
    def some(noise: Noise) -> list[list[int]]:
        return [
            noise.integers(6, 10).tolist(),
            noise.integers(10**6, 3).tolist(),
            noise.integers(10**12, 2).tolist(),
            noise.bernoulli(Fraction(1, 3), 12).astype(int).tolist(),
            noise.permutation(8).tolist(),
            noise.discrete_laplace(Fraction(5, 2), 8).tolist(),
            noise.discrete_gaussian(Fraction(7, 3), 8).tolist(),
        ]

    # Values as they are today: a change would make recorded experiments unrepeatable.
    assert some(SeededNoise(2026)) == [
        [3, 5, 0, 5, 0, 4, 4, 1, 4, 1],
        [365477, 467268, 79828],
        [233333351962, 766852987688],
        [0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
        [0, 7, 5, 3, 4, 6, 2, 1],
        [0, -6, 3, 0, 2, 0, 10, 3],
        [1, 1, 1, 0, 3, 0, 0, -1],
    ]
    assert some(SeededNoise(2026)) == some(noise_from(2026)) != some(SeededNoise(2027))


def test_later_calls_go_on_where_earlier_ones_stopped() -> None:
    noise = SeededNoise(1)
    assert noise.integers(2**40, 5).tolist() != noise.integers(2**40, 5).tolist()


def test_secure_noise_never_repeats() -> None:
    first, second = SecureNoise(), SecureNoise()
    draws = [noise.integers(2**63, 1000) for noise in (first, first, second)]
    assert len(np.unique(np.concatenate(draws))) == 3000


def test_secure_noise_does_not_repeat_after_a_fork() -> None:
    code = """
import os
from discreet.noise import SecureNoise
noise = SecureNoise()
noise.integers(2**63, 3)
end, start = os.pipe()
child = os.fork()
mine = noise.integers(2**63, 100).tobytes()
if child == 0:
    os.write(start, mine)
    os._exit(0)
os.waitpid(child, 0)
theirs = os.read(end, 800)
words = {block[i:i + 8] for block in (mine, theirs) for i in range(0, 800, 8)}
print(len(theirs), len(words))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["800", "200"]


def test_threads_share_no_secure_draw() -> None:
    noise = SecureNoise()
    with ThreadPoolExecutor(4) as threads:
        draws = list(threads.map(lambda _: noise.integers(2**63, 500), range(16)))
    assert len(np.unique(np.concatenate(draws))) == 16 * 500


def test_noise_from_a_seed() -> None:
    assert noise_from(None).is_secure
    assert not noise_from(0).is_secure
    assert repr(noise_from(None)) == "SecureNoise()"
    assert repr(noise_from(3)) == "SeededNoise(3)"
