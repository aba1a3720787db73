"""What tests and intervals from blocks share: the callable and its results, the blocks, the release."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._release.additive import Query, Spender, release
from pydpstat._release.calibration import prepare
from pydpstat._release.statistic import Options, Protection, call, check_budget, check_records
from pydpstat.errors import PydpstatError
from pydpstat.inference._block_records import Samples
from pydpstat.inference._testing import check_epsilon
from pydpstat.random import Source
from pydpstat.results.results import DPResults

_MOST_BLOCKS = 10**5
ALONE = "what the callable returns for a block depends on that block alone"
TYPES = "the types of the data and their columns are public"
SIZES = "the sample sizes, and which sample a record is in, are public"
SILENT = (
    "only the results of the callable are protected, not its running time, files that it writes, or "
    "objects and threads that it leaves behind"
)


def pvalue_of(result: object) -> float:
    """Return the p-value of a test's result: its `pvalue`, a number, or 0 and 1 for a decision."""
    value = checks.unwrap(getattr(result, "pvalue", result))
    if isinstance(value, (bool, np.bool_)):
        return 0.0 if value else 1.0
    number = estimate_of(value)
    return number if 0.0 <= number <= 1.0 else math.nan


def estimate_of(result: object) -> float:
    """Return an estimator's result as a number; a text is none."""
    value: Any = checks.unwrap(result)
    return math.nan if isinstance(value, (str, bytes)) else float(value)


def check_callable(function: object, name: str, example: str) -> Callable[..., object]:
    """Check that something can be called; it is not called."""
    if callable(function):
        return function
    raise PydpstatError(
        f"{name} must be a function; got {checks.shown(function)}. Give for example {example}."
    )


def divided_samples(
    data: object, how: Options, blocks: object, unit: Any, source: Source, budget: Spender | None
) -> tuple[Samples, int | None]:
    """Return the samples, of each unit one record, and the number of blocks where it is given."""
    check_epsilon(how)
    samples = Samples(data)
    samples.keep_one(unit, source, budget)
    if how.bounded:
        check_records(how, min(samples.sizes), 1, "test on blocks")
    if blocks is not None:
        number = checks.integer(blocks, "blocks", 1, _MOST_BLOCKS, hint="10 is usual.")
        if how.bounded and number > min(samples.sizes):
            raise PydpstatError(
                f"blocks must be at most the number of records in data, {min(samples.sizes)}; got {number}. "
                "10 is usual."
            )
        return samples, number
    if not how.bounded:
        raise PydpstatError(
            "blocks must be given with neighbors 'unbounded': a number that depends on the number of "
            "records would reveal it. Give for example blocks=10."
        )
    return samples, None


def public_size(how: Options, samples: Samples) -> int | None:
    """Return the number of all records, where it is public."""
    return sum(samples.sizes) if how.bounded else None


def release_blocks(
    function: str,
    query: Query,
    how: Options,
    samples: Samples,
    source: Source,
    budget: Spender | None,
    names: tuple[str, ...],
    arguments: tuple[tuple[str, object], ...],
) -> DPResults:
    """Release numbers of blocks; no condition speaks of missing values, which are the callable's affair."""
    conditions = (ALONE, TYPES, SILENT, *((SIZES,) if len(samples.sizes) > 1 else ()))
    how = how._replace(unit=samples.unit)
    spec = Protection(how._replace(missing="drop"), conditions)
    return release(
        query,
        prepare(query.question, spec, source.reproducible),
        source,
        record=call(function, how, names, arguments),
        budget=check_budget(budget),
    )


def sizes_told(how: Options, samples: Samples, blocks: int) -> tuple[str, ...]:
    """Say how large the blocks are."""
    if not how.bounded:
        return (f"{blocks} blocks.",)
    least = min(samples.sizes) // blocks
    return (f"{blocks} blocks, of {least} or more records of each sample.",)
