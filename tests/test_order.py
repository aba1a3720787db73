"""Orders by two keys beside two stable sorts, and discordant pairs beside all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat._order import convert_floats, count_discordant_pairs, order_by_two_keys, widen


@st.composite
def ties(draw):
    """Codes and hashes that agree in many or all of their first bits."""
    size = draw(st.integers(0, 40))
    codes = draw(st.lists(st.sampled_from([0, 1, 2, 200, 2**20, 2**40, 2**62]), min_size=size, max_size=size))
    # the last bits are cut off, so that hashes that differ in them alone look equal
    parts = st.sampled_from([0, 1, 2, 1 << 5, 1 << 20, 1 << 40, 1 << 63, 2**64 - 1, 2**64 - 2, 1 << 63 | 1])
    hashes = draw(st.lists(parts, min_size=size, max_size=size))
    largest = draw(st.sampled_from([2, 200, 2**20, 2**40, 2**62]))
    return np.array([min(code, largest) for code in codes], dtype=np.int64), np.array(hashes, dtype=np.uint64)


@given(ties())
def test_the_order_is_that_of_two_keys(keys):
    codes, hashes = keys
    order, is_new = order_by_two_keys(codes, hashes)
    assert order.tolist() == np.lexsort((hashes, codes)).tolist()
    rows = list(zip(codes[order].tolist(), hashes[order].tolist()))
    assert is_new.tolist() == [place == 0 or row != rows[place - 1] for place, row in enumerate(rows)]


@pytest.mark.parametrize("kept_bits", [64, 30, 3, 0])
def test_the_order_is_that_of_two_keys_beyond_a_block_of_records(kept_bits):
    generator = np.random.default_rng(kept_bits)
    hashes = generator.integers(0, 2**63, 150_000).astype(np.uint64) & np.uint64(((1 << kept_bits) - 1) | 1 << 63)
    for units in (1, 50_000, 2**35):
        codes = generator.integers(0, units, hashes.size)
        order, is_new = order_by_two_keys(codes, hashes)
        slow = np.lexsort((hashes, codes))
        assert (order == slow).all()
        assert (is_new[1:] == ((np.diff(codes[slow]) != 0) | (np.diff(hashes[slow]) != 0))).all()


FLOATS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 1.0 + 2.0**-52, 1.0 + 2.0**-51, np.inf, -np.inf, 5e-324, -5e-324, 1e308]),
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False),
)


@given(st.lists(st.tuples(FLOATS, st.sampled_from([0, 1, 2, 2**51, 2**52 - 1])), max_size=40))
def test_the_order_of_floats_is_that_of_two_keys(records):
    values = np.array([value for value, _ in records], dtype=np.float64)
    keys = np.array([key for _, key in records], dtype=np.int64)
    order, is_new = order_by_two_keys(values, keys, convert_floats)
    assert order.tolist() == np.lexsort((keys, values)).tolist()
    rows = [(values[place], keys[place]) for place in order]
    assert is_new.tolist() == [place == 0 or row != rows[place - 1] for place, row in enumerate(rows)]


@given(st.lists(FLOATS, min_size=2, max_size=20))
def test_floats_have_the_order_of_their_words(values):
    floats = np.array(values)
    words = convert_floats(floats)
    assert ((words[:, None] < words) == (floats[:, None] < floats)).all()
    assert ((words[:, None] == words) == (floats[:, None] == floats)).all()
    # whole numbers leave the last bits free
    assert not (convert_floats(np.arange(-100.0, 101.0)) & np.uint64((1 << 40) - 1)).any()


@pytest.mark.parametrize("scale", [1.0, 2.0**-40])
def test_the_order_of_many_floats_is_that_of_two_keys(scale):
    generator = np.random.default_rng(5)
    # with the small scale all values agree in the bits that fit
    values = 1.0 + scale * generator.integers(0, 4096, 150_000) / 4096.0
    keys = generator.integers(0, 2**52, values.size)
    order, is_new = order_by_two_keys(values, keys, convert_floats)
    assert (order == np.lexsort((keys, values))).all()
    assert is_new.all()


def test_words_keep_integers():
    assert widen(np.array([0, 5, 2**62])).tolist() == [0, 5, 2**62]


@given(st.integers(0, 200).flatmap(lambda size: st.permutations(range(size))))
def test_discordant_pairs_are_those_of_all_pairs(ranks):
    found = sum(ranks[i] > ranks[j] for j in range(len(ranks)) for i in range(j))
    assert count_discordant_pairs(np.array(ranks, dtype=np.int64)) == found


@pytest.mark.parametrize("size", [1000, 4097, 70_001, 300_000])
def test_discordant_pairs_of_many_records(size):
    generator = np.random.default_rng(size)
    ranks = generator.permutation(size)
    # by the definition, in blocks of the larger ranks: for each record the number of earlier larger ones
    found, ordered = 0, np.empty(0, dtype=np.int64)
    for block in np.array_split(ranks, max(size // 1000, 1)):
        found += ordered.size * block.size - int(np.searchsorted(ordered, block).sum())
        found += int(np.count_nonzero(np.triu(block[:, None] > block, 1)))
        ordered = np.sort(np.concatenate((ordered, block)))
    assert count_discordant_pairs(ranks) == found
    assert count_discordant_pairs(np.arange(size)[::-1]) == size * (size - 1) // 2
    assert count_discordant_pairs(np.arange(size)) == 0
