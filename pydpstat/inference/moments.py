"""Moments of several variables from one release, and those of groups."""

from __future__ import annotations

from pydpstat._data.columns import Data, GivenBounds
from pydpstat._release.additive import Spender
from pydpstat._release.calibration import VECTOR
from pydpstat._release.options import Missing, options
from pydpstat._release.statistic import quiet
from pydpstat.inference._group_moments import GroupMomentsResults, release_group_moments
from pydpstat.inference._moment_release import for_variables, release_sums, sum_names, tallied
from pydpstat.inference._moments_results import MomentsResults
from pydpstat.inference._testing import check_epsilon
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.statistics._kernels.column_release import bounded_columns
from pydpstat.statistics._kernels.scope import Keys


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
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    unit: Keys | None = None,
    rng: object = None,
    budget: Spender | None = None,
) -> MomentsResults | GroupMomentsResults:
    """Release noisy moments, which give means, variances, t tests and intervals.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d)
        Numbers; values outside the bounds are clipped to them. Of a frame or a matrix the products of its
        columns are released, too.
    epsilon : float
        Privacy parameter of the whole release; above 0 and finite.
    bounds : (float, float)
        Public bounds of the data, chosen without looking at them. For a frame one pair for all
        columns, one for each, or a dict of them by column.
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
    by, levels, other : optional
        By group, as in `mean`. Products of columns are left out then.
    unit : str or column, optional
        Whose data a record is, such as a person's id: a column of the data, or an id for each record. At
        most one record of each unit counts, drawn at random, and what is protected is a unit. By default the
        budget's.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged.

    Returns
    -------
    MomentsResults
        With ``mean``, ``var``, ``std``, ``ttest(popmean)`` and ``conf_int(alpha)``. By group
        `GroupMomentsResults`, whose ``mean``, ``var`` and ``std`` are results with a value for each group.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, there is no record under bounded neighbors, or a value is missing
        with ``missing="error"``.

    See Also
    --------
    mean, std : one of them, by group as well.
    ttest_1samp : the test alone.
    ols : slopes, from moments of several columns.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public.

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
    >>> low, high = r.conf_int(0.05)
    >>> low < 40 < high
    True
    """
    how = options(
        epsilon, delta, mechanism, neighbors, missing, mechanisms=VECTOR, others=False, rng=rng, budget=budget
    )
    check_epsilon(how)
    if by is not None or levels is not None:
        how = how.by_groups(by, levels, other, unit).independent()
        return release_group_moments(data, bounds, how)
    records, how, pairs, shown = bounded_columns(data, bounds, how.one_record(unit))
    how = for_variables(how, len(pairs))
    found, size = tallied(records, pairs, how, "sum of squares", "data")
    names = records.names if records.names is not None else (records.name or "z",)
    release, (made,) = release_sums(
        "moments",
        sum_names(names, how),
        [(found, size, len(pairs))],
        how,
        data=("data",),
        arguments=(("bounds", shown),),
        bounds=shown,
    )
    columns = None if records.names is None else names
    return MomentsResults.of(release, columns, pairs, made.matrix, made.noise_sd, made.sums)
