"""Tests and intervals from arbitrary callables on random blocks: the Test of Tests and block intervals."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, check_bounds
from pydpstat._data.progress import Progress
from pydpstat._null_distributions.quantiles.block_counts import (
    BlockQuantileInterval,
    choose_blocks,
    choose_histogram_cells,
    choose_interval_blocks,
    compute_rejections_sf,
)
from pydpstat._records.groups import Keys
from pydpstat._records.record_grid import check_bounds_range
from pydpstat._release.calibration import INTEGER_MECHANISMS
from pydpstat._release.options import Options, options
from pydpstat._release.pipeline import Chargeable, Query
from pydpstat._release.statistic import guard_release
from pydpstat.errors import PydpstatError
from pydpstat.inference.blocks._block_records import BlockSamples
from pydpstat.inference.blocks._block_runs import (
    check_callable,
    convert_to_estimate,
    convert_to_pvalue,
    describe_block_sizes,
    get_public_size,
    make_block_samples,
    open_isolated_runner,
    release_blocks,
)
from pydpstat.inference.blocks._block_trials import simulate_level, warn_failing_callable
from pydpstat.results._labels import Labels
from pydpstat.results.inference_results import InferenceResults

# smallest block sizes if the number of blocks is chosen automatically, and size below which a remark is added
_MIN_TEST_RECORDS, _MIN_ESTIMATE_RECORDS, _USUAL_BLOCK_SIZE = 5, 10, 20
_ERRORS_REMARK = (
    "A block on which the test raises an error, or returns no p-value, counts as no rejection: try the test "
    "on made-up data first."
)


@guard_release
def any_test(
    data: Data,
    test: Callable[..., object],
    epsilon: float,
    *,
    blocks: int | None = None,
    level: float | None = None,
    null: Callable[..., object] | None = None,
    neighbors: str | None = None,
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Make any test private by running it on random blocks.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d), frame, or tuple of samples
        The records, rows of an array or of a frame; paired variables are columns. A tuple of arrays or frames
        is several samples, each of which is divided into blocks.
    test : callable
        Takes a block (of several samples: a block of each, as separate arguments) in the data's own kind
        of container, a list as an array. It returns a p-value, an object that has one as ``pvalue``, or
        whether it rejects at `level`. An error, and what is no p-value, counts as no rejection.
    epsilon : float
        Privacy parameter; positive and finite.
    blocks : int, optional
        The number of blocks. By default it is chosen for the public numbers of records; under unbounded
        neighbors it must be given.
    level : float, optional
        The level at which a block's test rejects; by default chosen, from 0.02 to 0.5. It is not the
        significance level of the result.
    null : callable, optional
        Draws records under the null hypothesis: ``null(rng, size)`` with a NumPy generator, for several
        samples a tuple of sizes, and returns what `test` takes, a tuple for several samples. The level that
        a block's test really has is then simulated, with 10,000 blocks, and used.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    unit : str or column, optional
        Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a
        unit are protected together, and `neighbors` differ in one unit. One record of each unit is used, drawn at
        random. The default is that of `budget`.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.
    budget : Budget, optional
        Budget to which the release is charged.

    Returns
    -------
    InferenceResults
        Its statistic is the noisy number of blocks that reject.

    Raises
    ------
    PydpstatError
        If an argument is invalid. What `test` raises is no error.

    See Also
    --------
    any_interval : an interval for any estimator by the same blocks.
    ttest_1samp, wilcoxon : specific tests, which need fewer records.

    Notes
    -----
    Guarantee: (epsilon, 0). A record is in one block, so replacing, adding or removing one changes the
    number of rejections by 1 at most. This requires that a block reveals nothing about the records in others.
    Its index is 0, 1, ...: if `test` needs the index of the data, make it a column with
    ``frame.reset_index()``. A block has no `attrs`, metadata or subclass. Its categories, and the types of
    lists and objects, depend on its records alone: unordered categories are sorted, and a test that needs all
    levels must name them. The types of other columns are treated as public. `test` must depend on the values
    of its block alone, not on addresses in memory or other objects of the program, and must keep nothing of
    earlier blocks; the global generators of NumPy and Python are seeded again for each block. What it prints, logs
    or warns about is discarded, and so are its errors, including SystemExit. It is first tried on made-up numbers,
    if the data are numbers, and a warning says if it fails on these. Not covered are its running time, files that
    it writes, output from outside Python, and objects or threads that it leaves behind.

    Under the null hypothesis the number of rejections is at most binomial, if a block's test keeps its level
    on so few records. A symmetric geometric number and a uniform one on (-1/2, 1/2) are added (together the
    Tulap distribution), and the p-value is exact for the sum. Many tests keep their level on large samples
    only: a t test on blocks of 10 skewed records can reject twice as often as it says. Give `null` then, or
    more records a block. With `null` a record's distribution is that of your sampler, and the simulated
    level's upper 99.9 % limit takes the place of `level`.

    By default the number of blocks and their level are those that need about the smallest effect for the
    power 0.8; neither looks at the data. If pydpstat has its own test, that one is more powerful.

    References
    ----------
    Kazan, Z., Shi, K., Groce, A. and Bray, A. (2023). The test of tests: a framework for differentially
    private hypothesis testing. ICML 2023.
    Awan, J. and Slavkovic, A. (2018). Differentially private uniformly most powerful tests for binomial
    data. NeurIPS 2018.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> from scipy import stats
    >>> x = np.random.default_rng(1).normal(0.5, 1.0, 1000)
    >>> r = pydpstat.any_test(x, lambda block: stats.ttest_1samp(block, 0), 1.0, rng=1)
    >>> r.pvalue < 0.01, r.validity
    (True, 'model')
    """
    options = _check_block_options(epsilon, neighbors, rng, budget)
    check_callable(test, "test", "lambda block: scipy.stats.ttest_1samp(block, 0)")
    samples, number = make_block_samples(data, options, blocks, unit)
    if level is not None:
        level = checks.check_probability(level, "level", "It is for one block; 0.2 is usual.")
    if null is not None and not options.has_public_size:
        raise PydpstatError(
            "null must be None with neighbors 'unbounded': the block sizes are private, and so would "
            "the simulated level be. Use neighbors='bounded', or a test that is valid for few "
            "records."
        )
    records = sum(samples.sizes) if options.has_public_size else None
    max_blocks = max(1, min(samples.sizes) // _MIN_TEST_RECORDS) if options.has_public_size else 1
    number, block_level = choose_blocks(records, options.epsilon, number, level, max_blocks)
    warn_failing_callable(test, "test", convert_to_pvalue, samples, options, number)
    limit = block_level if null is None else simulate_level(test, null, samples.sizes, number, block_level)
    # drawn first: its position in a seeded stream must not depend on the number of records
    uniform = float(options.source.uniform(1)[0]) - 0.5
    hits = 0
    with Progress(lambda: number, "blocks") as progress, open_isolated_runner() as run:
        for block in samples.draw_blocks(number, options.source, options.has_public_size):
            # a comparison with NaN is False: no rejection
            hits += run(test, block, convert_to_pvalue) <= block_level
            progress.add_done()
    query = Query(
        "rejections",
        np.asarray(float(hits)),
        (1,),
        Labels("rejections"),
        True,
        get_public_size(options, samples),
        (hits,),
    )
    arguments = (("blocks", number), ("level", block_level))
    names = ("data", "test") if null is None else ("data", "test", "null")
    released = release_blocks("any_test", query, options, samples, names, arguments)
    noisy = float(released.value)
    return InferenceResults.of(
        released,
        test="Test of Tests",
        statistic=noisy + uniform,
        pvalue=compute_rejections_sf(noisy + uniform, number, limit, options.epsilon),
        alternative="greater",
        null=(("share of rejecting blocks", limit),),
        released=(("rejections", noisy), ("uniform", uniform)),
        estimates=(("share of rejecting blocks", min(max((noisy + uniform) / number, 0.0), 1.0)),),
        validity="model",
        assumptions=(_describe_level_assumption(block_level, limit, null is not None), "records are independent"),
        remarks=_make_block_remarks(options, samples, number, limit, null is not None),
    )


@guard_release
def any_interval(
    data: Data,
    estimator: Callable[..., object],
    epsilon: float,
    *,
    range: tuple[float, float],
    limit: str | None = None,
    level: float | None = None,
    blocks: int | None = None,
    neighbors: str | None = None,
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> InferenceResults:
    """Make an interval for what any estimator estimates, from random blocks.

    Parameters
    ----------
    data : array_like of shape (n,) or (n, d), frame, or tuple of samples
        As in `any_test`.
    estimator : callable
        Takes a block as in `any_test`, and returns a number: an estimate, or with `limit` a confidence
        limit. Where it fails or returns NaN, a coin decides on which side the block counts.
    epsilon : float
        Privacy parameter; positive and finite.
    range : (float, float)
        Public range of the estimates, chosen without looking at the data. Estimates outside count at its
        ends, and an end of the interval that lies there is infinite.
    limit : {None, "lower", "upper"}, default None
        Whether the estimator returns estimates, or one-sided confidence limits that miss the parameter with
        probability `level` at most.
    level : float, optional
        Needed with `limit`, and used with it only; from 0 to 0.5.
    blocks : int, optional
        The number of blocks. By default it is chosen for the public numbers of records; under unbounded
        neighbors it must be given.
    neighbors, unit, rng, budget
        As in `any_test`.

    Returns
    -------
    InferenceResults
        With ``conf_int(alpha)``, without a p-value; with `limit` the interval is one-sided.

    Raises
    ------
    PydpstatError
        If an argument is invalid. What `estimator` raises is no error.

    See Also
    --------
    any_test : a test of one's own by the same blocks.
    mean, median : specific intervals, which need fewer records.

    Notes
    -----
    Guarantee: (epsilon, 0), with the conditions of `any_test`. The estimates of m blocks are counted in the
    cells of a histogram with public edges. A record changes the estimate of one block, which moves from one
    cell to another: the L1 sensitivity is 2 for both kinds of neighbors, and each cell gets symmetric
    geometric noise.

    The interval covers the median of the estimates' distribution with at least its level, whatever that
    distribution is. That is the parameter where the estimator is median-unbiased on n / m records: it lies
    above and below with equal probabilities. An estimator that is biased on few records, such as a standard
    deviation of skewed ones, moves the interval by that bias: give fewer blocks. Confidence limits need no
    such thing: at least a share 1 - level of lower limits is below the parameter.

    References
    ----------
    Kazan, Z., Shi, K., Groce, A. and Bray, A. (2023). The test of tests: a framework for differentially
    private hypothesis testing. ICML 2023 (blocks).
    Nissim, K., Raskhodnikova, S. and Smith, A. (2007). Smooth sensitivity and sampling in private data
    analysis. STOC 2007 (sample and aggregate).

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, 20_000)
    >>> r = pydpstat.any_interval(x, np.mean, 1.0, range=(0, 10), rng=1)
    >>> low, high = r.conf_int()
    >>> low < 3.0 < high
    True
    """
    options = _check_block_options(epsilon, neighbors, rng, budget)
    check_callable(estimator, "estimator", "numpy.median")
    low, high = check_bounds(range, "range")
    check_bounds_range(low, high, argument="range")
    share = _get_quantile_level(limit, level)
    missed = min(share, 1.0 - share)
    samples, number = make_block_samples(data, options, blocks, unit)
    if number is None:
        number = choose_interval_blocks(options.epsilon, max(1, min(samples.sizes) // _MIN_ESTIMATE_RECORDS))
    warn_failing_callable(estimator, "estimator", convert_to_estimate, samples, options, number)
    cells = choose_histogram_cells(number, options.epsilon)
    inner = np.linspace(low, high, cells + 1)[1:-1]
    # drawn for every block, so that the stream does not reveal which blocks fail
    coins = options.source.integers(number, 2)
    counts = np.zeros(cells, dtype=np.int64)
    with Progress(lambda: number, "blocks") as progress, open_isolated_runner() as run:
        for block, coin in zip(samples.draw_blocks(number, options.source, options.has_public_size), coins):
            estimate = run(estimator, block, convert_to_estimate)
            cell = (cells - 1) * int(coin) if math.isnan(estimate) else int(inner.searchsorted(estimate, "right"))
            counts[cell] += 1
            progress.add_done()
    exact = tuple(map(int, counts))
    labels = Labels("blocks", tuple(f"cell {cell}" for cell, _ in enumerate(exact)))
    query = Query("blocks", counts.astype(np.float64), (2,), labels, True, get_public_size(options, samples), exact)
    arguments: list[tuple[str, object]] = [("range", (low, high)), ("blocks", number)]
    if limit is not None:
        arguments += [("limit", limit), ("level", missed)]
    released = release_blocks("any_interval", query, options, samples, ("data", "estimator"), tuple(arguments))
    side = {None: "both", "lower": "low", "upper": "high"}[limit]
    inference = BlockQuantileInterval(
        low, high, tuple(released.value.tolist()), number, share, options.epsilon / 2.0, side
    )
    return InferenceResults.of(
        released,
        test="Interval from blocks",
        parameter="parameter of the estimator",
        estimates=(("median of the block estimates", inference.estimate),) if limit is None else (),
        interval=inference,
        validity="model",
        assumptions=(_describe_bias_assumption(limit, missed), "records are independent"),
        remarks=describe_block_sizes(options, samples, number),
    )


def _check_block_options(epsilon: float, neighbors: str | None, rng: object, budget: Chargeable | None) -> Options:
    """Check the privacy options of counts over blocks, which get geometric noise."""
    public = (epsilon, 0, "geometric", neighbors, "error")
    return options(*public, mechanisms=INTEGER_MECHANISMS, allow_objects=False, rng=rng, budget=budget)


def _get_quantile_level(limit: object, level: object) -> float:
    """Return the level of the quantile of the block results that bounds the parameter."""
    if limit is None:
        if level is not None:
            raise PydpstatError(
                f"level must be None if limit is None; got {checks.describe_value(level)}. It is how often a "
                "block's confidence limit misses; the interval's own level is for conf_int(alpha)."
            )
        return 0.5
    checks.check_choice(limit, "limit", ("lower", "upper"))
    share = checks.check_number(
        level, "level", "above 0 and at most 0.5", lambda x: 0.0 < x <= 0.5, "Give how often a limit misses."
    )
    return 1.0 - share if limit == "lower" else share


def _describe_level_assumption(level: float, limit: float, is_simulated: bool) -> str:
    if is_simulated:
        return (
            f"records have the distribution of null, under which a block rejects with probability at most {limit:.4g}"
        )
    return f"under the null hypothesis a block's test rejects with probability at most {level:.4g}"


def _describe_bias_assumption(limit: str | None, level: float) -> str:
    if limit is None:
        return "a block's estimate is above or below the parameter with equal probability"
    return f"a block's {limit} limit misses the parameter with probability at most {level:.4g}"


def _make_block_remarks(
    options: Options, samples: BlockSamples, n_blocks: int, limit: float, is_simulated: bool
) -> tuple[str, ...]:
    lines = [*describe_block_sizes(options, samples, n_blocks), _ERRORS_REMARK]
    if options.has_public_size and not is_simulated and min(samples.sizes) // n_blocks < _USUAL_BLOCK_SIZE:
        lines.append(
            f"Blocks of fewer than {_USUAL_BLOCK_SIZE} records: many tests reject too often with so few. Give "
            "null, or fewer blocks."
        )
    if compute_rejections_sf(n_blocks + 0.5, n_blocks, limit, options.epsilon) > 0.05:
        lines.append("The result is almost uninformative: not even rejections by all blocks would be significant.")
    return tuple(lines)
