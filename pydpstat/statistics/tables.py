"""Contingency tables with public levels, or with levels discovered in the data."""

from __future__ import annotations

import math
import operator
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from pydpstat import _checks as checks
from pydpstat import _multiple_precision as multiple_precision
from pydpstat._data.columns import Data
from pydpstat._data.containers import Column, is_categorical
from pydpstat._data.values import is_missing, should_fill, to_object_array
from pydpstat._lazy import pd
from pydpstat._null_distributions.proportions.shares import TableIntervals
from pydpstat._records.cells import (
    get_crossed_variables,
    make_cells_postprocessing,
    make_cells_query,
    read_level_codes,
    read_values,
    tabulate_cells,
)
from pydpstat._records.groups import Keys, warn_unused_levels
from pydpstat._records.levels import (
    DECLARED_CATEGORIES_CONDITION,
    Level,
    check_levels,
    check_other,
    convert_to_plain_level,
    make_axis,
)
from pydpstat._records.records import RecordChunk
from pydpstat._release.calibration import INTEGER_MECHANISMS, FixedNoiseCalibrator, calibrate_release
from pydpstat._release.options import Missing, Options, options
from pydpstat._release.pipeline import Chargeable, release_query
from pydpstat._release.statistic import guard_release, make_call, release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy import Guarantee
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import NoisyValue
from pydpstat.results.results import DPResults
from pydpstat.results.table_results import TableResults

# numbers of records by type and level
LevelCounts = Counter[tuple[type, Level]]
DISCOVERED_LEVELS_CONDITION = "the levels were found in the data; rare levels are left out, and delta covers this"
MAX_TABLE_CELLS = 10**7


def release_discovered_table(data: object, delta: float, options: Options) -> TableResults:
    """Release the noisy counts of one variable's levels that are at least a public threshold.

    The notes of `pydpstat.crosstab` have the proof.
    """
    share = checks.unwrap_scalar(delta)
    if not checks.is_number(share) or not 0.0 < checks.as_float(share) < 1.0:
        raise PydpstatError(
            f"delta must be above 0 and below 1 with levels 'discover'; got {checks.describe_value(delta)}. "
            "Give a small probability, for example 1e-6, or public levels."
        )
    variables = get_crossed_variables(data, options.scope)
    if len(variables.columns) != 1:
        raise PydpstatError(
            f"levels='discover' takes one variable; got {len(variables.columns)}. "
            "Combine them into one, or give public levels."
        )
    records, options = read_values(data, options)
    # one record changes one count, or two if it is replaced
    sensitivity = options.contribution_bound * (2 if options.neighbors == "bounded" else 1)
    noise = SymmetricGeometricNoise(options.epsilon, sensitivity)
    # the rate of the drawn noise is this quotient of floats
    rate = Fraction(noise.epsilon / noise.sensitivity)
    threshold = compute_unit_threshold(rate, float(share), options.contribution_bound)
    level_counts = records.fold(partial(_count_levels, missing=options.missing), operator.add)
    # sort the levels: the order of the records is private
    keys = sorted(level_counts, key=lambda key: (key[0].__name__, key[1]))
    counts = np.array([level_counts[key] for key in keys], dtype=np.int64)
    levels = tuple(level for _, level in keys)
    labels = Labels("table", dimnames=(levels,), dimension_names=tuple(filter(None, variables.names)))
    query = make_cells_query("table", counts, labels, int(counts.sum()), options)
    claim = Guarantee(options.epsilon, float(share), options.neighbors, unit=options.unit)
    guarantee = replace(claim, conditions=(*options.conditions, DISCOVERED_LEVELS_CONDITION))
    arguments = (("levels", "discover"), ("delta", float(share)), *records.arguments)
    result = release_query(
        query,
        calibrate_release(query.spec, FixedNoiseCalibrator(noise, claim, guarantee), options.source.reproducible),
        options.source,
        call=make_call("crosstab", options, ("data",), arguments),
        budget=options.budget,
    )
    return _drop_rare_levels(result, threshold)


def _drop_rare_levels(result: DPResults, threshold: int) -> TableResults:
    """Drop the levels with noisy counts below the threshold."""
    (levels,) = result.labels.dimnames or ((),)
    indices = [index for index in range(len(levels)) if result.value[index] >= threshold]
    labels = replace(result.labels, dimnames=(tuple(levels[index] for index in indices),))
    post = NoisyValue((f"counts below {threshold} left out",), within=ranges.make_count_range(result.nobs))
    assert isinstance(result, TableResults)
    return replace(result, value=result.value[indices], labels=labels, post=post)


def _count_levels(part: RecordChunk, missing: Missing) -> LevelCounts:
    """Count the levels that occur; the level of a record depends on this record only. Private."""
    value_counts, n_missing = _count_values(part.columns.arrays[0])
    if should_fill(n_missing, missing):
        value_counts.append((missing, n_missing))
    # 1, 1.0 and True are different levels, although equal in Python
    totals: LevelCounts = Counter()
    for value, count in value_counts:
        level = convert_to_plain_level(value)
        totals[type(level), level] += count
    # drop levels without records
    return +totals


def _count_values(column: Column) -> tuple[list[tuple[object, int]], int]:
    """Return the distinct values with their counts, and the number of missing values."""
    kind = getattr(column, "dtype", None)
    if isinstance(column, np.ma.MaskedArray):
        value_counts, n_missing = _count_values(np.ma.getdata(column)[~np.ma.getmaskarray(column)])
        return value_counts, n_missing + int(np.ma.count_masked(column))
    if isinstance(kind, np.dtype) and kind.kind in "mM":
        times = np.asarray(column)
        there, counts = np.unique(times[~np.isnat(times)], return_counts=True)
        return list(zip(there, counts.tolist())), int(np.count_nonzero(np.isnat(times)))
    plainly = isinstance(kind, np.dtype) and kind.kind not in "OT"
    if plainly or is_categorical(column):
        codes, values = pd.factorize(_convert_to_full_width(np.asarray(column)) if plainly else column)
        counts = np.bincount(codes + 1, minlength=len(values) + 1).tolist()
        return list(zip(list(values), counts[1:])), counts[0]
    flat = to_object_array(column).tolist()
    # strings are levels as they are, and never missing
    texts = flat if set(map(type, flat)) == {str} else [value for value in flat if type(value) is str]
    others = [] if texts is flat else [value for value in flat if type(value) is not str]
    present = [value for value in others if not is_missing(value)]
    level_counts = Counter((type(level), level) for level in map(_convert_to_level, present))
    every = [*Counter(texts).items(), *((level, count) for (_, level), count in level_counts.items())]
    return every, len(others) - len(present)


def _convert_to_level(value: object) -> Level:
    """Convert the value of a record to a string, Boolean or number."""
    if type(value).__hash__ is not None:
        try:
            return convert_to_plain_level(value)
        except Exception:  # objects may raise any exception when converted to a string
            pass
    raise PydpstatError(
        "data must be values that can be levels (strings, numbers); got some of type "
        f"{type(value).__name__}. Convert them."
    ) from None


def _convert_to_full_width(values: np.ndarray) -> np.ndarray:
    """Convert numbers to native byte order and full width, which pandas requires."""
    wide = {"i": np.int64, "u": np.uint64, "f": np.float64}.get(values.dtype.kind)
    return values.astype(wide or values.dtype.newbyteorder("="), copy=False)


def compute_unit_threshold(rate: Fraction, delta: float, contribution_bound: int) -> int:
    """Return the threshold for units with at most `contribution_bound` records, perhaps all records of some levels."""
    # round down, since the quotient of floats may exceed the part of delta
    share = delta if contribution_bound == 1 else math.nextafter(delta / contribution_bound, 0.0)
    return max(compute_threshold(rate, share), contribution_bound - 1 + compute_threshold(rate, delta))


# 60 decimal digits
_PRECISION_BITS = 203


def compute_threshold(rate: Fraction, delta: float) -> int:
    """Return the smallest T >= 2 with P(1 + K >= T) <= delta for symmetric geometric noise K.

    P(K = k) is proportional to exp(-rate |k|), and delta is above 0 and below 1. As P(K >= j) is a^j / (1 + a) for
    j >= 0, a = exp(-rate), T - 1 is at least -log(delta (1 + a)) / rate. Multiple precision determines the next
    integer; a tie below its precision is resolved to the larger one.
    """
    mp = multiple_precision.get_functions()
    exact = mp.from_rational(rate.numerator, rate.denominator, _PRECISION_BITS)
    share = mp.mpf_add(mp.fone, mp.mpf_exp(mp.mpf_neg(exact), _PRECISION_BITS), _PRECISION_BITS)
    surprise = mp.mpf_neg(mp.mpf_log(mp.mpf_mul(mp.from_float(delta), share, _PRECISION_BITS), _PRECISION_BITS))
    # well above the rounding errors
    margin = mp.from_rational(10**40 + 1, 10**40, _PRECISION_BITS)
    quotient = mp.mpf_mul(mp.mpf_div(surprise, exact, _PRECISION_BITS), margin, _PRECISION_BITS)
    return max(2, 1 + int(mp.to_int(mp.mpf_ceil(quotient, _PRECISION_BITS))))


@guard_release
def crosstab(
    data: Data,
    epsilon: float,
    *,
    levels: object = None,
    delta: float = 0,
    mechanism: str | Mechanism = "geometric",
    neighbors: str | None = None,
    missing: Missing = "error",
    other: str | None = "other",
    unit: Keys | None = None,
    max_records: int | None = None,
    max_groups: int | None = None,
    sample: float | None = None,
    margins: bool = False,
    rng: object = None,
    budget: Chargeable | None = None,
) -> TableResults:
    """Release a cross-tabulation: the counts of all combinations of levels.

    Parameters
    ----------
    data : array_like of shape (n,), DataFrame, dict or tuple
        One variable (list, array, Series or Categorical), or several: a frame's columns, or a dict
        or tuple of variables. Masked values are missing.
    epsilon : float
        Privacy parameter; positive and finite.
    levels : list, dict, list of lists, "declared" or "discover"
        Public levels, or ``"declared"`` for Categoricals whose categories are public. For one variable a list, for
        several variables lists in order or a dict by name. Levels of another type than a variable of numbers, strings
        or times are an error, as no record could have them. ``"discover"``: the levels of one variable are found in the
        data, which requires `delta`; rare ones are left out.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
        ``levels="discover"`` requires it, too.
    mechanism : {"geometric", "gaussian"} or Mechanism, default "geometric"
        Noise mechanism. ``"geometric"`` is symmetric geometric noise, ``"gaussian"`` is discrete Gaussian noise; both
        are integers.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"} or scalar, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a level, which is then always in the table.
    other : str or None, default "other"
        Name of an additional level for values that are not among the levels. The shape of the table then does not
        depend on the data. If it is one of the levels, they are counted there. None leaves records with such values
        out: the cells then add up to fewer than all records. It is not used with ``"declared"``, as a Categorical has
        no such values.
    unit, max_records, max_groups, sample : optional
        By unit, and on a sample, as in `mean`. The cells are the groups that `max_groups` limits.
    margins : bool, default False
        Whether ``wide()`` has sums as a row and a column "All". They follow from the cells at no additional
        privacy cost, and ``margins()`` has them with their noise.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    TableResults
        The estimate is a Series, a DataFrame, or a Series with a MultiIndex, for one, two or more
        variables. Counts are integers and may be negative. Empty cells get noise as all others.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `levels` is not given, or a value is missing with ``missing="error"``.

    See Also
    --------
    histogram : numbers in bins.
    count : number of records that meet a condition.
    chi2_contingency : a test of independence only.
    tableDP : R's DPpack with the numbers that R returns.

    Notes
    -----
    Guarantee: (epsilon, delta). With ``missing="error"`` whether values are missing is treated as public,
    and with ``levels="declared"`` the categories must not come from the data.

    Sensitivity: every record is in one cell, or in none if it is left out, and which one depends on
    this record only. Adding or removing one changes one count by 1: 1 in the L1 and in the L2 norm.
    Replacing one changes at most two counts by 1: 2 and sqrt(2). Counts and noise are integers.
    With a unit each of its max_records = m records is added or removed, or is replaced: m times as much, which
    is attained if all of them are in one cell.

    ``conf_int(kind="population")`` has an interval for each cell's share of the population, not for a count,
    where the noise is geometric and at most one record of each unit counts: the records are then a random
    sample. It is exact where the number of records is public, and the one of `binomtest` where it is private.

    The result has more, at no additional privacy cost: ``margins``, ``shares``, ``chi2``, ``difference`` and
    ``pairs`` of shares, and the frames ``wide`` and ``long``.

    ``levels="discover"`` releases the noisy counts, with geometric noise, of the levels that occur,
    if they are at least T. A level that occurs in only one of two neighboring data sets has the
    count 1 there, and T is the smallest integer with P(1 + noise >= T) <= delta. Unless such a level is
    released, the counts of the others satisfy epsilon. A replaced record has twice the L1
    sensitivity, so the noise's scale and T - 1 are about twice as large; two such levels, one in each
    data set, need no more delta than one: neither data set can release both.

    With a unit the counts c_1, c_2, ... of the levels that one of the two has add up to at most m, and the
    sensitivity is m times as large. Above the largest of them P(c + noise >= T) is proportional to a^-c,
    with a < 1, so their sum is convex in the counts and largest with m levels of one record or with one
    level of m: T is such that neither m P(1 + noise >= T) nor P(m + noise >= T) is above delta. Let p and p'
    be the probabilities that some level that only the one or the other has is released, at most delta
    both; e the count of records in these levels times the noise's rate; and y and y' those of an event
    among the other levels' noisy counts, whose change is smaller by these records: y' >= y exp(e - epsilon).
    Then p + (1 - p) y - exp(epsilon) (1 - p') y' <= p + y (1 - p - exp(e) (1 - p')), which is p at y = 0 and
    at most p' at y = 1, and so at most delta.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.
    Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020.
    Korolova, A., Kenthapadi, K., Mishra, N. and Ntoulas, A. (2009). Releasing search queries and
    clicks privately. WWW 2009 (unknown levels).

    Examples
    --------
    >>> import pydpstat
    >>> answers = ["yes", "no", "yes", "yes", "perhaps"] * 20
    >>> r = pydpstat.crosstab(answers, 1.0, levels=["no", "yes"], rng=1)
    >>> r.estimate.index.tolist()
    ['no', 'yes', 'other']
    >>> found = pydpstat.crosstab(answers, 1.0, levels="discover", delta=1e-6, neighbors="unbounded")
    >>> found.estimate.index.tolist()
    ['no', 'perhaps', 'yes']
    """
    shown = checks.check_boolean(margins, "margins")
    discover = isinstance(levels, str) and levels == "discover"
    if discover:
        if shown:
            raise PydpstatError("margins must be left out with levels='discover', which is for one variable.")
        if sample is not None:
            raise PydpstatError(
                "sample must be left out with levels='discover': whether a level is found would depend on "
                "the sample, too. Give public levels."
            )
    checked_options = options(
        epsilon,
        0 if discover else delta,
        mechanism,
        neighbors,
        missing,
        mechanisms=INTEGER_MECHANISMS[:1] if discover else INTEGER_MECHANISMS,
        allow_objects=not discover,
        fill_type=str,
        rng=rng,
        budget=budget,
    ).add_table_scope(unit, max_records, max_groups, sample)
    if discover:
        return release_discovered_table(data, delta, checked_options)
    check_other(other)
    variables = get_crossed_variables(data, checked_options.scope)
    public = check_levels(levels, variables)
    fill_level = None if checked_options.missing in ("error", "drop") else checked_options.missing
    axes = [make_axis(variable_levels, other, fill_level) for variable_levels in public]
    dimnames = tuple(axis.names for axis in axes)
    cells = math.prod(map(len, dimnames))
    if cells > MAX_TABLE_CELLS:
        raise PydpstatError(
            f"levels must make at most {MAX_TABLE_CELLS} cells; they make {cells}. Cross fewer variables."
        )
    names = variables.names if any(variables.names) else ()
    labels = Labels("table", dimnames=dimnames, dimension_names=names)
    records, checked_options = read_level_codes(data, public, checked_options)
    counts, size = tabulate_cells(records, public, axes, checked_options.missing)
    query = make_cells_query("table", counts, labels, size, checked_options)
    declared = isinstance(levels, str)
    call_levels = (
        "declared"
        if declared
        else [list(map(convert_to_plain_level, variable_levels.levels)) for variable_levels in public]
    )
    arguments: tuple[tuple[str, object], ...] = (
        ("levels", call_levels if declared or len(call_levels) > 1 else call_levels[0]),
    )
    if other != "other" and not declared:
        arguments = (*arguments, ("other", other))
    if shown:
        arguments = (*arguments, ("margins", True))
    conditions = (DECLARED_CATEGORIES_CONDITION,) if declared else ()
    arguments = (*arguments, *records.arguments)
    released = release_statistic(
        "crosstab",
        query,
        checked_options,
        public_arguments=arguments,
        postprocess=make_cells_postprocessing(checked_options, size, False, TableIntervals),
        conditions=conditions,
        is_total=True,
    )
    assert isinstance(released, TableResults)
    if not declared:
        sd = float(np.max(released.post.compute_standard_error(released.noise, released.value)))
        warn_unused_levels(released.value, sd, [*zip(variables.names, axes)], released.nobs)
    return released
