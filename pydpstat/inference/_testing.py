"""What tests share: options, names, samples, counts, and what is released."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns, Data, one_column, truths_of
from pydpstat._data.values import fills
from pydpstat._release.additive import Query, Spender
from pydpstat._release.calibration import INTEGER, REAL
from pydpstat._release.options import Missing, OnlyBounded, Options, check_records, options
from pydpstat._release.statistic import release_statistic
from pydpstat._warn import warn_usage
from pydpstat.errors import PydpstatError
from pydpstat.inference._null_distributions.noisy_t import NoisySums
from pydpstat.inference._predictors import filled
from pydpstat.inference._samples import Sample
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.association import Both, both_columns
from pydpstat.statistics._kernels.levels import Axis
from pydpstat.statistics._kernels.partition import reach_of
from pydpstat.statistics._kernels.records import Part, records_of
from pydpstat.statistics._kernels.scope import SPELLING, TOPIC, note_unused

# assumed shapes of the records' distributions
SHAPES = ("any", "normal")
NORMAL = "the records' distribution is close to normal"
NORMAL_GROUPS = "the groups' distributions are close to normal"
ALTERNATIVES = ("two-sided", "less", "greater")
GROUPS = "the groups' sizes and who is in which group are public"
INDEPENDENT = "the records are independent"
MEASURED_INTERVAL = "The validity of the interval is measured, not proven."
LEAST_EPSILON = 1e-9
# so many values make ties of keys rare; a seeded source draws them without gaps
_KEYS = 2**52


def sized_options(
    function: str,
    epsilon: float,
    neighbors: str | None,
    missing: Missing,
    rng: object,
    budget: Spender | None,
    alternative: str = "two-sided",
    integer: bool = True,
) -> Options:
    """Check how a test is to be protected, and its alternative; the number of records has to be public."""
    named = INTEGER if integer else REAL
    only = OnlyBounded(
        f"for {function}, whose distribution needs public numbers of records",
        "If they are public, give neighbors='bounded', or dp.design(..., neighbors='bounded') with a budget "
        "like Budget(1.0, neighbors='bounded'). ttest_ind and f_oneway take private numbers.",
    )
    how = options(
        epsilon, 0, named[0].name, neighbors, missing, mechanisms=named, rng=rng, budget=budget, only=only
    )
    check_epsilon(how)
    checks.one_of(alternative, "alternative", ALTERNATIVES)
    return how


def check_epsilon(how: Options) -> None:
    """Refuse an epsilon whose noise is beyond what distributions are computed for."""
    if how.epsilon < LEAST_EPSILON:
        raise PydpstatError(
            f"epsilon must be at least {LEAST_EPSILON} for inference; got {how.epsilon!r}. 1 is usual."
        )


def group_names(samples: Sequence[Sample], otherwise: tuple[str, ...]) -> tuple[str, ...]:
    """Return the samples' own names, which are public as columns' names are, or others for all of them.

    Samples have names of their own where each is a series with a name and no two have the same.
    """
    found = tuple(each.name for each in samples if each.name)
    return found if len(found) == len(samples) == len(set(found)) else otherwise


def numbered_groups(samples: Sequence[Sample]) -> tuple[str, ...]:
    """Return the names of several groups, which are numbered where they have none."""
    return group_names(samples, tuple(f"group {place + 1}" for place in range(len(samples))))


def contrast_name(kind: str, names: tuple[str, ...], otherwise: tuple[str, ...]) -> str:
    """Return how a contrast of two groups is called: with their names where they have some."""
    return kind if names == otherwise else f"{kind} of {names[0]} and {names[1]}"


def one_distribution(samples: Sequence[Sample]) -> str:
    """Say what the null hypothesis of groups alike is, with their names where they have some."""
    names = group_names(samples, ())
    told = f"{', '.join(names[:-1])} and {names[-1]}" if names else "all groups"
    if not names and len(samples) == 2:
        told = "both samples"
    return f"{told} have the same distribution under the null hypothesis"


def sample_of(data: Data, argument: str, how: Options) -> tuple[Floats, Options]:
    """Return one variable's values, and the options with the unit that their scope may have."""
    records, how = records_of(data, how, one_column, argument)
    (values,) = records.fold(_values, _joined)
    return filled(values, how.missing), how


def groups_of(
    samples: Sequence[Sample], arguments: Sequence[str], how: Options
) -> tuple[list[Floats], Options]:
    """Return the values of several groups, and the options with the unit."""
    groups = []
    for (data, scope), argument in zip(samples, arguments):
        values, how = sample_of(data, argument, how._replace(scope=scope))
        groups.append(values)
    gone = [name for name, each in zip(group_names(samples, tuple(arguments)), groups) if not each.size]
    if gone and how.bounded:
        told = (
            f"{checks.excerpt(gone)}: the groups' sizes are public, and nothing is compared with an empty one"
        )
        warn_usage(f"there is no record of {told}. {SPELLING}: is one misspelled?", TOPIC)
    return groups, how


def note_empty(names: Sequence[str], known: Sequence[NoisySums]) -> None:
    """Say which groups of private sizes look empty by their noisy numbers of records."""
    if any(each.size is not None for each in known):
        return
    sd = max(math.sqrt(each.unit_variance * float(np.square(each.noise[0]).sum())) for each in known)
    axis = Axis(tuple(names), (*range(len(names)), -1, -1))
    note_unused([each.sums[0] for each in known], sd, [("", axis)], rare=False)


def pair_of(x: Data, y: Data, how: Options) -> tuple[Floats, Floats, Options]:
    """Return the values of two variables of the same records, and the options with the unit."""
    records, how = records_of(Both(x, y), how, both_columns, "x")
    first, second = records.fold(_values, _joined)
    return filled(first, how.missing), filled(second, how.missing), how


def _values(part: Part) -> list[Floats]:
    return [each.astype(np.float64) for each in part.columns.arrays]


def _joined(one: list[Floats], other: list[Floats]) -> list[Floats]:
    return [np.concatenate(pair) for pair in zip(one, other)]


def keys_of(source: Source, size: int) -> npt.NDArray[np.int64]:
    """Draw a key for each record, which settles its ties: before anything is asked of the data."""
    return source.integers(size, _KEYS)


def released(
    function: str,
    statistic: str,
    value: int | Fraction,
    reach: int | Fraction,
    size: int | tuple[int, ...],
    how: Options,
    *,
    data: tuple[str, ...],
    arguments: tuple[tuple[str, object], ...] = (),
    alternative: str = "two-sided",
    conditions: tuple[str, ...] = (),
) -> DPResults:
    """Release an exact number that a record changes by at most `reach`; several sizes are those of groups."""
    if isinstance(size, tuple):
        size, conditions = sum(size), (GROUPS, *conditions)
    arguments = (*arguments, *shown_alternative(alternative))
    query = Query(
        statistic,
        np.asarray(float(value)),
        (reach,),
        Labels(statistic),
        integer=how.mechanism.integer,
        nobs=size,
        exact=(value,),
    )
    return release_statistic(function, query, how, data=data, arguments=arguments, conditions=conditions)


def shown_alternative(alternative: str) -> tuple[tuple[str, object], ...]:
    """Return what the call says of the alternative: nothing of the default."""
    return () if alternative == "two-sided" else (("alternative", alternative),)


def shown_shape(shape: str) -> tuple[tuple[str, object], ...]:
    """Return what the call says of the assumed shape: nothing of the default."""
    return () if shape == SHAPES[0] else (("shape", shape),)


def assumed_shape(known: Sequence[NoisySums]) -> tuple[str, ...]:
    """Return the assumption about the shape of one sample, or of several groups, if there is one."""
    if not known[0].normal:
        return ()
    return (NORMAL,) if len(known) == 1 else (NORMAL_GROUPS,)


def remarks_on(noise: DPResults, half_range: float) -> tuple[str, ...]:
    """Return what is to be said where nothing, or little, can be seen."""
    if half_range == 0.0:
        return ("There is nothing to compare: the p-value is 1 for any data.",)
    if noise.noise.std() > half_range:
        return ("The noise is wider than the range of the statistic: the result is almost uninformative.",)
    return ()


NOTHING_SAID = (
    "The noise is too large for counts of so few records: the result is uninformative. Use a larger "
    "epsilon, or more records."
)
# the noise of smaller ones is no number
SMALLEST_EPSILON = 1e-300
IDENTICAL = "the records are independent and identically distributed"


def count_options(
    epsilon: float,
    alternative: str,
    neighbors: str | None,
    missing: Missing,
    fill: type,
    rng: object,
    budget: Spender | None,
    only: OnlyBounded | None = None,
) -> Options:
    """Check how counts are to be protected, and the alternative."""
    checks.one_of(alternative, "alternative", ALTERNATIVES)
    public = (epsilon, 0, "geometric", neighbors, missing)
    how = options(*public, mechanisms=INTEGER, fill=fill, rng=rng, budget=budget, only=only)
    if how.epsilon < SMALLEST_EPSILON:
        raise PydpstatError(
            f"epsilon must be at least {SMALLEST_EPSILON:g} for a test; got {checks.shown(epsilon)}. "
            "With so much noise no test is informative."
        )
    return how


def counted(
    data: object,
    how: Options,
    argument: str,
    test: str,
    read: Callable[[object, str], Columns],
    cells: Callable[[np.ndarray], np.ndarray],
) -> tuple[np.ndarray, int, Options]:
    """Return the counts of disjoint cells that each record is in one of, and the number of all records."""
    records, how = records_of(data, how, read, argument)
    if records.known is not None:
        check_records(how, records.known, 1, test, argument)
    found = records.fold(partial(_part, cells=cells, missing=how.missing), np.add)
    size = int(found.sum())
    if how.bounded:
        check_records(how, size, 1, test, argument)
    return found, size, how


def truths(data: object, argument: str) -> Columns:
    """Read one variable of truth values."""
    return one_column(data, argument, truths_of)


def true_and_false(values: np.ndarray) -> np.ndarray:
    """Count the true and the false values."""
    met = int(np.count_nonzero(values))
    return np.array([met, values.size - met])


def counts_query(counts: np.ndarray, names: tuple[str, ...], ones: int, size: int, how: Options) -> Query:
    """Ask for counts that one record changes by at most so many ones together."""
    single = len(names) == 1
    return Query(
        "count",
        counts.astype(np.float64).reshape(() if single else -1),
        (reach_of(ones, how),),
        Labels("count", None if single else names),
        integer=True,
        nobs=size if how.bounded else None,
        exact=tuple(counts.ravel().tolist()),
    )


def _part(part: Part, cells: Callable[[np.ndarray], np.ndarray], missing: Missing) -> np.ndarray:
    values, absent = part.columns.arrays[0], part.columns.missing[0]
    if absent is None and values.dtype.kind == "f":
        absent = np.isnan(values)
    if absent is None:
        return cells(values)
    gone = int(np.count_nonzero(absent))
    found = cells(values[~absent] if gone else values)
    return found + gone * cells(np.array([missing])) if fills(gone, missing) else found
