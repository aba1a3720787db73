"""Nothing of a caller's function is seen but its results, and nothing goes on from one run to the next."""

import io
import logging
import math
import random
import signal
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pydpstat
from pydpstat.errors import LargeEpsilonWarning
from pydpstat.inference.blocks._block_runs import open_isolated_runner

X = np.random.default_rng(5).normal(0.3, 1.0, 1000)


def fails(block):
    raise ValueError(f"a record is {block[0]}")


def leaves(block):
    sys.exit(f"a record is {block[0]}")


def is_loud(block):
    print(block[0])
    print(block[0], file=sys.stderr)
    warnings.warn(f"a record is {block[0]}", stacklevel=1)
    logging.getLogger("somebody").error("a record is %s", block[0])
    return 0.5


@pytest.mark.parametrize(
    "test",
    [
        fails,
        leaves,
        is_loud,
        lambda block: math.nan,
        lambda block: "0.01",
        lambda block: -0.5,
        lambda block: [0.001, 0.002],
    ],
)
def test_nothing_that_a_callable_does_is_heard(test, capfd, recwarn, caplog):
    r = pydpstat.any_test(X, test, 1e4, blocks=10, level=0.2, rng=1)
    assert dict(r.released)["rejections"] == 0.0 and r.pvalue > 0.5
    s = pydpstat.any_interval(X, test, 1e4, range=(0, 1), blocks=10, rng=1)
    assert s.conf_int().low == -math.inf or test is is_loud
    assert capfd.readouterr() == ("", "") and not caplog.records
    # what is told of is made-up data
    texts = [str(each.message) for each in recwarn.list if each.category is not LargeEpsilonWarning]
    assert all("fails on made-up numbers" in text and "a record is" not in text for text in texts)
    assert bool(texts) == (test is not is_loud)
    assert logging.root.manager.disable == logging.NOTSET


@pytest.mark.filterwarnings("ignore:.*fails on made-up numbers")
def test_the_user_may_interrupt_and_a_callable_may_not():
    def stopped(block):
        raise KeyboardInterrupt

    def signalled(block):
        signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    for call in (
        lambda test: pydpstat.any_test(X, test, 1e4, blocks=2, level=0.2, rng=1),
        lambda test: pydpstat.any_interval(X, test, 1e4, blocks=2, range=(0, 1), rng=1),
        lambda test: pydpstat.kstest(X, lambda x: test(x) if x.size > 1 else x, 1e4, rng=1),
    ):
        assert call(stopped).released
        with pytest.raises(KeyboardInterrupt):
            call(signalled)
    assert signal.getsignal(signal.SIGINT) is before
    # in another thread nobody can interrupt
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(pydpstat.any_test, X, stopped, 1e4, blocks=2, level=0.2, rng=1).result()
    assert dict(found.released)["rejections"] == 0.0


@pytest.mark.parametrize("generator", [np.random, random])
def test_global_random_generators_carry_nothing_on(generator):
    def drawn(block):
        # so many draws as a record says
        [generator.random() for _ in range(int(block.sum()))]
        return generator.random()

    states = random.getstate(), np.random.get_state()
    zeros, one = np.zeros(200), np.append(np.zeros(199), 1.0)
    counts = [pydpstat.any_interval(x, drawn, 1e4, range=(0, 1), blocks=40, rng=1).released for x in (zeros, one)]
    moved = sum(abs(value - other) for (_, value), (_, other) in zip(*counts))
    assert moved == 2.0 and states[0] == random.getstate()
    assert np.array_equal(states[1][1], np.random.get_state()[1])


def test_logs_of_any_level_are_dropped():
    heard = io.StringIO()
    handler, logger = logging.StreamHandler(heard), logging.getLogger("somebody")
    logger.addHandler(handler)
    try:
        pydpstat.any_test(X, lambda block: logger.log(1000, "a record is %s", block[0]) or 0.5, 1.0, blocks=2)
    finally:
        logger.removeHandler(handler)
    assert heard.getvalue() == ""


def test_unheard_gives_everything_back(capsys):
    with pytest.raises(ZeroDivisionError), open_isolated_runner():
        print("nothing")
        raise ZeroDivisionError
    print("again")
    assert capsys.readouterr().out == "again\n" and logging.root.manager.disable == logging.NOTSET
