"""Run callables on blocks of records in isolation: only their results are used."""

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
    """Function that calls a callable and reads its result."""

    def __call__(self, function: Callback, arguments: Sequence[object], read: Callable[[object], Read]) -> Read | float:
        """Return the result as read, or NaN if the call or the reading fails."""


@contextmanager
def open_isolated_runner() -> Iterator[IsolatedRunner]:
    """Yield a function that runs callables without output, warnings or log messages.

    It is called with a function, its arguments and a reader of the result, and returns what the reader returns,
    or NaN if either raises any exception, including SystemExit: whether a call fails depends on the records.
    Only a keyboard interrupt by the user is passed on. The global random generators are reseeded before each
    call, with the number of the call, and their states are restored at the end: the draws of a call affect neither
    the next one nor the caller.
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
    """Yield a function that returns whether the user has interrupted; a callable may raise KeyboardInterrupt itself."""
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
    """Return the p-value of a test's result: its `pvalue` attribute, a number, or 0 or 1 for a decision."""
    value = checks.unwrap_scalar(getattr(result, "pvalue", result))
    if isinstance(value, (bool, np.bool_)):
        return 0.0 if value else 1.0
    number = convert_to_estimate(value)
    return number if 0.0 <= number <= 1.0 else math.nan


def convert_to_estimate(result: object) -> float:
    """Return the result of an estimator as a float; NaN for a string."""
    value = checks.unwrap_scalar(result)
    return math.nan if isinstance(value, (str, bytes)) else float(value)


def check_callable(function: object, name: str, example: str) -> Callable[..., object]:
    """Check that an argument is callable, without calling it."""
    if callable(function):
        return function
    raise PydpstatError(
        f"{name} must be a function; got {checks.describe_value(function)}. Give for example {example}."
    )


def make_block_samples(
    data: object, options: Options, n_blocks: object, unit: object
) -> tuple[BlockSamples, int | None]:
    """Return the samples, with one record of each unit, and the checked number of blocks if given."""
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
    """Return the total number of records if it is public, else None."""
    return sum(samples.sizes) if options.has_public_size else None


def release_blocks(
    function: str,
    query: Query,
    options: Options,
    samples: BlockSamples,
    names: tuple[str, ...],
    arguments: tuple[tuple[str, object], ...],
) -> DPResults:
    """Release a query on block results; no condition about missing values, which the callable handles."""
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
    """Return a remark on the number and size of the blocks."""
    if not options.has_public_size:
        return (f"{n_blocks} blocks.",)
    min_size = min(samples.sizes) // n_blocks
    return (f"{n_blocks} blocks, of {min_size} or more records of each sample.",)
