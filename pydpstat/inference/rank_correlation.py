"""Kendall's rank correlation: a test of independence and an interval."""

from __future__ import annotations

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._release.additive import Spender
from pydpstat._release.statistic import Missing, check_records, quiet
from pydpstat.inference._null_distributions.distances import PairInterval
from pydpstat.inference._null_distributions.ranks import (
    check_countable,
    concordant_pairs,
    kendall_law,
    p_value,
)
from pydpstat.inference._testing import (
    ALTERNATIVES,
    INDEPENDENT,
    MEASURED_INTERVAL,
    keys_of,
    pair_of,
    protected,
    released,
    remarks_on,
    shown_alternative,
)
from pydpstat.random import source_from
from pydpstat.results import InferenceResults
from pydpstat.statistics._kernels.scope import Keys, Scope


@quiet
def kendalltau(
    x: Data,
    y: Data,
    epsilon: float,
    *,
    alternative: str = "two-sided",
    neighbors: str | None = None,
    missing: Missing = "error",
    unit: Keys | None = None,
    rng: object = None,
    budget: Spender | None = None,
) -> InferenceResults:
    """Test whether two variables are independent (Kendall's tau).

    Parameters
    ----------
    x, y : array_like of shape (n,)
        Two variables of the same records, of numbers that need no bounds.
    {epsilon}
    alternative : {"two-sided", "less", "greater"}, default "two-sided"
        As in SciPy: "greater" is a positive association.
    neighbors : {"bounded"}, optional
        One record replaced, in both variables. Unbounded neighbors are refused.
    {missing (bounded), unit (one record), rng, budget}

    Returns
    -------
    InferenceResults
        `statistic` is the noisy tau; the estimate is clipped to [-1, 1], and the interval is of tau.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, `x` and `y` differ in length, there is no record or more than 2e7,
        or a value is missing with ``missing="error"``.

    See Also
    --------
    corr : Pearson's correlation, with an interval.
    ols : a slope; ``method="rank"`` tests it by the same ranks.
    scipy.stats.kendalltau : the test without privacy.

    Notes
    -----
    Guarantee: (epsilon, 0). Ties of each variable are broken by separate random keys, drawn without
    looking at the data: tau counts a tied pair as half concordant (Kendall's tau-a).

    Sensitivity: a record takes part in n - 1 pairs. Replacing it changes the number C of concordant pairs by
    at most n - 1, and some data attain it. Released is C with symmetric geometric noise of rate
    epsilon / (n - 1), and tau = 4 C / (n (n - 1)) - 1.

    Validity "model": where x and y are independent, all orders of one within the other are equally likely,
    and p is exact (see `pydpstat.inference._null_distributions.ranks` for large n). The interval is
    "measured", for all distributions: it takes tau for the mean of n / 2 independent pairs, which is more
    spread out: its variance 2 (1 - tau^2) / n is the largest that tau can have
    (`pydpstat.inference._null_distributions.distances`).

    With epsilon 1e6 and no ties p is that of SciPy, as in `mannwhitneyu`.

    References
    ----------
    Kendall, M. G. (1938). A new measure of rank correlation. Biometrika 30, 81-93.
    Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the
    American Statistical Association 58, 13-30, section 5.
    Kusner, M. J., Sun, Y., Sridharan, K. and Weinberger, K. Q. (2016). Private causal inference. AISTATS
    2016.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0.0, 10.0, 200)
    >>> r = pydpstat.kendalltau(x, x + 5.0 * np.sin(9.0 * x), 1.0, rng=pydpstat.RRandom(123))
    >>> r.pvalue < 0.05, r.conf_int().low > 0.0
    (True, True)
    """
    how = protected("kendalltau", epsilon, neighbors, missing, budget)
    checks.one_of(alternative, "alternative", ALTERNATIVES)
    source = source_from(rng)
    first, second, how = pair_of(x, y, how, Scope.one(unit, budget), source)
    size = first.size
    check_records(how, size, 1, "test", "x")
    check_countable(size, "x")
    found = concordant_pairs(first, second, keys_of(source, 2 * size).reshape(2, size))
    pairs, reach = size * (size - 1) // 2, max(size - 1, 1)
    noisy = released(
        "kendalltau",
        "concordant pairs",
        found,
        reach,
        size,
        how,
        source,
        budget,
        data=("x", "y"),
        arguments=shown_alternative(alternative),
    )
    c, rate = float(noisy), how.epsilon / reach
    tau = 2.0 * c / pairs - 1.0 if pairs else 0.0
    noise = 2.0 / (rate * pairs) if pairs else np.inf
    return InferenceResults.of(
        noisy,
        test="Kendall's tau",
        statistic=tau,
        pvalue=p_value(kendall_law(size), c, pairs, rate, alternative) if pairs else 1.0,
        alternative=alternative,
        null=(("tau", 0.0),),
        estimates=(("tau", min(max(tau, -1.0), 1.0)),) if pairs else (),
        parameter="tau",
        interval=PairInterval(tau, max(size // 2, 1), noise, alternative),
        validity="model",
        assumptions=(INDEPENDENT, "x and y are independent under the null hypothesis"),
        remarks=(*remarks_on(noisy, 0.5 * pairs), MEASURED_INTERVAL),
    )
