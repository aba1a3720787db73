"""What the methods of `RRandom` share: the state of the stream, and checks and recycling of arguments."""

from __future__ import annotations

from types import ModuleType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pydpstat._answering import Answering
from pydpstat._checks import as_integer, shown
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.r_arithmetic._arrays import doubles
from pydpstat.r_arithmetic.elementary import Numbers
from pydpstat.random.r_stream._mersenne import BLOCK, UniformStream, checked_state, seeded_key

R_LARGEST_INTEGER = 2147483647


def refuse(name: str, value: object, allowed: str) -> PydpstatError:
    """Return the error for an argument."""
    return PydpstatError(f"{name} must be {allowed}; got {shown(value)}.")


def whole(value: object, name: str, allowed: str = "a whole number of at least 0") -> int:
    """Check an integer of at least 0; a float without a fraction will do."""
    number = as_integer(value)
    if number is None or number < 0:
        raise refuse(name, value, allowed)
    return number


def numbers(value: npt.ArrayLike, name: str) -> Numbers:
    """Return a float for one number, or an array of floats, in R's order, for several."""
    if type(value) is float:
        return value
    if isinstance(value, (int, np.floating, np.integer)):
        return float(value)
    array = doubles(value, name)
    if array.size == 0:
        raise refuse(name, value, "at least one number")
    return array if array.size > 1 else float(array[0])


def recycled(value: Numbers, n: int) -> Numbers:
    """Repeat an array to n values, or cut it there, as R does; a number stays one."""
    return value if isinstance(value, float) else np.resize(value, n)


def require(
    condition: bool | np.bool_ | npt.NDArray[np.bool_],
    name: str,
    value: Numbers | tuple[Numbers, ...],
    allowed: str,
) -> None:
    """Refuse a parameter for which R returns NaN; nothing has been drawn by then."""
    if isinstance(condition, np.ndarray):
        if condition.all():
            return
        value = float(np.broadcast_to(np.asarray(value), condition.shape)[~condition][0])
    elif condition:
        return
    raise PydpstatError(f"{name} must be {allowed}; got {shown(value)}. R returns NaN there.")


Self = TypeVar("Self", bound="Seeded")


class Seeded(Answering):
    """R's uniform stream with its state, from a seed as for R's ``set.seed``."""

    _stream: UniformStream

    def __init__(self, seed: int) -> None:
        self.set_seed(seed)

    def set_seed(self, seed: int) -> None:
        """Start the stream again, as R's ``set.seed(seed)``.

        Parameters
        ----------
        seed : int
            From -2147483647 to 2147483647.

        Raises
        ------
        PydpstatError
            Where the seed is no integer in that range.

        References
        ----------
        Matsumoto, M. and Nishimura, T. (1998). Mersenne Twister. ACM Transactions on Modeling and
        Computer Simulation, 8, 3-30. R scrambles the seed with a linear congruence first.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> rng = RRandom(1)
        >>> rng.set_seed(123)
        >>> rng.runif(2)
        array([0.28757752, 0.78830514])
        """
        number = as_integer(seed)
        if number is None or abs(number) > R_LARGEST_INTEGER:
            raise PydpstatError(
                "seed must be a whole number from -2147483647 to 2147483647, as for R's set.seed(); got "
                f"{shown(seed)}. Give for example 123."
            )
        self._stream = UniformStream(seeded_key(number), BLOCK)

    @property
    def state(self) -> npt.NDArray[np.int32]:
        """R's ``.Random.seed``: the kind 10403, the position, and 624 words, as 626 numbers of type int32.

        Setting it continues another stream. It tells all past and future noise: keep it private.

        Raises
        ------
        PydpstatError
            On setting: where it is no state of R's Mersenne-Twister.
        NotSupportedError
            On setting: where the state belongs to another ``RNGkind``.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> rng = RRandom(123)
        >>> saved = rng.state
        >>> first = rng.runif(3)
        >>> rng.state = saved
        >>> bool((rng.runif(3) == first).all())
        True
        """
        return self._stream.state()

    @state.setter
    def state(self, value: npt.ArrayLike) -> None:
        state = checked_state(value)
        self._stream = UniformStream(state[2:].view(np.uint32), int(state[1]))

    @classmethod
    def from_r(cls: type[Self]) -> Self:
        """Continue the stream of the R session that rpy2 runs in this process.

        Returns
        -------
        RRandom
            A stream whose next draw is R's next draw. R's own stream stays where it is.

        Raises
        ------
        MissingExtraError
            Where rpy2 is not installed.
        PydpstatError
            Where R has no ``.Random.seed`` yet.

        References
        ----------
        R Core Team, R 4.2.2, ``?.Random.seed``.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> rng = RRandom.from_r()  # doctest: +SKIP
        """
        rinterface = _session("RRandom.from_r()")
        if ".Random.seed" not in rinterface.globalenv.keys():
            raise PydpstatError(
                "The R session must have a .Random.seed; it has none because nothing was drawn yet. "
                "Call set.seed() in R."
            )
        rng = cls.__new__(cls)
        # not through memoryview(): rpy2 3.5.9 loses a reference to None in every call of it
        rng.state = np.array(rinterface.globalenv[".Random.seed"])
        return rng

    def to_r(self) -> None:
        """Let the R session that rpy2 runs in this process continue this stream.

        Raises
        ------
        MissingExtraError
            Where rpy2 is not installed.

        References
        ----------
        R Core Team, R 4.2.2, ``?.Random.seed``.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).to_r()  # doctest: +SKIP
        """
        rinterface = _session("RRandom.to_r()")
        rinterface.globalenv[".Random.seed"] = rinterface.IntSexpVector.from_memoryview(self.state.data)

    def __getstate__(self) -> dict[str, npt.NDArray[np.int32]]:
        return {"state": self.state}

    def __setstate__(self, saved: dict[str, npt.NDArray[np.int32]]) -> None:
        self.state = saved["state"]

    def __repr__(self) -> str:
        # a seed or a state would reveal the noise
        return f"{type(self).__name__}(seed=...)"


def _session(feature: str) -> ModuleType:
    try:
        import rpy2.rinterface as rinterface
    except ImportError as error:
        raise MissingExtraError(feature, "rpy2", "r") from error
    rinterface.initr()
    return rinterface
