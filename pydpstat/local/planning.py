"""Planning of a survey: accuracy for an epsilon and a number of persons, by formula and by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.progress import Progress
from pydpstat._lazy import pd
from pydpstat._release.charging import use_budget
from pydpstat.errors import PydpstatError
from pydpstat.local._intervals import Floats, estimate_by_moments
from pydpstat.local.randomized_response import RandomizedResponse
from pydpstat.r_arithmetic.elementary import tanh
from pydpstat.random import source_from

COLUMNS = ("epsilon", "n", "run", "estimate", "uncertainty")
# limits of a simulation
MAX_NODES, MAX_RUNS = 10_000_000, 1_000_000
# largest number of answers drawn at once, to limit the memory
_MAX_BATCH_SIZE = 1 << 22


@explain_wrong_calls
def get_prob_from_epsilon(epsilon: object) -> float | Floats:
    """Return the first coin's probability of heads for a given epsilon.

    Parameters
    ----------
    epsilon : float or array_like
        Privacy parameter; at least 0.

    Returns
    -------
    float or ndarray
        ``2 / (1 + exp(epsilon))``, that is 2 (1 - f) with f = exp(epsilon) / (1 + exp(epsilon)). The
        second coin is fair.

    Raises
    ------
    PydpstatError
        If an epsilon is negative, missing or not a number.

    See Also
    --------
    RandomizedResponseCoins : the design that uses it.

    Examples
    --------
    >>> from pydpstat.local import get_prob_from_epsilon
    >>> round(get_prob_from_epsilon(1.0986122886681098), 12)
    0.5
    """
    if type(epsilon) is float and 0.0 <= epsilon < 700.0:
        return 2.0 / (1.0 + math.exp(epsilon))
    from scipy.special import expit

    values = _check_numbers(epsilon, "epsilon", "at least 0", lambda each: each >= 0.0, "Give for example 1.")
    return _unwrap_scalar(2.0 * expit(-values))


@explain_wrong_calls
def uncertainty(mean_answer: object, n: object, epsilon: object) -> float | Floats:
    """Return two standard errors of a proportion of randomized answers.

    They cover sampling and randomization.

    Parameters
    ----------
    mean_answer : float or array_like
        Share of answers 1, from 0 to 1.
    n : int or array_like
        Number of answers.
    epsilon : float or array_like
        Privacy parameter; positive and finite. It covers one answer.

    Returns
    -------
    float or ndarray
        ``2 / (2f - 1) * sqrt(r (1 - r) / n)`` with r the share of answers and f as in
        `get_prob_from_epsilon`.

    Raises
    ------
    PydpstatError
        If an argument is out of its range.

    See Also
    --------
    required_n : the number of answers for a given width.

    Notes
    -----
    A result's `uncertainty` is the same number if r is between the probabilities of an answer 1 at
    the proportions 0 and 1; otherwise the result uses the nearer of the two.

    Examples
    --------
    >>> from pydpstat.local import uncertainty
    >>> round(uncertainty(0.3507, 10000, 1.0986122886681098), 4)
    0.0191
    """
    hint = "Give the share of answers 1."
    mean = _check_numbers(mean_answer, "mean_answer", "from 0 to 1", lambda p: (p >= 0.0) & (p <= 1.0), hint)
    size = _check_numbers(n, "n", "at least 1", lambda each: each >= 1.0, "Give the number of answers.")
    eps = _check_numbers(epsilon, "epsilon", "above 0", lambda each: each > 0.0, "With 0, answers are uninformative.")
    return _unwrap_scalar(2.0 / tanh(0.5 * eps) * np.sqrt(mean * (1.0 - mean) / size))


def _check_numbers(
    value: object, name: str, allowed: str, fits: Callable[[np.ndarray], np.ndarray], hint: str
) -> Floats:
    array = checks.to_array(value)
    if array.dtype.kind not in "iuf" or np.isnan(array).any():
        raise PydpstatError(f"{name} must be a number, or an array of them, none missing; got {type(value).__name__}.")
    if not fits(array).all():
        raise PydpstatError(f"{name} must all be {allowed}; got {checks.describe_value(value)}. {hint}")
    return array.astype(np.float64)


def _unwrap_scalar(values: Floats) -> float | Floats:
    return float(values) if np.ndim(values) == 0 else values


@explain_wrong_calls
def experiment(epsilon: object, n_nodes: object, p: float = 0.2, rng: object = None) -> pd.DataFrame:
    """Simulate one survey by two coins for each epsilon and number of nodes.

    Parameters
    ----------
    epsilon : float or array_like
        Privacy parameter; positive and finite. It covers one answer. A survey is simulated for each.
    n_nodes : int or array_like
        Numbers of nodes, each of which has one value and answers once; from 1 to 10 million.
    p : float, default 0.2
        Probability that a node's value is 1, from 0 to 1. New values are drawn for each survey.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.

    Returns
    -------
    DataFrame with columns epsilon, n, run, estimate, uncertainty
        A row for each survey: by epsilon, then by number of nodes, both as given; `run` is 0.
        `estimate` is the moment estimate of p, and `uncertainty` two standard errors of it, as
        in `pydpstat.local.uncertainty`. `pydpstat.plots.tradeoff` plots such a frame.

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    See Also
    --------
    run_n_experiments : several surveys.

    Notes
    -----
    A simulation, not a release: the values are simulated and need no protection. Every node's
    answer is drawn by the design that a survey would use, `RandomizedResponse`.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias.
    Journal of the American Statistical Association 60.

    Examples
    --------
    >>> from pydpstat.local import experiment
    >>> experiment([1.0, 4.0], 500, rng=4).round(3)
       epsilon    n  run  estimate  uncertainty
    0      1.0  500    0     0.175        0.092
    1      4.0  500    0     0.226        0.039
    """
    return run_n_experiments(epsilon, n_nodes, 1, p, rng)


@explain_wrong_calls
def run_n_experiments(
    epsilon: object, n_nodes: object, n_runs: int = 10, p: float = 0.2, rng: object = None
) -> pd.DataFrame:
    """Simulate several surveys by two coins for each epsilon and number of nodes.

    Parameters
    ----------
    epsilon, n_nodes, p, rng
        As in `experiment`.
    n_runs : int, default 10
        Number of surveys for each epsilon and number of nodes; from 1 to a million.

    Returns
    -------
    DataFrame with columns epsilon, n, run, estimate, uncertainty
        As in `experiment`, with a row for each run, from 0 to n_runs - 1.

    Raises
    ------
    PydpstatError
        If an argument is invalid.

    See Also
    --------
    experiment : one survey.

    Notes
    -----
    A simulation, not a release; see `experiment`. All runs for one epsilon and number of nodes are drawn together.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias.
    Journal of the American Statistical Association 60.

    Examples
    --------
    >>> from pydpstat.local import run_n_experiments
    >>> runs = run_n_experiments([0.5, 2.0], [100, 2000], n_runs=50, rng=1)
    >>> runs.groupby(["n", "epsilon"])["estimate"].std().round(3).unstack()
    epsilon    0.5    2.0
    n
    100      0.219  0.053
    2000     0.049  0.013
    """
    designs = [_make_design(number) for number in _read_number_list(epsilon, "epsilon")]
    nodes = [_check_count(number, "n_nodes", MAX_NODES) for number in _read_number_list(n_nodes, "n_nodes")]
    runs, truth = _check_count(n_runs, "n_runs", MAX_RUNS), _check_probability(p)
    stream = rng
    seed = checks.as_integer(rng)
    if seed is not None and seed >= 0:
        # an int would restart the stream with each draw
        stream = np.random.default_rng(seed)
    source_from(stream)
    # simulated values are no one's data, so no budget is charged
    with use_budget(None):
        ones = np.array(
            [[_simulate_answer_counts(design, n, runs, truth, stream) for n in nodes] for design in designs]
        )
    estimates = [
        [estimate_by_moments(counts, n, design._response) for n, counts in zip(nodes, of_design)]
        for design, of_design in zip(designs, ones)
    ]
    every, of_nodes, run = np.meshgrid([design.epsilon for design in designs], nodes, np.arange(runs), indexing="ij")
    errors = uncertainty(ones / of_nodes, of_nodes, every)
    columns: tuple[Any, ...] = (every, of_nodes, run, estimates, errors)
    return pd.DataFrame({name: np.ravel(column) for name, column in zip(COLUMNS, columns)})


def _simulate_answer_counts(
    design: RandomizedResponse, n: int, runs: int, p: float, rng: object
) -> npt.NDArray[np.int64]:
    """Return the number of nodes that answer 1 in each run."""
    source = source_from(rng)
    ones = np.empty(runs, dtype=np.int64)
    step = max(_MAX_BATCH_SIZE // n, 1)
    with Progress(lambda: runs, "runs") as progress:
        for start in range(0, runs, step):
            together = min(step, runs - start)
            values = (source.uniform(together * n) < p).reshape(together, n)
            ones[start : start + together] = np.count_nonzero(design.respond(values, rng), axis=1)
            progress.add_done(together)
    return ones


def _make_design(epsilon: object) -> RandomizedResponse:
    design = RandomizedResponse(checks.check_epsilon(epsilon))
    design._check_informative()
    return design


def _read_number_list(value: object, name: str) -> list[object]:
    """Return one number, or a vector of numbers, as a list."""
    array = np.atleast_1d(checks.to_array(value))
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iuf":
        raise PydpstatError(
            f"{name} must be a number, or a vector of numbers; got {checks.describe_value(value)}. Give for "
            f"example {'[0.5, 1, 2]' if name == 'epsilon' else '[100, 500, 2000]'}."
        )
    return array.tolist()


def _check_count(value: object, name: str, maximum: int) -> int:
    allowed = f"a whole number from 1 to {maximum:,}"
    return checks.check_integer(value, name, 1, maximum, allowed=allowed, hint="Give for example 10.")


def _check_probability(value: object) -> float:
    number = checks.check_scalar(value, "p")
    if 0.0 <= number <= 1.0:
        return number
    raise PydpstatError(
        f"p must be a number from 0 to 1; got {checks.describe_value(value)}. Give for example 0.2, the share of 1."
    )
