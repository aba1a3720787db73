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
from pydpstat._release.calibration import calibrate_release
from pydpstat._release.options import Options, check_min_records
from pydpstat._release.pipeline import Query, release_query
from pydpstat._release.statistic import make_calibrator, make_call
from pydpstat.errors import PydpstatError
from pydpstat.inference._testing import check_inference_epsilon
from pydpstat.inference.blocks._block_records import BlockSamples
from pydpstat.results.results import DPResults

Callback = Callable[..., object]
Read = TypeVar("Read")


class IsolatedRunner(Protocol):
    """What runs a function, and reads its result."""

    def __call__(self, function: Callback, arguments: Sequence[object], read: Callable[[object], Read]) -> Read | float:
        """Return what was read, or NaN where either fails."""


@contextmanager
def open_isolated_runner() -> Iterator[IsolatedRunner]:
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
            with redirect_stdout(nowhere), redirect_stderr(nowhere), _handle_interrupts() as interrupted:
                yield _make_isolated_runner(interrupted)
        finally:
            logging.disable(level)
            random.setstate(states[0])
            np.random.set_state(states[1])


def _make_isolated_runner(is_interrupted: Callable[[], bool]) -> IsolatedRunner:
    place = 0

    def run_seeded(function: Callback, arguments: Sequence[object], read: Callable[[object], Read]) -> Read | float:
        nonlocal place
        place += 1
        random.seed(place)
        np.random.seed(place)
        try:
            with np.errstate(all="ignore"):
                return read(function(*arguments))
        except BaseException:
            if is_interrupted():
                raise KeyboardInterrupt from None
            return math.nan

    return run_seeded


@contextmanager
def _handle_interrupts() -> Iterator[Callable[[], bool]]:
    """Give what tells whether the user has interrupted; a function may raise the same error by itself."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: False
        return
    seen: list[int] = []

    def record_interrupt(signal_number: int, frame: FrameType | None) -> None:
        seen.append(signal_number)
        before(signal_number, frame)

    signal.signal(signal.SIGINT, record_interrupt)
    try:
        yield lambda: bool(seen)
    finally:
        signal.signal(signal.SIGINT, before)


_MAX_BLOCKS = 10**5
INDEPENDENCE_CONDITION = "what the callable returns for a block depends on the values of that block alone"
TYPES_CONDITION = "the types of the data and their columns are public"
SIZES_CONDITION = "the sample sizes, and which sample a record is in, are public"
OUTPUT_CONDITION = (
    "only the results of the callable are protected, not its running time, files that it writes, or "
    "objects and threads that it leaves behind"
)


def convert_to_pvalue(result: object) -> float:
    """Return the p-value of a test's result: its `pvalue`, a number, or 0 and 1 for a decision."""
    value = checks.unwrap_scalar(getattr(result, "pvalue", result))
    if isinstance(value, (bool, np.bool_)):
        return 0.0 if value else 1.0
    number = convert_to_estimate(value)
    return number if 0.0 <= number <= 1.0 else math.nan


def convert_to_estimate(result: object) -> float:
    """Return an estimator's result as a number; a text is none."""
    value = checks.unwrap_scalar(result)
    return math.nan if isinstance(value, (str, bytes)) else float(value)


def check_callable(function: object, name: str, example: str) -> Callable[..., object]:
    """Check that something can be called; it is not called."""
    if callable(function):
        return function
    raise PydpstatError(
        f"{name} must be a function; got {checks.describe_value(function)}. Give for example {example}."
    )


def make_block_samples(
    data: object, options: Options, n_blocks: object, unit: object
) -> tuple[BlockSamples, int | None]:
    """Return the samples, of each unit one record, and the number of blocks where it is given."""
    check_inference_epsilon(options)
    samples = BlockSamples(data)
    samples.select_one_per_unit(unit, options)
    if options.has_public_size:
        check_min_records(options, min(samples.sizes), 1, "test on blocks")
    if n_blocks is not None:
        number = checks.check_integer(n_blocks, "blocks", 1, _MAX_BLOCKS, hint="10 is usual.")
        if options.has_public_size and number > min(samples.sizes):
            raise PydpstatError(
                f"blocks must be at most the number of records in data, {min(samples.sizes)}; got {number}. "
                "10 is usual."
            )
        return samples, number
    if not options.has_public_size:
        raise PydpstatError(
            "blocks must be given with neighbors 'unbounded': a number that depends on the number of "
            "records would reveal it. Give for example blocks=10."
        )
    return samples, None


def get_public_size(options: Options, samples: BlockSamples) -> int | None:
    """Return the number of all records, where it is public."""
    return sum(samples.sizes) if options.has_public_size else None


def release_blocks(
    function: str,
    query: Query,
    options: Options,
    samples: BlockSamples,
    names: tuple[str, ...],
    arguments: tuple[tuple[str, object], ...],
) -> DPResults:
    """Release numbers of blocks; no condition speaks of missing values, which are the callable's affair."""
    conditions = (
        INDEPENDENCE_CONDITION,
        TYPES_CONDITION,
        OUTPUT_CONDITION,
        *((SIZES_CONDITION,) if len(samples.sizes) > 1 else ()),
    )
    options = options._replace(unit=samples.unit)
    spec = make_calibrator(options._replace(missing="drop"), conditions)
    return release_query(
        query,
        calibrate_release(query.spec, spec, options.source.reproducible),
        options.source,
        call=make_call(function, options, names, arguments),
        budget=options.budget,
    )


def describe_block_sizes(options: Options, samples: BlockSamples, n_blocks: int) -> tuple[str, ...]:
    """Say how large the blocks are."""
    if not options.has_public_size:
        return (f"{n_blocks} blocks.",)
    least = min(samples.sizes) // n_blocks
    return (f"{n_blocks} blocks, of {least} or more records of each sample.",)
