"""Events due to floating-point noise: in the last bits, and in the support of inverse-CDF noise.

Events of the last bits are multiples of powers of two, and trailing zeros of the mantissa. For events of the support, a
uniform with few bits leaves few possible values of a result.

If a result publishes the distribution F of its noise, and the noise is F's quantile function at a multiple of 2^-bits,
F(result - center) is such a multiple for the true center. The center is found without the data: an outermost draw has
few possible positions, each gives a candidate, and a dozen other draws test it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._events import Event, ForecastEvent, Projection, format_exact_number

# numbers of distinguished binary orders of magnitude below the largest value, and of lattices
MAGNITUDES, LATTICES = 16, 160
MANTISSA = 53
# bits of the uniforms of common generators: single precision, C's rand, Mersenne Twister in R
BITS = (24, 30, 31, 32)
# largest number of positions tried for one outermost draw
MAX_PLACES = 400_000
WITNESSES = 12
# allowed distance of a result from the support, as a share of the distance between its points
TOLERANCE = 1e-3


def make_multiple_event(projection: Projection, exponent: int, holds: bool, limit: float = 0.0) -> Event:
    """Return the event of multiples (or non-multiples) of a power of two, optionally between 0 and `limit`."""
    low, high = sorted((0.0, limit))
    name = projection.name
    head = f"{format_exact_number(low)} < {name} < {format_exact_number(high)} and it" if limit else name

    def select_values(z: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            # faster, but 2^-exponent may be outside the range of floats
            scaled = z * 2.0**-exponent if abs(exponent) <= 1_000 else np.ldexp(z, -exponent)
            inside = (scaled == np.rint(scaled)) == holds
        inside &= np.isfinite(z)
        return inside & (z > low) & (z < high) if limit else inside

    description = f"{head} is{'' if holds else ' not'} a multiple of 2^{exponent}"
    return Event("multiple", description, projection, select_values)


def make_trailing_zeros_event(projection: Projection, bits: int, holds: bool) -> Event:
    """Return the event that the last bits of a number's mantissa are 0, or are not."""

    def select_values(z: np.ndarray) -> np.ndarray:
        # the lower 52 of a double's 64 bits are the mantissa without its leading 1
        last = np.ascontiguousarray(z).view(np.int64) & ((1 << bits) - 1)
        return ((last == 0) == holds) & np.isfinite(z)

    description = f"the last {bits} bits of {projection.name} (of 53) are {'' if holds else 'not all '}0"
    if bits == 1:
        description = f"the last bit of {projection.name} (of 53) is {'0' if holds else '1'}"
    return Event("zeros", description, projection, select_values)


def iterate_bit_events(
    projection: Projection, a: np.ndarray, b: np.ndarray, forecast: Forecast
) -> Iterator[ForecastEvent]:
    """Yield the best lattice and mantissa events for both directions; `a` and `b` contain no NaN."""
    samples = [_split_floats(z[np.isfinite(z) & (z != 0.0)]) for z in (a, b)]
    zeros = [int(np.count_nonzero(z == 0.0)) for z in (a, b)]
    if not any(signs.size for signs, *_ in samples):
        return
    top = max(int(powers.max()) for _, powers, _, _ in samples if powers.size)
    finest = max(min(int(lattice.min()) for *_, lattice, _ in samples if lattice.size), -1074)
    tables = [_count_by_lattice(float_parts, top, finest) for float_parts in samples]
    yield from _iterate_lattice_events(projection, tables, zeros, top, finest, forecast)
    yield from _iterate_zero_events(projection, [trailing for *_, trailing in samples], zeros, forecast)


def _split_floats(z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the sign, e with 2^(e-1) <= |z| < 2^e, l with z an odd multiple of 2^l, and the trailing zeros."""
    fraction, power = np.frexp(z)
    mantissas = np.abs(np.ldexp(fraction, MANTISSA)).astype(np.int64)
    trailing = np.frexp((mantissas & -mantissas).astype(np.float64))[1] - 1
    return (z > 0.0).astype(np.int64), power, power - MANTISSA + trailing, trailing


def _count_by_lattice(parts: tuple[np.ndarray, ...], top: int, finest: int) -> np.ndarray:
    """Count values by sign, magnitude below the largest, and lattice above the finest."""
    positive, power, lattice, _ = parts
    magnitude = np.minimum(top - power, MAGNITUDES - 1)
    step = np.minimum(lattice - finest, LATTICES - 1)
    cells = (positive * MAGNITUDES + magnitude) * LATTICES + step
    size = 2 * MAGNITUDES * LATTICES
    return np.bincount(cells, minlength=size).reshape(2, MAGNITUDES, LATTICES).astype(np.float64)


def _iterate_lattice_events(
    projection: Projection,
    tables: list[np.ndarray],
    zeros: list[int],
    top: int,
    finest: int,
    forecast: Forecast,
) -> Iterator[ForecastEvent]:
    # values on lattice `step` or a coarser one; of magnitude m or smaller
    coarser = [np.flip(np.cumsum(np.flip(table, 2), 2), 2) for table in tables]
    inner = [np.flip(np.cumsum(np.flip(table, 1), 1), 1) for table in coarser]
    regions: list[list[np.ndarray]] = []
    for table, zero in zip(inner, zeros):
        everything = table[:, 0].sum(axis=0, keepdims=True)
        all_of_it = everything[:, :1] + zero
        on = np.concatenate([everything + zero, table[1], table[0]])
        all_counts = np.concatenate([all_of_it, table[1][:, :1], table[0][:, :1]])
        # the last lattice includes all coarser ones, and is not an event by itself
        regions.append([on[:, 1:-1], (all_counts - on)[:, 1:-1]])
    for k, holds in ((0, True), (1, False)):
        for (row, column), values in forecast.iterate_best(regions[0][k], regions[1][k]):
            threshold = 0.0
            if row > 0:
                magnitude = (row - 1) % MAGNITUDES
                threshold = float(np.ldexp(1.0 if row <= MAGNITUDES else -1.0, top - magnitude))
            yield make_multiple_event(projection, finest + 1 + column, holds, threshold), values


def _iterate_zero_events(
    projection: Projection, trailing: list[np.ndarray], zeros: list[int], forecast: Forecast
) -> Iterator[ForecastEvent]:
    counts = [np.bincount(zero_counts, minlength=MANTISSA + 1).astype(np.float64) for zero_counts in trailing]
    # counts with at least this many zeros; the number 0 has all of them
    tail_counts = [np.cumsum(n[::-1])[::-1][1:MANTISSA] + zero for n, zero in zip(counts, zeros)]
    totals = [n.sum() + zero for n, zero in zip(counts, zeros)]
    for holds in (True, False):
        first, second = tail_counts if holds else [total - n for total, n in zip(totals, tail_counts)]
        for (index,), values in forecast.iterate_best(first, second):
            yield make_trailing_zeros_event(projection, index + 1, holds), values


@runtime_checkable
class Distribution(Protocol):
    """The published distribution of a number's noise."""

    def cdf(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]: ...

    def ppf(self, q: npt.ArrayLike) -> npt.NDArray[np.float64]: ...

    def std(self) -> float: ...


def make_support_event(projection: Projection, distribution: Distribution, center: float, bits: int) -> Event:
    """Return the event that a number is on the support of noise whose uniform has `bits` bits."""
    return Event(
        "support",
        f"2^{bits} F({projection.name} - {center!r}) is within {TOLERANCE:g} "
        "of a whole number, where F is the published distribution of the noise",
        projection,
        lambda z: _is_on_support(distribution, z - center, bits),
    )


def _is_on_support(distribution: Distribution, noise: np.ndarray, bits: int) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        positions = np.ldexp(distribution.cdf(noise), bits)
        return np.abs(positions - np.rint(positions)) < TOLERANCE


def iterate_support_events(
    projection: Projection, distribution: Distribution, a: np.ndarray, b: np.ndarray, forecast: Forecast
) -> Iterator[ForecastEvent]:
    """Yield an event for each sample that lies on such a support; the distribution must be that of one number."""
    for z in (a, b):
        for bits in BITS:
            event = _find_support_event(projection, distribution, z[np.isfinite(z)], bits)
            if event is not None:
                yield event, forecast.predict_event(*(float(event.includes(sample).sum()) for sample in (a, b)))
                break


def _find_support_event(projection: Projection, distribution: Distribution, z: np.ndarray, bits: int) -> Event | None:
    spread = float(distribution.std())
    if z.size < 200 or not spread > 0.0 or np.unique(z[:200]).size < 150:
        return None
    middle = float(np.median(z))
    # with a density of about 1 / (2 sd) at the median, its standard error is sd / sqrt(n)
    error = 4.0 * spread / np.sqrt(z.size)
    tests = z[np.argsort(np.abs(z[:2000] - middle), kind="stable")[: 4 * WITNESSES : 4]]
    for extreme in (float(z.min()), float(z.max())):
        position_limits = np.ldexp(distribution.cdf(extreme - middle + np.array([-error, error])), bits)
        first, last = np.floor(position_limits[0]), np.ceil(position_limits[1])
        if not last - first <= MAX_PLACES:
            continue
        positions = np.arange(max(first, 1.0), min(last, 2.0**bits - 1.0) + 1.0)
        centers = extreme - distribution.ppf(np.ldexp(positions, -bits))
        for test in tests:
            centers = centers[_is_on_support(distribution, test - centers, bits)]
        if centers.size:
            return make_support_event(projection, distribution, float(np.median(centers)), bits)
    return None
