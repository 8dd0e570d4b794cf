"""The only place that makes random numbers.

Every sampler is built from uniform bytes by integer arithmetic alone and is exact: no
probability is rounded, no logarithm is taken. The bytes come from the operating system, or
from a seed for experiments that are repeated and not published.
"""

from discreet.noise.sources import Noise, SecureNoise, SeededNoise, noise_from

__all__ = ["Noise", "SecureNoise", "SeededNoise", "noise_from"]
