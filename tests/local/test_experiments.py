"""Simulated surveys: their rows, their laws, and what they are drawn from."""

from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from pydpstat import PydpstatError, RRandom
from pydpstat.local import RandomizedResponse, experiment, planning, run_n_experiments, uncertainty
from tests.junk import JUNK

COLUMNS = ["epsilon", "n", "run", "estimate", "uncertainty"]


def test_a_row_for_each_epsilon_size_and_run():
    frame = run_n_experiments([2.0, 0.5], [50, 7], n_runs=3, rng=1)
    assert list(frame.columns) == COLUMNS and len(frame) == 12
    assert frame.epsilon.tolist() == [2.0] * 6 + [0.5] * 6
    assert frame.n.tolist() == ([50] * 3 + [7] * 3) * 2 and frame.run.tolist() == [0, 1, 2] * 4
    one = experiment(1, 20, rng=1)
    assert one.shape == (1, 5) and one.run.tolist() == [0]


def test_estimate_and_uncertainty_are_those_of_the_answers():
    frame = run_n_experiments([0.3, 1.7], [40, 90], n_runs=20, rng=3)
    for row in frame.itertuples():
        chance = np.exp(row.epsilon) / (1 + np.exp(row.epsilon))
        answered = (row.estimate * (2 * chance - 1) + 1 - chance) * row.n
        # a whole number of answers 1, from which the design estimates the same
        assert answered == pytest.approx(round(answered), abs=1e-9)
        ones = round(answered)
        result = RandomizedResponse(row.epsilon).estimate([1] * ones + [0] * (row.n - ones))
        assert float(result) == pytest.approx(row.estimate, abs=1e-12)
        assert uncertainty(ones / row.n, row.n, row.epsilon) == pytest.approx(row.uncertainty)


@pytest.mark.parametrize("rng", [None, 5], ids=["system", "seed"])
def test_mean_and_spread_are_those_of_theory(rng):
    p, n, runs = 0.2, 200, 2000
    frame = run_n_experiments([0.5, 3.0], n, n_runs=runs, p=p, rng=rng)
    for epsilon, estimates in frame.groupby("epsilon")["estimate"]:
        spread = np.tanh(epsilon / 2)
        answered = p * spread + (1 - spread) / 2
        sd = np.sqrt(answered * (1 - answered) / n) / spread
        # five standard errors
        assert abs(estimates.mean() - p) < 5 * sd / np.sqrt(runs)
        assert abs(estimates.std(ddof=1) / sd - 1) < 5 / np.sqrt(2 * runs)


def test_ends_of_p():
    for p in (0, 1):
        frame = run_n_experiments(50.0, 30, n_runs=5, p=p, rng=1)
        assert frame.estimate.tolist() == pytest.approx([p] * 5)
        assert (frame.uncertainty == 0).all()


@pytest.mark.parametrize("source", [lambda: 7, lambda: np.random.default_rng(7), lambda: RRandom(7)])
def test_a_seed_repeats_and_its_draws_differ(source):
    frames = [run_n_experiments([1.0, 1.0], 500, n_runs=4, rng=source()) for _ in range(2)]
    pd.testing.assert_frame_equal(*frames)
    assert frames[0].estimate.nunique() > 4


def test_draws_in_several_parts_are_of_one_stream(monkeypatch):
    parts, respond = [], RandomizedResponse.respond
    monkeypatch.setattr(planning, "_MAX_BATCH_SIZE", 100)
    spy = lambda *given: parts.append(given[1].shape) or respond(*given)  # noqa: E731
    monkeypatch.setattr(RandomizedResponse, "respond", spy)
    frame = run_n_experiments(1.0, 30, n_runs=8, rng=1)
    assert parts == [(3, 30), (3, 30), (2, 30)] and frame.estimate.nunique() > 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0}, "epsilon must be a positive finite number; got 0"),
        ({"epsilon": 1e-20}, "epsilon must be large enough for informative answers;"),
        ({"epsilon": [1, np.inf]}, "epsilon must be a positive finite number; got inf"),
        ({"epsilon": []}, "epsilon must be a number, or a vector of numbers; got list of length 0"),
        ({"n_nodes": [10, 2.5]}, "n_nodes must be a whole number from 1 to 10,000,000; got 2.5"),
        ({"n_nodes": "10"}, r"n_nodes must be a number, or a vector of numbers.*\[100, 500, 2000\]"),
        ({"n_runs": 0}, "n_runs must be a whole number from 1 to 1,000,000; got 0"),
        ({"p": 1.5}, "p must be a number from 0 to 1; got 1.5"),
        ({"rng": -1}, "rng must be None, an int"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(PydpstatError, match=message):
        run_n_experiments(**{"epsilon": 1.0, "n_nodes": 10, **arguments})


@pytest.mark.parametrize("argument", ["epsilon", "n_nodes", "n_runs", "p", "rng"])
def test_junk(argument):
    for make in JUNK.values():
        with suppress(PydpstatError):
            run_n_experiments(**{"epsilon": 1.0, "n_nodes": 3, "n_runs": 2, argument: make()})
