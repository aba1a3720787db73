"""A caller's functions, run so that nothing of them is seen but what they return."""

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
from typing import Any

import numpy as np

Function = Callable[..., object]
Run = Callable[[Function, Sequence[Any], Callable[[Any], Any]], Any]


@contextmanager
def unheard() -> Iterator[Run]:
    """Give what runs functions; until the end nothing is printed, logged or warned of."""
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

    def run(function: Function, arguments: Sequence[Any], read: Callable[[Any], Any]) -> Any:
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
    before: Any = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: False
        return
    seen: list[int] = []

    def noted(number: int, frame: Any) -> None:
        seen.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, noted)
    try:
        yield lambda: bool(seen)
    finally:
        signal.signal(signal.SIGINT, before)
