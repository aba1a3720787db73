"""Release of a hierarchy of counts with integer noise at each level, made consistent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data
from pydpstat._release.calibration import INTEGER_MECHANISMS, FixedNoiseCalibrator, calibrate_release
from pydpstat._release.charging import Chargeable
from pydpstat._release.declared_facts import get_type_conditions
from pydpstat._release.options import Options, options
from pydpstat._release.pipeline import Query, release_query
from pydpstat._release.statistic import guard_release, make_call
from pydpstat.consistency._tree import (
    ConsistencyMethod,
    Levels,
    Tree,
    apply,
    cast_to_integers,
    check_consistency_method,
)
from pydpstat.consistency.hierarchy import Hierarchy
from pydpstat.consistency.hierarchy_fit import count_leaf_records
from pydpstat.consistency.hierarchy_results import HierarchyResults
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import Mechanism
from pydpstat.mechanisms.gaussian import compute_root_above
from pydpstat.mechanisms.mechanism import Noise, SeparateNoise, split_equally
from pydpstat.privacy import Guarantee
from pydpstat.results._call import NamedArgument
from pydpstat.results._labels import Labels

PUBLIC_HIERARCHY = "the hierarchy is public and was not made from the data"
RECORDS_AT_LEAVES = "whether every record is at a leaf of the hierarchy is treated as public"
# names of the allocations of epsilon to levels
SPLITS = ("uniform", "optimal", "leaves")
# above this scale, sums of noise in floats may lose digits
LARGEST_SCALE = 2.0**40


@guard_release
def release_hierarchy(
    data: Data | Mapping[object, int],
    epsilon: float,
    *,
    hierarchy: Hierarchy | None = None,
    split: str | Sequence[float] | Mapping[str, float] = "uniform",
    delta: float = 0,
    mechanism: str | Mechanism = "geometric",
    neighbors: str | None = None,
    method: str = "least squares",
    nonnegative: bool | None = None,
    integer: bool | None = None,
    missing: str = "error",
    rng: object = None,
    budget: Chargeable | None = None,
) -> HierarchyResults:
    """Release consistent counts of all nodes of a hierarchy.

    Parameters
    ----------
    data : DataFrame, or counts: dict, Series or array_like
        A frame has one record per row: a column for each level below the top, from the highest down, or
        one column with the leaves' labels. Anything else has the counts of the leaves: by label (or by
        the tuple of labels, if some occur twice), or in the hierarchy's order.
    epsilon : float
        Privacy parameter; positive and finite. It covers all levels together.
    hierarchy : Hierarchy, keyword only, required
        A public hierarchy, including leaves without records.
    split : {"uniform", "optimal", "leaves"}, sequence or dict, default "uniform"
        Division of epsilon among the levels: evenly; so that variances after least squares are small, in
        the mean over levels of their nodes' variances, or over the leaves; or in the given
        proportions, for the levels with noise from the top down, or by their names. A level without
        leaves is not released at a proportion of 0.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0. It
        is divided equally among the levels with noise.
    mechanism : {"geometric"} or Mechanism, default "geometric"
        Noise mechanism. It adds the noise of each level.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    method : {"least squares", "ratio", "top-down"}, default "least squares"
        Method for consistency, see `make_consistent`.
    nonnegative, integer : bool, optional
        As in `make_consistent`.
    missing : {"error", "drop"}, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        record that is at no leaf, or has a missing label, is a missing value.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged. All levels are charged together, once.

    Returns
    -------
    HierarchyResults
        With ``noisy`` and ``estimate`` (frames with level, label, value), ``noise_scale`` (by level),
        ``bse`` (standard errors afterwards, exact for least squares), ``guarantee``, ``summary()`` and
        ``consistent()``, which makes the same release consistent in another way.

    Raises
    ------
    PydpstatError
        If an argument is invalid, the data do not fit the hierarchy, or a record is at no leaf with
        ``missing="error"``. Nothing is spent or drawn then.

    See Also
    --------
    make_consistent : make released counts consistent.
    pydpstat.crosstab : release one table.

    Notes
    -----
    Guarantee: (epsilon, 0), for all levels together. The hierarchy must be public. With
    ``missing="error"`` whether every record is at a leaf is treated as public.

    Sensitivity: in each level a record is in at most one node. Adding or removing one changes one count
    of the level by 1, an L1 sensitivity of 1; replacing one changes at most two counts, 2 (1 if the
    level has a single node and leaves are above it). Each level gets symmetric geometric noise with its
    share of epsilon; the shares add up to epsilon (Dwork and Roth 2014, theorem 3.16), none of them
    rounded up. Under bounded neighbors the total is public and costs nothing. Making the counts
    consistent is post-processing, and also costs nothing.

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
    checks.check_choice(missing, "missing", ("error", "drop"))
    mechanism_names = INTEGER_MECHANISMS[:1]
    checked_options = options(
        epsilon,
        delta,
        mechanism,
        neighbors,
        missing,
        mechanisms=mechanism_names,
        fill_type=bool,
        rng=rng,
        budget=budget,
    )
    if not isinstance(hierarchy, Hierarchy):
        raise PydpstatError(
            f"hierarchy must be a Hierarchy with the public labels; got {type(hierarchy).__name__}. "
            "Create one: pydpstat.consistency.Hierarchy({'North': ['a', 'b']})."
        )
    settings = check_consistency_method(method, nonnegative, integer, True)
    tree = hierarchy.tree
    sensitivities = compute_sensitivities(tree, checked_options.neighbors)
    shares = split_epsilon(split, hierarchy, sensitivities, checked_options.epsilon)
    noises = _calibrate_noises(checked_options, shares, sensitivities, tree.sizes)
    leaves, records = count_leaf_records(data, hierarchy, missing == "drop")
    compared = (*get_type_conditions(), *((RECORDS_AT_LEAVES,) if missing == "error" else ())) if records else ()
    conditions = (PUBLIC_HIERARCHY, *compared)
    claim = Guarantee(checked_options.epsilon, checked_options.delta, checked_options.neighbors)
    counts = tree.sum_from_leaves(leaves)
    noisy = [level for level, noise in enumerate(noises) if noise is not None]
    # all levels form one vector with separate noise, whose privacy parameters add up to epsilon
    noise = SeparateNoise(
        tuple(each for each in noises if each is not None), tuple(counts[level].size for level in noisy)
    )
    query = Query(
        "count",
        np.concatenate([np.empty(0), *(counts[level] for level in noisy)]),
        tuple(float(sensitivities[level]) for level in noisy),
        Labels("count"),
        integer=True,
    )
    spec = FixedNoiseCalibrator(
        noise, claim, Guarantee(checked_options.epsilon, checked_options.delta, checked_options.neighbors, conditions)
    )
    released = release_query(
        query,
        calibrate_release(query.spec, spec, checked_options.source.reproducible),
        checked_options.source,
        call=make_call(
            "release_hierarchy", checked_options, ("data",), _make_call_arguments(split, hierarchy, settings, integer)
        ),
        budget=checked_options.budget,
    )
    values, variances = _split_measurements(counts, sensitivities, noises, released.value)
    return HierarchyResults(
        hierarchy,
        cast_to_integers(values),
        tuple(variances),
        *apply(tree, values, variances, settings),
        settings,
        noises=noises,
        shares=shares,
        claim=claim,
        guarantee=released.guarantee,
        nobs=int(counts[0][0]) if checked_options.has_public_size else None,
        reproducible=released.reproducible,
        record=released.record,
    )


def _make_call_arguments(
    split: object, hierarchy: Hierarchy, settings: ConsistencyMethod, integer: object
) -> tuple[tuple[str, object], ...]:
    """Return the public arguments that are not at their defaults, for the call."""
    arguments: list[tuple[str, object]] = [("hierarchy", NamedArgument("hierarchy"))]
    if isinstance(split, Mapping):
        split = _order_weights(split, hierarchy.levels)
    if not isinstance(split, str) or split != "uniform":
        arguments.append(("split", split))
    if settings.method != "least squares":
        arguments.append(("method", settings.method))
    if settings.method == "ratio" and settings.nonnegative:
        arguments.append(("nonnegative", True))
    if integer is not None:
        arguments.append(("integer", settings.integer))
    return tuple(arguments)


def compute_sensitivities(tree: Tree, neighbors: str) -> tuple[int, ...]:
    """Return each level's L1 sensitivity.

    A record that is replaced changes two counts, or one if the level has one node and there are leaves above it.
    """
    if neighbors == "unbounded":
        return (1,) * len(tree.sizes)
    above, sensitivities = False, []
    for size, has in zip(tree.sizes, tree.parents):
        sensitivities.append(2 if size > 1 else int(above))
        above = above or not has.all()
    return tuple(sensitivities)


def split_epsilon(
    split: object, hierarchy: Hierarchy, sensitivities: tuple[int, ...], epsilon: float
) -> tuple[float, ...]:
    """Return each level's epsilon, 0 if its counts are public or not released.

    Their exact sum is at most `epsilon`.
    """
    noisy = [level for level, sensitivity in enumerate(sensitivities) if sensitivity]
    must = [not hierarchy.tree.parents[level].all() for level in noisy]
    if not noisy:
        raise PydpstatError("hierarchy must have at least two leaves: all counts of this one are public.")
    if isinstance(split, str):
        checks.check_choice(split, "split", SPLITS)
        weights = [1.0] * len(noisy)
        if split != "uniform" and len(noisy) > 1:
            from pydpstat.consistency._split import find_optimal_weights

            weights = find_optimal_weights(hierarchy.tree, sensitivities, noisy, must, epsilon, split == "leaves")
    else:
        weights = _read_weights(split, hierarchy, noisy, must)
    total = sum(map(Fraction, weights))
    shares = [0.0] * len(sensitivities)
    for level, weight in zip(noisy, weights):
        exact = Fraction(epsilon) * Fraction(weight) / total
        nearest = float(exact)
        shares[level] = nearest if nearest <= exact else math.nextafter(nearest, 0.0)
    return tuple(shares)


def _read_weights(split: object, hierarchy: Hierarchy, noisy: list[int], is_required: list[bool]) -> list[float]:
    """Read weights of levels: by name, or in order from the top down."""
    names = [hierarchy.levels[level] for level in noisy]
    split = split.tolist() if isinstance(split, np.ndarray) else split
    if isinstance(split, Mapping):
        if set(map(str, split)) != set(names):
            raise PydpstatError(
                f"split must have a weight for each level with noise, {names}; got {checks.describe_value(split)}. "
                "Give 0 for a level that is not to be released."
            )
        weights = _order_weights(split, names)
    elif isinstance(split, (list, tuple)) and len(split) == len(noisy):
        weights = list(split)
    else:
        raise PydpstatError(
            f"split must be one of {SPLITS}, or {len(noisy)} weights, one for each level with noise from "
            f"the top down, {names}; got {checks.describe_value(split)}."
        )
    finite = all(checks.is_number(value) and 0.0 <= checks.as_float(value) < math.inf for value in weights)
    if not finite or not any(weights):
        raise PydpstatError(
            f"split must be finite numbers of at least 0; got {checks.describe_value(split)}. For example [1, 2]."
        )
    for name, weight, is_needed in zip(names, weights, is_required):
        if is_needed and not weight:
            raise PydpstatError(f"split must be above 0 for {name!r}, which has leaves: no other level measures them.")
    return [float(weight) for weight in weights]


def _order_weights(split: Mapping[str, float], levels: Sequence[str]) -> list[float]:
    """Return weights by name as a list, from the top down."""
    by_name = {str(name): weight for name, weight in split.items()}
    return [by_name[name] for name in levels if name in by_name]


def _calibrate_noises(
    release_options: Options, shares: Sequence[float], sensitivities: Sequence[int], sizes: Sequence[int]
) -> tuple[Noise | None, ...]:
    """Return each level's noise; one record changes as many counts of a level by 1 as its sensitivity."""
    leak = split_equally(release_options.delta, max(1, sum(share > 0.0 for share in shares)))
    noises: list[Noise | None] = []
    for share, changed, size in zip(shares, sensitivities, sizes):
        if share == 0.0:
            noises.append(None)
            continue
        if changed / share > LARGEST_SCALE:
            raise PydpstatError(
                f"epsilon must be larger: a level would get {share:.3g}, with noise that is too large to be added."
            )
        norm = compute_root_above(changed) if release_options.norm == 2 else float(changed)
        noises.append(release_options.mechanism.calibrate_vector(share, leak, norm, size, True))
    return tuple(noises)


def _split_measurements(
    counts: Levels, sensitivities: Sequence[int], noises: Sequence[Noise | None], released_values: np.ndarray
) -> tuple[Levels, Levels]:
    """Return each level's measurements and noise variances; `released_values` has those of the noisy levels."""
    values, variances, start = [], [], 0
    for level_counts, changed, noise in zip(counts, sensitivities, noises):
        if noise is not None:
            values.append(released_values[start : start + level_counts.size])
            variances.append(np.full(level_counts.shape, noise.var()))
            start += level_counts.size
        elif changed:
            values.append(np.full(level_counts.shape, np.nan))
            variances.append(np.full(level_counts.shape, np.inf))
        else:
            # all records are in the level's only node, and their number is public
            values.append(level_counts.astype(np.float64))
            variances.append(np.zeros(level_counts.shape))
    return values, variances
