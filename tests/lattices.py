"""The test of low bits: do the results of two neighbors lie on the same lattices equally often?

Noise that is right to rounding only leaves a trace in a result's last bits, by which it can be told from
which true value it comes (Mironov 2012). For every lattice of whole multiples of 2^-k, and every
range of magnitudes, the share of the results in the range that lie on the lattice is compared.
"""

import numpy as np
from scipy import stats

# Of one comparison, corrected for their number: a sound release fails once in 10^4 such tests.
FALSE_ALARM = 1e-4
_FEWEST = 50


def differing_lattices(first, second, finest=80, coarsest=-20, cuts=(), whole=True):
    """Return the comparisons that differ, as (k, lower end, upper end, share of first, share of second).

    Parameters
    ----------
    first, second : array_like of float
        Results for two neighboring data sets, of the same law but for the true value.
    finest, coarsest : int
        The lattices 2^-k are tested from `coarsest` to `finest`.
    cuts : sequence of float
        Where results are cut: as often as the law says, which is not a matter of low bits. They are left out.
    whole : bool
        Compare all results too, not only those of like magnitude. False for a quotient or a root of released
        values: its own rounding follows its magnitude, and with it the law of the true value.
    """
    samples = [np.asarray(each, dtype=np.float64).ravel() for each in (first, second)]
    samples = [each[~np.isin(each, cuts)] for each in samples]
    ranges = [(-np.inf, np.inf)] if whole else []
    exponents = np.unique(np.frexp(np.concatenate(samples))[1])
    for exponent in exponents.tolist():
        ranges += [(2.0 ** (exponent - 1), 2.0**exponent), (-(2.0**exponent), -(2.0 ** (exponent - 1)))]
    found, tests = [], len(ranges) * (finest - coarsest + 1)
    for low, high in ranges:
        inside = [each[(each > low) & (each < high)] for each in samples]
        if min(each.size for each in inside) < _FEWEST:
            continue
        for k in range(coarsest, finest + 1):
            hits = [_on_lattice(each, k) for each in inside]
            sizes = [each.size for each in inside]
            if hits in ([0, 0], sizes):
                continue
            if not _apart(hits, sizes):
                continue
            table = [hits, [size - hit for size, hit in zip(sizes, hits)]]
            if stats.fisher_exact(table)[1] * tests < FALSE_ALARM:
                found.append((k, low, high, hits[0] / sizes[0], hits[1] / sizes[1]))
    return found


def _apart(hits, sizes):
    """Whether two shares are so far apart that the slow exact test could call them different."""
    share = sum(hits) / sum(sizes)
    spread = np.sqrt(share * (1 - share) * (1 / sizes[0] + 1 / sizes[1]))
    # the exact test's p-values asked for lie beyond four standard deviations
    return abs(hits[0] / sizes[0] - hits[1] / sizes[1]) > 3 * spread


def _on_lattice(values, k):
    with np.errstate(over="ignore"):
        scaled = np.ldexp(values, k)
    # beyond 2^53 every float is whole
    return int((scaled == np.rint(scaled)).sum())
