"""Pairs of groups, parted anew where that lowers their loss."""

from __future__ import annotations

import numpy as np

from pydpstat.anonymity._groups import Groups, squares

# numbers in one step of the work, so that its arrays stay small
_STEP = 1 << 20
# an improvement must be more than rounding
_GAIN = 1e-9


def resplit(rows: np.ndarray, groups: Groups, pairs: np.ndarray, k: int) -> np.ndarray:
    """Part pairs of groups anew; each new group has at least k rows and the loss never grows.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The rows' values.
    groups : Groups
        The partition.
    pairs : ndarray of int, shape (m, 2)
        Groups, none of them twice. A second -1 asks for one group to be parted into two.
    k : int
        Least rows in a group.

    Returns
    -------
    ndarray of int, shape (n,)
        The new labels; groups that were parted get new numbers, from `groups.count`.
    """
    labels = groups.labels.copy()
    totals = groups.sizes[pairs[:, 0]] + np.where(pairs[:, 1] < 0, 0, groups.sizes[pairs[:, 1]])
    # pairs of like size together, so that little is filled up
    order = np.argsort(totals, kind="stable")
    pairs, totals = pairs[order], totals[order]
    start = 0
    while start < len(pairs):
        width = int(totals[min(start + 64, len(pairs)) - 1])
        end = start + max(64, _STEP // (width * rows.shape[1]))
        _step(rows, groups, pairs[start:end], k, labels)
        start = end
    return labels


def _step(rows: np.ndarray, groups: Groups, pairs: np.ndarray, k: int, labels: np.ndarray) -> None:
    members, there = groups.padded(pairs[:, 0], pairs[:, 1])
    totals = there.sum(axis=1)
    values = rows.take(members, axis=0)
    values[~there] = 0.0
    values -= (values.sum(axis=1) / totals[:, None])[:, None, :]
    values[~there] = 0.0
    ones = groups.sizes[pairs[:, 0]]
    in_first = np.arange(members.shape[1]) < ones[:, None]
    # around the common mean both sums are opposite, and the loss is a constant minus this
    sums = np.einsum("pmd,pm->pd", values, in_first.astype(np.float64))
    best = squares(sums) * (1.0 / ones + 1.0 / np.maximum(totals - ones, 1))
    best += _GAIN * squares(values).sum(axis=1)
    better, side = np.zeros(len(pairs), dtype=bool), np.zeros(members.shape, dtype=bool)
    for scores in _scores(values, sums):
        gain, parted = _best_cut(values, np.where(there, scores, np.inf), totals, k)
        wins = gain > best
        best[wins], side[wins] = gain[wins], parted[wins]
        better |= wins
    change = better[:, None] & there
    fresh = np.where(pairs[:, 1] < 0, groups.count + pairs[:, 0], pairs[:, 1])
    labels[members[change]] = np.where(side, pairs[:, :1], fresh[:, None])[change]


def _scores(values: np.ndarray, sums: np.ndarray) -> list[np.ndarray]:
    """Return orders in which to cut: between the means, by distance from a far row, the widest way."""
    lines = np.arange(len(values))
    far = values[lines, squares(values).argmax(axis=1)]
    steps = values - far[:, None, :]
    way = far
    for _ in range(3):
        along = np.einsum("pmd,pd->pm", values, way)
        way = np.einsum("pmd,pm->pd", values, along)
        way /= np.maximum(np.abs(way).max(axis=1), 1e-300)[:, None]
    return [
        -np.einsum("pmd,pd->pm", values, sums),
        squares(steps),
        np.einsum("pmd,pd->pm", values, way),
    ]


def _best_cut(
    values: np.ndarray, scores: np.ndarray, totals: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return how much the best cut of each line gains, and who is before it."""
    order = scores.argsort(axis=1, kind="stable")
    lines = np.arange(0, order.size, order.shape[1])[:, None]
    sums = values.reshape(order.size, -1).take(lines + order, axis=0).cumsum(axis=1)
    before = np.arange(1, scores.shape[1] + 1)[None, :]
    after = totals[:, None] - before
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = squares(sums) * (1.0 / before + 1.0 / after)
    gain = np.where((before >= k) & (after >= k), gain, -1.0)
    cut = gain.argmax(axis=1)
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), axis=1)
    return gain[np.arange(len(gain)), cut], place <= cut[:, None]
