"""MDAV in plain Python, step by step, and the frames that the tests use."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import strategies as st


def distance(row, point):
    """The squared distance, added up over the columns in their order."""
    total = 0.0
    for x, c in zip(row, point):
        total += (x - c) * (x - c)
    return total


def mean(rows):
    """The correctly rounded mean of each column."""
    return [float(sum(map(Fraction, column)) / len(rows)) for column in zip(*rows)]


def farthest(table, left, point):
    # max returns the first of several
    return max(left, key=lambda i: distance(table[i], point))


def nearest(table, left, point, k):
    # sorted keeps the order of those at the same distance
    return sorted(left, key=lambda i: distance(table[i], point))[:k]


def plain_mdav(table, k):
    """The groups in the order in which they are made, each a sorted list of row numbers."""
    table = [[float(x) for x in row] for row in table]
    left, groups = list(range(len(table))), []

    def leave(group):
        groups.append(sorted(group))
        return [i for i in left if i not in set(group)]

    while len(left) >= 3 * k:
        r = farthest(table, left, mean([table[i] for i in left]))
        s = farthest(table, left, table[r])
        left = leave(nearest(table, left, table[r], k))
        left = leave(nearest(table, left, table[s], k))
    if len(left) >= 2 * k:
        r = farthest(table, left, mean([table[i] for i in left]))
        left = leave(nearest(table, left, table[r], k))
    if left:
        groups.append(left)
    return groups


def notebook_mdav(df, k):
    """What a notebook does: both groups are chosen before either leaves; None where they overlap.

    Between 2k and 3k - 2 rows it makes two groups, below and above one.
    """
    left, groups = df.copy(), []

    def near(point):
        return ((left - point) ** 2).sum(axis=1).sort_values(kind="stable").index[:k]

    def far(point):
        return ((left - point) ** 2).sum(axis=1).idxmax()

    while len(left) >= 3 * k:
        r = left.loc[far(left.mean())]
        s = left.loc[far(r)]
        one, two = near(r), near(s)
        if set(one) & set(two):
            return None
        groups += [sorted(one), sorted(two)]
        left = left.drop(one).drop(two)
    if 3 * k - 1 > len(left) >= 2 * k:
        one = near(left.loc[far(left.mean())])
        groups.append(sorted(one))
        left = left.drop(one)
    return [*groups, sorted(left.index)] if len(left) else groups


def as_groups(labels):
    """The groups of labels, in the labels' order, as `plain_mdav` returns them."""
    return [np.flatnonzero(labels == label).tolist() for label in range(int(labels.max()) + 1)]


def as_partition(labels):
    """The groups as a set."""
    return {tuple(np.flatnonzero(labels == label)) for label in np.unique(labels)}


# few values: many ties and duplicates; awkward ones: means and distances that have to be rounded
FEW = st.integers(-2, 2).map(float)
ROUNDED = st.integers(-40, 40).map(lambda i: i / 10)
WIDE = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: x + 0.0)


@st.composite
def tables(draw, most_rows=40):
    """Tables with one to four columns, as arrays of shape (n, d)."""
    values = draw(st.sampled_from([FEW, ROUNDED, WIDE]))
    columns = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(values, min_size=columns, max_size=columns), min_size=1, max_size=most_rows))
    copies = draw(st.integers(1, 4))
    return np.array(rows * copies)[: 3 * most_rows]


def loans(rows=400, seed=3):
    from pydpstat.anonymity import simulate_loans

    return simulate_loans(rows, seed).drop(columns=["SK_ID_CURR", "TARGET"])


def frame(values):
    return pd.DataFrame(values, columns=[f"x{place}" for place in range(values.shape[1])])
