"""The test of low bits: do the results of two neighbors lie on the same lattices equally often?

Noise that is right to rounding only leaves a trace in a result's last bits, by which it can be told from
which true value it comes (Mironov 2012). For every lattice of whole multiples of 2^-k, and every
range of magnitudes, the share of the results in the range that lie on the lattice is compared.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

# Of one comparison, corrected for their number: a sound release fails once in 10^4 such tests.
FALSE_ALARM = 1e-4
_FEWEST = 50


def differing_lattices(first, second, finest=80, coarsest=-20):
    """Return the comparisons that differ, as (k, lower end, upper end, share of first, share of second).

    Parameters
    ----------
    first, second : array_like of float
        Results for two neighboring data sets, of the same law but for the true value.
    finest, coarsest : int
        The lattices 2^-k are tested from `coarsest` to `finest`.
    """
    samples = [np.asarray(each, dtype=np.float64).ravel() for each in (first, second)]
    ranges = [(-np.inf, np.inf)]
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
            table = [hits, [size - hit for size, hit in zip(sizes, hits)]]
            if stats.fisher_exact(table)[1] * tests < FALSE_ALARM:
                found.append((k, low, high, hits[0] / sizes[0], hits[1] / sizes[1]))
    return found


def _on_lattice(values, k):
    with np.errstate(over="ignore"):
        scaled = np.ldexp(values, k)
    # beyond 2^53 every float is whole
    return int((scaled == np.rint(scaled)).sum())
