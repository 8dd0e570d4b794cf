"""How far off the stand-in that a policy asks for will be, before anything is spent."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.policy.load import load_source, read_like
from discreet.policy.methods.synthesis import Synthesize
from discreet.policy.model import Policy
from discreet.policy.read import read_policy

if TYPE_CHECKING:
    import os

    from discreet.synthesize.expected_errors import ExpectedErrors
    from discreet.synthesize.expected_pair_errors import ExpectedPairErrors


def plan_stand_in(
    policy: Policy | str | os.PathLike[str],
) -> ExpectedErrors | ExpectedPairErrors:
    """Return standard errors of the supports in a stand-in; nothing is spent.

    Parameters
    ----------
    policy : Policy or path of one
        Whose method is ``synthesize``; its file is read.

    Returns
    -------
    ExpectedErrors or ExpectedPairErrors
        Of one, two and three values together, and whether that is noise.

    Raises
    ------
    ParameterError
        If the policy asks for another method.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import discreet as dc
    >>> people = dc.datasets.census(2000).select(["sex", "region"])
    >>> file = dc.write_table(people, Path(tempfile.mkdtemp()) / "people.csv")
    >>> policy = dc.policy.make_policy(
    ...     {"source": {"file": str(file)}, "method": {"name": "synthesize", "epsilon": 1}}
    ... )
    >>> plan_stand_in(policy).is_noise
    False
    """
    read = policy if isinstance(policy, Policy) else read_policy(policy)
    if not isinstance(read.method, Synthesize):
        raise ParameterError(
            f"The policy's method is {read.method.name}: plan tells what it would cost."
        )
    return read.method.expected(load_source(read), read=partial(read_like, read))
