"""Rank statistics as exact integers, in O(n log n); random keys break ties."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
# values of a distribution function are rounded to this share
UNIT_BITS = 32
_MOST_COUNTED = 20_000_000


def ranks_of(values: Floats, keys: Integers) -> Integers:
    """Return ranks from 1; ties go by the keys."""
    order = np.argsort(values, kind="stable")
    arranged = values[order]
    same = arranged[1:] == arranged[:-1]
    if same.any():
        # the keys matter among equal values alone
        tied = np.concatenate((same, [False])) | np.concatenate(([False], same))
        places = order[tied]
        order[tied] = places[np.lexsort((keys[places], values[places]))]
    ranks = np.empty(values.size, dtype=np.int64)
    ranks[order] = np.arange(1, values.size + 1)
    return ranks


def pairs_won(first: Floats, second: Floats, keys: Integers) -> int:
    """Return in how many pairs of a first and a second record the first is the larger."""
    ranks = ranks_of(np.concatenate((first, second)), keys)
    return int(ranks[: first.size].sum()) - first.size * (first.size + 1) // 2


def positive_ranks(values: Floats, signs: npt.NDArray[np.bool_], keys: Integers, cap: int) -> int:
    """Return the sum of min(rank of the size, cap) over positive records; `signs` are those of zeros."""
    ranks = np.minimum(ranks_of(np.abs(values), keys), cap)
    return int(ranks[(values > 0.0) | ((values == 0.0) & signs)].sum())


def check_countable(size: int, argument: str) -> None:
    """Refuse more records than those whose pairs are counted exactly."""
    if size > _MOST_COUNTED:
        raise PydpstatError(
            f"{argument} must have at most {_MOST_COUNTED} records, so that pairs can be counted "
            f"exactly; got {size}. Take a public part of them."
        )


def concordant_pairs(first: Floats, second: Floats, keys: Integers) -> int:
    """Return how many pairs of records both variables put in the same order; `keys` are of shape (2, n)."""
    size = first.size
    pairs = size * (size - 1) // 2
    if pairs == 0:
        return 0
    # an import of half a second
    from scipy.stats import kendalltau

    ranks = ranks_of(first, keys[0]), ranks_of(second, keys[1])
    # the p-value that comes with it has no asymptotic form for two records
    method = "exact" if size < 3 else "asymptotic"
    return (pairs + round(float(kendalltau(*ranks, method=method)[0]) * pairs)) // 2


def rank_deviations(groups: Sequence[Floats], keys: Integers) -> list[int]:
    """Return each group's sum of 2 rank - (N + 1), which is 0 on average."""
    ranks = ranks_of(np.concatenate(list(groups)), keys)
    ends = np.cumsum([each.size for each in groups])
    return [
        2 * int(ranks[end - each.size : end].sum()) - each.size * (ranks.size + 1)
        for each, end in zip(groups, ends.tolist())
    ]


def distance_from(at: Floats, before: Floats, alternative: str) -> int:
    """Return n 2^32 times the distance of an empirical distribution function from the hypothesis."""
    places = np.arange(at.size + 1, dtype=np.int64) << UNIT_BITS
    above = int((places[1:] - _sorted_units(at)).max())
    below = int((_sorted_units(before) - places[:-1]).max())
    # an atom may leave all values on one side
    return _chosen(max(above, 0), max(below, 0), alternative)


def _sorted_units(shares: Floats) -> Integers:
    return np.sort(np.rint(shares * 2.0**UNIT_BITS).astype(np.int64)) * shares.size


def distance_between(first: Floats, second: Floats, alternative: str) -> int:
    """Return n1 n2 times the distance of two empirical distribution functions; ties count together."""
    both = np.sort(np.concatenate((first, second)))
    at_first = np.searchsorted(np.sort(first), both, side="right")
    at_second = np.searchsorted(np.sort(second), both, side="right")
    gaps = at_first * second.size - at_second * first.size
    return _chosen(max(int(gaps.max()), 0), max(-int(gaps.min()), 0), alternative)


def _chosen(above: int, below: int, alternative: str) -> int:
    """Return the distance that an alternative looks at: "greater" is a distribution function above."""
    return {"two-sided": max(above, below), "greater": above, "less": below}[alternative]
