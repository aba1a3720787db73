"""R's sample(): random indices as drawn by R, starting from 0, and the method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._checks import is_number
from pydpstat._data.containers import Column, has_rows, take_rows
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import to_doubles
from pydpstat.random.r_stream._standard import find_starts
from pydpstat.random.r_stream._stream import SeededStream, UniformStream, check_nonnegative_integer

_MAX_SCALAR_DRAWS = 40
_MAX_SCALAR_MOVES = 1000
_CHUNK_SIZE = 65_536
_WORD_RANGE = 65536.0
_WALKER_ABOVE = 200


def _count_bits(n: int) -> int:
    """Return the number of random bits for an index below n."""
    return (n - 1).bit_length()


def draw_index_below(draw: Callable[[], float], n: int) -> int:
    """Draw one index below n: 16 bits of each uniform, repeated if the number is too large."""
    bits = _count_bits(n)
    while True:
        value = 0
        for _ in range(bits // 16 + 1):
            value = 65536 * value + int(draw() * _WORD_RANGE)
        value &= (1 << bits) - 1
        if value < n:
            return value


def _make_candidates(uniforms: np.ndarray, bits: int, step: int) -> np.ndarray:
    """Return the candidates that begin at every `step`-th uniform, as far as there are enough uniforms."""
    # conversion to integers rounds down
    words = (uniforms * _WORD_RANGE).astype(np.int64)
    end = words.size - bits // 16
    value = words[0:end:step]
    for j in range(1, bits // 16 + 1):
        value = (value << 16) | words[j : end + j : step]
    return value & ((1 << bits) - 1)


def draw_with_replacement(stream: UniformStream, n: int, size: int) -> np.ndarray:
    """Draw indices below n with replacement."""
    if size < _MAX_SCALAR_DRAWS:
        return np.array([draw_index_below(stream.draw_one, n) for _ in range(size)], dtype=np.int64)
    bits = _count_bits(n)
    n_words = bits // 16 + 1

    def draw_chunk(uniforms: np.ndarray, missing: int) -> tuple[np.ndarray, int]:
        value = _make_candidates(uniforms, bits, n_words)
        indices = np.flatnonzero(value < n)[:missing]
        return value[indices], n_words * (int(indices[-1]) + 1 if indices.size == missing else value.size)

    return stream.collect_draws(size, n_words * 2.0**bits / n, _CHUNK_SIZE * n_words, draw_chunk)


def draw_without_replacement(stream: UniformStream, n: int, size: int) -> np.ndarray:
    """Draw distinct indices below n by R's shuffle: the last element replaces the one drawn."""
    positions = _draw_shrinking(stream, n, size)
    if size < _MAX_SCALAR_MOVES or 16 * size < n:
        return _shuffle_few(positions.tolist(), n)
    return _shuffle_many(positions, n)


def _draw_shrinking(stream: UniformStream, n: int, size: int) -> np.ndarray:
    """Draw an index below n, then one below n - 1, and so on."""
    result = np.empty(size, dtype=np.int64)
    done = 0
    while done < size:
        n_left = n - done
        bits = _count_bits(n_left)
        # the number of bits is constant down to this number of elements
        n_draws = min(size - done, n_left - (1 << bits >> 1)) if n_left > 1 else 1
        if n_draws < _MAX_SCALAR_DRAWS:
            for i in range(done, done + n_draws):
                result[i] = draw_index_below(stream.draw_one, n - i)
            done += n_draws
            continue
        n_words = bits // 16 + 1
        tries = min(_CHUNK_SIZE, n_draws)
        value = _make_candidates(stream.read_ahead(tries * n_words), bits, n_words)
        indices = np.flatnonzero(_find_accepted(value, n_left))[:n_draws]
        finished = indices.size == n_draws
        stream.skip_uniforms(n_words * (int(indices[-1]) + 1 if finished else tries))
        result[done : done + indices.size] = value[indices]
        done += indices.size
    return result


def _find_accepted(value: np.ndarray, left: int) -> np.ndarray:
    """Return the mask of accepted candidates, where each acceptance lowers the bound by one."""
    accepted = value < left
    while True:
        before = np.cumsum(accepted, dtype=np.int64)
        before -= accepted.astype(np.int64)
        is_accepted = value < left - before
        if np.array_equal(is_accepted, accepted):
            return accepted
        accepted = is_accepted


def _shuffle_few(places: list[int], n: int) -> np.ndarray:
    replacements: dict[int, int] = {}
    result = []
    for position in places:
        n -= 1
        result.append(replacements.get(position, position))
        replacements[position] = replacements.get(n, n)
    return np.array(result, dtype=np.int64)


def _shuffle_many(places: np.ndarray, n: int) -> np.ndarray:
    """Trace each drawn position back to the value it contained, for all draws at once."""
    size = places.size
    time = np.arange(size)
    earlier = _find_previous_hits(places, n)
    # draw t moves the last element, n - 1 - t, whose value came there with the latest draw of that position
    latest = np.full(n, -1, dtype=np.int64)
    latest[places] = time
    last_place = n - 1 - time
    origin = latest[last_place]
    itself = origin == time
    origin[itself] = earlier[itself]
    replacements = _follow_chains(origin, last_place)
    return np.where(earlier < 0, places, replacements[earlier])


def _find_previous_hits(places: np.ndarray, n: int) -> np.ndarray:
    """Return for each draw the latest earlier draw of the same position, or -1."""
    from scipy.sparse import csr_matrix

    # transposing a sparse matrix of draws and positions in SciPy sorts the draws by position in linear time
    size = places.size
    by_place = csr_matrix((np.ones(size), places, np.arange(size + 1)), shape=(size, n)).tocsc()
    before = np.append(-1, by_place.indices[:-1])
    hit = np.diff(by_place.indptr) > 0
    before[by_place.indptr[:-1][hit]] = -1
    earlier = np.empty(size, dtype=np.int64)
    earlier[by_place.indices] = before
    return earlier


def _follow_chains(origin: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Return the value at the end of each chain of origins."""
    time = np.arange(origin.size)
    root = np.where(origin < 0, time, origin)
    while True:
        further = root[root]
        if np.array_equal(further, root):
            return value[root]
        root = further


def draw_by_hashing(stream: UniformStream, n: int, size: int) -> np.ndarray:
    """Draw distinct indices below a large n; repeated ones are redrawn."""
    result: dict[int, None] = {}
    while len(result) < size:
        # missing indices are drawn in order, so the first occurrences are R's draws
        result |= dict.fromkeys(draw_with_replacement(stream, n, size - len(result)).tolist())
    return np.fromiter(result, dtype=np.int64, count=size)


def order_decreasing(prob: np.ndarray) -> np.ndarray:
    """Return R's order of decreasing probabilities, with ties ordered as by its heap sort."""
    order = np.argsort(-prob, kind="stable")
    ordered = prob[order]
    if not np.any(ordered[1:] == ordered[:-1]):
        return order
    return _order_by_heap_sort(prob.tolist())


def _order_by_heap_sort(value: list[float]) -> np.ndarray:
    index = list(range(len(value)))

    def insert_key(key: float, item: int, hole: int, size: int) -> None:
        child = 2 * hole + 1
        while child < size:
            if child + 1 < size and value[child] > value[child + 1]:
                child += 1
            if not key > value[child]:
                break
            value[hole], index[hole] = value[child], index[child]
            hole, child = child, 2 * child + 1
        value[hole], index[hole] = key, item

    for hole in range(len(value) // 2 - 1, -1, -1):
        insert_key(value[hole], index[hole], hole, len(value))
    for last in range(len(value) - 1, 0, -1):
        key, item = value[last], index[last]
        value[last], index[last] = value[0], index[0]
        insert_key(key, item, 0, last)
    return np.array(index, dtype=np.int64)


def draw_weighted_with_replacement(stream: UniformStream, prob: np.ndarray, size: int) -> np.ndarray:
    """Draw indices with replacement, with probabilities that sum to 1."""
    if np.count_nonzero(prob.size * prob > 0.1) > _WALKER_ABOVE:
        return _draw_by_walker(stream, prob, size)
    order = order_decreasing(prob)
    # the last index has the remaining probability, including rounding errors
    bounds = np.cumsum(prob[order])[:-1]
    result = np.empty(size, dtype=np.int64)
    for start in range(0, size, _CHUNK_SIZE):
        chunk = result[start : start + _CHUNK_SIZE]
        chunk[:] = order[np.searchsorted(bounds, stream.take_uniforms(chunk.size))]
    return result


def _draw_by_walker(stream: UniformStream, prob: np.ndarray, size: int) -> np.ndarray:
    """Draw by Walker's alias method (1977): an index, and a uniform that selects it or its alias."""
    n = prob.size
    threshold, alias = _make_aliases(prob)
    bits = _count_bits(n)
    n_words = bits // 16 + 1
    index = np.empty(size, dtype=np.int64)
    u = np.empty(size)
    done = 0
    while done < size:
        uniforms = stream.read_ahead(min(_CHUNK_SIZE, 4 * n_words * (size - done) + 16))
        value = _make_candidates(uniforms, bits, 1)
        accepted = value < n
        length = accepted + n_words
        starts = find_starts(length)
        starts = starts[starts + length[starts] <= uniforms.size]
        indices = starts[accepted[starts]][: size - done]
        filled = slice(done, done + indices.size)
        index[filled] = value[indices]
        u[filled] = uniforms[indices + n_words]
        done += indices.size
        last = indices[-1] if done == size else starts[-1]
        stream.skip_uniforms(int(last + length[last]))
    return np.where(u + index < threshold[index], index, alias[index])


def _make_aliases(prob: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = prob.size
    q = prob * n
    poor = np.flatnonzero(q < 1.0)
    rich = np.flatnonzero(q >= 1.0)[::-1]
    # R stores both in one list, the poor from its front and the rich from its back
    listed = np.concatenate((poor, rich)).tolist()
    alias = [0] * n
    share = q.tolist()
    giver = poor.size
    if 0 < giver < n:
        for k in range(n - 1):
            taker = listed[k]
            donor = listed[giver]
            alias[taker] = donor
            share[donor] += share[taker] - 1.0
            if share[donor] < 1.0:
                giver += 1
            if giver >= n:
                break
    return np.array(share) + np.arange(n), np.array(alias, dtype=np.int64)


def draw_weighted_distinct(stream: UniformStream, prob: np.ndarray, size: int) -> np.ndarray:
    """Draw distinct indices one by one, with the probabilities of the remaining ones."""
    order = order_decreasing(prob).tolist()
    weights = prob[order].tolist()
    total = 1.0
    result = []
    for _ in range(size):
        bound = total * stream.draw_one()
        mass = 0.0
        last = len(weights) - 1
        for j, p in enumerate(weights):
            mass += p
            if j == last or bound <= mass:
                break
        result.append(order.pop(j))
        total -= weights.pop(j)
    return np.array(result, dtype=np.int64)


_HASH_ABOVE = 10_000_000
_LARGEST_POPULATION = 4_500_000_000_000_000


class Sampling(SeededStream):
    """Method of `RRandom` that draws from a set."""

    def sample(
        self, x: Any, size: int | None = None, replace: bool = False, prob: npt.ArrayLike | None = None
    ) -> Column | list[object]:
        """Draw items, as R's ``sample`` with its default method, rejection.

        Parameters
        ----------
        x : int or sequence
            Items to draw from. A number n of at least 1 stands for 1, ..., n, as in R. A sequence of
            length 1 is a single item, unlike in R.
        size : int, optional
            Number of draws; by default the number of items.
        replace : bool, default False
            Whether an item can be drawn again.
        prob : array_like, optional
            Probabilities of the items, or weights in proportion to them.

        Returns
        -------
        ndarray or list
            An array if `x` is a number, an array or a list of numbers, a Series if it is a
            Series, otherwise a list.

        Raises
        ------
        PydpstatError
            If R stops.

        References
        ----------
        Walker, A. J. (1977). An efficient method for generating discrete random variables with
        general distributions. ACM Transactions on Mathematical Software, 3, 253-256. It is used with
        `prob` and `replace`, where more than 200 items have a probability above 0.1 / n.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).sample(5)
        array([3, 2, 5, 4, 1])
        >>> RRandom(123).sample(["a", "b", "c"], 2)
        ['c', 'a']
        """
        numbered = is_number(x) and x >= 1
        if numbered:
            n = check_nonnegative_integer(x, "x", "a whole number of at least 1, or a sequence")
            if n > _LARGEST_POPULATION:
                raise PydpstatError(f"x must be at most 4.5e15; got {n}.")
        else:
            x = _to_items(x)
            n = len(x)
        count = n if size is None else check_nonnegative_integer(size, "size")
        index = self._draw_indices(n, count, replace, prob)
        if numbered:
            return index + 1
        return [x[i] for i in index.tolist()] if isinstance(x, list) else take_rows(x, index)

    def _draw_indices(self, n: int, size: int, replace: bool, prob: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
        if n == 0 and size > 0:
            raise PydpstatError("x must have at least one item; got none.")
        if not replace and size > n:
            raise PydpstatError(
                f"size must be at most the number of items, {n}, if replace is False; got {size}. Give replace=True."
            )
        if prob is not None:
            share = _check_probabilities(prob, n, 0 if replace else size)
            if replace:
                return draw_weighted_with_replacement(self._stream, share, size)
            return draw_weighted_distinct(self._stream, share, size)
        if replace or size < 2:
            return draw_with_replacement(self._stream, n, size)
        if n > _HASH_ABOVE and size <= n / 2:
            return draw_by_hashing(self._stream, n, size)
        return draw_without_replacement(self._stream, n, size)


def _to_items(x: object) -> Column | list[object]:
    """Convert to an object that can be indexed by position: an array, a Series or a list."""
    if isinstance(x, np.ndarray) or has_rows(x):
        return x.reshape(-1, order="F") if isinstance(x, np.ndarray) else x
    if is_number(x) or isinstance(x, (bool, np.bool_)):
        return np.array([x])
    if isinstance(x, str) or not isinstance(x, Sequence):
        raise PydpstatError(f"x must be a whole number of at least 1 or a sequence of items; got {type(x).__name__}.")
    items = list(x)
    return np.array(items) if items and all(is_number(item) for item in items) else items


def _check_probabilities(prob: npt.ArrayLike, n: int, needed: int) -> npt.NDArray[np.float64]:
    """Check the probabilities as R does and normalize them to sum 1."""
    share = to_doubles(prob, "prob").copy()
    if share.size != n:
        raise PydpstatError(f"prob must have one number for each of the {n} items; got {share.size}.")
    if not np.isfinite(share).all():
        raise PydpstatError("prob must be finite; got a value that is missing or infinite.")
    if (share < 0.0).any():
        raise PydpstatError("prob must not be negative; got a negative value.")
    positive = int(np.count_nonzero(share))
    if positive == 0 or positive < needed:
        raise PydpstatError(f"prob must have at least {max(needed, 1)} values above 0; got {positive}.")
    # in order, as R adds them
    share /= np.add.accumulate(share)[-1]
    return share
