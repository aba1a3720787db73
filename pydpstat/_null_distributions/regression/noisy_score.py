"""Scores of regression coefficients from noisy moments, and simulated releases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._null_distributions.regression.noisy_moments import NoisyMoments
from pydpstat._null_distributions.simulation import SimulatedStatistics
from pydpstat.r_arithmetic.elementary import Floats

IndexArray = npt.NDArray[np.intp]

# draws per chunk, whose matrices fit in a processor's cache
_CHUNK = 256


class NoisyInverse(NamedTuple):
    """Inverses H of noisy predictor matrices, with the quantities that scores need."""

    forms: Floats
    variances: Floats
    variance_bounds: Floats
    signal_to_noise: Floats
    size: Floats


def invert_moments(blocks: Floats, noisy: NoisyMoments) -> NoisyInverse:
    """Return inverses of matrices of shape (d, d, r), with pivots raised to their lower limits."""
    work, added = blocks.copy(), np.zeros(blocks.shape[1:])
    for k, floor in enumerate(noisy.pivot_floors):
        pivot = np.maximum(work[k, k], floor)
        added[k] = pivot - work[k, k]
        column = work[:, k].copy()
        row = column / pivot
        work -= column[:, None] * row
        work[:, k] = work[k] = row
        work[k, k] = -1.0 / pivot
    np.negative(work, out=work)
    work[0] += np.einsum("jir,j->ir", work[1:], noisy.origin)
    own = np.einsum("jjr->jr", work).copy()
    own[0] += np.einsum("ir,i->r", work[0, 1:], noisy.origin)
    across = _insert_response(work, 0.0)
    spread = noisy.compute_noise_sd(across, across)
    bare = own - np.einsum("jir,jir,ir->jr", work, work, added)
    size = np.maximum(np.rint(blocks[0, 0]), 1.0)
    return NoisyInverse(work, own, np.maximum(own, spread), bare / spread, size)


def _insert_response(vectors: Floats, value: float) -> Floats:
    """Append an element for the response to vectors along the next-to-last axis."""
    more = np.full((*vectors.shape[:-2], 1, vectors.shape[-1]), value)
    return np.concatenate([vectors, more], axis=-2)


class ResponseEstimates(NamedTuple):
    """Estimates and residual squares of r releases, for e hypotheses about each of j coefficients."""

    estimates: Floats
    residual_squares: Floats


class CoefficientScores(NamedTuple):
    """Scores of hypotheses, and the estimates under them."""

    gap: Floats
    error: Floats
    residuals: Floats
    variance: Floats
    noise: Floats
    min_variance: Floats

    @property
    def coefficients(self) -> Floats:
        """Estimates under the hypotheses, of shape (j, e, d, r)."""
        return -self.residuals[..., :-1, :]

    @property
    def size(self) -> Floats:
        """Absolute studentized scores; NaN from overflow counts as infinite."""
        found = np.abs(self.gap) / self.error
        found[np.isnan(found)] = np.inf
        return found


def compute_scores(
    noisy: NoisyMoments,
    inverse: NoisyInverse,
    tested_indices: IndexArray,
    responses: ResponseEstimates,
    nulls: Floats,
) -> CoefficientScores:
    """Return the scores of hypotheses ``coefficient[tested_indices] = nulls``, with nulls of shape (j, e).

    Everything is in units of the moments. A matrix of moments has the order (1, predictors, response); it
    is the sum over the records of v v' for v = (1, x, y), plus noise. Arrays of many releases have them along
    the last axis.

    Let A be the noisy matrix and b the estimates. Those under the hypothesis are b - (l'b - null) a, where
    a = H l / l'H l projects the tested predictor on the others. The score a'A v with the
    residuals v = (-estimates, 1) is (l'b - null) / l'H l. Its variance is that of the sample plus that of its
    noise a'E v. In the former neither v'A v nor a'A a is below the standard deviation of its own noise.
    """
    forms, own = inverse.forms[tested_indices][:, None], inverse.variances[tested_indices][:, None]
    gap = get_tested_estimates(noisy, responses.estimates, tested_indices) - nulls[..., None]
    share = gap / own
    width = forms.shape[-2]
    residuals = np.empty((*gap.shape[:-1], width + 1, gap.shape[-1]))
    np.multiply(share[:, :, None], forms, out=residuals[..., :width, :])
    residuals[..., :width, :] -= responses.estimates
    residuals[..., width, :] = 1.0
    least = noisy.response_noise_sd * np.einsum("jedr,jedr->jer", residuals, residuals) / inverse.size
    variance = np.maximum((responses.residual_squares + gap * share) / inverse.size, least)
    added = noisy.compute_noise_sd(_insert_response(forms, 0.0), residuals) ** 2
    error = np.sqrt(variance * inverse.variance_bounds[tested_indices][:, None] + added)
    return CoefficientScores(gap, error, residuals, variance, added, least)


def get_tested_estimates(noisy: NoisyMoments, estimates: Floats, tested_indices: IndexArray) -> Floats:
    """Return the estimate of each tested coefficient, of shape (j, e, r)."""
    found = np.stack([estimates[k, :, j] for k, j in enumerate(tested_indices)])
    constant = tested_indices == 0
    found[constant] += np.einsum("jedr,d->jer", estimates[constant, :, 1:], noisy.origin)
    return found


class SimulatedReleases(NamedTuple):
    """Simulated releases for a fixed design and normal errors, without the part of the response."""

    design: Floats
    inverse: NoisyInverse
    normal: Floats
    noise: Floats
    solved_normal: Floats
    solved_noise: Floats
    drawn: Floats
    deviation: Floats
    squares: Floats


def simulate_releases(noisy: NoisyMoments, design: Floats) -> SimulatedReleases:
    """Return simulated releases for a true predictor matrix."""
    noise, width = noisy.draws.noise, len(design)
    normal = _compute_design_root(design) @ noisy.draws.scores.T
    parts = [slice(start, start + _CHUNK) for start in range(0, noisy.draws.n_draws, _CHUNK)]
    blocks = [invert_moments(design[:, :, None] + noise[:width, :width, part], noisy) for part in parts]
    found = NoisyInverse(*(np.concatenate(each, axis=-1) for each in zip(*blocks)))
    across = noise[:width, width]
    turned = [_apply_inverse(noisy, found, each) for each in (normal, across)]
    drawn = np.einsum("jir,ir->jr", found.forms, normal)
    variance = np.einsum("jir,jir->jr", found.forms, np.matmul(design, found.forms))
    deviation = np.sqrt(np.maximum(variance, 0.0))
    squares = noisy.draws.simulate_square_sums(round(float(design[0, 0])))
    return SimulatedReleases(design, found, normal, across, turned[0], turned[1], drawn, deviation, squares)


def replace_errors(
    noisy: NoisyMoments, releases: SimulatedReleases, sums: Floats, squares: Floats
) -> SimulatedReleases:
    """Return simulated releases with other sums of products of predictors and errors, and of squared errors."""
    return releases._replace(
        normal=sums,
        solved_normal=_apply_inverse(noisy, releases.inverse, sums),
        drawn=np.einsum("jir,ir->jr", releases.inverse.forms, sums),
        squares=squares,
    )


def _apply_inverse(noisy: NoisyMoments, inverse: NoisyInverse, cross: Floats) -> Floats:
    """Return the product of H and a vector for each release."""
    return np.einsum("jr,jir->ir", _transform_to_origin(noisy, cross.T).T, inverse.forms)


def _transform_to_origin(noisy: NoisyMoments, vectors: Floats) -> Floats:
    """Return coefficients, along the last axis, of the forms' columns in the product of H and a vector."""
    found = vectors.copy()
    found[..., 1:] -= found[..., :1] * noisy.origin
    return found


def simulate_responses(
    noisy: NoisyMoments,
    releases: SimulatedReleases,
    coefficients: Floats,
    variance: Floats,
    draws_slice: slice,
) -> ResponseEstimates:
    """Return simulated responses for true coefficients of shape (j, e, d) and variances (j, e)."""
    forms = releases.inverse.forms[..., draws_slice]
    width = len(releases.design)
    sd = np.sqrt(variance)[..., None, None]
    fitted = coefficients @ releases.design
    flat = _transform_to_origin(noisy, fitted).reshape(-1, width) @ forms.reshape(width, -1)
    estimates = flat.reshape(*fitted.shape, -1)
    estimates += sd * releases.solved_normal[:, draws_slice] + releases.solved_noise[:, draws_slice]
    normal, noise = releases.normal[:, draws_slice], releases.noise[:, draws_slice]
    rest = np.einsum("jed,jed->je", fitted, coefficients)[..., None]
    rest = rest + 2.0 * sd[..., 0] * (coefficients @ normal)
    rest += variance[..., None] * releases.squares[draws_slice] + noisy.draws.noise[width, width, draws_slice]
    rest -= np.einsum("jed,jedr->jer", fitted, estimates) + np.einsum("dr,jedr->jer", noise, estimates)
    rest -= sd[..., 0] * np.einsum("dr,jedr->jer", normal, estimates)
    return ResponseEstimates(estimates, rest)


def compute_studentized_scores(
    releases: SimulatedReleases,
    tested: IndexArray,
    responses: ResponseEstimates,
    scores: CoefficientScores,
    variance: Floats,
    draws_slice: slice,
) -> SimulatedStatistics:
    """Return simulated studentized scores, with the contribution of normal errors to be integrated."""
    sd = np.sqrt(variance)[..., None]
    middle = scores.gap - sd * releases.drawn[tested, None, draws_slice]
    bound, size = (
        releases.inverse.variance_bounds[tested, None, draws_slice],
        releases.inverse.size[draws_slice],
    )
    return SimulatedStatistics(
        scores.size,
        middle,
        sd * releases.deviation[tested, None, draws_slice],
        responses.residual_squares * (bound / size) + scores.noise,
        scores.min_variance * bound + scores.noise,
        np.broadcast_to(bound / (releases.inverse.variances[tested, None, draws_slice] * size), middle.shape),
    )


def _compute_design_root(design: Floats) -> Floats:
    values, vectors = np.linalg.eigh(design)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def compute_observed_release(noisy: NoisyMoments) -> tuple[NoisyInverse, ResponseEstimates]:
    """Return the inverse and the estimates of the observed release, with r = 1."""
    width = len(noisy.matrix) - 1
    found = invert_moments(noisy.matrix[:width, :width, None], noisy)
    cross = noisy.matrix[:width, width, None]
    estimates = _apply_inverse(noisy, found, cross)
    rest = noisy.matrix[width, width] - np.einsum("dr,dr->r", cross, estimates)
    return found, ResponseEstimates(estimates[None, None], rest[None, None])
