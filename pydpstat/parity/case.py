"""One comparison with R, as data: tests, documentation and the report read the same cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydpstat.parity.translate import translate

Level = Literal["exact", "ulp", "rtol", "error", "difference", "endless", "refused"]


@dataclass(frozen=True)
class Factor:
    """A categorical input: a pandas Categorical in Python, a factor in R."""

    values: tuple[str | None, ...]
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """An R expression and the Python expression that must return the same.

    Parameters
    ----------
    id : str
        Unique, ``"function/what is special"``.
    function : str
        The R function that the case covers, under R's name (``"meanDP"``).
    package : {"base", "stats", "graphics", "rmutil", "diffpriv", "DPpack", "mipfp", "sdcMicro"}
        Where R has the function; decides whether the case can run live. The last two have no mirror.
    r, python : str
        The code: one expression, or several lines of which the last is an expression, the value.
        Python's sees the inputs, ``rng`` (``RRandom(seed)``), ``np``, ``pd``, ``math``, ``dppack``,
        ``diffpriv``, ``pydpstat`` and ``r`` (``pydpstat.r_arithmetic``); by default it is the
        translation of R's. R's sees the inputs after ``set.seed(seed)``.
    inputs : mapping of str to value
        Float, int, bool or str arrays (lists), scalars, or `Factor`; given to R without loss.
    level : {"exact", "ulp", "rtol", "error", "difference", "endless", "refused"}
        ``"error"``: both stop. ``"difference"``: R returns something that is no finite number and
        Python raises a ``PydpstatError``; `reason` says why. ``"endless"``: R never returns and
        Python raises a ``PydpstatError``. ``"refused"``: R returns a number for an argument that
        has no meaning and Python raises; `reason` says why.
    tolerance : float
        Allowed units in the last place (``"ulp"``) or relative difference (``"rtol"``).
    recorded_ulp : float
        Extra units in the last place against a recording from another machine, whose libm may
        round differently.
    reason : str
        Why the level is not ``"exact"``.
    seed : int
        Seed of R's stream on both sides.
    draws : bool
        Whether the next ``runif(1)`` is compared too.
    help_page : str
        The R help page whose example this is (``"meanDP"``), else empty.
    """

    id: str
    function: str
    package: str
    r: str
    python: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    level: Level = "exact"
    tolerance: float = 0.0
    recorded_ulp: float = 0.0
    reason: str = ""
    seed: int = 123
    draws: bool = True
    help_page: str = ""

    def __post_init__(self) -> None:
        if not self.python:
            object.__setattr__(self, "python", translate(self.r, self.inputs))
