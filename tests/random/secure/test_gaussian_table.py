"""The table of discrete Gaussian noise: every draw is the quantile of the uniform number of its bits."""

import itertools
from functools import lru_cache

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.random import secure
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _gaussian_table as gaussian_table

SDS = (0.0625, 0.3, 1.0, 2.5, 37.7)
# of 500 bits, beyond all that a draw asks for here
DIGITS = 150


@lru_cache
def compute_edges(sd):
    """The probabilities P(X < k) by the definition, from the smallest k that matters on."""
    with mpmath.workdps(DIGITS):
        rate = 1 / (2 * mpmath.mpf(sd) ** 2)
        largest = int(sd * 27) + 3
        weights = [mpmath.exp(-rate * k * k) for k in range(-largest, largest + 1)]
        total = mpmath.fsum(weights)
        return largest, [each / total for each in itertools.accumulate(weights, initial=mpmath.mpf(0))]


def find_quantile(sd, place, n_bits):
    """The k with P(X < k) <= place / 2^n_bits < P(X < k + 1)."""
    largest, edges = compute_edges(sd)
    with mpmath.workdps(DIGITS):
        uniform = mpmath.mpf(place) / mpmath.mpf(2) ** n_bits
        return sum(edge <= uniform for edge in edges) - 1 - largest


@pytest.mark.parametrize("sd", SDS)
@pytest.mark.parametrize("precision", [4, 16, 52, 116])
def test_the_bounds_hold_and_are_narrow(sd, precision):
    low, high = gaussian_table.bound_distribution(sd, precision)
    largest, edges = compute_edges(sd)
    first = -(len(low) // 2) + 1
    with mpmath.workdps(DIGITS):
        exact = [int(mpmath.floor(edges[k + largest] * 2**precision)) for k in range(first, first + len(low))]
        assert edges[first + largest] * 2**precision < 1
        assert (1 - edges[first + len(low) - 1 + largest]) * 2**precision < 1
    assert all(a <= e <= b <= a + 1 for a, e, b in zip(low, exact, high, strict=True))
    assert low == sorted(low) and high == sorted(high)


@pytest.mark.parametrize("sd", SDS)
@pytest.mark.parametrize("n_bits", [3, 9, 16])
def test_every_value_of_the_first_bits(sd, n_bits):
    *_, table = gaussian_table._make_table(sd, n_bits)
    assert table.shape == (1 << n_bits,)
    _, edges = compute_edges(sd)
    with mpmath.workdps(DIGITS):
        cut = {int(mpmath.floor(edge * 2**n_bits)) for edge in edges}
    at = np.array(sorted(cut | {0, (1 << n_bits) - 1}))
    # undecided are the cells with an edge inside, and no others but those of the table's ends
    at = at[at < 1 << n_bits]
    undecided = np.flatnonzero(np.isnan(table))
    assert undecided.tolist() == at.tolist()
    places = np.flatnonzero(~np.isnan(table))[:: max(1, (1 << n_bits) // 500)].tolist()
    assert all(table[place] == find_quantile(sd, place, n_bits) for place in places)


@given(
    st.sampled_from(SDS),
    st.sampled_from([2, 9, 16, 20, 52]),
    st.integers(0, 2**16),
    st.sampled_from([-1, 0, 0, 0, 1]),
    st.lists(st.one_of(st.integers(0, 2**64 - 1), st.sampled_from([0, 2**64 - 1])), min_size=1, max_size=3),
)
def test_a_draw_is_the_quantile_of_its_bits(sd, known, edge, step, words):
    _, edges = compute_edges(sd)
    with mpmath.workdps(DIGITS):
        near = int(mpmath.floor(edges[edge % len(edges)] * 2**64)) + step * (1 << (64 - known))
    first = min(max(near, 0), 2**64 - 1)
    number, n_bits = first >> (64 - known), known
    asked = []

    def entropy(count):
        nonlocal number, n_bits
        asked.append(count)
        if len(asked) <= 2:
            # the first 16 bits, and the rest of the word
            return (first >> 48 if len(asked) == 1 else (first & (1 << 48) - 1) << 16).to_bytes(count, "little")
        # after the given words, one that no probability repeats
        value = words[len(asked) - 3] if len(asked) - 3 < len(words) else 0xA5C31B7F09D2E846
        number, n_bits = number << 64 | value, n_bits + 64
        return value.to_bytes(count, "little")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bits, "KNOWN_BITS", known)
        patch.setattr(bits, "entropy", entropy)
        drawn = gaussian_table.draw_from_table(1, sd)
    assert asked == [2, 8, 8, 8, 8, 8][: len(asked)]
    # the whole cell has this quantile
    inside = (number << 8) + 255
    assert drawn.tolist() == [find_quantile(sd, number, n_bits)] == [find_quantile(sd, inside, n_bits + 8)]


def test_many_draws_ask_for_two_bytes_each(monkeypatch):
    asked = []
    entropy = bits.entropy
    monkeypatch.setattr(bits, "entropy", lambda count: asked.append(count) or entropy(count))
    sample = secure.discrete_gaussian(200_000, 2.0)
    assert sample.shape == (200_000,) and sample.dtype == np.float64
    assert 400_000 < sum(asked) < 410_000 and len(asked) < 10


def test_tables_are_for_many_draws_of_moderate_scales():
    assert gaussian_table.is_table_faster(10**4, 2.0) and gaussian_table.is_table_faster(10**6, 1000.0)
    for size, sd in ((1000, 2.0), (10**4, 1000.0), (10**8, 1025.0), (10**8, 0.06)):
        assert not gaussian_table.is_table_faster(size, sd)


def test_a_cell_that_its_bounds_do_not_separate_is_undecided():
    # P(X < k) lies somewhere from `low` to one cell above `high`
    low, high = (np.array(bounds, dtype=np.uint64) for bounds in ([0, 10, 20], [0, 12, 20]))
    cells = np.array([9, 10, 12, 13, 19], dtype=np.uint64)
    draws = gaussian_table._look_up(low, high, cells, cells)
    assert np.array_equal(draws, [0.0, np.nan, np.nan, 1.0, 1.0], equal_nan=True)
