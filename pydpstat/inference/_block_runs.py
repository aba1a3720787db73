"""Functions that are run on blocks of records, and heard of by their results only."""

from __future__ import annotations

import logging
import math
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import FrameType
from typing import Protocol, TypeVar

import numpy as np

from pydpstat import _checks as checks
from pydpstat._release.additive import Query, release
from pydpstat._release.calibration import prepare
from pydpstat._release.options import Options, check_records
from pydpstat._release.statistic import call, protected
from pydpstat.errors import PydpstatError
from pydpstat.inference._block_records import Samples
from pydpstat.inference._testing import check_epsilon
from pydpstat.results.results import DPResults

Function = Callable[..., object]
Read = TypeVar("Read")


class Run(Protocol):
    """What runs a function, and reads its result."""

    def __call__(
        self, function: Function, arguments: Sequence[object], read: Callable[[object], Read]
    ) -> Read | float:
        """Return what was read, or NaN where either fails."""


@contextmanager
def unheard() -> Iterator[Run]:
    """Give what runs functions; until the end nothing is printed, logged or warned of.

    What is given takes a function, its arguments and what reads its result, and returns what was read, or
    NaN where either of them fails: whether it fails tells of the records, so no error comes out, also none
    that would end the program. Only the user's own interrupt does.

    The global random generators are seeded again for each run, always alike, and have their states again
    afterwards: how much one run draws is told neither to the next one nor to the caller.
    """
    level, states = logging.root.manager.disable, (random.getstate(), np.random.get_state())
    with open(os.devnull, "w", encoding="utf-8") as nowhere, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(sys.maxsize)
        try:
            with redirect_stdout(nowhere), redirect_stderr(nowhere), _interrupts() as interrupted:
                yield _runner(interrupted)
        finally:
            logging.disable(level)
            random.setstate(states[0])
            np.random.set_state(states[1])


def _runner(interrupted: Callable[[], bool]) -> Run:
    place = 0

    def run(function: Function, arguments: Sequence[object], read: Callable[[object], Read]) -> Read | float:
        nonlocal place
        place += 1
        random.seed(place)
        np.random.seed(place)
        try:
            with np.errstate(all="ignore"):
                return read(function(*arguments))
        except BaseException:
            if interrupted():
                raise KeyboardInterrupt from None
            return math.nan

    return run


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Give what tells whether the user has interrupted; a function may raise the same error by itself."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: False
        return
    seen: list[int] = []

    def noted(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, noted)
    try:
        yield lambda: bool(seen)
    finally:
        signal.signal(signal.SIGINT, before)


_MOST_BLOCKS = 10**5
ALONE = "what the callable returns for a block depends on the values of that block alone"
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
    value = checks.unwrap(result)
    return math.nan if isinstance(value, (str, bytes)) else float(value)


def check_callable(function: object, name: str, example: str) -> Callable[..., object]:
    """Check that something can be called; it is not called."""
    if callable(function):
        return function
    raise PydpstatError(
        f"{name} must be a function; got {checks.shown(function)}. Give for example {example}."
    )


def divided_samples(data: object, how: Options, blocks: object, unit: object) -> tuple[Samples, int | None]:
    """Return the samples, of each unit one record, and the number of blocks where it is given."""
    check_epsilon(how)
    samples = Samples(data)
    samples.keep_one(unit, how)
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
    names: tuple[str, ...],
    arguments: tuple[tuple[str, object], ...],
) -> DPResults:
    """Release numbers of blocks; no condition speaks of missing values, which are the callable's affair."""
    conditions = (ALONE, TYPES, SILENT, *((SIZES,) if len(samples.sizes) > 1 else ()))
    how = how._replace(unit=samples.unit)
    spec = protected(how._replace(missing="drop"), conditions)
    return release(
        query,
        prepare(query.question, spec, how.source.reproducible),
        how.source,
        record=call(function, how, names, arguments),
        budget=how.budget,
    )


def sizes_told(how: Options, samples: Samples, blocks: int) -> tuple[str, ...]:
    """Say how large the blocks are."""
    if not how.bounded:
        return (f"{blocks} blocks.",)
    least = min(samples.sizes) // blocks
    return (f"{blocks} blocks, of {least} or more records of each sample.",)
