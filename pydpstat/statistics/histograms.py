"""Histograms with public edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pydpstat._checks import as_float, is_number, shown
from pydpstat._data.columns import Columns, Data, check_filling, one_column
from pydpstat._data.containers import listed
from pydpstat._data.values import fills
from pydpstat._release.additive import Spender
from pydpstat._release.statistic import INTEGER, Missing, options, quiet, release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.cells import bin_counts, cells_query


@quiet
def histogram(
    x: Data,
    epsilon: float,
    *,
    edges: npt.ArrayLike | None = None,
    delta: float = 0,
    mechanism: str | Mechanism = "geometric",
    neighbors: str | None = None,
    missing: Missing = "error",
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release how many records lie in each bin.

    Parameters
    ----------
    x : array_like of shape (n,)
        The data. Values outside the edges, infinities included, are counted in the outer bins.
    epsilon : float
        Privacy parameter; above 0 and finite.
    edges : sequence of float, keyword only, needed
        Public edges of the bins, ascending, of any widths, chosen without looking at the data.
    delta : float, default 0
        Above 0 and below 1 for ``"gaussian"``; 0 otherwise.
    mechanism : {"geometric", "gaussian"} or Mechanism, default "geometric"
        Symmetric geometric noise, or discrete Gaussian noise. Both are integers.
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one record replaced (the number of records public).
        Unbounded: one added or removed (the number private).
    missing : {"error", "drop"} or float, default "error"
        What to do with missing values: raise an error, leave them out (unbounded only), or put a
        public number within the edges in their place.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    DPResults
        Its estimate has the parts ``breaks counts mids xname equidist``. Counts are integers
        and may be negative: setting those to 0 would make the others' sum too large.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, `edges` is not given or would come from the data, `x` is
        not made of numbers, or a value is missing with ``missing="error"``.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` it rests on the public knowledge that no
    value is missing.

    Bins are half-open as in ``numpy.histogram``: [a, b), the last one [a, b]. (R's ``hist`` and
    `histogramDP` have (a, b].)

    Sensitivity: every record is in exactly one bin, found by comparing it with the edges. Adding
    or removing one changes one count by 1: 1 in the L1 and in the L2 norm. Replacing one changes two
    counts by 1: 2 and sqrt(2). Counts and noise are integers, so nothing is rounded.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.
    Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020.

    Examples
    --------
    >>> import pydpstat
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> r = pydpstat.histogram(ages, 1.0, edges=[0, 20, 40, 60, 80], rng=1)
    >>> r.estimate.breaks.tolist(), r.estimate.counts.size
    ([0.0, 20.0, 40.0, 60.0, 80.0], 4)
    >>> r.sensitivity
    2.0
    """
    how = options(epsilon, delta, mechanism, neighbors, missing, mechanisms=INTEGER, budget=budget)
    breaks = _edges(edges)
    check_filling(how.missing, [(breaks[0], breaks[-1])], "edges")
    column = one_column(x, "x")
    counts, gone = bin_counts(column.arrays[0], breaks)
    if fills(gone, how.missing):
        counts += gone * bin_counts(np.array([how.missing]), breaks)[0]
    query = cells_query("histogram", counts, _labels(column, breaks), column.size, how)
    arguments = (("edges", breaks.tolist()),)
    return release_statistic("histogram", query, how, rng, budget, data=("x",), arguments=arguments)


def _edges(edges: npt.ArrayLike | None) -> np.ndarray:
    if edges is None:
        raise PydpstatError(
            "edges must be given: bins that come from the data would tell of them (the range is two "
            "records). Give public edges, for example edges=np.linspace(0, 100, 21)."
        )
    if isinstance(edges, str) or is_number(edges):
        raise PydpstatError(
            f"edges must be a sequence of numbers; got {shown(edges)}. A number of bins or a rule would "
            "look at the data's range. Give public edges, for example edges=np.linspace(0, 100, 21)."
        )
    values = listed(edges)
    if isinstance(values, (list, tuple, range)) and len(values) > 1 and all(map(is_number, values)):
        array = np.array(list(map(as_float, values)))
        if np.isfinite(array).all() and (array[1:] > array[:-1]).all():
            return array + 0.0
    raise PydpstatError(
        f"edges must be two or more finite numbers, ascending, no two equal; got {shown(edges)}. "
        "Give for example [0, 20, 40, 60]."
    )


def _labels(column: Columns, edges: np.ndarray) -> Labels:
    middles = edges[:-1] / 2.0 + edges[1:] / 2.0
    widths = np.diff(edges)
    return Labels(
        "histogram",
        breaks=tuple(edges.tolist()),
        mids=tuple(middles.tolist()),
        xname=column.name or "x",
        # as R has it: a thousandth of a millionth of the range is the edges' rounding
        equidist=bool(np.ptp(widths) <= 1e-7 * widths.mean()),
        left_closed=True,
    )
