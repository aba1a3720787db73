"""Permute-and-flip's probabilities in closed form, apart from the package's own."""

from itertools import permutations

import numpy as np


def flip_law(logs):
    """Return the probability of each candidate; `logs` are the scores times the rate.

    A candidate is chosen where the ones before it in a random order are not taken. The order is that of
    uniform times: one before t is taken with probability p t, and the integral over t in (0, 1) is a
    polynomial's, which Gauss' rule has exactly.
    """
    chances = np.exp(np.asarray(logs, dtype=float) - np.max(logs))
    nodes, weights = np.polynomial.legendre.leggauss(chances.size // 2 + 1)
    found = np.zeros(chances.size)
    for t, weight in zip(0.5 * (nodes + 1.0), 0.5 * weights):
        free = 1.0 - chances * t
        for place in range(chances.size):
            found[place] += weight * chances[place] * np.prod(np.delete(free, place))
    return found


def enumerated(chances):
    """Return the same by all orders, as the mechanism is defined."""
    found = np.zeros(len(chances))
    orders = list(permutations(range(len(chances))))
    for order in orders:
        free = 1.0
        for place in order:
            found[place] += free * chances[place] / len(orders)
            free *= 1.0 - chances[place]
    return found
