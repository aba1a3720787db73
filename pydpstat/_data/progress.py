"""One line on a terminal that tells how far work is that takes long."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

# seconds before the line is first seen, and between two of them
_INITIAL_DELAY, _UPDATE_INTERVAL = 3.0, 0.5
_RECORD_UNIT = "records"
Made = TypeVar("Made")


class Progress:
    """Counts records, or another unit; in a `with`, tells of them on a terminal after more than 3 seconds.

    The line is on the standard error stream, and is gone at the end. The environment's ``PYDPSTAT_PROGRESS``
    says 0 for never, 1 for a stream of any kind. `total` is only asked where somebody watches.
    """

    def __init__(self, total: Callable[[], int | None], unit: str = _RECORD_UNIT) -> None:
        self.done, self.unit = 0, unit
        self._get_total = total
        self._total: int | None = None
        self._finished = threading.Event()
        self._watcher: threading.Thread | None = None
        self._width = 0

    def __enter__(self) -> Progress:
        """Begin to watch the clock, where somebody reads."""
        self._start = time.monotonic()
        # work may hide what a user's function writes there
        self._stream = sys.stderr
        if is_progress_shown():
            self._total = self._get_total()
            self._watcher = threading.Thread(target=self._show_progress, daemon=True)
            self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the line away."""
        self._finished.set()
        if self._watcher is not None:
            self._watcher.join()
        if self._width:
            self._write_line("")

    def add_done(self, done: int = 1) -> None:
        """Count what was done."""
        self.done += done

    def count_one(self, result: Made) -> Made:
        """Count one, and return what was made of it."""
        self.done += 1
        return result

    def describe_state(self) -> str:
        """Return what the line says, without the rate."""
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
                # what runs elsewhere does not say how far it is
                engine = "the engine is " if self.unit == _RECORD_UNIT else ""
                line = f"pydpstat: {engine}at work, {passed:.0f} s"
            self._write_line(line)

    def _write_line(self, line: str) -> None:
        try:
            self._stream.write("\r" + line.ljust(self._width) + ("" if line else "\r"))
            self._stream.flush()
        except (OSError, ValueError, AttributeError):
            # the stream was closed: a release does not fail for it
            self._finished.set()
        self._width = len(line)


def is_progress_shown() -> bool:
    """Tell whether a person reads the standard error stream, or the environment says so."""
    forced = os.environ.get("PYDPSTAT_PROGRESS", "")
    if forced in ("0", "1"):
        return forced == "1"
    try:
        return bool(sys.stderr.isatty())
    except (AttributeError, ValueError):
        return False
