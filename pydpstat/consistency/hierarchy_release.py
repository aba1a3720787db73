"""Release a hierarchy of counts with integer noise at each level, and make it consistent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._release.additive import Query, release
from pydpstat._release.calibration import Calibrated, prepare
from pydpstat._release.statistic import INTEGER, Options, call, check_budget, options, quiet
from pydpstat.consistency._hierarchy_methods import Method, checked_method
from pydpstat.consistency._hierarchy_records import leaf_counts
from pydpstat.consistency._split import epsilons, sensitivities
from pydpstat.consistency.hierarchy import Hierarchy
from pydpstat.consistency.hierarchy_fit import fitted
from pydpstat.consistency.hierarchy_released import HierarchyResults
from pydpstat.consistency.hierarchy_results import HierarchyFit
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import root_above
from pydpstat.mechanisms.mechanism import Noise, SeparateNoise, part_of
from pydpstat.privacy import Guarantee
from pydpstat.random import source_from
from pydpstat.results._call import Named
from pydpstat.results._labels import Labels

PUBLIC = "that the hierarchy is public knowledge, and not made of the data"
AT_LEAVES = "that every record is at a leaf of the hierarchy is public knowledge"
# above it noise may not be added up in floats without loss
LARGEST_SCALE = 2.0**40


@quiet
def release_hierarchy(
    data: Any,
    epsilon: float,
    *,
    hierarchy: Hierarchy | None = None,
    split: Any = "uniform",
    delta: float = 0,
    mechanism: Any = "geometric",
    neighbors: str = "bounded",
    method: str = "least squares",
    nonnegative: bool | None = None,
    integer: bool | None = None,
    missing: str = "error",
    rng: Any = None,
    budget: Any = None,
) -> HierarchyResults:
    """Release how many records each node of a hierarchy has, so that the counts add up.

    Parameters
    ----------
    data : DataFrame, or counts: dict, Series or array_like
        A frame has one record a row: a column for each level below the top, from the highest down, or
        one column with the leaves' labels. Anything else has the counts of the leaves: by label (or by
        the tuple of labels, where some occur twice), or in the hierarchy's order.
    epsilon : float
        Privacy parameter of all levels together; above 0 and finite.
    hierarchy : Hierarchy, keyword only, needed
        Public. Leaves without records belong to it, too.
    split : {"uniform", "optimal", "leaves"}, sequence or dict, default "uniform"
        How the levels share epsilon: evenly; so that the mean standard error after least squares is
        small, in the mean over levels of their nodes' variances, or over the leaves; or in the given
        proportions, for the levels with noise from the top down, or by their names. 0 leaves a level
        without leaves out.
    delta : float, default 0
        Above 0 and below 1 for a mechanism that needs it: each level with noise gets an equal part.
    mechanism : {"geometric"} or Mechanism, default "geometric"
        The noise of each level; an object for another one (`pydpstat.mechanisms.Mechanism`).
    neighbors : {"bounded", "unbounded"}, default "bounded"
        One record replaced (the number of records public), or one added or removed.
    method : {"least squares", "ratio", "top-down"}, default "least squares"
        How the counts are made to add up: see `make_consistent`.
    nonnegative, integer : bool, optional
        As in `make_consistent`.
    missing : {"error", "drop"}, default "error"
        What to do with records that are at no leaf, or have a missing label: raise an error, or leave
        them out (unbounded only).
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of the noise. None (default) is the operating system; an int seeds NumPy.
    budget : Budget, optional
        Where the release is to be charged, once for all levels.

    Returns
    -------
    HierarchyResults
        With ``noisy`` and ``estimate`` (frames with level, label, value), ``noise_scale`` (by level),
        ``bse`` (standard errors afterwards, exact for least squares), ``guarantee``, ``summary()`` and
        ``consistent()``, which makes the same release consistent in another way.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, the data do not fit the hierarchy, or a record is at no leaf
        with ``missing="error"``. Nothing is spent or drawn then.

    Notes
    -----
    Guarantee: (epsilon, 0), for all levels together. It rests on a hierarchy that is public and, with
    ``missing="error"``, on the public knowledge that every record is at a leaf.

    Sensitivity: in each level a record is in at most one node. Adding or removing one changes one count
    of the level by 1, an L1 sensitivity of 1; replacing one changes at most two counts, 2 (1 where the
    level has a single node and leaves are above it). Each level gets symmetric geometric noise with its
    share of epsilon; the shares add up to epsilon (Dwork and Roth 2014, theorem 3.16), none of them
    rounded up. Under bounded neighbors the total is public and costs nothing. Making the counts
    consistent is post-processing, and costs nothing either.

    References
    ----------
    Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010). Boosting the accuracy of differentially
    private histograms through consistency. VLDB 2010.
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.consistency import Hierarchy, release_hierarchy
    >>> country = Hierarchy({"North": ["a", "b"], "South": ["c"]})
    >>> towns = ["a", "b"] * 100 + ["c"] * 40
    >>> people = pd.DataFrame({"state": ["North"] * 200 + ["South"] * 40, "town": towns})
    >>> r = release_hierarchy(people, 1.0, hierarchy=country, method="top-down")
    >>> r.values[0], r.largest_gap
    (array([240]), 0.0)
    """
    checks.one_of(missing, "missing", ("error", "drop"))
    how = options(epsilon, delta, mechanism, neighbors, missing, mechanisms=INTEGER[:1], fill=bool)
    if not isinstance(hierarchy, Hierarchy):
        raise PydpstatError(
            f"hierarchy must be a Hierarchy with the public labels; got {type(hierarchy).__name__}. "
            "Make one: pydpstat.consistency.Hierarchy({'North': ['a', 'b']})."
        )
    chosen = checked_method(method, nonnegative, integer, True)
    reach = sensitivities(hierarchy.tree, neighbors)
    shares = epsilons(split, hierarchy, reach, how.epsilon)
    noises = _noises(how, shares, reach, hierarchy.tree.sizes)
    leaves, records = leaf_counts(data, hierarchy, missing == "drop")
    source = source_from(rng)
    conditions = (PUBLIC, *((AT_LEAVES,) if records and missing == "error" else ()))
    claim = Guarantee(how.epsilon, how.delta, neighbors)
    counts = hierarchy.tree.totals(leaves)
    noisy = [level for level, noise in enumerate(noises) if noise is not None]
    # all levels are one vector, each with noise of its own: what they keep adds up to epsilon
    noise = SeparateNoise(
        tuple(each for each in noises if each is not None), tuple(counts[level].size for level in noisy)
    )
    query = Query(
        "count",
        np.concatenate([np.empty(0), *(counts[level] for level in noisy)]),
        tuple(float(reach[level]) for level in noisy),
        Labels("count"),
        integer=True,
    )
    spec = Calibrated(noise, claim, Guarantee(how.epsilon, how.delta, neighbors, conditions))
    released = release(
        query,
        prepare(query.question, spec, source.reproducible),
        source,
        record=call("release_hierarchy", how, ("data",), _arguments(split, hierarchy, chosen, integer)),
        budget=check_budget(budget),
    )
    blocks = dict(zip(noisy, np.split(released.value, np.cumsum(noise.sizes)[:-1])))
    measured = [
        _measured(each, blocks.get(level), noises[level], bound)
        for level, (each, bound) in enumerate(zip(counts, reach))
    ]
    fit = fitted(hierarchy, [value for value, _ in measured], [spread for _, spread in measured], chosen)
    return HierarchyResults(
        **{name: getattr(fit, name) for name in HierarchyFit.__dataclass_fields__},
        noises=noises,
        shares=tuple(shares),
        claim=claim,
        guarantee=released.guarantee,
        nobs=int(counts[0][0]) if how.bounded else None,
        reproducible=released.reproducible,
        record=released.record,
    )


def _arguments(split: Any, hierarchy: Hierarchy, how: Method, integer: Any) -> tuple[tuple[str, Any], ...]:
    """Return the public arguments that are not at their defaults, for the call."""
    given: list[tuple[str, Any]] = [("hierarchy", Named("hierarchy"))]
    if isinstance(split, Mapping):
        by_name = {str(name): weight for name, weight in split.items()}
        split = [by_name[name] for name in hierarchy.levels if name in by_name]
    if not isinstance(split, str) or split != "uniform":
        given.append(("split", split))
    if how.method != "least squares":
        given.append(("method", how.method))
    if how.method == "ratio" and how.nonnegative:
        given.append(("nonnegative", True))
    if integer is not None:
        given.append(("integer", how.integer))
    return tuple(given)


def _noises(
    how: Options, shares: Sequence[float], reach: Sequence[int], sizes: Sequence[int]
) -> tuple[Noise | None, ...]:
    """Return each level's noise: one record changes so many counts of a level by 1 each."""
    leak = part_of(how.delta, max(1, sum(share > 0.0 for share in shares)))
    noises: list[Noise | None] = []
    for share, changed, size in zip(shares, reach, sizes):
        if share == 0.0:
            noises.append(None)
            continue
        if changed / share > LARGEST_SCALE:
            raise PydpstatError(
                f"epsilon must be larger: a level would get {share:.3g}, and noise that is too large "
                "to be added up."
            )
        norm = root_above(changed) if how.norm == 2 else float(changed)
        noises.append(how.mechanism.calibrate_vector(share, leak, norm, size, True))
    return tuple(noises)


def _measured(
    counts: np.ndarray, released: np.ndarray | None, noise: Noise | None, sensitivity: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return what was measured of one level, and the noise's variances."""
    if released is not None and noise is not None:
        return released.copy(), np.full(counts.shape, noise.var())
    if sensitivity:
        return np.full(counts.shape, np.nan), np.full(counts.shape, np.inf)
    # all records are in the one node there is, and their number is public
    return counts.astype(np.float64), np.zeros(counts.shape)
