"""Progress line on a terminal for long computations."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

# seconds before the line first appears, and between updates
_INITIAL_DELAY, _UPDATE_INTERVAL = 3.0, 0.5
_RECORD_UNIT = "records"
Made = TypeVar("Made")


class Progress:
    """Counter of records, or another unit, shown on a terminal if a `with` block takes more than 3 seconds.

    The line is written to the standard error stream and erased at the end. The environment variable
    ``PYDPSTAT_PROGRESS`` disables it (0) or shows it on any stream (1). `total` is called only if the line can be
    shown.
    """

    def __init__(self, total: Callable[[], int | None], unit: str = _RECORD_UNIT) -> None:
        self.done, self.unit = 0, unit
        self._get_total = total
        self._total: int | None = None
        self._finished = threading.Event()
        self._watcher: threading.Thread | None = None
        self._width = 0

    def __enter__(self) -> Progress:
        """Start the timer if the line can be shown."""
        self._start = time.monotonic()
        # the stream is saved because a function may redirect the output of user code
        self._stream = sys.stderr
        if is_progress_shown():
            self._total = self._get_total()
            self._watcher = threading.Thread(target=self._show_progress, daemon=True)
            self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Erase the line."""
        self._finished.set()
        if self._watcher is not None:
            self._watcher.join()
        if self._width:
            self._write_line("")

    def add_done(self, done: int = 1) -> None:
        """Add to the count."""
        self.done += done

    def count_one(self, result: Made) -> Made:
        """Add one to the count, and return the result unchanged."""
        self.done += 1
        return result

    def describe_state(self) -> str:
        """Return the text of the line without the rate."""
        if self._total is None:
            return f"{self.done:,} {self.unit}"
        share = 100 * self.done // max(self._total, 1)
        return f"{self.done:,} of {self._total:,} {self.unit} ({share} %)"

    def _show_progress(self) -> None:
        wait = _INITIAL_DELAY
        while not self._finished.wait(wait):
            wait = _UPDATE_INTERVAL
            passed = time.monotonic() - self._start
            if self.done:
                rate = self.done / passed
                line = f"pydpstat: {self.describe_state()}, {rate:,.{0 if rate >= 10 else 1}f} a second, {passed:.0f} s"
            else:
                # a computation in an engine reports no progress
                engine = "the engine is " if self.unit == _RECORD_UNIT else ""
                line = f"pydpstat: {engine}at work, {passed:.0f} s"
            self._write_line(line)

    def _write_line(self, line: str) -> None:
        try:
            self._stream.write("\r" + line.ljust(self._width) + ("" if line else "\r"))
            self._stream.flush()
        except (OSError, ValueError, AttributeError):
            # a closed stream must not make a release fail
            self._finished.set()
        self._width = len(line)


def is_progress_shown() -> bool:
    """Return whether the standard error stream is a terminal; ``PYDPSTAT_PROGRESS`` takes precedence."""
    forced = os.environ.get("PYDPSTAT_PROGRESS", "")
    if forced in ("0", "1"):
        return forced == "1"
    try:
        return bool(sys.stderr.isatty())
    except (AttributeError, ValueError):
        return False
