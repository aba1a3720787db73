"""Noisy moments: one release for means, variances, tests and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Data, GivenBounds, check_filling, column_bounds, numbers_of
from pydpstat._frozen import Frozen
from pydpstat._release.additive import Spender
from pydpstat._release.named_mechanisms import VECTOR
from pydpstat._release.statistic import Missing, options, quiet
from pydpstat.errors import PydpstatError
from pydpstat.inference._laws.noisy_t import NoisySums, NoisyTInterval
from pydpstat.inference._mean_tests import METHODS, one_sample
from pydpstat.inference._moment_release import (
    for_variables,
    mean_of,
    release_sums,
    sum_names,
    tallied,
    variance_of,
)
from pydpstat.inference._testing import ALTERNATIVES, check_epsilon
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy import Guarantee
from pydpstat.random import source_from
from pydpstat.results import ConfidenceInterval, DPResults, InferenceResults
from pydpstat.results._call import Call
from pydpstat.results._report import Facts, Rows, Stated, number
from pydpstat.statistics._kernels.records import records_of
from pydpstat.statistics._kernels.scope import NOTHING

if TYPE_CHECKING:
    import pandas as pd


@quiet
def moments(
    data: Data,
    epsilon: float,
    *,
    bounds: GivenBounds,
    delta: float = 0,
    mechanism: str | Mechanism | None = None,
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> MomentsResults:
    """Release noisy moments, from which means, variances, t tests and intervals follow at no further cost.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are moved onto them. Of a frame or a matrix the products of its
        columns are released, too.
    epsilon : float
        Privacy parameter of the whole release; above 0 and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them. For a frame one pair for all columns, one
        for each, or a dict of them by column.
    delta : float, default 0
        Above 0 and below 1 for ``"gaussian"``; 0 otherwise.
    mechanism : {"linf", "laplace", "gaussian"}, optional
        The noise. By default Laplace noise for one variable, and for several ``"linf"``, which has the
        smaller variance at the same epsilon.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or float, default "error"
        What to do with missing values: raise an error, leave out records that miss any variable (unbounded
        only), or put a public number within the bounds in their place.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    MomentsResults
        With ``mean``, ``var``, ``std``, ``ttest(popmean)`` and ``conf_int(level)``.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, there is no record under bounded neighbors, or a value is missing
        with ``missing="error"``.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` it rests on the public knowledge that no value is
    missing.

    With z a record's place between -1 (lower) and 1 (upper), rounded to a grid of 2^-40, the sums of the z,
    of their squares and of the products of two columns are released, computed in integers.

    One column: Laplace noise has the scales 2 / epsilon for the sum, what a mean released alone needs, and
    4 / epsilon for the squares: the variance is free. Several columns: sums and products share noise of their
    hull (`pydpstat.mechanisms.CrossProductNoise`), and squares that of a cube
    (`pydpstat.mechanisms.CubeNoise`); each has a share of epsilon. For 2, 3, 5 and 7 columns and epsilon 1
    the standard deviation of a sum is 6.4, 9.2, 16.5 and 26.1, where Laplace noise has 6.4, 11.3, 25.5 and
    45.3, and of a square 7.6, 10.5, 17.3 and 25.4, where it has 12.7, 22.6, 50.9 and 90.5. Unbounded: one
    cube for all, with 4.3, 6.6, 13.0 and 21.6 for each number. From eight columns on, Gaussian noise with a
    delta of 1e-6 has less for sums. `pydpstat.inference._moment_release.weights` has the proofs, for all
    noises and both kinds of neighbors, with all roundings.

    Unbounded neighbors, one column: the sums of the weights ``(1 - 2z + s) / 4``, ``(1 - s) / 2`` and
    ``(1 + 2z + s) / 4``, s being z^2, add up to 1 for each record, so each has noise of scale 1 / epsilon.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, chapter 3.
    Casacuberta, S., Shoemate, M., Vadhan, S. and Wagaman, C. (2022). Widespread underestimation of
    sensitivity in differentially private libraries and how to fix it. CCS 2022.
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy. ICML 2018.
    Hardt, M. and Talwar, K. (2010). On the geometry of differential privacy. STOC 2010.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(20, 60, 500)
    >>> r = pydpstat.moments(x, 1.0, bounds=(0, 100), rng=1)
    >>> abs(r.mean - 40) < 2, r.ttest(40).pvalue > 0.05
    (True, True)
    >>> low, high = r.conf_int(0.95)
    >>> low < 40 < high
    True
    """
    how = options(
        epsilon, delta, mechanism, neighbors, missing, mechanisms=VECTOR, others=False, budget=budget
    )
    check_epsilon(how)
    source = source_from(rng)
    records, how = records_of(data, how, NOTHING, source, numbers_of)
    pairs, shown = column_bounds(bounds, records.names, records.width)
    check_filling(how.missing, pairs)
    how = for_variables(how, len(pairs))
    found, size = tallied(records, pairs, how, "sum of squares", "data")
    names = records.names if records.names is not None else (records.name or "z",)
    release, (made,) = release_sums(
        "moments",
        sum_names(names, how),
        [(found, size, len(pairs))],
        how,
        source,
        budget,
        data=("data",),
        arguments=(("bounds", shown),),
        bounds=shown,
    )
    columns = None if records.names is None else names
    return MomentsResults.of(release, columns, pairs, made.matrix, made.noise_sd, made.sums)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class MomentsResults(Stated, Frozen):
    """Noisy moments with their guarantee, and what follows from them.

    It is made by `moments`. It holds what may be published and nothing else: no data, no true value, no
    noise, no seed.

    Parameters
    ----------
    names : tuple of str or None
        The columns' names; None for a single variable.
    pairs : tuple of (float, float)
        The bounds of each.
    matrix : ndarray of shape (d + 1, d + 1)
        Noisy sums of the products of (1, z1, ..., zd); the number of records in the corner.
    noise_sd : ndarray of shape (d + 1, d + 1)
        The noise's standard deviations.
    sums : tuple of NoisySums
        The sums of each variable, and how their noise is made.
    release : DPResults
        The released numbers.
    claim, guarantee : Guarantee
        What was asked for, and what holds.
    record : Call
        The call, without data.

    Examples
    --------
    >>> import pydpstat
    >>> r = pydpstat.moments([1, 2, 3, 4] * 100, 1.0, bounds=(0, 5), rng=1)
    >>> r.nobs, r.epsilon, 0 <= r.mean <= 5
    (400, 1.0, True)
    """

    names: tuple[str, ...] | None
    pairs: Bounds
    matrix: npt.NDArray[np.float64]
    noise_sd: npt.NDArray[np.float64]
    sums: tuple[NoisySums, ...]
    release: DPResults
    claim: Guarantee
    guarantee: Guarantee
    record: Call

    _title = "Differentially Private Moments"

    @classmethod
    def of(
        cls,
        release: DPResults,
        names: tuple[str, ...] | None,
        pairs: Bounds,
        matrix: npt.NDArray[np.float64],
        noise_sd: npt.NDArray[np.float64],
        sums: tuple[NoisySums, ...],
    ) -> MomentsResults:
        """Return what follows from a release of sums."""
        return cls(
            names=names,
            pairs=pairs,
            matrix=matrix,
            noise_sd=noise_sd,
            sums=sums,
            release=release,
            claim=release.claim,
            guarantee=release.guarantee,
            record=release.record,
        )

    @property
    def nobs(self) -> int | None:
        """Number of records, where it is public."""
        return self.release.nobs

    @property
    def reproducible(self) -> bool:
        """True if a seed or a generator was given: then it is not for publication."""
        return self.release.reproducible

    @property
    def mean(self) -> Any:
        """The means, within the bounds: a float, or a Series for several columns."""
        return self._each(
            lambda known, low, high: 0.5 * low + 0.5 * high + 0.5 * (high - low) * mean_of(known)
        )

    @property
    def var(self) -> Any:
        """The variances with divisor n - 1, at least 0: a float, or a Series for several columns."""
        return self._each(lambda known, low, high: (0.5 * (high - low)) ** 2 * variance_of(known))

    @property
    def std(self) -> Any:
        """The standard deviations: a float, or a Series for several columns."""
        return self._each(lambda known, low, high: 0.5 * (high - low) * math.sqrt(variance_of(known)))

    def _each(self, ask: Any) -> Any:
        values = [ask(known, *pair) for known, pair in zip(self.sums, self.pairs)]
        if self.names is None:
            return float(values[0])
        import pandas as pd

        return pd.Series(values, index=list(self.names), dtype="float64")

    @property
    def params(self) -> pd.Series:
        """Means and standard deviations as a Series with their names."""
        import pandas as pd

        return pd.Series(dict(self._estimates()), dtype="float64", name="estimate")

    def _estimates(self) -> list[tuple[str, float]]:
        means, spreads = (np.atleast_1d(each).tolist() for each in (self.mean, self.std))
        if self.names is None:
            return [("mean", means[0]), ("std", spreads[0])]
        rows = [(f"mean of {name}", value) for name, value in zip(self.names, means)]
        return rows + [(f"std of {name}", value) for name, value in zip(self.names, spreads)]

    def _place(self, column: str | None) -> int:
        if column is None and len(self.pairs) == 1:
            return 0
        if self.names is None:
            shown = checks.shown(column)
            raise PydpstatError(f"column must be None for one variable; got {shown}. Leave it out.")
        return self.names.index(checks.one_of(column, "column", self.names))

    def ttest(
        self,
        popmean: float,
        *,
        alternative: str = "two-sided",
        method: str = "t",
        column: str | None = None,
    ) -> InferenceResults:
        """Test whether the mean is a given number; it costs nothing.

        Parameters
        ----------
        popmean : float
            The mean under the null hypothesis, within the bounds.
        alternative : {"two-sided", "less", "greater"}, default "two-sided"
            The alternative hypothesis.
        method : {"t", "exact"}, default "t"
            As in `ttest_1samp`; ``"exact"`` needs the number of records public here, and has more to say from
            200 records on.
        column : str, optional
            Which column, of several.

        Returns
        -------
        InferenceResults

        Raises
        ------
        PydpstatError
            Where an argument is not allowed.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> r = pydpstat.moments(np.linspace(20, 60, 500), 1.0, bounds=(0, 100), rng=1)
        >>> r.ttest(35, alternative="greater").pvalue < 0.01
        True
        """
        checks.one_of(alternative, "alternative", ALTERNATIVES)
        checks.one_of(method, "method", METHODS)
        place = self._place(column)
        return one_sample(self.release, self.sums[place], self.pairs[place], popmean, alternative, method)

    def conf_int(self, level: float = 0.95, column: str | None = None) -> ConfidenceInterval:
        """Return a confidence interval for the mean, which covers sampling and the privacy noise.

        Parameters
        ----------
        level : float, default 0.95
            Probability that the interval covers the mean; from 0.5 to below 1.
        column : str, optional
            Which column, of several.

        Returns
        -------
        ConfidenceInterval
            ``low`` and ``high``, within the bounds.

        Raises
        ------
        PydpstatError
            Where an argument is not allowed.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> r = pydpstat.moments(np.linspace(20, 60, 500), 1.0, bounds=(0, 100), rng=1)
        >>> low, high = r.conf_int(0.99)
        >>> 30 < low < 40 < high < 50
        True
        """
        hint = "0.95 is usual; a share alpha of misses is the level 1 - alpha."
        checks.number(level, "level", "at least 0.5 and below 1", lambda x: 0.5 <= x < 1.0, hint)
        place = self._place(column)
        low, high = self.pairs[place]
        interval = NoisyTInterval(self.sums[place], 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low)
        return ConfidenceInterval(*interval.ends(1.0 - float(level)))

    def _facts(self) -> Facts:
        scales = np.unique(np.atleast_1d(self.release.noise_scale))
        return [
            ("Function:", self.record.function),
            ("Mechanism:", self.release.mechanism),
            ("Noise scale:", ", ".join(map(number, scales.tolist()))),
            ("No. Observations:", "private" if self.nobs is None else str(self.nobs)),
        ]

    def _rows(self) -> Rows:
        rows = self._estimates()
        return Rows(("value",), [name for name, _ in rows], [[number(value)] for _, value in rows])

    def _notes(self) -> list[str]:
        said = "Tests and intervals, ttest() and conf_int(), follow from the same noise and cost nothing."
        return [*self._held(self.record.function), said, f"Call: {self.call}"]

    def _content(self) -> dict[str, object]:
        return {
            "names": self.names,
            **dict(self._estimates()),
            "matrix": self.matrix,
            "noise_sd": self.noise_sd,
            "mechanism": self.release.mechanism,
            "noise_scale": self.release.noise_scale,
            **self._privacy(),
            "bounds": self.pairs,
            "nobs": self.nobs,
            "reproducible": self.reproducible,
            "call": self.call,
        }

    def __repr__(self) -> str:
        shown = number(self.mean) if self.names is None else f"{len(self.pairs)} variables"
        return f"<MomentsResults: {shown}, {self.release.mechanism}, {self._stated()}>"
