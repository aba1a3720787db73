"""How many different persons, or other units, the data have."""

from __future__ import annotations

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._release.additive import Query, Spender
from pydpstat._release.named_mechanisms import INTEGER
from pydpstat._release.statistic import NO_VALUE, Missing, options, quiet, release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.random import source_from
from pydpstat.results import _ranges as ranges
from pydpstat.results._postprocessing import AsDrawn
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.distinct_units import units_of
from pydpstat.statistics._kernels.partition import norm_of
from pydpstat.statistics._kernels.scope import Keys, Scope
from pydpstat.statistics._kernels.unused_levels import note_groups


@quiet
def nunique(
    data: Data,
    epsilon: float,
    *,
    delta: float = 0,
    mechanism: str | Mechanism = "geometric",
    neighbors: str | None = None,
    missing: Missing = "error",
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    max_groups: int | None = None,
    rng: object = None,
    budget: Spender | None = None,
) -> DPResults:
    """Release the number of distinct ids, such as persons, households or firms.

    The privacy unit is an id with all of its records, whatever their number.

    Parameters
    ----------
    data : array_like of shape (n,)
        The ids, one a record: numbers, texts, or a Categorical. A frame where `by` are columns of it; the
        one column that is left has the ids.
    {epsilon, delta, mechanism (counts)}
    neighbors : {"bounded", "unbounded"}, optional
        By default the budget's, else bounded: one id with its records replaced by another one. It needs `by`.
        Unbounded: one id with its records added or removed.
    missing : {"error", "drop"}, default "error"
        What to do with records without an id: raise an error, or leave them out (unbounded only).
    by, levels, other : optional
        By group, as in `mean`.
    max_groups : int, default 1
        In how many groups an id is counted at most, with `by`; which ones is drawn at random for each
        release.
    {rng}
    budget : Budget, optional
        Where the release is to be charged; its unit must be the ids' column.

    Returns
    -------
    DPResults
        Its estimate is a float, by group a Series with the groups as its index. It is an integer and may
        be negative. ``guarantee.unit`` is the name of the ids' column, or "unit" where it has none.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, `data` is not one column of ids, neighbors are bounded and there
        is no `by`, or an id is missing with ``missing="error"``.

    See Also
    --------
    count : records in the place of units.
    crosstab : records by level.

    Notes
    -----
    Guarantee: (epsilon, delta) for each id. With ``missing="error"`` whether ids are missing is treated as
    public.

    Sensitivity: an id that is added or removed changes the number by 1. Of bounded neighbors the number
    is public, and there is nothing to release.

    By group an id is counted once in each of its groups, or in max_groups = k of them where it has more.
    They follow from a keyed hash of this id and its groups alone, so another id changes nothing in it, for
    every key. Adding or removing an id changes at most k counts by 1: k in the L1 norm, sqrt(k) in the
    L2 norm. Replacing one changes at most 2 k by 1: 2 k and sqrt(2 k). There are never more than groups.
    Counts and noise are integers, so nothing is rounded.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.
    Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020.

    Examples
    --------
    >>> import pandas as pd, pydpstat
    >>> visits = pd.DataFrame({"patient": [1, 1, 2, 3, 3, 3], "ward": ["a", "b", "a", "b", "b", "b"]})
    >>> r = pydpstat.nunique(visits["patient"], 1.0, neighbors="unbounded")
    >>> r.sensitivity, r.guarantee.unit
    (1.0, 'patient')
    >>> r = pydpstat.nunique(visits, 1.0, by="ward", levels=["a", "b"], other=None, max_groups=2)
    >>> r.estimate.index.tolist(), r.sensitivity
    (['a', 'b'], 2.0)
    """
    checks.one_of(missing, "missing", ("error", "drop"))
    public = (epsilon, delta, mechanism, neighbors, missing)
    how = options(*public, mechanisms=INTEGER, fill=NO_VALUE, budget=budget)
    if by is None and how.neighbors == "bounded":
        raise PydpstatError(
            "neighbors must be 'unbounded' without by: under bounded neighbors one id replaces "
            "another, so their number is public and needs no release. Use neighbors='unbounded', or "
            "count by group."
        )
    if by is None and max_groups is not None:
        raise PydpstatError("max_groups must not be given without by, whose groups it limits.")
    most = 1
    if max_groups is not None:
        most = checks.integer(
            max_groups, "max_groups", 1, hint=("Give the largest number of groups in which an id counts.")
        )
    source = source_from(rng)
    scope = Scope(by, levels, other)
    units, how = units_of(data, how, scope, most, source)
    records = units.records
    counts = units.counted(how.missing)
    query = Query(
        "nunique",
        counts.reshape(records.shape).astype(float),
        (norm_of(min(how.ends * most, counts.size), how),),
        records.labels("nunique"),
        integer=True,
        exact=tuple(counts.tolist()),
    )
    arguments = records.arguments if most == 1 else (*records.arguments, ("max_groups", most))
    released = release_statistic(
        "nunique",
        query,
        how,
        source,
        budget,
        arguments=arguments,
        publish=lambda noisy: (noisy, AsDrawn(within=ranges.counts(None))),
        conditions=records.conditions,
    )
    note_groups(
        records.groups, released.value, float(released.noise.std()), of_all=False, what="number of ids"
    )
    return released
