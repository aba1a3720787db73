"""Release of noisy cell counts for tests of tables with public levels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.native import to_public_list
from pydpstat._null_distributions.proportions.shares import TableIntervals
from pydpstat._null_distributions.simulation import Floats
from pydpstat._records.association import check_lengths
from pydpstat._records.cells import (
    get_crossed_variables,
    make_cells_postprocessing,
    make_cells_query,
    read_level_codes,
    tabulate_cells,
)
from pydpstat._records.groups import warn_unused_levels
from pydpstat._records.levels import (
    DECLARED_CATEGORIES_CONDITION,
    CrossedVariables,
    Level,
    LevelAxis,
    PublicLevels,
    check_levels,
    check_other,
    convert_to_plain_level,
    make_axis,
    read_crossed_variables,
)
from pydpstat._release.calibration import INTEGER_MECHANISMS
from pydpstat._release.options import Missing, check_min_records, options
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import release_statistic
from pydpstat._warn import warn_usage
from pydpstat.errors import PydpstatError
from pydpstat.inference._testing import check_inference_epsilon
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.results import TableResults
from pydpstat.results._labels import Labels

# memory and time of simulated tables are proportional to the number of cells
MAX_CELLS = 1_000
LEVELS_CONDITION = "whether every value is one of the levels is treated as public"


class NoisyTable(NamedTuple):
    """Release of a noisy table, the counts and levels that are tested, and the rate of the noise."""

    release: TableResults
    noisy: Floats
    names: tuple[tuple[Level, ...], ...]
    rate: float
    other: str | None = None

    @property
    def released(self) -> tuple[tuple[str, float], ...]:
        """Noisy counts with the names of their cells."""
        counts = np.asarray(self.release.value)
        return tuple(zip(self.release.labels.name_elements(counts), counts.ravel(order="F").tolist()))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on values outside the levels and on an uninformative result."""
        sentences = []
        if self.full_shape != self.noisy.shape:
            sentences.append(f"Values that are none of the levels are counted as {self.other!r}, and not tested.")
        if self.total < self.release.noise.std():
            sentences.append(
                "The noise of one cell is larger than the whole table: the result is almost uninformative."
            )
        return tuple(sentences)

    @property
    def full_shape(self) -> tuple[int, ...]:
        """Shape of the table with all levels, including untested ones."""
        return np.shape(self.release.value)

    @property
    def size(self) -> int | None:
        """Number of records with tested levels; None if it is private."""
        return self.release.nobs if self.full_shape == self.noisy.shape else None

    @property
    def total(self) -> float:
        """Number of records, or the noisy total if it is private; at least 1."""
        return max(float(self.noisy.sum() if self.size is None else self.size), 1.0)


def release_noisy_table(
    function: str,
    arguments: tuple[str, ...],
    data: object,
    epsilon: float,
    levels: object,
    neighbors: str | None,
    missing: Missing,
    rng: object,
    budget: Chargeable | None,
    unit: object,
    f_exp: object = None,
    other: str | None = None,
) -> NoisyTable:
    """Check the arguments of a test of a table and release the counts of its cells."""
    check_other(other)
    public_arguments = (epsilon, 0, "geometric", neighbors, missing)
    checked_options = options(
        *public_arguments, mechanisms=INTEGER_MECHANISMS[:1], allow_objects=False, fill_type=str, rng=rng, budget=budget
    )
    check_inference_epsilon(checked_options)
    checked_options, argument = (
        checked_options.use_one_record_per_unit(unit).add_type_conditions(),
        " and ".join(arguments),
    )
    if len(arguments) == 1:
        variables = get_crossed_variables(data, checked_options.scope)
    else:
        variables = _read_variables(data, arguments)
        data = dict(zip(arguments, variables.columns))
    if len(variables.columns) != len(arguments):
        raise PydpstatError(
            f"{argument} must be one variable for {function}; got {len(variables.columns)}. Select a column, "
            "or test two of them by chi2_contingency."
        )
    if isinstance(levels, str) and levels == "discover":
        raise PydpstatError("levels must not be 'discover' for a test, whose table must be public. Give the levels.")
    if levels is None:
        raise PydpstatError(
            "levels must be given: levels from the data would reveal which values occur; got none. "
            f"{argument} must have the level of each record, and not counts. Give the public levels, as "
            "levels=['f', 'm'], or levels='declared' for Categoricals whose categories are public."
        )
    public = check_levels(levels, variables)
    fill_level = None if checked_options.missing in ("error", "drop") else checked_options.missing
    if other is None:
        public = [variable_levels._replace(is_closed=True) for variable_levels in public]
    axes = [make_axis(variable_levels, other, fill_level) for variable_levels in public]
    if other is None:
        axes = list(map(_drop_unknown_levels, axes))
    names = tuple(axis.names for axis in axes)
    # levels to test, without `other` unless it is also a public level or replaces missing values
    tested = [
        [
            index
            for index, name in enumerate(axis.names)
            if name != other or name == fill_level or _has_level(variable_levels, name)
        ]
        for variable_levels, axis in zip(public, axes)
    ]
    tested_names = tuple(
        tuple(axis_names[index] for index in variable_levels) for axis_names, variable_levels in zip(names, tested)
    )
    if math.prod(map(len, names)) > MAX_CELLS:
        raise PydpstatError(
            f"levels must make at most {MAX_CELLS} cells for a test; they make "
            f"{math.prod(map(len, names))}. Merge levels."
        )
    if function == "chisquare":
        get_null_probabilities(f_exp, tested_names[0])
    records, checked_options = read_level_codes(data, public, checked_options, argument)
    if checked_options.has_public_size and records.public_size is not None:
        check_min_records(checked_options, records.public_size, 1, "test", argument)
    strict = checked_options.missing == "error" and other is None
    # missing and unknown values are dropped here, and raise an error below
    counts, size = tabulate_cells(records, public, axes, "drop" if strict else checked_options.missing)
    if strict and counts.sum() != size:
        raise PydpstatError(
            f"{_name_variables(variables) or argument} must have a level in each record: some values are missing or "
            "not among the levels, which this error reveals. Name a level for them (missing='other'), or use "
            "missing='drop' with neighbors='unbounded'."
        )
    alike = function == "chisquare" and all(map(checks.is_number, names[0]))
    if alike and checked_options.has_public_size and size <= len(names[0]):
        # both numbers are public; this many records may be counts passed by mistake
        warn_usage(
            f"{function} was given {size} records, no more than there are levels. data must have the level "
            "of each record: if these are counts, give the records that were counted."
        )
    labels = Labels("table", dimnames=names, dimension_names=variables.names if any(variables.names) else ())
    call_levels = (
        "declared"
        if isinstance(levels, str)
        else [list(map(convert_to_plain_level, variable_levels.levels)) for variable_levels in public]
    )
    shown: tuple[tuple[str, object], ...] = (
        ("levels", call_levels if call_levels == "declared" or len(call_levels) > 1 else call_levels[0]),
    )
    if f_exp is not None:
        shown = (*shown, ("f_exp", _check_expected_frequencies(f_exp, tested_names[0])))
    if other is not None:
        shown = (*shown, ("other", other))
    conditions = (LEVELS_CONDITION,) if strict else ()
    if call_levels == "declared":
        conditions = (DECLARED_CATEGORIES_CONDITION,)
    release = release_statistic(
        function,
        make_cells_query("table", counts, labels, size, checked_options),
        checked_options,
        data_names=arguments,
        public_arguments=shown,
        postprocess=make_cells_postprocessing(checked_options, size, False, TableIntervals),
        conditions=conditions,
    )
    noise = release.noise
    assert isinstance(noise, SymmetricGeometricNoise) and isinstance(release, TableResults)
    if other is not None and call_levels != "declared":
        warn_unused_levels(release.value, noise.std(), [*zip(labels.dimension_names or arguments, axes)], release.nobs)
    counted = np.asarray(release.value)[np.ix_(*tested)]
    return NoisyTable(release, counted, tested_names, noise.epsilon / noise.sensitivity, other)


def _has_level(public: PublicLevels, name: Level) -> bool:
    return name in map(convert_to_plain_level, public.levels)


def _read_variables(data: Any, arguments: tuple[str, ...]) -> CrossedVariables:
    """Read two variables; they are named after the arguments if both have the same name."""
    check_equal_indexes(*zip(arguments, data))
    variables = [read_crossed_variables(variable, argument) for variable, argument in zip(data, arguments)]
    for read, argument in zip(variables, arguments):
        if len(read.columns) != 1:
            raise PydpstatError(f"{argument} must be one variable; got {len(read.columns)}. Select a column.")
    check_lengths(variables[0].size, variables[1].size, " and ".join(arguments))
    names = tuple(read.names[0] for read in variables)
    names = names if names[0] != names[1] or not any(names) else arguments
    return CrossedVariables(tuple(read.columns[0] for read in variables), names, variables[0].size)


def _name_variables(variables: CrossedVariables) -> str:
    """Return the names of the variables for a message; empty if one has none."""
    return " and ".join(map(repr, variables.names)) if all(variables.names) else ""


def _drop_unknown_levels(axis: LevelAxis) -> LevelAxis:
    """Return the axis with unknown values counted in the same cell as missing ones."""
    *positions, _, missing_position = axis.positions
    return axis._replace(positions=(*positions, missing_position, missing_position))


def _check_expected_frequencies(f_exp: object, names: tuple[Level, ...]) -> list[float]:
    """Check the expected frequencies, one positive number for each level."""
    if isinstance(f_exp, Mapping):
        frequencies = checks.select_by_names(f_exp, list(map(str, names)), "f_exp", "level", "0.5")
    else:
        frequencies = to_public_list(f_exp, "f_exp")
    fits = (
        isinstance(frequencies, (list, tuple))
        and len(frequencies) == len(names)
        and all(map(checks.is_number, frequencies))
    )
    weights = [checks.as_float(weight) for weight in frequencies] if fits else []
    if not weights or not all(0.0 < weight < math.inf for weight in weights):
        raise PydpstatError(
            f"f_exp must have a positive finite number for each of the {len(names)} levels, including "
            f"one that missing= adds; got {checks.describe_value(f_exp)}. Give expected shares, and leave out "
            "impossible levels."
        )
    return weights


def get_null_probabilities(f_exp: object, names: tuple[Level, ...]) -> Floats:
    """Return the levels' probabilities, proportional to the expected frequencies; equal ones if there are none."""
    if f_exp is None:
        return np.full(len(names), 1.0 / len(names))
    exact = [Fraction(frequency) for frequency in _check_expected_frequencies(f_exp, names)]
    total = sum(exact)
    return np.array([float(frequency / total) for frequency in exact])
