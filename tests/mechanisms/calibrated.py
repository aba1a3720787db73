"""Noise of every mechanism that the package exports and that needs no arguments, for one number."""

import inspect
import math
import re

from pydpstat import mechanisms
from pydpstat.mechanisms import Mechanism


def find_mechanisms(integer):
    """Return mechanisms by their names in words; the cube's noise is for vectors."""
    found = {}
    for name in mechanisms.__all__:
        kind = getattr(mechanisms, name)
        if not inspect.isclass(kind) or not issubclass(kind, Mechanism) or kind is Mechanism:
            continue
        if kind.integer is integer and kind.norm != math.inf and not inspect.signature(kind).parameters:
            found[re.sub(r"\B([A-Z])", r" \1", name).lower()] = kind()
    return found


def calibrate(mechanism, scale):
    """Return noise in proportion to a scale, or of about that many whole numbers."""
    delta = 1e-6 if mechanism.approximate else 0.0
    return mechanism.calibrate(1.0 / scale, delta, 1) if mechanism.integer else mechanism.calibrate(1.0, delta, scale)
