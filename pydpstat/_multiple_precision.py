"""Thread-safe access to mpmath's functions of numbers with an explicit precision.

The functions have no state except caches, such as the known digits of log 2. mpmath fills them in several steps, and a
thread that reads between two steps gets a wrong number. Hence this module loads a private copy of the functions, whose
caches no other code fills, and runs one call at a time. A call that is interrupted discards the copy. (A signal handler
that calls the functions during a call is not covered.)
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
# reentrant because a function may call back
_LOCK = threading.RLock()


class _LockedFunctions:
    """Functions of a module, of which one runs at a time; constants are returned unchanged.

    `load` returns the module, and reloads it after its ``cache_clear`` was called.
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
                    # a cache may be filled in part
                    self._load.cache_clear()
                    raise

        # found without this method on the next access
        setattr(self, name, call_locked)
        return call_locked


@cache
def _load_copy() -> ModuleType:
    package_spec = find_spec("mpmath")
    spec = package_spec and PathFinder.find_spec(_MODULE_NAME, package_spec.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ImportError("mpmath must be installed: pip install mpmath")
    for name in [name for name in sys.modules if name == _MODULE_NAME or name.startswith(f"{_MODULE_NAME}.")]:
        del sys.modules[name]
    module = sys.modules[_MODULE_NAME] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_FUNCTIONS = _LockedFunctions(_load_copy)


def get_functions() -> _LockedFunctions:
    """Return mpmath's low-level functions, those of ``mpmath.libmp``.

    Examples
    --------
    >>> mp = get_functions()
    >>> mp.to_str(mp.mpf_exp(mp.fone, 100), 10)
    '2.718281828'
    """
    return _FUNCTIONS


if hasattr(os, "register_at_fork"):
    # a child process must not start with a partly filled cache or a lock that is never released
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)
