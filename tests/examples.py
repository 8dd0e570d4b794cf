"""How many examples a property is tried with: few in every run, many in a thorough one."""

from __future__ import annotations

from hypothesis import settings

EVERY_RUN = "quick"
# Another one is chosen by pytest --hypothesis-profile. A busy machine is not a failure.
settings.register_profile("thorough", max_examples=100, deadline=None)
settings.register_profile(EVERY_RUN, settings.get_profile("thorough"), max_examples=20)
settings.register_profile("sanitized", settings.get_profile("thorough"), max_examples=15)


def examples(n: int) -> settings:
    """Return settings of a property that is tried with n examples in a thorough run.

    In other runs it is tried with the same share of them as properties without a number, but at
    least with ten.
    """
    share = settings().max_examples / settings.get_profile("thorough").max_examples
    return settings(max_examples=min(n, max(10, round(n * share))))
