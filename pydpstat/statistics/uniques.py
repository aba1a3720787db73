"""Number of distinct ids, such as persons or other units."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.columns import Columns, Data, Placeholder
from pydpstat._data.containers import get_columns, get_series_name, is_frame, is_vector, take_rows
from pydpstat._data.native import to_pandas_or_numpy
from pydpstat._data.table import Chunk, as_table
from pydpstat._data.values import suggest_columns, to_object_array
from pydpstat._records.contributions import ContributionBounds, encode_ids, select_contributions
from pydpstat._records.groups import (
    Keys,
    get_scope_arguments,
    make_column_origin,
    make_scope_groups,
    read_keys,
    warn_empty_groups,
)
from pydpstat._records.partition import compute_ones_norm
from pydpstat._records.records import RecordChunk, RecordLayout, Records, select_variables
from pydpstat._release.calibration import INTEGER_MECHANISMS
from pydpstat._release.options import NO_FILL, Missing, Options, options
from pydpstat._release.pipeline import Chargeable, Query
from pydpstat._release.scope import Scope
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.random._weighted_choice import draw_integer_below
from pydpstat.results import _ranges as ranges
from pydpstat.results._postprocessing import NoisyValue
from pydpstat.results.results import DPResults

CountArray = npt.NDArray[np.int64]


def read_units(data: object, options: Options, contribution_bound: int) -> tuple[Records, ContributionBounds, Options]:
    """Read the public properties of a column of ids, whose values are the privacy units."""
    data = to_pandas_or_numpy(data)
    check_equal_indexes(("data", data), ("by", options.scope.by))
    table = as_table(data)
    origin = make_column_origin(data, table, "data")
    keys, key_columns = read_keys(options.scope, origin)
    names = tuple(name for name in origin.names or () if name not in keys)
    if origin.names is not None and len(names) != 1:
        raise PydpstatError(
            f"data must be one column of ids, apart from those of by; got {len(names)} columns. Select it first."
        )
    groups = make_scope_groups(options.scope, key_columns, options)
    name = (names[0] if names else get_series_name(data)) or None
    layout = RecordLayout(read_ids, "data", options.missing, groups, None, None, names, keys)
    chunk = needed = None
    if table is not None:
        needed = table.select_columns([column for column in origin.names or () if column in keys or column in names])
    else:
        inner = data if origin.names is None else select_variables(data, origin, names)
        chunk = layout.read_part(inner, key_columns.columns, None)
    records = Records(
        None,
        name,
        1,
        None,
        layout,
        chunk,
        needed,
        get_scope_arguments(options.scope, keys, groups, None, None),
    )
    # without groups no contributions are selected
    key = 0 if groups is None else draw_integer_below(1 << 53, options.source)
    unit = ContributionBounds(name or "unit", contribution_bound, None, key)
    return records, unit, options._replace(unit=unit.name, has_private_group_sizes=groups is not None)


def read_ids(data: object, argument: str) -> Columns:
    """Read a column of ids without conversion; masked values become missing."""
    if isinstance(data, Placeholder):
        return Columns((np.empty(0),), (None,), None, None, data.size)
    if isinstance(data, Chunk):
        (data,) = data.columns.values()
    elif is_frame(data):
        data = get_columns(data)[0]
    if not is_vector(data):
        raise PydpstatError(
            f"{argument} must be a column of ids (list, array, Series), or a data frame of it and the "
            f"columns of by; got {type(data).__name__}. {suggest_columns(data, 'Give one id for each record.')}"
        )
    if isinstance(data, np.ma.MaskedArray):
        data = np.ma.filled(data.astype(object), np.nan)
    ids = data if hasattr(data, "dtype") else to_object_array(data)
    return Columns((ids,), (None,), None, None, len(ids))


def _count_distinct(part: RecordChunk, unit: ContributionBounds, missing: Missing, groups: int | None) -> CountArray:
    """Count the distinct ids of a part by group; all records of an id are in one part."""
    ids, group_codes = part.columns.arrays[0], part.group_codes
    if group_codes is None and isinstance(ids.dtype, np.dtype) and ids.dtype.kind in "iu":
        # the time of sorting integers is nearly proportional to their number, unlike that of a hash table
        ordered = np.sort(np.asarray(ids))
        return np.array([np.count_nonzero(ordered[1:] != ordered[:-1]) + min(ordered.size, 1)], dtype=np.int64)
    codes, distinct_ids = encode_ids(ids)
    if missing == "error" and codes.size and int(codes.min()) < 0:
        raise PydpstatError(
            "missing must say how to treat missing ids, because the data have some, which this error "
            "reveals. Give every record an id, or use missing='drop' with neighbors='unbounded'."
        )
    if groups is None or group_codes is None:
        return np.array([len(distinct_ids)], dtype=np.int64)
    # the first record of each id in each group
    _, first_indices = np.unique(codes.astype(np.int64) * groups + group_codes, return_index=True)
    first_indices = first_indices[codes[first_indices] >= 0]
    group_codes = group_codes[first_indices]
    stay = select_contributions(take_rows(ids, first_indices), unit, group_codes, ())
    return np.bincount(group_codes[stay], minlength=groups)


@guard_release
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
    budget: Chargeable | None = None,
) -> DPResults:
    """Release the number of distinct ids, such as persons, households or firms.

    The privacy unit is an id with all of its records, whatever their number.

    Parameters
    ----------
    data : array_like of shape (n,)
        The ids, one per record: numbers, strings, or a Categorical. If `by` names columns, a frame that has
        them and one more column, that of the ids.
    epsilon : float
        Privacy parameter; positive and finite.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
    mechanism : {"geometric", "gaussian"} or Mechanism, default "geometric"
        Noise mechanism. ``"geometric"`` is symmetric geometric noise, ``"gaussian"`` is discrete Gaussian noise; both
        are integers.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one id with its records is replaced by another, which requires `by`. ``"unbounded"``: one id with
        its records is added or removed. The default is that of `budget`, or ``"bounded"`` without it.
    missing : {"error", "drop"}, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        record without an id is a missing value.
    by, levels, other : optional
        By group, as in `mean`.
    max_groups : int, default 1
        Largest number of groups in which an id is counted, with `by`; they are drawn at random for each
        release.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged. Its unit must be the column of the ids.

    Returns
    -------
    DPResults
        Its estimate is a float, by group a Series with the groups as its index. It is an integer and may
        be negative. ``guarantee.unit`` is the name of the ids' column, or "unit" where it has none.

    Raises
    ------
    PydpstatError
        If an argument is invalid, `data` is not one column of ids, neighbors are bounded and there is no `by`, or an id
        is missing with ``missing="error"``.

    See Also
    --------
    count : records instead of units.
    crosstab : records by level.

    Notes
    -----
    Guarantee: (epsilon, delta) for each id. With ``missing="error"`` whether ids are missing is treated as
    public.

    Sensitivity: an id that is added or removed changes the number by 1. For bounded neighbors the number
    is public, and there is nothing to release.

    By group an id is counted once in each of its groups, or in max_groups = k of them if it has more.
    They are selected by a keyed hash of this id and its groups only, so that other ids do not affect the
    selection, for every key. Adding or removing an id changes at most k counts by 1: k in the L1 norm, sqrt(k) in the
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
    checks.check_choice(missing, "missing", ("error", "drop"))
    public = (epsilon, delta, mechanism, neighbors, missing)
    checked_options = options(*public, mechanisms=INTEGER_MECHANISMS, fill_type=NO_FILL, rng=rng, budget=budget)
    if by is None and checked_options.neighbors == "bounded":
        raise PydpstatError(
            "neighbors must be 'unbounded' without by: under bounded neighbors one id replaces "
            "another, so their number is public and needs no release. Use neighbors='unbounded', or "
            "count by group."
        )
    if by is None and max_groups is not None:
        raise PydpstatError("max_groups must not be given without by, whose groups it limits.")
    max_groups_per_id = 1
    if max_groups is not None:
        max_groups_per_id = checks.check_integer(
            max_groups, "max_groups", 1, hint=("Give the largest number of groups in which an id counts.")
        )
    checked_options = checked_options.add_type_conditions()._replace(scope=Scope(by, levels, other))
    records, unit, checked_options = read_units(data, checked_options, max_groups_per_id)
    tally = partial(_count_distinct, unit=unit, missing=checked_options.missing, groups=records.n_groups)
    counts = records.fold(tally, np.add, unit.name)
    query = Query(
        "nunique",
        counts.reshape(records.shape).astype(float),
        (compute_ones_norm(min(checked_options.n_changed_groups * max_groups_per_id, counts.size), checked_options),),
        records.make_labels("nunique"),
        integer=True,
        exact=tuple(counts.tolist()),
    )
    arguments = records.arguments if max_groups_per_id == 1 else (*records.arguments, ("max_groups", max_groups_per_id))
    released = release_statistic(
        "nunique",
        query,
        checked_options,
        public_arguments=arguments,
        postprocess=lambda noisy: (noisy, NoisyValue(within=ranges.make_count_range(None))),
        conditions=records.conditions,
    )
    warn_empty_groups(
        records.groups,
        released.value,
        float(released.noise.std()),
        has_all_records=False,
        quantity="number of ids",
    )
    return released
