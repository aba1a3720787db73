"""How well a sample of integers fits a distribution on them: bins, tails, size, and the last digits."""

import math

import numpy as np
from scipy import stats

# Of each p-value; a sample has at most 30 of them, and its bits are seeded, so that it is the same each time.
FALSE_ALARM = 1e-6


class Rounded:
    """The distribution of rint(ratio * X) for a continuous distribution of scipy.stats."""

    def __init__(self, distribution, ratio):
        self.distribution, self.ratio = distribution, ratio

    def cdf(self, k):
        return self.distribution.cdf((np.asarray(k, dtype=np.float64) + 0.5) / self.ratio)

    def sf(self, k):
        return self.distribution.sf((np.asarray(k, dtype=np.float64) + 0.5) / self.ratio)

    def ppf(self, p):
        return np.rint(self.distribution.ppf(p) * self.ratio)


class Whole:
    """A symmetric distribution on the integers, one of `pydpstat.mechanisms`."""

    def __init__(self, distribution):
        self.cdf, self.ppf = distribution.cdf, distribution.ppf

    def sf(self, k):
        return self.cdf(-np.asarray(k, dtype=np.float64) - 1.0)


def p_values(sample, distribution, wide):
    """Return the p-values of all tests; a `wide` one spreads over so many units that last digits are even."""
    n = sample.size
    edges = np.unique(distribution.ppf(np.linspace(0.0, 1.0, 130)[1:-1]))
    found = {"bins": _chi_square(np.searchsorted(edges, sample, side="left"), _masses(distribution, edges))}
    for tail in (1e-2, 1e-3, 1e-4, 1e-5):
        far = float(distribution.ppf(1.0 - tail))
        # the least and the greatest values, symmetric
        p = float(distribution.sf(far))
        if n * p > 1.0:
            found[f"above {tail}"] = stats.binomtest(int((sample > far).sum()), n, p).pvalue
            found[f"below {tail}"] = stats.binomtest(int((sample < -far).sum()), n, p).pvalue
    if wide:
        for digits in (1, 4, 8, 12):
            residues = np.mod(sample, 2.0**digits).astype(np.int64)
            found[f"mod 2^{digits}"] = _chi_square(residues, np.full(2**digits, 2.0**-digits))
    found["size"] = _size(sample, distribution)
    return found


def _masses(distribution, edges):
    below = np.concatenate([[0.0], np.atleast_1d(distribution.cdf(edges)), [1.0]])
    above = np.concatenate([[1.0], np.atleast_1d(distribution.sf(edges)), [0.0]])
    # from the nearer side
    return np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))


def _chi_square(places, masses):
    expected = masses * places.size
    observed = np.bincount(places, minlength=masses.size).astype(float)
    few = expected < 10.0
    if few.any():
        expected = np.append(expected[~few], expected[few].sum())
        observed = np.append(observed[~few], observed[few].sum())
    if expected[-1] < 1e-9 * places.size:
        assert observed[-1] < 100
        expected, observed = expected[:-1], observed[:-1]
    if expected.size < 2:
        return 1.0
    return float(stats.chisquare(observed, expected * (observed.sum() / expected.sum())).pvalue)


def _size(sample, distribution):
    """Test the mean of a bounded increasing function of the size, which sees a wrong scale best."""
    probabilities = (np.arange(4000) + 0.5) / 4000
    unit = max(float(distribution.ppf(0.9)), 1.0)
    cut = 8.0 * unit
    top = np.arange(0.0, 2.0 * cut) if unit < 100.0 else None
    if top is not None:
        # term by term
        mass = np.diff(np.concatenate([[0.5], distribution.cdf(top)]))
        mass = np.where(top == 0.0, 2.0 * mass, 2.0 * mass)
        values = np.minimum(top, cut)
        mean, square = float((mass * values).sum()), float((mass * values**2).sum())
    else:
        # the quantile's integral by a fine rule, far finer than the sample's error
        fine = np.minimum(
            np.abs(distribution.ppf(np.append(probabilities * 0.1 * 0.5, 0.05 + probabilities * 0.45))), cut
        )
        weights = np.append(np.full(4000, 0.1 / 4000), np.full(4000, 0.9 / 4000))
        mean, square = float((weights * fine).sum()), float((weights * fine**2).sum())
    error = math.sqrt(max(square - mean * mean, 1e-300) / sample.size)
    z = (float(np.minimum(np.abs(sample), cut).mean()) - mean) / error
    return 2.0 * float(stats.norm.sf(abs(z)))
