"""One package's calls, in a process of its own: ``serve.py MODULE``, or ``serve.py MODULE cold DATA``.

It reads requests and writes answers, a line of JSON each. With the standard library alone, so that it runs in
each package's environment.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

COLD_SIZE = 100


class Calls:
    """The calls of a package; records that were read are kept."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._records: dict[int, Any] = {}
        self._action: Callable[[], Any] = lambda: None

    def prepare(self, case: str, path: str, size: int) -> dict[str, Any]:
        """Make a call ready, or tell why the package has none."""
        if case in self._module.LACKS:
            return {"reason": self._module.LACKS[case]}
        if case in self._module.NOISES:
            self._action = self._module.NOISES[case](size)
            return {"ready": True}
        if size not in self._records:
            self._records[size] = self._module.records(path, size)
        self._action = self._module.STATISTICS[case](self._records[size])
        return {"ready": True}

    def run(self, times: int) -> dict[str, Any]:
        """Return the seconds that a call takes, out of a loop of so many."""
        gc.collect()
        start = perf_counter()
        for _ in range(times):
            self._action()
        return {"seconds": (perf_counter() - start) / times}


def cold(name: str, path: str) -> dict[str, Any]:
    """Return the seconds of the import, and of both it and a first release."""
    start = perf_counter()
    module = import_module(name)
    imported = perf_counter()
    records = module.records(path, COLD_SIZE)
    clock = perf_counter()
    module.STATISTICS["mean"](records)()
    return {"import": imported - start, "release": imported - start + perf_counter() - clock}


def serve(name: str, answer: Callable[[dict[str, Any]], None]) -> None:
    """Answer requests until there are no more; an error is an answer, too."""
    module = import_module(name)
    calls = Calls(module)
    answer({"version": module.VERSION})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer(getattr(calls, request.pop("do"))(**request))
        except Exception as error:
            answer({"reason": f"{type(error).__name__}: {error}".splitlines()[0]})


def main() -> None:
    """Answer on what was standard output; what packages print goes to standard error."""
    with os.fdopen(os.dup(1), "w", buffering=1) as answers:
        os.dup2(2, 1)
        warnings.simplefilter("ignore")
        if sys.argv[2:]:
            answers.write(json.dumps(cold(sys.argv[1], sys.argv[3])) + "\n")
        else:
            serve(sys.argv[1], lambda found: print(json.dumps(found), file=answers, flush=True))


if __name__ == "__main__":
    main()
