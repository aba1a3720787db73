"""The release behind tests of tables: noisy counts of the cells of public levels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns
from pydpstat._data.held import public_list
from pydpstat._release.additive import Spender
from pydpstat._release.named_mechanisms import INTEGER
from pydpstat._release.statistic import Missing, check_records, options, release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.inference._laws.nuisance import Floats
from pydpstat.inference._laws.share_intervals import TableIntervals
from pydpstat.inference._testing import check_epsilon
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.random import source_from
from pydpstat.results import DPResults
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.association import check_lengths
from pydpstat.statistics._kernels.cells import cells_query, published_cells
from pydpstat.statistics._kernels.crossed import table_counts, variables_in
from pydpstat.statistics._kernels.levels import (
    DECLARED,
    Axis,
    Level,
    PublicLevels,
    Variables,
    axis_of,
    codes_of,
    levels_of,
    plain,
    variables_of,
)
from pydpstat.statistics._kernels.records import records_of
from pydpstat.statistics._kernels.scope import Scope

# simulated tables take memory and time in proportion
MOST_CELLS = 1_000
LEVELS = "whether every value is one of the levels is treated as public"


class NoisyTable(NamedTuple):
    """A noisy table, its levels, and the rate of its noise."""

    release: DPResults
    noisy: Floats
    names: tuple[tuple[Level, ...], ...]
    rate: float

    @property
    def released(self) -> tuple[tuple[str, float], ...]:
        """The noisy counts with their levels."""
        labels = Labels("table", dimnames=self.names)
        return tuple(zip(labels.elements(self.noisy), self.noisy.ravel(order="F").tolist()))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said where little can be seen."""
        if self.total < self.release.noise.std():
            return (
                ("The noise of one cell is larger than the whole table: the result is almost uninformative."),
            )
        return ()

    @property
    def total(self) -> float:
        """Return the number of records, or the noisy one where it is private; at least 1."""
        known = self.release.nobs
        return max(float(self.noisy.sum() if known is None else known), 1.0)


def noisy_table(
    function: str,
    arguments: tuple[str, ...],
    data: object,
    epsilon: float,
    levels: object,
    neighbors: str | None,
    missing: Missing,
    rng: object,
    budget: Spender | None,
    unit: Any,
    f_exp: object = None,
) -> NoisyTable:
    """Release the counts of a table's cells."""
    named = INTEGER[:1]
    how = options(
        epsilon, 0, "geometric", neighbors, missing, mechanisms=named, others=False, fill=str, budget=budget
    )
    check_epsilon(how)
    argument, scope = " and ".join(arguments), Scope.one(unit, budget)
    if len(arguments) == 1:
        variables = variables_in(data, scope)
    else:
        variables = _one_by_one(data, arguments)
        data = dict(zip(arguments, variables.columns))
    if len(variables.columns) != len(arguments):
        raise PydpstatError(
            f"{argument} must be one variable for {function}; got {len(variables.columns)}. Select a column, "
            "or test two of them by chi2_contingency."
        )
    if isinstance(levels, str) and levels == "discover":
        raise PydpstatError(
            "levels must not be 'discover' for a test, whose table must be public. Give the levels."
        )
    public = [each._replace(closed=True) for each in levels_of(levels, variables)]
    kept = None if how.missing in ("error", "drop") else how.missing
    axes = [_strict(axis_of(each, None, kept)) for each in public]
    names = tuple(axis.names for axis in axes)
    if math.prod(map(len, names)) > MOST_CELLS:
        raise PydpstatError(
            f"levels must make at most {MOST_CELLS} cells for a test; they make "
            f"{math.prod(map(len, names))}. Merge levels."
        )
    if function == "chisquare":
        probabilities(f_exp, names[0])
    source = source_from(rng)
    reader = partial(_coded, public=tuple(public))
    records, how = records_of(data, how, scope, source, reader, argument)
    if how.bounded and records.known is not None:
        check_records(how, records.known, 1, "test", argument)
    # what is missing is left out here, and told below
    counts, size = table_counts(records, public, axes, "drop" if how.missing == "error" else how.missing)
    if how.missing == "error" and counts.sum() != size:
        raise PydpstatError(
            f"{argument} must have a level in each record: some values are missing or not among the "
            "levels, which this error reveals. Name a level for them (missing='other'), or use "
            "missing='drop' with neighbors='unbounded'."
        )
    labels = Labels("table", dimnames=names, dimension_names=variables.names if any(variables.names) else ())
    said = "declared" if isinstance(levels, str) else [list(map(plain, each.levels)) for each in public]
    shown: tuple[tuple[str, object], ...] = (
        ("levels", said if said == "declared" or len(said) > 1 else said[0]),
    )
    if f_exp is not None:
        shown = (*shown, ("f_exp", _weights(f_exp, names[0])))
    release = release_statistic(
        function,
        cells_query("table", counts, labels, size, how),
        how,
        source,
        budget,
        data=arguments,
        arguments=shown,
        publish=published_cells(how, size, False, TableIntervals),
        conditions=(DECLARED,) if said == "declared" else (LEVELS,) if how.missing == "error" else (),
    )
    noise = release.noise
    assert isinstance(noise, SymmetricGeometricNoise)
    return NoisyTable(release, np.asarray(release.value), names, noise.epsilon / noise.sensitivity)


def _one_by_one(data: Any, arguments: tuple[str, ...]) -> Variables:
    """Read two variables, each with its own name, or with that of its argument where both have one name."""
    each = [variables_of(given, argument) for given, argument in zip(data, arguments)]
    for read, argument in zip(each, arguments):
        if len(read.columns) != 1:
            raise PydpstatError(f"{argument} must be one variable; got {len(read.columns)}. Select a column.")
    check_lengths(each[0].size, each[1].size, " and ".join(arguments))
    names = tuple(read.names[0] for read in each)
    names = names if names[0] != names[1] or not any(names) else arguments
    return Variables(tuple(read.columns[0] for read in each), names, each[0].size)


def _strict(axis: Axis) -> Axis:
    """Return an axis where what is no level counts as what is missing does."""
    *places, _, gone = axis.places
    return axis._replace(places=(*places, gone, gone))


def _coded(data: object, argument: str, public: tuple[PublicLevels, ...]) -> Columns:
    """Read records as the codes of their levels."""
    variables = variables_of(data, argument)
    codes = tuple(codes_of(column, each) for column, each in zip(variables.columns, public))
    return Columns(codes, (None,) * len(codes), variables.names, None, variables.size)


def _weights(f_exp: object, names: tuple[Level, ...]) -> list[float]:
    """Check what is expected of each level."""
    if isinstance(f_exp, Mapping):
        given = checks.by_name(f_exp, list(map(str, names)), "f_exp", "level", "0.5")
    else:
        given = public_list(f_exp, "f_exp")
    fits = isinstance(given, (list, tuple)) and len(given) == len(names) and all(map(checks.is_number, given))
    weights = [checks.as_float(each) for each in given] if fits else []
    if not weights or not all(0.0 < each < math.inf for each in weights):
        raise PydpstatError(
            f"f_exp must have a positive finite number for each of the {len(names)} levels, including "
            f"one that missing= adds; got {checks.shown(f_exp)}. Give expected shares, and leave out "
            "impossible levels."
        )
    return weights


def probabilities(f_exp: object, names: tuple[Level, ...]) -> Floats:
    """Return the probabilities of the levels that expected frequencies mean; equal ones without."""
    if f_exp is None:
        return np.full(len(names), 1.0 / len(names))
    exact = [Fraction(each) for each in _weights(f_exp, names)]
    total = sum(exact)
    return np.array([float(each / total) for each in exact])
