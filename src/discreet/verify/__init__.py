"""Independent checkers: what a release folder claims, recomputed from its files.

Nothing here is shared with the mechanisms, nor with what writes certificates: a fault there
is found here.
"""

from discreet.verify.outcome import Check, Verification
from discreet.verify.verifier import verify_release

__all__ = ["Check", "Verification", "verify_release"]
