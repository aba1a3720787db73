"""R's uniform stream: Mersenne-Twister words, R's seeding and R's 626-number state, and where draws begin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.errors import NotSupportedError, PydpstatError

BLOCK = 624
KIND = 10403
ROUNDING_KIND = 403
UNIT = 2.0**-32
# what R puts in the place of an exact zero
ZERO = 0.5 * 2.328306437080797e-10
CHUNK = 96 * BLOCK
_FEW = 2048


def _seed_table() -> tuple[np.ndarray, np.ndarray]:
    """Closed form of R's scrambling s -> 69069 s + 1: word j of the key is slope * seed + offset."""
    powers = np.multiply.accumulate(np.full(675, 69069, dtype=np.uint32), dtype=np.uint32)
    offsets = np.add.accumulate(np.append(np.uint32(1), powers[:-1]), dtype=np.uint32)
    # 50 warming steps, and one more word whose place R uses for the position
    return frozen(powers[51:]), frozen(offsets[51:])


_SLOPE, _OFFSET = _seed_table()


def seeded_key(seed: int) -> np.ndarray:
    """Return the 624 words that ``set.seed(seed)`` leaves in ``.Random.seed``."""
    return _SLOPE * np.uint32(seed & 0xFFFFFFFF) + _OFFSET


def untemper(words: np.ndarray) -> np.ndarray:
    """Undo the Mersenne-Twister's output transformation: the key words behind output words."""
    key = words ^ (words >> np.uint32(18))
    key ^= (key << np.uint32(15)) & np.uint32(0xEFC60000)
    partial = key
    for _ in range(4):
        partial = key ^ ((partial << np.uint32(7)) & np.uint32(0x9D2C5680))
    first = partial ^ (partial >> np.uint32(11))
    return partial ^ (first >> np.uint32(11))


def checked_state(value: npt.ArrayLike) -> np.ndarray:
    """Check a ``.Random.seed`` and return it as 626 numbers of type int32."""
    try:
        state = np.asarray(value)
        whole = state.dtype.kind in "iu" or bool(np.all(state == np.floor(state)))
        state = state.astype(np.int64) if whole else np.empty(0)
    except (TypeError, ValueError, OverflowError):
        state = np.empty(0)
    if state.ndim != 1 or state.size < 1:
        raise PydpstatError(
            f"state must be 626 whole numbers, R's .Random.seed; got {type(value).__name__}. "
            "Take it from as.integer(.Random.seed) in R or from another RRandom's state."
        )
    if state[0] != KIND:
        what = 'sample.kind "Rounding"' if state[0] == ROUNDING_KIND else "this kind of generator"
        raise NotSupportedError(
            f"state has RNG kind {state[0]}; only 10403 is supported, not {what}. "
            'Call RNGkind("Mersenne-Twister", "Inversion", "Rejection") in R and take .Random.seed again.'
        )
    if state.size != BLOCK + 2:
        raise PydpstatError(f"state must be 626 numbers, R's .Random.seed; got {state.size}.")
    if not 1 <= state[1] <= BLOCK:
        raise PydpstatError(f"state has position {state[1]}; in R's .Random.seed it is from 1 to 624.")
    key = state[2:]
    if key.min() < -(2**31) or key.max() >= 2**31 or not key.any():
        raise PydpstatError("state must have 32-bit signed words that are not all 0, as R's .Random.seed.")
    return state.astype(np.int32)


class UniformStream:
    """The uniforms of R's generator, in order, with a look ahead.

    Uniforms are made in whole blocks of 624 words. The block of the latest draw is always kept, so
    that R's state can be computed back from it at any moment. `key` has the generator's 624 words, of
    type uint32, and `position` says how many of them are used up.
    """

    __slots__ = ("_twister", "_uniforms", "_at", "_end")

    def __init__(self, key: np.ndarray, position: int) -> None:
        self._twister = np.random.MT19937(0)
        self._twister.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 0}}
        # the words of the key itself are the first block, used up as far as the position says
        self._uniforms = self._blocks(1)
        self._at = position
        self._end = BLOCK

    def state(self) -> np.ndarray:
        """Return R's ``.Random.seed``."""
        start = (self._at - 1) // BLOCK * BLOCK
        words = (self._uniforms[start : start + BLOCK] * 2.0**32).astype(np.uint32)
        state = np.empty(BLOCK + 2, dtype=np.int32)
        state[0] = KIND
        state[1] = self._at - start
        state[2:] = untemper(words).view(np.int32)
        return state

    def next(self) -> float:
        """Draw one uniform."""
        at = self._at
        if at == self._end:
            self._refill(1)
            at = self._at
        self._at = at + 1
        return self._uniforms.item(at)

    def peek(self, count: int) -> np.ndarray:
        """Return a view of the next `count` uniforms without using them up."""
        if self._end - self._at < count:
            self._refill(count)
        return self._uniforms[self._at : self._at + count]

    def advance(self, count: int) -> None:
        """Use up `count` uniforms that `peek` has shown."""
        self._at += count

    def take(self, count: int) -> np.ndarray:
        """Draw `count` uniforms as a view that holds until the next draw."""
        uniforms = self.peek(count)
        self._at += count
        return uniforms

    def draw(self, count: int) -> np.ndarray:
        """Draw `count` uniforms as a separate array."""
        result = np.empty(count)
        for start in range(0, count, CHUNK):
            part = result[start : start + CHUNK]
            part[:] = self.take(part.size)
        return result

    def collect(
        self, count: int, each: float, most: int, draws: Callable[[np.ndarray, int], tuple[np.ndarray, int]]
    ) -> np.ndarray:
        """Collect draws of which each takes a number of uniforms that only they tell.

        `draws` takes the next uniforms, about `each` for a draw and at most `most`, and how many
        draws are missing. It returns that many draws or fewer, and how many uniforms they use up.
        """
        parts = []
        while count:
            found, used = draws(self.peek(min(most, int(each * count) + 200)), count)
            self.advance(used)
            parts.append(found)
            count -= found.size
        return np.concatenate(parts)

    def _refill(self, count: int) -> None:
        # keep the block of the latest draw: the state is computed from it
        start = (self._at - 1) // BLOCK * BLOCK
        kept = self._uniforms[start : self._end]
        missing = count - (self._end - self._at)
        fresh = self._blocks(-(-missing // BLOCK))
        self._uniforms = np.concatenate((kept, fresh))
        self._at -= start
        self._end = self._uniforms.size

    def _blocks(self, count: int) -> np.ndarray:
        words = self._twister.random_raw(count * BLOCK)
        uniforms = np.multiply(words, UNIT)
        if not words.all():
            uniforms[words == 0] = ZERO
        return uniforms


def starts(lengths: np.ndarray) -> np.ndarray:
    """Follow the path 0, 0 + lengths[0], ... and return the positions on it, in order.

    Each length is at least 1, and the path ends at the first step to the end of the array or beyond.

    Examples
    --------
    >>> starts(np.array([2, 1, 1, 3, 1, 1]))
    array([0, 2, 3])
    """
    end = lengths.size
    if end < _FEW:
        return _walk(lengths.tolist())
    # a short path is walked sooner than SciPy is imported
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    # an arrow from each position to the next one; none from the end, where the path leaves
    after = np.minimum(np.arange(end) + lengths, end)
    arrows = csr_matrix((np.ones(end), after, np.append(np.arange(end + 1), end)), shape=(end + 1, end + 1))
    return breadth_first_order(arrows, 0, return_predecessors=False)[:-1].astype(np.int64)


def _walk(steps: list[int]) -> np.ndarray:
    path = []
    at = 0
    while at < len(steps):
        path.append(at)
        at += steps[at]
    return np.array(path, dtype=np.int64)
