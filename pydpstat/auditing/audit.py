"""The audit of a release: search for events in part of the draws, and bound epsilon from below by the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat.auditing import _bounds as bounds
from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._events import (
    Event,
    ForecastEvent,
    Projection,
    count_outcomes,
    iterate_form_events,
    iterate_range_events,
    make_element_projection,
    make_form_event,
    make_length_projection,
    make_missing_event,
    make_sum_projection,
)
from pydpstat.auditing._float_events import Distribution, iterate_bit_events, iterate_support_events
from pydpstat.auditing._sampling import Draws, Form, Sampler, get_result_size
from pydpstat.auditing.results import AuditedEvent, AuditResults, make_picture
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import compute_inner_product, log
from pydpstat.random import Source, source_from

# consecutive draws that are selected together for the search
BLOCK = 64
# share of the draws used in the search, and their largest number
SEARCH_DIVISOR, MAX_SEARCHED = 4, 65_536
MIN_SAMPLES = 500


@explain_wrong_calls
def audit(
    release: Callable[..., object],
    data: object,
    neighbor: object,
    *,
    claim: Guarantee | float | tuple[float, float] | None = None,
    samples: int = 100_000,
    confidence: float = 0.95,
    seconds: float | None = None,
    rng: object = None,
) -> AuditResults:
    """Bound a release's epsilon from below by its outcomes on two neighbors.

    The release is called many times on both data sets. On a quarter of the outcomes, events are
    searched that are more likely under one data set than under the other; on the rest they are counted.
    The release is treated as a black box.

    Parameters
    ----------
    release : callable
        ``release(data)`` returns one result: a number, an array, a pandas object, a `DPResults`, a
        string, a mapping or a dataclass of such; it may raise an exception. A release with an argument `size` is
        called as ``release(data, size=n)`` and returns n independent results along the first axis.
    data, neighbor : object
        Two neighboring data sets, preferably a worst case.
    claim : Guarantee, number or (number, number), optional
        The claim to test: a guarantee, an epsilon, or (epsilon, delta). By default the `claim` of the
        results, if they have one.
    samples : int, default 100000
        Draws from each data set; at least 500.
    confidence : float, default 0.95
        Probability that `epsilon_lower` is a valid bound, between 0 and 1.
    seconds : float, optional
        Time limit of drawing; the draws until then are used.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator. It splits
        the draws into those for the search and those for counting; the release has its own randomness.

    Returns
    -------
    AuditResults

    Raises
    ------
    PydpstatError
        If an argument is invalid, or the release raises the same error on both data sets.

    See Also
    --------
    AuditResults : the result.
    pydpstat.teaching.sensitivity : a sensitivity by exhaustive search.
    Guarantee : the claim to test.

    Notes
    -----
    The events: tails, intervals, single values and unions of cells of each element, of the sum, of
    the length and of an estimated likelihood ratio; multiples of powers of two and zeros at the end
    of the mantissa; the support of inverse-CDF noise where the result publishes its distribution; missing
    numbers; errors by type and message; shapes, labels, words, and the other outputs of a `DPResults`.
    Warnings, time and memory are not examined.

    At most 8 events are counted. Each gets Clopper and Pearson's bounds on both probabilities, at
    (1 - confidence) / 16 each, so that all hold simultaneously with probability `confidence`. For an
    event S that has at least probability p under one data set and at most q under the other,
    P(S) <= exp(epsilon) Q(S) + delta gives epsilon >= log((p - delta) / q). A release that satisfies
    its claim is rejected with probability at most 1 - confidence. No rejection is not a proof of the claim.

    The results depend on the two data sets without noise: use simulated data.

    References
    ----------
    Jagielski, M., Ullman, J. and Oprea, A. (2020). Auditing differentially private machine learning.
    NeurIPS 2020. Ding, Z., Wang, Y., Wang, G., Zhang, D. and Kifer, D. (2018). Detecting violations
    of differential privacy. CCS 2018. Mironov, I. (2012). On significance of the least significant
    bits for differential privacy. CCS 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat import audit
    >>> draw_samples = np.random.default_rng(1).integers
    >>> def uniform(count_outcomes, size):
    ...     return count_outcomes + draw_samples(-2, 3, size)
    >>> r = audit(uniform, 5, 6, claim=1.0, samples=10_000, rng=1)
    >>> r.violates, r.witness
    (True, 'the result is at most 3')
    """
    if not callable(release):
        raise PydpstatError(f"release must be a callable of the data; got {type(release).__name__}. Give a function.")
    samples = checks.check_integer(samples, "samples", MIN_SAMPLES, 2**31, hint="Give for example 100000.")
    confidence = checks.check_probability(confidence, "confidence", "0.95 is usual.")
    if seconds is not None:
        seconds = checks.check_positive(seconds, "seconds", "Leave it out for no limit.")
    claimed, source = _check_claim(claim), source_from(rng)
    chooser: Source | np.random.Generator = source if source.reproducible else np.random.default_rng()
    sampler = Sampler(release, data, neighbor)
    draws = sampler.draw_samples(samples, seconds)
    if claimed is None:
        first_claim = getattr(sampler.first, "claim", None)
        claimed = first_claim if isinstance(first_claim, Guarantee) else None
    searched = _choose_draws(draws[0], chooser), _choose_draws(draws[1], chooser)
    delta = 0.0 if claimed is None else claimed.delta
    alpha = (1.0 - confidence) / (2 * MAX_CARRIED)
    sizes = len(searched[0]), len(searched[1])
    fresh = len(draws[0]) - sizes[0], len(draws[1]) - sizes[1]
    forecast = bounds.Forecast(sizes, fresh, delta, alpha)
    candidates = search_events(*searched, sampler.forms, _get_published_noise(sampler), forecast)
    if not candidates:
        # no event distinguishes the data sets; the event that always occurs represents this
        candidates = [Candidate(0.0, 0, make_form_event("any outcome", range(len(sampler.forms))))]
    counted = [
        (_evaluate_candidate(candidate, draws, searched, delta, alpha), candidate.event) for candidate in candidates
    ]
    counted.sort(key=lambda each: -each[0].epsilon_lower)
    return AuditResults(
        release=getattr(release, "__name__", type(release).__name__),
        claim=claimed,
        confidence=confidence,
        draws=(len(draws[0]), len(draws[1])),
        events=tuple(event for event, _ in counted),
        picture=make_picture(counted[0][1], *draws),
    )


def _check_claim(claim: object) -> Guarantee | None:
    if claim is None or isinstance(claim, Guarantee):
        return claim
    pair = (claim,) if checks.is_number(claim) else claim
    if isinstance(pair, (tuple, list)) and len(pair) in (1, 2) and all(map(checks.is_number, pair)):
        try:
            return Guarantee(checks.as_float(pair[0]), checks.as_float(pair[-1]) if len(pair) == 2 else 0.0)
        except PydpstatError:
            # its message would show numbers that may be data
            pass
    raise PydpstatError(
        "claim must be a Guarantee, an epsilon of at least 0, or a pair of epsilon and a delta "
        f"between 0 and 1; got {checks.describe_value(claim)}. Leave it out to use the claim of the results."
    )


def _choose_draws(draws: Draws, chooser: np.random.Generator | Source) -> Draws:
    """Select blocks of draws for the search."""
    searched = min(len(draws) // SEARCH_DIVISOR, MAX_SEARCHED)
    block = max(1, min(BLOCK, len(draws) // 64))
    blocks = len(draws) // block
    blocks_searched = np.argsort(np.asarray(chooser.uniform(size=blocks)), kind="stable")[: searched // block]
    width = draws.values.shape[1]
    codes = draws.codes[: blocks * block].reshape(blocks, block)[blocks_searched]
    values = draws.values[: blocks * block].reshape(blocks, block * width)[blocks_searched]
    return Draws(codes.reshape(-1), values.reshape(codes.size, width))


def _get_published_noise(sampler: Sampler) -> Distribution | None:
    """Return the noise's distribution if all results publish the same one, for one number; else None."""
    noise = getattr(sampler.first, "noise", None)
    scales = {form[4] for form in sampler.forms if form[0] == "result"}
    if len(scales) != 1 or not isinstance(next(iter(scales)), float):
        return None
    return noise if isinstance(noise, Distribution) else None


def _evaluate_candidate(
    candidate: Candidate,
    draws: tuple[Draws, Draws],
    searched: tuple[Draws, Draws],
    delta: float,
    alpha: float,
) -> AuditedEvent:
    event = candidate.event
    # the fresh draws are all draws except those of the search
    counts = [count_outcomes(event, sample) - count_outcomes(event, subset) for sample, subset in zip(draws, searched)]
    sizes = [len(sample) - len(subset) for sample, subset in zip(draws, searched)]
    side, other_side = candidate.side, 1 - candidate.side
    p_lower = bounds.compute_lower_bound(counts[side], sizes[side], alpha)
    q_upper = bounds.compute_upper_bound(counts[other_side], sizes[other_side], alpha)
    return AuditedEvent(
        words=event.words,
        likelier_under=("data", "neighbor")[side],
        p=counts[side] / sizes[side],
        p_lower=p_lower,
        q=counts[other_side] / sizes[other_side],
        q_upper=q_upper,
        epsilon_lower=bounds.compute_epsilon_bound(p_lower, q_upper, delta),
    )


# number of events evaluated on the fresh draws, for both directions together
MAX_CARRIED = 8
# of a longer result, only the elements that differ most are examined individually
MAX_ELEMENTS = 48
# largest number of elements in the likelihood ratio
MAX_PARTS = 12


@dataclass(frozen=True)
class Candidate:
    """An event, the side on which it is more likely (0 the data, 1 the neighbor), and its forecast."""

    forecast: float
    side: int
    event: Event


def search_events(
    first: Draws, second: Draws, forms: list[Form], distribution: Distribution | None, forecast: Forecast
) -> list[Candidate]:
    """Return the most promising events in the draws for the search.

    `forms` are the forms that the codes of the outcomes refer to; `distribution` is that of the noise if every result
    publishes the same one.
    """
    candidates = [
        Candidate(float(value), side, event)
        for event, values in _iterate_events(first, second, forms, distribution, forecast)
        for side, value in enumerate(values)
        if value > -np.inf
    ]
    # ties are resolved in the order of the families, the easiest to interpret first
    candidates.sort(key=lambda candidate: -round(candidate.forecast, 2))
    distinct: list[Candidate] = []
    alike: Counter[tuple[int, str, str]] = Counter()
    seen: set[tuple[int, float]] = set()
    for candidate in candidates:
        # equal forecasts result from equal counts: the same event in other words
        if (candidate.side, candidate.forecast) in seen:
            continue
        seen.add((candidate.side, candidate.forecast))
        projection = candidate.event.projection
        kind = (candidate.side, candidate.event.family, projection.name if projection else "")
        alike[kind] += 1
        if alike[kind] <= 2:
            distinct.append(candidate)
    # both sides get their share
    half = [[each for each in distinct if each.side == side][: MAX_CARRIED // 2] for side in (0, 1)]
    others = [each for each in distinct if each not in half[0] and each not in half[1]]
    return [*half[0], *half[1], *others][:MAX_CARRIED]


def _iterate_events(
    first: Draws, second: Draws, forms: list[Form], distribution: Distribution | None, forecast: Forecast
) -> Iterator[ForecastEvent]:
    yield from iterate_form_events(first.codes, second.codes, forms, forecast)
    size = max(get_result_size(form) for form in forms)
    elements = _choose_elements(first, second, size)
    for projection in elements.values():
        yield from _iterate_number_events(projection, first, second, forecast, bits=True)
        if distribution is not None and len(elements) == 1:
            a, b = projection.compute(first), projection.compute(second)
            yield from iterate_support_events(projection, distribution, a, b, forecast)
    if size > 1:
        ratio = _estimate_likelihood_ratio(elements, first, second)
        together = [
            make_sum_projection("the sum of the result's elements", size),
            make_length_projection("the length of the result as a vector", size),
            *([ratio] if ratio else []),
        ]
        for projection in together:
            yield from _iterate_number_events(projection, first, second, forecast, bits=False)


def _iterate_number_events(
    projection: Projection, first: Draws, second: Draws, forecast: Forecast, bits: bool
) -> Iterator[ForecastEvent]:
    a, b = projection.compute(first), projection.compute(second)
    gaps = np.isnan(a), np.isnan(b)
    counts = np.array([gap.sum() for gap in gaps])
    if counts.any():
        yield make_missing_event(projection), forecast.predict_event(*counts)
        a, b = a[~gaps[0]], b[~gaps[1]]
    yield from iterate_range_events(projection, a, b, forecast)
    if bits:
        yield from iterate_bit_events(projection, a, b, forecast)


def _choose_elements(first: Draws, second: Draws, size: int) -> dict[int, Projection]:
    """Return projections to the elements to examine, by their columns; the result has `size` elements."""
    width = first.values.shape[1]
    if width == 1:
        return {0: make_element_projection("the result", 0)}
    names = [f"element {j + 1} of the result" for j in range(size)]
    # the elements are followed by standard errors computed from noisy values
    names += [f"the noise sd of element {j + 1}" for j in range(width - size)]
    if size == 1:
        names[0] = "the result"
    columns: np.ndarray = np.arange(width)
    if width > MAX_ELEMENTS:
        columns = np.argsort(-_compute_differences(first, second), kind="stable")[:MAX_ELEMENTS]
    return {j: make_element_projection(names[j], j) for j in columns.tolist()}


def _compute_differences(first: Draws, second: Draws) -> np.ndarray:
    """Return for each column the difference of the two samples' mean ranks, relative to the number of ranks."""
    from scipy.stats import rankdata

    n_rows = 4_000
    result = np.zeros(first.values.shape[1])
    for j in range(result.size):
        a, b = first.values[:n_rows, j], second.values[:n_rows, j]
        ranks = rankdata(np.concatenate([a, b]))
        result[j] = abs(ranks[: a.size].mean() - ranks[a.size :].mean()) / ranks.size
    return result


def _estimate_likelihood_ratio(elements: dict[int, Projection], first: Draws, second: Draws) -> Projection | None:
    """Return an estimate of the log likelihood ratio, with the elements treated as independent."""
    terms = []
    for column, projection in elements.items():
        a, b = projection.compute(first), projection.compute(second)
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            continue
        edges = np.unique(np.quantile(np.concatenate([a, b]), np.linspace(0.02, 0.98, 25)))
        counts = [
            np.bincount(np.searchsorted(edges, sample, side="right"), minlength=edges.size + 1) for sample in (a, b)
        ]
        ratios = log((counts[0] + 1.0) / a.size) - log((counts[1] + 1.0) / b.size)
        # the information in the element, compared to that expected by chance
        weight = compute_inner_product(counts[0] / a.size - counts[1] / b.size, ratios)
        chance = edges.size * (1.0 / a.size + 1.0 / b.size)
        if weight > 3.0 * chance:
            terms.append((weight, column, edges, ratios))
    terms.sort(key=lambda part: -part[0])
    terms = terms[:MAX_PARTS]
    if len(terms) < 2:
        return None

    def compute_ratio(draws: Draws) -> np.ndarray:
        sums = np.zeros(len(draws))
        for _, column, edges, ratios in terms:
            sums += ratios[np.searchsorted(edges, draws.values[:, column], side="right")]
        return sums

    element_numbers = ", ".join(str(column + 1) for _, column, _, _ in terms)
    return Projection(
        f"the estimated log likelihood ratio of elements {element_numbers}", compute_ratio, tails_only=True
    )
