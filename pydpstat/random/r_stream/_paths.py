"""Where draws begin, when each uses a number of uniforms that depends on the uniforms themselves."""

from __future__ import annotations

import numpy as np

from pydpstat._frozen import frozen

_SEGMENT = 128
_PLACES = frozen(np.arange(_SEGMENT))


def starts(lengths: np.ndarray) -> np.ndarray:
    """Follow the path 0, 0 + lengths[0], ... and return the positions on it, in order.

    The path is walked from the start of every segment at the same time. The walks that began in the
    wrong place soon meet the true path; what they did before is put right afterwards.

    Parameters
    ----------
    lengths : ndarray of integers, shape (n,)
        The step from each position, at least 1. The path ends at the first step to n or beyond.

    Returns
    -------
    ndarray of int64
        The positions below n.

    Examples
    --------
    >>> starts(np.array([2, 1, 1, 3, 1, 1]))
    array([0, 2, 3])
    """
    if lengths.size < 16 * _SEGMENT:
        return _walk(lengths)
    position = np.arange(lengths.size)
    following = position + lengths
    inside = np.where((following ^ position) < _SEGMENT, following, position)
    # the last segment can be a short one
    tail = slice(max(lengths.size - _SEGMENT, 0), None)
    inside[tail] = np.where(following[tail] < lengths.size, inside[tail], position[tail])
    marks = np.zeros(-(-lengths.size // _SEGMENT) * _SEGMENT, dtype=np.bool_)
    last = _walk_segments(inside, marks)
    _repair(following, following[last], marks)
    return np.flatnonzero(marks)


def _walk(lengths: np.ndarray) -> np.ndarray:
    steps = lengths.tolist()
    end = len(steps)
    path = []
    at = 0
    while at < end:
        path.append(at)
        at += steps[at]
    return np.array(path, dtype=np.int64)


def _walk_segments(inside: np.ndarray, marks: np.ndarray) -> np.ndarray:
    """Walk from every segment's first position, mark the way, and return each segment's last position."""
    at = np.arange(0, inside.size, _SEGMENT)
    while True:
        for _ in range(8):
            before = at
            marks[at] = True
            at = inside[at]
        if np.array_equal(at, before):
            return at


def _repair(following: np.ndarray, leaving: np.ndarray, marks: np.ndarray) -> None:
    """Put the true path in the place of each walk's beginning.

    `leaving` holds the first position after each segment; where it changes, the next segment is
    walked again.
    """
    rows = marks.reshape(-1, _SEGMENT)
    segment = np.arange(1, leaving.size)
    while segment.size:
        first = segment * _SEGMENT
        end = np.minimum(first + _SEGMENT, following.size)
        met = leaving[segment - 1]
        lane = np.flatnonzero(met < end)
        here = met[lane]
        true_path = []
        while True:
            going = np.flatnonzero(~marks[here])
            lane, here = lane[going], here[going]
            if not lane.size:
                break
            true_path.append(here)
            here = following[here]
            met[lane] = here
            within = here < end[lane]
            lane, here = lane[within], here[within]
        rows[segment] &= _PLACES >= (met - first)[:, None]
        for positions in true_path:
            marks[positions] = True
        changed = (met >= end) & (met != leaving[segment])
        leaving[segment[changed]] = met[changed]
        segment = segment[changed] + 1
        segment = segment[segment < leaving.size]
