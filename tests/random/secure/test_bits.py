"""The operating system's bits: where they come from, what is made of them, and that none are shared."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats

from pydpstat.random import secure
from pydpstat.random.secure import _bits as bits

# the bits are seeded: a right sampler passes each time, a random one would fail once in a million
FALSE_ALARM = 1e-6
N = 400_000


def fits(count, probability, size=N):
    return stats.binomtest(int(count), size, probability).pvalue > FALSE_ALARM


@pytest.mark.system_bits
def test_bits_come_from_the_operating_system():
    assert secure._bits.entropy is os.urandom


@pytest.mark.parametrize("byte", [0x00, 0xFF, 0x80, 0x7F])
@pytest.mark.parametrize("size", [1, 3])
def test_uniforms_and_noise_at_the_ends(monkeypatch, byte, size):
    # the first draw's bits are all alike; what is drawn for a refinement ends in a one
    last = bytes([byte or 1])
    monkeypatch.setattr(secure._bits, "entropy", lambda count: bytes([byte]) * (count - 1) + last)
    values = secure.uniform(size)
    assert (values > 0.0).all() and (values < 1.0).all()
    for draw in (secure.laplace, secure.normal):
        assert np.isfinite(draw(size, 1.0, 2.0**-20)).all()
    for draw in (secure.symmetric_geometric, secure.sign_geometric):
        assert np.isfinite(draw(size, 1.0)).all()


def test_uniforms():
    values = secure.uniform(N)
    assert stats.kstest(values, stats.uniform.cdf).pvalue > FALSE_ALARM
    assert fits((values < 2**-10).sum(), 2**-10) and fits((values > 1 - 2**-10).sum(), 2**-10)
    # neighbors are not correlated: standard error 1 / sqrt(n)
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 5 / math.sqrt(N)


def test_signs_and_sizes_do_not_know_of_each_other():
    words = bits.draw_words(N)
    signs = bits.apply_signs(words, np.ones(N))
    assert fits((signs > 0).sum(), 0.5)
    assert abs(np.corrcoef(bits.to_midpoints(words), signs)[0, 1]) < 5 / math.sqrt(N)


@pytest.mark.parametrize("known", [52, 30, 7])
def test_a_word_and_an_array_of_words_say_the_same(monkeypatch, known):
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    words = np.array([0, 1, 2**63, 2**64 - 1, 0x0123456789ABCDEF, 2**12 - 1, 2**12], dtype=np.uint64)
    for word, midpoint in zip(words.tolist(), bits.to_midpoints(words.copy()).tolist()):
        cell = bits.make_cell(word)
        assert bits.to_midpoint(word) == midpoint == (cell.place + 0.5) / 2**known
        assert cell.bits == known and word >> (64 - known) == cell.place
    assert bits.apply_signs(words, np.ones(words.size)).tolist() == [bits.get_sign(each) for each in words.tolist()]


def test_a_cell_is_refined_by_new_bits(monkeypatch):
    monkeypatch.setattr(secure._bits, "entropy", lambda size: bytes(range(1, size + 1)))
    cell = bits.UniformCell(5, 3)
    cell.draw_more_bits()
    assert (cell.place, cell.bits) == (5 << 64 | int.from_bytes(bytes(range(1, 9)), "little"), 67)


def test_each_draw_asks_for_its_own_bits(monkeypatch):
    asked = []

    def counting(size):
        asked.append(size)
        return os.urandom(size)

    monkeypatch.setattr(secure._bits, "entropy", counting)
    # 64 bits a variable, and 64 more for one that is not decided: once in ten million
    for draw in (lambda: secure.laplace(5, 1.0, 1.0), lambda: secure.symmetric_geometric(5, 1.0)):
        asked.clear()
        draw()
        assert sum(asked) == 5 * 8
    asked.clear()
    secure.laplace(40_000, 1.0, 1.0)
    assert sum(asked) >= 40_000 * 8


def test_nothing_is_drawn_for_nothing():
    for draw in (
        lambda: secure.laplace(0, 1.0, 1.0),
        lambda: secure.normal(0, 1.0, 1.0),
        lambda: secure.symmetric_geometric(0, 1.0),
        lambda: secure.discrete_gaussian(0, 1.0),
        lambda: secure.bernoulli(0, 0.5),
    ):
        assert draw().shape == (0,)


# a few bytes first: bits kept from them would be the same in every child
FORK = """
import os
from pydpstat.random import secure
asked = []
def recording(size):
    drawn = os.urandom(size)
    asked.append(drawn)
    return drawn
secure._bits.entropy = recording
secure.laplace(1, 1.0, 2.0**-20); secure.bernoulli(3, 0.3)
del asked[:]
for child in range(5):
    read, write = os.pipe()
    if child == 4 or os.fork() == 0:
        values = [int(v) for draw in (secure.laplace, secure.normal) for v in draw(3, 1.0, 2.0**-40)]
        values += [int(v) for v in secure.symmetric_geometric(3, 1e-12)]
        os.write(write, repr((values, b"".join(asked).hex())).encode())
        if child < 4:
            os._exit(0)
    if child < 4:
        os.wait()
    print(os.read(read, 100000).decode())
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_processes_share_no_bits():
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    pairs = [eval(line) for line in done.stdout.splitlines()]
    assert len(pairs) == 5
    # noise of 2^40 units: two equal ones among 45 would come once in 10^9
    values = [value for numbers, _ in pairs for value in numbers]
    assert len(values) == 45 == len(set(values))
    words = [text[at : at + 16] for _, text in pairs for at in range(0, len(text), 16)]
    assert len(words) >= 45 and len(set(words)) == len(words)


def test_threads_share_no_bits(monkeypatch):
    drawn = []

    def recording(size):
        taken = os.urandom(size)
        drawn.append(taken)
        return taken

    monkeypatch.setattr(secure._bits, "entropy", recording)
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda _: int(secure.laplace(1, 1.0, 2.0**-50)[0]), range(400)))
    # noise of 2^50 units: two equal ones among 400 would come once in 10^10
    assert len(set(values)) == 400
    words = [taken[at : at + 8] for taken in drawn for at in range(0, len(taken), 8)]
    assert len(words) >= 400 and len(set(words)) == len(words)
