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
    variances = np.einsum("jjr->jr", work).copy()
    variances[0] += np.einsum("ir,i->r", work[0, 1:], noisy.origin)
    vectors = _insert_response(work, 0.0)
    noise_sds = noisy.compute_noise_sd(vectors, vectors)
    unraised = variances - np.einsum("jir,jir,ir->jr", work, work, added)
    size = np.maximum(np.rint(blocks[0, 0]), 1.0)
    return NoisyInverse(work, variances, np.maximum(variances, noise_sds), unraised / noise_sds, size)


def _insert_response(vectors: Floats, value: float) -> Floats:
    """Append an element for the response to vectors along the next-to-last axis."""
    elements = np.full((*vectors.shape[:-2], 1, vectors.shape[-1]), value)
    return np.concatenate([vectors, elements], axis=-2)


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
        sizes = np.abs(self.gap) / self.error
        sizes[np.isnan(sizes)] = np.inf
        return sizes


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
    forms, variances = inverse.forms[tested_indices][:, None], inverse.variances[tested_indices][:, None]
    gap = get_tested_estimates(noisy, responses.estimates, tested_indices) - nulls[..., None]
    share = gap / variances
    width = forms.shape[-2]
    residuals = np.empty((*gap.shape[:-1], width + 1, gap.shape[-1]))
    np.multiply(share[:, :, None], forms, out=residuals[..., :width, :])
    residuals[..., :width, :] -= responses.estimates
    residuals[..., width, :] = 1.0
    min_variance = noisy.response_noise_sd * np.einsum("jedr,jedr->jer", residuals, residuals) / inverse.size
    variance = np.maximum((responses.residual_squares + gap * share) / inverse.size, min_variance)
    added = noisy.compute_noise_sd(_insert_response(forms, 0.0), residuals) ** 2
    error = np.sqrt(variance * inverse.variance_bounds[tested_indices][:, None] + added)
    return CoefficientScores(gap, error, residuals, variance, added, min_variance)


def get_tested_estimates(noisy: NoisyMoments, estimates: Floats, tested_indices: IndexArray) -> Floats:
    """Return the estimate of each tested coefficient, of shape (j, e, r)."""
    tested_estimates = np.stack([estimates[k, :, j] for k, j in enumerate(tested_indices)])
    constant = tested_indices == 0
    tested_estimates[constant] += np.einsum("jedr,d->jer", estimates[constant, :, 1:], noisy.origin)
    return tested_estimates


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
    chunks = [slice(start, start + _CHUNK) for start in range(0, noisy.draws.n_draws, _CHUNK)]
    blocks = [invert_moments(design[:, :, None] + noise[:width, :width, chunk], noisy) for chunk in chunks]
    inverse = NoisyInverse(*(np.concatenate(vectors, axis=-1) for vectors in zip(*blocks)))
    response_noise = noise[:width, width]
    solved = [_apply_inverse(noisy, inverse, vectors) for vectors in (normal, response_noise)]
    normal_gaps = np.einsum("jir,ir->jr", inverse.forms, normal)
    variance = np.einsum("jir,jir->jr", inverse.forms, np.matmul(design, inverse.forms))
    deviation = np.sqrt(np.maximum(variance, 0.0))
    squares = noisy.draws.simulate_square_sums(round(float(design[0, 0])))
    return SimulatedReleases(
        design, inverse, normal, response_noise, solved[0], solved[1], normal_gaps, deviation, squares
    )


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
    coefficients = vectors.copy()
    coefficients[..., 1:] -= coefficients[..., :1] * noisy.origin
    return coefficients


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
    residual_squares = np.einsum("jed,jed->je", fitted, coefficients)[..., None]
    residual_squares = residual_squares + 2.0 * sd[..., 0] * (coefficients @ normal)
    residual_squares += (
        variance[..., None] * releases.squares[draws_slice] + noisy.draws.noise[width, width, draws_slice]
    )
    residual_squares -= np.einsum("jed,jedr->jer", fitted, estimates) + np.einsum("dr,jedr->jer", noise, estimates)
    residual_squares -= sd[..., 0] * np.einsum("dr,jedr->jer", normal, estimates)
    return ResponseEstimates(estimates, residual_squares)


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
    inverse = invert_moments(noisy.matrix[:width, :width, None], noisy)
    cross = noisy.matrix[:width, width, None]
    estimates = _apply_inverse(noisy, inverse, cross)
    residual_squares = noisy.matrix[width, width] - np.einsum("dr,dr->r", cross, estimates)
    return inverse, ResponseEstimates(estimates[None, None], residual_squares[None, None])
