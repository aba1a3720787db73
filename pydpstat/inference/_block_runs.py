"""Records in random blocks, and a caller's function run on each of them so that only its result is seen."""

from __future__ import annotations

import logging
import math
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.containers import has_rows, is_vector
from pydpstat._data.values import without_mask
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.random.secure.integers import permutation

Places = npt.NDArray[np.int64]
Block = tuple[Any, ...]
ALONE = "what the callable does with a block depends on that block alone"
SILENT = "of the callable only its results are protected: not the time it takes, nor files it writes"


class Samples:
    """One sample or several, each of records that are rows of an array or of a frame. Private."""

    def __init__(self, data: object) -> None:
        """Look at the containers; no value is read."""
        given = data if _are_samples(data) else (data,)
        self.samples = tuple(_sample(each) for each in given)  # type: ignore[attr-defined]
        self.sizes = tuple(len(each) for each in self.samples)

    def __repr__(self) -> str:
        return "Samples(values withheld)"

    def blocks(self, number: int, source: Source, bounded: bool) -> Iterator[Block]:
        """Yield a block of each sample so many times: together they are all records, each of them once.

        Under bounded neighbors the blocks of a sample are drawn without replacement and differ by one record
        in size at most. Otherwise each record draws its block by itself, so that one record more or less
        changes one block, and only that.
        """
        drawn = [_divided(size, number, source, bounded) for size in self.sizes]
        for place in range(number):
            parts = zip(self.samples, drawn)
            yield tuple(
                _rows(sample, order[cuts[place] : cuts[place + 1]]) for sample, (order, cuts) in parts
            )


def _are_samples(data: object) -> bool:
    return isinstance(data, tuple) and len(data) > 0 and all(_has_records(each) for each in data)


def _has_records(value: object) -> bool:
    return is_vector(value) or has_rows(value) or getattr(value, "ndim", 0) == 2 or hasattr(value, "take")


def _sample(data: object) -> Any:
    if has_rows(data):
        return data
    if isinstance(data, (list, tuple, range, np.ma.MaskedArray)):
        data = checks.array_of(without_mask(data))
    sized = hasattr(data, "__len__") and not isinstance(data, (str, bytes, dict))
    if sized and (hasattr(data, "__getitem__") or hasattr(data, "take")) and getattr(data, "ndim", 1) > 0:
        return data
    raise PydpstatError(
        f"data must be records in memory (list, array, Series, frame), or a tuple of samples of them; got "
        f"{type(data).__name__}. Read the data first."
    )


def _rows(sample: Any, places: Places) -> Any:
    """Return copies of some records, in their order."""
    if has_rows(sample):
        return sample.iloc[places]
    if isinstance(sample, np.ndarray) or not hasattr(sample, "take"):
        return sample[places]
    # tables and arrays of Arrow
    return sample.take(places)


def _divided(size: int, number: int, source: Source, bounded: bool) -> tuple[Places, list[int]]:
    """Return the records' places, block by block, and where each block begins and the last ends."""
    if bounded:
        mixed = np.argsort(source.uniform(size), kind="stable") if source.reproducible else permutation(size)
        cuts = [size * place // number for place in range(number + 1)]
        parts = [np.sort(mixed[start:end]) for start, end in zip(cuts, cuts[1:])]
        return np.concatenate(parts).astype(np.int64), cuts
    own = source.integers(size, number)
    counts = np.bincount(own, minlength=number)
    return np.argsort(own, kind="stable").astype(np.int64), [0, *np.cumsum(counts).tolist()]


@contextmanager
def unheard() -> Iterator[None]:
    """Let nothing out that is printed, logged or warned of inside."""
    before = logging.root.manager.disable
    with open(os.devnull, "w", encoding="utf-8") as nowhere, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            with redirect_stdout(nowhere), redirect_stderr(nowhere):
                yield
        finally:
            logging.disable(before)


def number_of(function: Callable[..., object], block: Block, read: Callable[[object], float]) -> float:
    """Return what a function makes of a block, read as a number; NaN where either of them fails.

    Whether it fails tells of the records: no error comes out, also none that would end the program. Only the
    user's own interrupt does.

    Examples
    --------
    >>> number_of(lambda x: 1 / len(x), ([],), float)
    nan
    """
    try:
        with np.errstate(all="ignore"):
            return float(read(function(*block)))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return math.nan


def pvalue_of(result: object) -> float:
    """Return the p-value of a test's result: its `pvalue`, a number, or 0 and 1 for a decision.

    Examples
    --------
    >>> pvalue_of(0.25), pvalue_of(True), pvalue_of(np.array([0.5]))
    (0.25, 0.0, 0.5)
    """
    value = checks.unwrap(getattr(result, "pvalue", result))
    if isinstance(value, (bool, np.bool_)):
        return 0.0 if value else 1.0
    number = float(value)
    return number if 0.0 <= number <= 1.0 else math.nan


def estimate_of(result: object) -> float:
    """Return an estimator's result as a number."""
    return float(checks.unwrap(result))


def check_callable(function: object, name: str, example: str) -> Callable[..., object]:
    """Check that something can be called; it is not called."""
    if callable(function):
        return function
    raise PydpstatError(
        f"{name} must be a function; got {checks.shown(function)}. Give for example {example}."
    )
