"""R's uniform stream with seeding and the state of 626 numbers, and checks of arguments."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pydpstat._answering import HelpfulErrors
from pydpstat._checks import as_integer, describe_value
from pydpstat._frozen import freeze_array
from pydpstat.errors import MissingExtraError, NotSupportedError, PydpstatError
from pydpstat.r_arithmetic._arrays import to_doubles
from pydpstat.r_arithmetic.elementary import Numbers

BLOCK_SIZE = 624
RNG_KIND = 10403
ROUNDING_KIND = 403
WORD_UNIT = 2.0**-32
# R's substitute for an exact zero
ZERO_SUBSTITUTE = 0.5 * 2.328306437080797e-10
CHUNK_SIZE = 96 * BLOCK_SIZE


def _make_seed_table() -> tuple[np.ndarray, np.ndarray]:
    """Return slope and offset of R's scrambling s -> 69069 s + 1: word j of the key is slope * seed + offset."""
    powers = np.multiply.accumulate(np.full(675, 69069, dtype=np.uint32), dtype=np.uint32)
    offsets = np.add.accumulate(np.append(np.uint32(1), powers[:-1]), dtype=np.uint32)
    # 50 warming steps, and one more word, whose place R uses for the position
    return freeze_array(powers[51:]), freeze_array(offsets[51:])


_SLOPE, _OFFSET = _make_seed_table()


def make_seeded_key(seed: int) -> np.ndarray:
    """Return the 624 words that ``set.seed(seed)`` leaves in ``.Random.seed``."""
    return _SLOPE * np.uint32(seed & 0xFFFFFFFF) + _OFFSET


def invert_tempering(words: np.ndarray) -> np.ndarray:
    """Invert the Mersenne-Twister's output transformation, from output words to key words."""
    key = words ^ (words >> np.uint32(18))
    key ^= (key << np.uint32(15)) & np.uint32(0xEFC60000)
    partial = key
    for _ in range(4):
        partial = key ^ ((partial << np.uint32(7)) & np.uint32(0x9D2C5680))
    shifted = partial ^ (partial >> np.uint32(11))
    return partial ^ (shifted >> np.uint32(11))


def check_state(value: npt.ArrayLike) -> np.ndarray:
    """Check a ``.Random.seed`` and return it as 626 numbers of type int32."""
    try:
        state = np.asarray(value)
        is_integer = state.dtype.kind in "iu" or bool(np.all(state == np.floor(state)))
        state = state.astype(np.int64) if is_integer else np.empty(0)
    except (TypeError, ValueError, OverflowError):
        state = np.empty(0)
    if state.ndim != 1 or state.size < 1:
        raise PydpstatError(
            f"state must be 626 whole numbers, R's .Random.seed; got {type(value).__name__}. "
            "Take it from as.integer(.Random.seed) in R or from another RRandom's state."
        )
    if state[0] != RNG_KIND:
        unsupported = 'sample.kind "Rounding"' if state[0] == ROUNDING_KIND else "this kind of generator"
        raise NotSupportedError(
            f"state has RNG kind {state[0]}; only 10403 is supported, not {unsupported}. "
            'Call RNGkind("Mersenne-Twister", "Inversion", "Rejection") in R and take .Random.seed again.'
        )
    if state.size != BLOCK_SIZE + 2:
        raise PydpstatError(f"state must be 626 numbers, R's .Random.seed; got {state.size}.")
    if not 1 <= state[1] <= BLOCK_SIZE:
        raise PydpstatError(f"state has position {state[1]}; in R's .Random.seed it is from 1 to 624.")
    key = state[2:]
    if key.min() < -(2**31) or key.max() >= 2**31 or not key.any():
        raise PydpstatError("state must have 32-bit signed words that are not all 0, as R's .Random.seed.")
    return state.astype(np.int32)


class UniformStream:
    """The uniforms of R's generator in order, with look-ahead.

    Uniforms are generated in whole blocks of 624 words. The block of the latest draw is always kept, so that R's state
    can be computed from it at any time. `key` has the generator's 624 words, of type uint32, and `position` is the
    number of words used.
    """

    __slots__ = ("_twister", "_uniforms", "_at", "_end")

    def __init__(self, key: np.ndarray, position: int) -> None:
        self._twister = np.random.MT19937(0)
        self._twister.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 0}}
        # the words of the key are the first block, used up to the position
        self._uniforms = self._draw_blocks(1)
        self._at = position
        self._end = BLOCK_SIZE

    def get_state(self) -> np.ndarray:
        """Return R's ``.Random.seed``."""
        start = (self._at - 1) // BLOCK_SIZE * BLOCK_SIZE
        words = (self._uniforms[start : start + BLOCK_SIZE] * 2.0**32).astype(np.uint32)
        state = np.empty(BLOCK_SIZE + 2, dtype=np.int32)
        state[0] = RNG_KIND
        state[1] = self._at - start
        state[2:] = invert_tempering(words).view(np.int32)
        return state

    def draw_one(self) -> float:
        """Draw one uniform."""
        position = self._at
        if position == self._end:
            self._fill_buffer(1)
            position = self._at
        self._at = position + 1
        return self._uniforms.item(position)

    def read_ahead(self, count: int) -> np.ndarray:
        """Return a view of the next `count` uniforms without consuming them."""
        if self._end - self._at < count:
            self._fill_buffer(count)
        return self._uniforms[self._at : self._at + count]

    def skip_uniforms(self, count: int) -> None:
        """Consume `count` uniforms that `read_ahead` returned."""
        self._at += count

    def take_uniforms(self, count: int) -> np.ndarray:
        """Draw `count` uniforms as a view that is valid until the next draw."""
        uniforms = self.read_ahead(count)
        self._at += count
        return uniforms

    def draw_uniforms(self, count: int) -> np.ndarray:
        """Draw `count` uniforms as a separate array."""
        result = np.empty(count)
        for start in range(0, count, CHUNK_SIZE):
            chunk = result[start : start + CHUNK_SIZE]
            chunk[:] = self.take_uniforms(chunk.size)
        return result

    def collect_draws(
        self,
        count: int,
        each: float,
        max_uniforms: int,
        draws: Callable[[np.ndarray, int], tuple[np.ndarray, int]],
    ) -> np.ndarray:
        """Collect draws that each use a variable number of uniforms.

        `draws` is called with the next uniforms, about `each` per draw and at most `max_uniforms`, and the number of
        missing draws. It returns that many draws or fewer, and the number of uniforms they use.
        """
        chunks = []
        while count:
            chunk, used = draws(self.read_ahead(min(max_uniforms, int(each * count) + 200)), count)
            self.skip_uniforms(used)
            chunks.append(chunk)
            count -= chunk.size
        return np.concatenate(chunks)

    def _fill_buffer(self, count: int) -> None:
        # the block of the latest draw is kept because the state is computed from it
        start = (self._at - 1) // BLOCK_SIZE * BLOCK_SIZE
        unread = self._uniforms[start : self._end]
        missing = count - (self._end - self._at)
        fresh = self._draw_blocks(-(-missing // BLOCK_SIZE))
        self._uniforms = np.concatenate((unread, fresh))
        self._at -= start
        self._end = self._uniforms.size

    def _draw_blocks(self, count: int) -> np.ndarray:
        words = self._twister.random_raw(count * BLOCK_SIZE)
        uniforms = np.multiply(words, WORD_UNIT)
        if not words.all():
            uniforms[words == 0] = ZERO_SUBSTITUTE
        return uniforms


R_LARGEST_INTEGER = 2147483647


def make_argument_error(name: str, value: object, allowed: str) -> PydpstatError:
    """Return the error for an invalid argument."""
    return PydpstatError(f"{name} must be {allowed}; got {describe_value(value)}.")


def check_nonnegative_integer(value: object, name: str, allowed: str = "a whole number of at least 0") -> int:
    """Check an integer of at least 0, which may be given as a float."""
    number = as_integer(value)
    if number is None or number < 0:
        raise make_argument_error(name, value, allowed)
    return number


def to_numbers(value: npt.ArrayLike, name: str) -> Numbers:
    """Return a float for one number, or an array of floats, in R's order, for several."""
    if type(value) is float:
        return value
    if isinstance(value, (int, np.floating, np.integer)):
        return float(value)
    array = to_doubles(value, name)
    if array.size == 0:
        raise make_argument_error(name, value, "at least one number")
    return array if array.size > 1 else float(array[0])


def expand_to_length(value: Numbers, n: int) -> Numbers:
    """Recycle or truncate an array to n values, as R does; return a number unchanged."""
    return value if isinstance(value, float) else np.resize(value, n)


def require_parameter(
    condition: bool | np.bool_ | npt.NDArray[np.bool_],
    name: str,
    value: Numbers | tuple[Numbers, ...],
    allowed: str,
) -> None:
    """Check the condition of a parameter for which R returns NaN otherwise, before anything is drawn."""
    if isinstance(condition, np.ndarray):
        if condition.all():
            return
        value = float(np.broadcast_to(np.asarray(value), condition.shape)[~condition][0])
    elif condition:
        return
    raise PydpstatError(f"{name} must be {allowed}; got {describe_value(value)}. R returns NaN there.")


Self = TypeVar("Self", bound="SeededStream")


class SeededStream(HelpfulErrors):
    """R's uniform stream with its state, from a seed as for R's ``set.seed``."""

    _stream: UniformStream

    def __init__(self, seed: int) -> None:
        self.set_seed(seed)

    def set_seed(self, seed: int) -> None:
        """Restart the stream, as R's ``set.seed(seed)``.

        Parameters
        ----------
        seed : int
            From -2147483647 to 2147483647.

        Raises
        ------
        PydpstatError
            If the seed is not an integer in that range.

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
                f"{describe_value(seed)}. Give for example 123."
            )
        self._stream = UniformStream(make_seeded_key(number), BLOCK_SIZE)

    @property
    def state(self) -> npt.NDArray[np.int32]:
        """R's ``.Random.seed``: the kind 10403, the position, and 624 words, as 626 numbers of type int32.

        Setting it continues another stream. It reveals all past and future noise: keep it private.

        Raises
        ------
        PydpstatError
            On setting, if it is not a state of R's Mersenne-Twister.
        NotSupportedError
            On setting, if the state belongs to another ``RNGkind``.

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
        return self._stream.get_state()

    @state.setter
    def state(self, value: npt.ArrayLike) -> None:
        state = check_state(value)
        self._stream = UniformStream(state[2:].view(np.uint32), int(state[1]))

    @classmethod
    def from_r(cls: type[Self]) -> Self:
        """Continue the stream of the R session that rpy2 runs in this process.

        Returns
        -------
        RRandom
            A stream whose next draw is R's next draw. R's own stream remains unchanged.

        Raises
        ------
        MissingExtraError
            If rpy2 is not installed.
        PydpstatError
            If R has no ``.Random.seed`` yet.

        References
        ----------
        R Core Team, R 4.2.2, ``?.Random.seed``.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> rng = RRandom.from_r()  # doctest: +SKIP
        """
        rinterface = _open_r_session("RRandom.from_r()")
        if ".Random.seed" not in rinterface.globalenv.keys():
            raise PydpstatError(
                "The R session must have a .Random.seed; it has none because nothing was drawn yet. "
                "Call set.seed() in R."
            )
        rng = cls.__new__(cls)
        # not by memoryview() because rpy2 3.5.9 loses a reference to None in each call of it
        rng.state = np.array(rinterface.globalenv[".Random.seed"])
        return rng

    def to_r(self) -> None:
        """Set the stream of the R session that rpy2 runs in this process to the state of this one.

        Raises
        ------
        MissingExtraError
            If rpy2 is not installed.

        References
        ----------
        R Core Team, R 4.2.2, ``?.Random.seed``.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).to_r()  # doctest: +SKIP
        """
        rinterface = _open_r_session("RRandom.to_r()")
        rinterface.globalenv[".Random.seed"] = rinterface.IntSexpVector.from_memoryview(self.state.data)

    def __getstate__(self) -> dict[str, npt.NDArray[np.int32]]:
        return {"state": self.state}

    def __setstate__(self, saved: dict[str, npt.NDArray[np.int32]]) -> None:
        self.state = saved["state"]

    def __repr__(self) -> str:
        # a seed or a state would reveal the noise
        return f"{type(self).__name__}(seed=...)"


def _open_r_session(feature: str) -> ModuleType:
    try:
        import rpy2.rinterface as rinterface
    except ImportError as error:
        raise MissingExtraError(feature, "rpy2", "r") from error
    rinterface.initr()
    return rinterface
