"""R's sample() as a method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._checks import is_number
from pydpstat._data.containers import has_rows, rows
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import doubles
from pydpstat.random.r_stream import _sample as sample
from pydpstat.random.r_stream._seeded import Seeded, whole

_HASH_ABOVE = 10_000_000
_LARGEST = 4_500_000_000_000_000


class Sampling(Seeded):
    """The method of `RRandom` that draws from a set."""

    def sample(
        self, x: Any, size: int | None = None, replace: bool = False, prob: npt.ArrayLike | None = None
    ) -> Any:
        """Draw items, as R's ``sample`` with its default method, rejection.

        Parameters
        ----------
        x : int or sequence
            What to draw from. A number n of at least 1 stands for 1, ..., n, as in R. A sequence of
            length 1 is that one item, unlike in R.
        size : int, optional
            How many. By default as many as `x` has.
        replace : bool, default False
            Whether an item can be drawn again.
        prob : array_like, optional
            The items' probabilities, or numbers in proportion to them.

        Returns
        -------
        ndarray or list
            An array where `x` is a number, an array or a list of numbers, a Series where it is a
            Series, otherwise a list.

        Raises
        ------
        PydpstatError
            Where R stops.

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
            n = whole(x, "x", "a whole number of at least 1, or a sequence")
            if n > _LARGEST:
                raise PydpstatError(f"x must be at most 4.5e15; got {n}.")
        else:
            x = _items(x)
            n = len(x)
        count = n if size is None else whole(size, "size")
        index = self._indices(n, count, replace, prob)
        if numbered:
            return index + 1
        return [x[i] for i in index.tolist()] if isinstance(x, list) else rows(x, index)

    def _indices(self, n: int, size: int, replace: bool, prob: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
        if n == 0 and size > 0:
            raise PydpstatError("x must have at least one item; got none.")
        if not replace and size > n:
            raise PydpstatError(
                f"size must be at most the number of items, {n}, if replace is False; got {size}. "
                "Give replace=True."
            )
        if prob is not None:
            share = _probabilities(prob, n, 0 if replace else size)
            if replace:
                return sample.weighted_with_replacement(self._stream, share, size)
            return sample.weighted_without_replacement(self._stream, share, size)
        if replace or size < 2:
            return sample.with_replacement(self._stream, n, size)
        if n > _HASH_ABOVE and size <= n / 2:
            return sample.hashed(self._stream, n, size)
        return sample.without_replacement(self._stream, n, size)


def _items(x: object) -> Any:
    """Return what can be indexed by position: an array, a Series or a list."""
    if isinstance(x, np.ndarray) or has_rows(x):
        return x.reshape(-1, order="F") if isinstance(x, np.ndarray) else x
    if is_number(x) or isinstance(x, (bool, np.bool_)):
        return np.array([x])
    if isinstance(x, str) or not isinstance(x, Sequence):
        raise PydpstatError(
            f"x must be a whole number of at least 1 or a sequence of items; got {type(x).__name__}."
        )
    items = list(x)
    return np.array(items) if items and all(is_number(item) for item in items) else items


def _probabilities(prob: npt.ArrayLike, n: int, needed: int) -> npt.NDArray[np.float64]:
    """Check the probabilities as R does and let them sum to 1."""
    share = doubles(prob, "prob").copy()
    if share.size != n:
        raise PydpstatError(f"prob must have one number for each of the {n} items; got {share.size}.")
    if not np.isfinite(share).all():
        raise PydpstatError("prob must be finite; got a value that is missing or infinite.")
    if (share < 0.0).any():
        raise PydpstatError("prob must not be negative; got a negative value.")
    positive = int(np.count_nonzero(share))
    if positive == 0 or positive < needed:
        raise PydpstatError(f"prob must have at least {max(needed, 1)} values above 0; got {positive}.")
    # R adds them one after the other
    share /= np.add.accumulate(share)[-1]
    return share
