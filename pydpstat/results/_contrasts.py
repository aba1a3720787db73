"""Linear combinations of coefficients: hypotheses on them, and the mean response of new records."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


class Combination(Protocol):
    """A linear combination of coefficients: what was released says of it."""

    @property
    def estimate(self) -> float:
        """Its estimate."""

    @property
    def error(self) -> float:
        """Its standard error; infinite if the release is uninformative."""

    def pvalue(self, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that it has a value."""

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of its interval."""


class Combinations(Protocol):
    """What makes combinations of the coefficients in the data's units."""

    def of(self, weights: Floats) -> Combination:
        """Return a combination."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contrasts(Frozen):
    """Tests of linear combinations of coefficients, each by itself.

    Parameters
    ----------
    names : tuple of str
        The hypotheses.
    effect, sd : ndarray of shape (q,)
        The combinations' estimates, NaN where the standard error is infinite, and standard errors.
    null_value : ndarray of shape (q,)
        What they are tested for.
    parts : tuple of Combination
        The combinations.
    """

    names: tuple[str, ...]
    effect: Floats
    sd: Floats
    null_value: Floats
    parts: tuple[Combination, ...]

    @property
    def statistic(self) -> Floats:
        """The estimates less what they are tested for, over the standard errors."""
        return np.asarray((self.effect - self.null_value) / self.sd)

    @property
    def pvalue(self) -> Floats:
        """The two-sided p-values."""
        values = zip(self.parts, self.null_value.tolist())
        return np.array([part.pvalue(value) for part, value in values])

    def conf_int(self, alpha: float = 0.05) -> Floats:
        """Return an interval for each combination, of shape (q, 2); infinite where an end cannot be told."""
        return _ends(self.parts, alpha)

    def summary_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return estimates, standard errors, tests and intervals, a row a hypothesis."""
        import pandas as pd

        low, high = self.conf_int(alpha).T
        columns = {"coef": self.effect, "std err": self.sd, "statistic": self.statistic}
        columns |= {"p-value": self.pvalue, "lower": low, "upper": high}
        return pd.DataFrame(columns, index=list(self.names))

    def __repr__(self) -> str:
        return repr(self.summary_frame())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointTest(Frozen):
    """A test of several hypotheses at once, which is rejected where one of them is, by Bonferroni.

    Parameters
    ----------
    parts : Contrasts
        The hypotheses' own tests.
    """

    parts: Contrasts

    @property
    def pvalue(self) -> float:
        """The smallest p-value times their number, at most 1."""
        found = self.parts.pvalue
        return min(1.0, float(found.min()) * len(found))

    @property
    def statistic(self) -> float:
        """The largest absolute statistic; NaN if the release is uninformative about all of them."""
        found = np.abs(self.parts.statistic)
        return float(np.nanmax(found)) if not np.isnan(found).all() else math.nan

    def __repr__(self) -> str:
        told = f"statistic {self.statistic:.4g}, p-value {self.pvalue:.4g}"
        return f"<JointTest of {len(self.parts.names)} hypotheses, Bonferroni: {told}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predictions(Frozen):
    """The mean response of new records, with its standard error and interval.

    Parameters
    ----------
    predicted_mean, se_mean : ndarray of shape (m,)
        The means, NaN where one needs an estimate that is missing, and their standard errors.
    parts : tuple of Combination
        The linear predictors.
    link : str
        "identity" or "logit".
    """

    predicted_mean: Floats
    se_mean: Floats
    parts: tuple[Combination, ...]
    link: str

    def conf_int(self, alpha: float = 0.05) -> Floats:
        """Return intervals for the means, of shape (m, 2), each of which stands alone.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses its mean; above 0 and at most 0.5.
        """
        return inverse_link(self.link)(_ends(self.parts, alpha))

    def summary_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return means, standard errors and intervals, a row a record, in statsmodels' columns."""
        import pandas as pd

        low, high = self.conf_int(alpha).T
        columns = {"mean": self.predicted_mean, "mean_se": self.se_mean}
        return pd.DataFrame({**columns, "mean_ci_lower": low, "mean_ci_upper": high})

    def __repr__(self) -> str:
        return f"<Predictions of {len(self.parts)} records: summary_frame() shows them>"


def inverse_link(link: str) -> Callable[[Floats], Floats]:
    """Return what makes means of linear predictors."""
    return (lambda x: x) if link == "identity" else (lambda x: 0.5 * (1.0 + np.tanh(0.5 * x)))


def _ends(parts: tuple[Combination, ...], alpha: float) -> Floats:
    from pydpstat._checks import alpha_of

    level = alpha_of(alpha)
    return np.array([part.ends(level) for part in parts], dtype=np.float64).reshape(len(parts), 2)
