"""Functions common to tests: options, names, samples, counts and the release of a statistic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns, Data, read_booleans, read_single_column
from pydpstat._data.values import should_fill
from pydpstat._null_distributions.means.noisy_t import NoisySums
from pydpstat._records.association import TwoVariables, read_two_columns
from pydpstat._records.groups import SPELLING_HINT, UNUSED_LEVELS_TOPIC, warn_unused_levels
from pydpstat._records.levels import LevelAxis
from pydpstat._records.partition import compute_weight_sensitivity
from pydpstat._records.records import RecordChunk, read_records
from pydpstat._release.calibration import INTEGER_MECHANISMS, REAL_MECHANISMS
from pydpstat._release.options import BoundedOnly, Missing, Options, check_min_records, options
from pydpstat._release.pipeline import Chargeable, Query
from pydpstat._release.statistic import release_statistic
from pydpstat._warn import warn_usage
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import Sample
from pydpstat.inference.regression._predictors import fill_missing_numbers
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults

# assumptions about the shape of the records' distribution
SHAPES = ("any", "normal")
NORMAL_ASSUMPTION = "the records' distribution is close to normal"
NORMAL_GROUPS_ASSUMPTION = "the groups' distributions are close to normal"
ALTERNATIVES = ("two-sided", "less", "greater")
PUBLIC_GROUPS_CONDITION = "the groups' sizes and who is in which group are public"
INDEPENDENT_ASSUMPTION = "the records are independent"
MEASURED_INTERVAL_REMARK = "The validity of the interval is measured, not proven."
MIN_EPSILON = 1e-9
# enough values to make equal keys rare, and few enough for a seeded source to draw each of them
_N_KEYS = 2**52
_N_KEYS_AT_A_TIME = 1 << 16


def make_test_options(
    function: str,
    epsilon: float,
    neighbors: str | None,
    missing: Missing,
    rng: object,
    budget: Chargeable | None,
    alternative: str = "two-sided",
    integer: bool = True,
) -> Options:
    """Check the privacy options of a test for a public number of records, and its alternative."""
    mechanisms = INTEGER_MECHANISMS if integer else REAL_MECHANISMS
    only = BoundedOnly(
        f"for {function}, whose distribution needs public numbers of records",
        "If they are public, give neighbors='bounded', or dp.design(..., neighbors='bounded') with a budget "
        "like Budget(1.0, neighbors='bounded'). ttest_ind and f_oneway take private numbers.",
    )
    checked_options = options(
        epsilon,
        0,
        mechanisms[0].name,
        neighbors,
        missing,
        mechanisms=mechanisms,
        rng=rng,
        budget=budget,
        bounded_only=only,
    )
    check_inference_epsilon(checked_options)
    checks.check_choice(alternative, "alternative", ALTERNATIVES)
    return checked_options


def check_inference_epsilon(options: Options) -> None:
    """Raise an error if epsilon is below the smallest one for which null distributions are computed."""
    if options.epsilon < MIN_EPSILON:
        raise PydpstatError(
            f"epsilon must be at least {MIN_EPSILON} for inference; got {options.epsilon!r}. 1 is usual."
        )


def get_group_names(samples: Sequence[Sample], default_names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the samples, or the default names unless all samples have different names.

    Names of series are public, as column names are.
    """
    names = tuple(sample.name for sample in samples if sample.name)
    return names if len(names) == len(samples) == len(set(names)) else default_names


def get_numbered_group_names(samples: Sequence[Sample]) -> tuple[str, ...]:
    """Return the names of the samples, or "group 1", "group 2", ... as default."""
    return get_group_names(samples, tuple(f"group {index + 1}" for index in range(len(samples))))


def format_contrast_name(kind: str, names: tuple[str, ...], default_names: tuple[str, ...]) -> str:
    """Format the name of a contrast of two groups, with the names of the groups unless they are the default ones."""
    return kind if names == default_names else f"{kind} of {names[0]} and {names[1]}"


def describe_equal_distributions(samples: Sequence[Sample]) -> str:
    """Describe the null hypothesis that all samples have the same distribution, with the samples' names if any."""
    names = get_group_names(samples, ())
    description = f"{', '.join(names[:-1])} and {names[-1]}" if names else "all groups"
    if not names and len(samples) == 2:
        description = "both samples"
    return f"{description} have the same distribution under the null hypothesis"


def read_sample(data: Data, argument: str, options: Options) -> tuple[Floats, Options]:
    """Return the values of one variable, and the options with the privacy unit of their scope."""
    records, options = read_records(data, options, read_single_column, argument)
    (values,) = records.fold(_get_float_arrays, _concatenate_columns)
    return fill_missing_numbers(values, options.missing), options


def read_samples(samples: Sequence[Sample], arguments: Sequence[str], options: Options) -> tuple[list[Floats], Options]:
    """Return the values of each sample, and the options with the privacy unit; warn of empty samples of public size."""
    groups = []
    for (data, scope), argument in zip(samples, arguments):
        values, options = read_sample(data, argument, options._replace(scope=scope))
        groups.append(values)
    empty_names = [
        name
        for name, sample_values in zip(get_group_names(samples, tuple(arguments)), groups)
        if not sample_values.size
    ]
    if empty_names and options.has_public_size:
        shown = checks.format_public_value(empty_names)
        description = f"{shown}: the groups' sizes are public, and nothing is compared with an empty one"
        warn_usage(f"there is no record of {description}. {SPELLING_HINT}: is one misspelled?", UNUSED_LEVELS_TOPIC)
    return groups, options


def warn_empty_samples(names: Sequence[str], noisy: Sequence[NoisySums]) -> None:
    """Warn of samples of private size that look empty by their noisy numbers of records."""
    if any(sums.size is not None for sums in noisy):
        return
    sd = max(math.sqrt(sums.unit_variance * float(np.square(sums.noise[0]).sum())) for sums in noisy)
    axis = LevelAxis(tuple(names), (*range(len(names)), -1, -1))
    warn_unused_levels([sums.sums[0] for sums in noisy], sd, [("", axis)], can_be_rare=False)


def read_pair(x: Data, y: Data, options: Options) -> tuple[Floats, Floats, Options]:
    """Return the values of two variables of the same records, and the options with the privacy unit."""
    records, options = read_records(TwoVariables(x, y), options, read_two_columns, "x")
    x_values, y_values = records.fold(_get_float_arrays, _concatenate_columns)
    return (
        fill_missing_numbers(x_values, options.missing),
        fill_missing_numbers(y_values, options.missing),
        options,
    )


def _get_float_arrays(part: RecordChunk) -> list[Floats]:
    return [array.astype(np.float64) for array in part.columns.arrays]


def _concatenate_columns(one: list[Floats], other: list[Floats]) -> list[Floats]:
    return [np.concatenate(pair) for pair in zip(one, other)]


def draw_tie_keys(source: Source, size: int) -> npt.NDArray[np.int64]:
    """Draw random keys that break ties, one for each record, before the data are read."""
    keys = np.empty(size, dtype=np.int64)
    # blocks need less memory, and the same numbers of a seed
    for start in range(0, size, _N_KEYS_AT_A_TIME):
        block = keys[start : start + _N_KEYS_AT_A_TIME]
        block[:] = source.integers(block.size, _N_KEYS)
    return keys


def release_test_statistic(
    function: str,
    statistic: str,
    value: int | Fraction,
    sensitivity: int | Fraction,
    size: int | tuple[int, ...],
    how: Options,
    *,
    data: tuple[str, ...],
    arguments: tuple[tuple[str, object], ...] = (),
    alternative: str = "two-sided",
    conditions: tuple[str, ...] = (),
) -> DPResults:
    """Release an exact number of sensitivity `sensitivity`; a tuple `size` has the public sizes of groups."""
    if isinstance(size, tuple):
        size, conditions = sum(size), (PUBLIC_GROUPS_CONDITION, *conditions)
    arguments = (*arguments, *get_alternative_argument(alternative))
    query = Query(
        statistic,
        np.asarray(float(value)),
        (sensitivity,),
        Labels(statistic),
        integer=how.mechanism.integer,
        nobs=size,
        exact=(value,),
    )
    return release_statistic(function, query, how, data_names=data, public_arguments=arguments, conditions=conditions)


def get_alternative_argument(alternative: str) -> tuple[tuple[str, object], ...]:
    """Return the alternative as a public argument of the call; empty for the default."""
    return () if alternative == "two-sided" else (("alternative", alternative),)


def get_shape_argument(shape: str) -> tuple[tuple[str, object], ...]:
    """Return the assumed shape as a public argument of the call; empty for the default."""
    return () if shape == SHAPES[0] else (("shape", shape),)


def get_shape_assumption(noisy: Sequence[NoisySums]) -> tuple[str, ...]:
    """Return the assumption about the shape of one or several distributions; empty if there is none."""
    if not noisy[0].is_normal:
        return ()
    return (NORMAL_ASSUMPTION,) if len(noisy) == 1 else (NORMAL_GROUPS_ASSUMPTION,)


def make_range_remarks(release: DPResults, half_range: float) -> tuple[str, ...]:
    """Return remarks on a statistic with an empty range, or with a range smaller than its noise."""
    if half_range == 0.0:
        return ("There is nothing to compare: the p-value is 1 for any data.",)
    if release.noise.std() > half_range:
        return ("The noise is wider than the range of the statistic: the result is almost uninformative.",)
    return ()


UNINFORMATIVE_REMARK = (
    "The noise is too large for counts of so few records: the result is uninformative. Use a larger "
    "epsilon, or more records."
)
# smaller values give noise that overflows
MIN_COUNT_EPSILON = 1e-300
IID_ASSUMPTION = "the records are independent and identically distributed"


def make_count_options(
    epsilon: float,
    alternative: str,
    neighbors: str | None,
    missing: Missing,
    fill: type,
    rng: object,
    budget: Chargeable | None,
    only: BoundedOnly | None = None,
) -> Options:
    """Check the privacy options of a test based on counts, and its alternative."""
    checks.check_choice(alternative, "alternative", ALTERNATIVES)
    public = (epsilon, 0, "geometric", neighbors, missing)
    checked_options = options(
        *public, mechanisms=INTEGER_MECHANISMS, fill_type=fill, rng=rng, budget=budget, bounded_only=only
    )
    if checked_options.epsilon < MIN_COUNT_EPSILON:
        raise PydpstatError(
            f"epsilon must be at least {MIN_COUNT_EPSILON:g} for a test; got {checks.describe_value(epsilon)}. "
            "With so much noise no test is informative."
        )
    return checked_options


def count_disjoint_cells(
    data: object,
    options: Options,
    argument: str,
    test: str,
    read: Callable[[object, str], Columns],
    count_values: Callable[[np.ndarray], np.ndarray],
) -> tuple[np.ndarray, int, Options]:
    """Count the records in disjoint cells that cover all values; return the counts, their sum and the options."""
    records, options = read_records(data, options, read, argument)
    if records.public_size is not None:
        check_min_records(options, records.public_size, 1, test, argument)
    counts = records.fold(partial(_count_part, count_values=count_values, missing=options.missing), np.add)
    size = int(counts.sum())
    if options.has_public_size:
        check_min_records(options, size, 1, test, argument)
    return counts, size, options


def read_boolean_variable(data: object, argument: str) -> Columns:
    """Read one boolean variable."""
    return read_single_column(data, argument, read_booleans)


def count_booleans(values: np.ndarray) -> np.ndarray:
    """Return the numbers of true and of false values."""
    met = int(np.count_nonzero(values))
    return np.array([met, values.size - met])


def make_counts_query(
    counts: np.ndarray, names: tuple[str, ...], n_changed_cells: int, size: int, options: Options
) -> Query:
    """Return a query for counts of which one record changes at most `n_changed_cells` by 1 each."""
    single = len(names) == 1
    return Query(
        "count",
        counts.astype(np.float64).reshape(() if single else -1),
        (compute_weight_sensitivity(n_changed_cells, options),),
        Labels("count", None if single else names),
        integer=True,
        nobs=size if options.has_public_size else None,
        exact=tuple(counts.ravel().tolist()),
    )


def _count_part(part: RecordChunk, count_values: Callable[[np.ndarray], np.ndarray], missing: Missing) -> np.ndarray:
    values, absent = part.columns.arrays[0], part.columns.missing[0]
    if absent is None and values.dtype.kind == "f":
        absent = np.isnan(values)
    if absent is None:
        return count_values(values)
    n_missing = int(np.count_nonzero(absent))
    counts = count_values(values[~absent] if n_missing else values)
    return counts + n_missing * count_values(np.array([missing])) if should_fill(n_missing, missing) else counts
