"""Test parameters by name."""

from collections.abc import Iterable
from typing import Any

import pytest


def parameters(named: Iterable[tuple[str, Any]]) -> list[Any]:
    """Return parameters of tests, each with the name that a failure shows."""
    return [pytest.param(*(value if isinstance(value, tuple) else (value,)), id=name) for name, value in named]
