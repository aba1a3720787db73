"""Simulated surveys of nodes: what an epsilon and a number of nodes are worth, before anybody is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import answered
from pydpstat._data.progress import Progress
from pydpstat._release.payment import within
from pydpstat.errors import PydpstatError
from pydpstat.local._intervals import moment
from pydpstat.local.planning import uncertainty
from pydpstat.local.randomized_response import RandomizedResponse
from pydpstat.random import source_from

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("epsilon", "n", "run", "estimate", "uncertainty")
# what a simulation can draw in a sitting
MOST_NODES, MOST_RUNS = 10_000_000, 1_000_000
# that many answers are drawn at once: memory stays small, whatever is asked for
_AT_ONCE = 1 << 22


@answered
def experiment(epsilon: object, n_nodes: object, p: float = 0.2, rng: object = None) -> pd.DataFrame:
    """Simulate one survey by two coins for each epsilon and number of nodes.

    Parameters
    ----------
    epsilon : float or array_like
        Privacy parameters of each answer; above 0 and finite.
    n_nodes : int or array_like
        Numbers of nodes, each of which has one value and answers once; from 1 to 10 million.
    p : float, default 0.2
        Chance that a node's value is 1, from 0 to 1. The values are drawn again for each survey.
    rng : None, int, numpy.random.Generator or RRandom
        Source of the values and the coins. None (default) is the operating system; an int seeds
        NumPy.

    Returns
    -------
    DataFrame with columns epsilon, n, run, estimate, uncertainty
        A row for each survey: by epsilon, then by number of nodes, both as given; `run` is 0.
        `estimate` is the moment estimate of p, and `uncertainty` two standard errors of it, as
        `pydpstat.local.uncertainty` has them. `pydpstat.plots.tradeoff` draws such a frame.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed.

    See Also
    --------
    run_n_experiments : several surveys.

    Notes
    -----
    A simulation, no release: its values are made up, and nothing of it needs protection. Every node's
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


@answered
def run_n_experiments(
    epsilon: object, n_nodes: object, n_runs: int = 10, p: float = 0.2, rng: object = None
) -> pd.DataFrame:
    """Simulate several surveys by two coins for each epsilon and number of nodes.

    Parameters
    ----------
    epsilon, n_nodes, p, rng
        As in `experiment`.
    n_runs : int, default 10
        How many surveys of each kind; from 1 to a million.

    Returns
    -------
    DataFrame with columns epsilon, n, run, estimate, uncertainty
        As in `experiment`, with a row for each run, from 0 to n_runs - 1.

    Raises
    ------
    PydpstatError
        Where an argument is not allowed.

    See Also
    --------
    experiment : one survey.

    Notes
    -----
    A simulation, no release; see `experiment`. All runs of a kind are drawn together.

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
    import pandas as pd

    designs = [_design(each) for each in _listed(epsilon, "epsilon")]
    nodes = [_count(each, "n_nodes", MOST_NODES) for each in _listed(n_nodes, "n_nodes")]
    runs, truth = _count(n_runs, "n_runs", MOST_RUNS), _chance(p)
    stream = rng
    seed = checks.as_integer(rng)
    if seed is not None and seed >= 0:
        # an int would start again with each draw
        stream = np.random.default_rng(seed)
    source_from(stream)
    # nobody's values: no budget pays
    with within(None):
        ones = np.array([[_ones(design, n, runs, truth, stream) for n in nodes] for design in designs])
    estimates = [
        [moment(counts, n, design._response) for n, counts in zip(nodes, of_design)]
        for design, of_design in zip(designs, ones)
    ]
    every, of_nodes, run = np.meshgrid(
        [design.epsilon for design in designs], nodes, np.arange(runs), indexing="ij"
    )
    errors = uncertainty(ones / of_nodes, of_nodes, every)
    columns: tuple[Any, ...] = (every, of_nodes, run, estimates, errors)
    return pd.DataFrame({name: np.ravel(column) for name, column in zip(COLUMNS, columns)})


def _ones(design: RandomizedResponse, n: int, runs: int, p: float, rng: object) -> npt.NDArray[np.int64]:
    """Return how many nodes answer 1 in each run."""
    source = source_from(rng)
    ones = np.empty(runs, dtype=np.int64)
    step = max(_AT_ONCE // n, 1)
    with Progress(lambda: runs, "runs") as progress:
        for start in range(0, runs, step):
            together = min(step, runs - start)
            values = (source.uniform(together * n) < p).reshape(together, n)
            ones[start : start + together] = np.count_nonzero(design.respond(values, rng), axis=1)
            progress.add(together)
    return ones


def _design(epsilon: object) -> RandomizedResponse:
    design = RandomizedResponse(checks.epsilon(epsilon))
    design._check_informative()
    return design


def _listed(value: object, name: str) -> list[object]:
    """Return one value, or several in a row, as a list."""
    array = np.atleast_1d(checks.array_of(value))
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iuf":
        raise PydpstatError(
            f"{name} must be a number, or a vector of numbers; got {checks.shown(value)}. Give for "
            f"example {'[0.5, 1, 2]' if name == 'epsilon' else '[100, 500, 2000]'}."
        )
    return array.tolist()


def _count(value: object, name: str, most: int) -> int:
    allowed = f"a whole number from 1 to {most:,}"
    return checks.integer(value, name, 1, most, allowed=allowed, hint="Give for example 10.")


def _chance(value: object) -> float:
    number = checks.scalar(value, "p")
    if 0.0 <= number <= 1.0:
        return number
    raise PydpstatError(
        f"p must be a number from 0 to 1; got {checks.shown(value)}. Give for example 0.2, the share of 1."
    )
