"""Estimators for pipelines of scikit-learn; needs ``pip install 'discreet[learning]'``.

None of them makes a release: what a pipeline returns has no certificate. Their docstrings say
what holds for the rows they were fitted on and what for rows that come later.
"""

try:
    import sklearn as _sklearn  # type: ignore[import-untyped]  # noqa: F401  not this package
except ModuleNotFoundError:
    raise ImportError(
        "discreet.sklearn needs scikit-learn, which is not installed: "
        "pip install 'discreet[learning]'."
    ) from None

from discreet.sklearn.generalizing_transformer import GeneralizingTransformer
from discreet.sklearn.krimp_classifier import KrimpClassifier
from discreet.sklearn.synthesizer import Synthesizer

__all__ = ["GeneralizingTransformer", "KrimpClassifier", "Synthesizer"]
