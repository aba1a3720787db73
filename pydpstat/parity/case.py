"""Comparisons with R, as data: tests, documentation and the report read the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from pydpstat.parity._printing import Names, as_r_prints
from pydpstat.parity.translate import translate

Level = Literal["exact", "ulp", "rtol", "error", "difference", "endless", "refused"]


@dataclass(frozen=True)
class Factor:
    """A categorical input: a pandas Categorical in Python, a factor in R."""

    values: tuple[str | None, ...]
    levels: tuple[str, ...]


Cell = float | str | None
Input = Factor | Cell | Sequence[Cell] | npt.NDArray[np.generic]
Inputs = Mapping[str, Input]


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
    inputs: Inputs = field(default_factory=dict)
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


@dataclass(frozen=True)
class Recorded:
    """One value that R prints.

    Parameters
    ----------
    value : float, or nested tuples of float
        The value to 17 significant digits: a number, a vector, or the rows of a matrix.
    name : str
        What it is.
    dimnames : pair of tuples of str, optional
        Row and column names of a matrix.
    """

    value: npt.ArrayLike
    name: str = "value"
    dimnames: Names | None = None

    @property
    def array(self) -> npt.NDArray[np.float64]:
        """The value as an array."""
        return np.asarray(self.value, dtype=np.float64)

    @property
    def printed(self) -> list[str]:
        """The numbers as R prints them, in R's order.

        Examples
        --------
        >>> from pydpstat.parity.case import Recorded
        >>> Recorded(0.49855899423826489).printed
        ['0.498559']
        """
        return as_r_prints(self.array)


@dataclass(frozen=True)
class Step:
    """One of several pieces of code that share their variables and their stream.

    Parameters
    ----------
    title : str
        What is done.
    r : tuple of str
        The R lines; each expression that R would print is one recorded value.
    python : tuple of str
        The Python lines; the last is an expression: the value, or a tuple of the values.
    recorded : tuple of Recorded
        What R prints.
    next_uniform : float, optional
        R's next ``runif(1)``, which proves how many numbers were drawn.
    logarithms : bool
        Whether a draw goes through the C library's logarithm, whose last bit depends on the processor.
    """

    title: str
    r: tuple[str, ...]
    python: tuple[str, ...]
    recorded: tuple[Recorded, ...]
    next_uniform: float | None = None
    logarithms: bool = False
