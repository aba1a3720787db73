"""Coefficients for predictions, from what a fit released.

Results have no estimate where the noise hides a coefficient, and a prediction needs all of them. Then all are
regularized by the size of the noise, which is public: it is post-processing, and nothing is said of errors.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from pydpstat.inference._cell_regression import moderate
from pydpstat.inference._coefficients import LawCombinations, MomentCombinations
from pydpstat.inference._null_distributions.cell_logit import CellLogit
from pydpstat.inference._null_distributions.noisy_logit import LogitLaw
from pydpstat.results.regression_results import RegressionResults

Floats = npt.NDArray[np.float64]


def logistic_coefficients(results: RegressionResults) -> Floats:
    """Return the constant and the slopes of a logistic regression on numbers, in the data's units.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0, 1, 100)
    >>> r = pydpstat.logit(x > 0.5, x, 0.1, bounds=(0, 1), rng=1)
    >>> bool(r.params.isna().all()), bool(np.isfinite(logistic_coefficients(r)).all())
    (True, True)
    """
    found = results.params.to_numpy()
    if not np.isnan(found).any():
        return found
    combinations = cast(LawCombinations, results.combinations)
    law = combinations.law
    if isinstance(law, CellLogit):
        return combinations.scaled @ moderate(law)[0]
    return combinations.scaled @ cast(LogitLaw, law).regularized()


def linear_coefficients(results: RegressionResults) -> Floats:
    """Return the constant and the slopes of a linear regression on numbers, in the data's units.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0, 1, 100)
    >>> r = pydpstat.ols(x, x, 0.1, bounds=(0, 1), rng=1)
    >>> bool(r.params.isna().any()), bool(np.isfinite(linear_coefficients(r)).all())
    (True, True)
    """
    found = results.params.to_numpy()
    if not np.isnan(found).any():
        return found
    return cast(MomentCombinations, results.combinations).tests.regularized()
