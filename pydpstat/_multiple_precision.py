"""Multiple precision: mpmath's functions on numbers with an explicit precision, safe among threads.

They have no state but their caches, such as the digits of log 2 that are known so far. mpmath fills
these in several steps; a thread that reads between two of them gets a wrong number. Hence the copy of
the functions with caches of its own, which nobody else fills, and one call at a time. A call that is
interrupted takes the copy with it. (Not covered: a signal's handler that calls them in the middle of one.)
"""

from __future__ import annotations

import os
import sys
import threading
from functools import _lru_cache_wrapper, cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

_MODULE_NAME = f"{__name__}.libmp"
# a function may call back, as a test's stand-in does
_LOCK = threading.RLock()


class _LockedFunctions:
    """A module's functions, one call of any of them at a time; its constants as they are.

    `load` returns the module, and again once its ``cache_clear`` was called.
    """

    def __init__(self, load: _lru_cache_wrapper[ModuleType]) -> None:
        self._load = load

    def __getattr__(self, name: str) -> Any:
        with _LOCK:
            value = getattr(self._load(), name)
        if not callable(value):
            return value

        def call_locked(*arguments: object, **options: object) -> Any:
            with _LOCK:
                try:
                    return getattr(self._load(), name)(*arguments, **options)
                except BaseException:
                    # a cache may be half filled
                    self._load.cache_clear()
                    raise

        # found at once the next time
        setattr(self, name, call_locked)
        return call_locked


@cache
def _load_copy() -> ModuleType:
    found = find_spec("mpmath")
    spec = found and PathFinder.find_spec(_MODULE_NAME, found.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ImportError("mpmath must be installed: pip install mpmath")
    for name in [name for name in sys.modules if name == _MODULE_NAME or name.startswith(f"{_MODULE_NAME}.")]:
        del sys.modules[name]
    module = sys.modules[_MODULE_NAME] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_FUNCTIONS = _LockedFunctions(_load_copy)


def get_functions() -> _LockedFunctions:
    """Return mpmath's functions: those of ``mpmath.libmp``.

    Examples
    --------
    >>> mp = get_functions()
    >>> mp.to_str(mp.mpf_exp(mp.fone, 100), 10)
    '2.718281828'
    """
    return _FUNCTIONS


if hasattr(os, "register_at_fork"):
    # a child must not begin with a cache that is half filled, or with a lock that nobody gives back
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)
