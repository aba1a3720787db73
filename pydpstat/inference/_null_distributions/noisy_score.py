"""Score tests of all coefficients of a regression from noisy moments, and the intervals that they give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.inference._null_distributions.noisy_moments import NoisyMoments
from pydpstat.inference._null_distributions.simulation import Simulated
from pydpstat.r_arithmetic.elementary import Floats

Places = npt.NDArray[np.intp]

# draws at a time, whose matrices fit in a processor's cache
_CHUNK = 256


class Inverse(NamedTuple):
    """Inverses H of noisy matrices of the predictors, as far as the coefficients' scores need them."""

    forms: Floats
    own: Floats
    bound: Floats
    left: Floats
    size: Floats


def inverse(blocks: Floats, noisy: NoisyMoments) -> Inverse:
    """Return inverses of matrices of shape (d, d, r), whose pivots are moved up to a floor."""
    work, added = blocks.copy(), np.zeros(blocks.shape[1:])
    for k, floor in enumerate(noisy.floors):
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
    across = _longer(work, 0.0)
    spread = noisy.spread(across, across)
    bare = own - np.einsum("jir,jir,ir->jr", work, work, added)
    size = np.maximum(np.rint(blocks[0, 0]), 1.0)
    return Inverse(work, own, np.maximum(own, spread), bare / spread, size)


def _longer(vectors: Floats, value: float) -> Floats:
    """Return vectors, along the last axis but one, with an element for the response."""
    more = np.full((*vectors.shape[:-2], 1, vectors.shape[-1]), value)
    return np.concatenate([vectors, more], axis=-2)


class Responses(NamedTuple):
    """What r releases of the responses' moments have, for e hypotheses of each of j coefficients."""

    estimates: Floats
    rest: Floats


class Scores(NamedTuple):
    """Scores of hypotheses, and the estimates under them."""

    gap: Floats
    error: Floats
    residuals: Floats
    variance: Floats
    noise: Floats
    least: Floats

    @property
    def coefficients(self) -> Floats:
        """The estimates under the hypotheses, of shape (j, e, d, r)."""
        return -self.residuals[..., :-1, :]

    @property
    def size(self) -> Floats:
        """Absolute studentized scores; what overflows counts as infinite."""
        found = np.abs(self.gap) / self.error
        found[np.isnan(found)] = np.inf
        return found


def scores(noisy: NoisyMoments, found: Inverse, which: Places, given: Responses, nulls: Floats) -> Scores:
    """Return the scores of hypotheses ``coefficient[which] = nulls``, with nulls of shape (j, e).

    Everything is in the unit of the moments. A matrix of moments has the order (1, predictors, response); it
    is the sum over the records of v v' for v = (1, x, y), plus noise. Arrays of many releases have them along
    the last axis.

    Let A be the noisy matrix and b the estimates. Those under the hypothesis are b - (l'b - null) a, where
    a = H l / l'H l takes the other predictors out of the one that is tested. The score a'A v with the
    residuals v = (-estimates, 1) is (l'b - null) / l'H l. Its variance is that of the sample plus that of its
    noise a'E v. In the former neither v'A v nor a'A a is below the standard deviation of its own noise.
    """
    forms, own = found.forms[which][:, None], found.own[which][:, None]
    gap = tested(noisy, given.estimates, which) - nulls[..., None]
    share = gap / own
    width = forms.shape[-2]
    residuals = np.empty((*gap.shape[:-1], width + 1, gap.shape[-1]))
    np.multiply(share[:, :, None], forms, out=residuals[..., :width, :])
    residuals[..., :width, :] -= given.estimates
    residuals[..., width, :] = 1.0
    least = noisy.top * np.einsum("jedr,jedr->jer", residuals, residuals) / found.size
    variance = np.maximum((given.rest + gap * share) / found.size, least)
    added = noisy.spread(_longer(forms, 0.0), residuals) ** 2
    error = np.sqrt(variance * found.bound[which][:, None] + added)
    return Scores(gap, error, residuals, variance, added, least)


def tested(noisy: NoisyMoments, estimates: Floats, which: Places) -> Floats:
    """Return each coefficient's own estimate, of shape (j, e, r)."""
    found = np.stack([estimates[k, :, j] for k, j in enumerate(which)])
    constant = which == 0
    found[constant] += np.einsum("jedr,d->jer", estimates[constant, :, 1:], noisy.origin)
    return found


class Releases(NamedTuple):
    """Simulated releases for a fixed design and normal errors, without the response's part."""

    design: Floats
    found: Inverse
    normal: Floats
    noise: Floats
    turned_normal: Floats
    turned_noise: Floats
    drawn: Floats
    deviation: Floats
    squares: Floats


def releases(noisy: NoisyMoments, design: Floats) -> Releases:
    """Return simulated releases for a true matrix of the predictors."""
    noise, width = noisy.draws.noise, len(design)
    normal = _root(design) @ noisy.draws.scores.T
    parts = [slice(start, start + _CHUNK) for start in range(0, noisy.draws.number, _CHUNK)]
    blocks = [inverse(design[:, :, None] + noise[:width, :width, part], noisy) for part in parts]
    found = Inverse(*(np.concatenate(each, axis=-1) for each in zip(*blocks)))
    across = noise[:width, width]
    turned = [_times(noisy, found, each) for each in (normal, across)]
    drawn = np.einsum("jir,ir->jr", found.forms, normal)
    variance = np.einsum("jir,jir->jr", found.forms, np.matmul(design, found.forms))
    deviation = np.sqrt(np.maximum(variance, 0.0))
    squares = noisy.draws.squares(round(float(design[0, 0])))
    return Releases(design, found, normal, across, turned[0], turned[1], drawn, deviation, squares)


def replaced(noisy: NoisyMoments, made: Releases, sums: Floats, squares: Floats) -> Releases:
    """Return simulated releases with other sums of products of predictors and errors, and of squares."""
    return made._replace(
        normal=sums,
        turned_normal=_times(noisy, made.found, sums),
        drawn=np.einsum("jir,ir->jr", made.found.forms, sums),
        squares=squares,
    )


def _times(noisy: NoisyMoments, found: Inverse, cross: Floats) -> Floats:
    """Return H times a vector for each release."""
    return np.einsum("jr,jir->ir", _turned(noisy, cross.T).T, found.forms)


def _turned(noisy: NoisyMoments, vectors: Floats) -> Floats:
    """Return vectors, along the last axis, by which the forms' columns add up to H times them."""
    found = vectors.copy()
    found[..., 1:] -= found[..., :1] * noisy.origin
    return found


def simulated(
    noisy: NoisyMoments, made: Releases, coefficients: Floats, variance: Floats, part: slice
) -> Responses:
    """Return simulated responses for true coefficients of shape (j, e, d) and variances (j, e)."""
    forms = made.found.forms[..., part]
    width = len(made.design)
    sd = np.sqrt(variance)[..., None, None]
    fitted = coefficients @ made.design
    flat = _turned(noisy, fitted).reshape(-1, width) @ forms.reshape(width, -1)
    estimates = flat.reshape(*fitted.shape, -1)
    estimates += sd * made.turned_normal[:, part] + made.turned_noise[:, part]
    normal, noise = made.normal[:, part], made.noise[:, part]
    rest = np.einsum("jed,jed->je", fitted, coefficients)[..., None]
    rest = rest + 2.0 * sd[..., 0] * (coefficients @ normal)
    rest += variance[..., None] * made.squares[part] + noisy.draws.noise[width, width, part]
    rest -= np.einsum("jed,jedr->jer", fitted, estimates) + np.einsum("dr,jedr->jer", noise, estimates)
    rest -= sd[..., 0] * np.einsum("dr,jedr->jer", normal, estimates)
    return Responses(estimates, rest)


def studentized(
    made: Releases, which: Places, given: Responses, own: Scores, variance: Floats, part: slice
) -> Simulated:
    """Return simulated studentized scores, of which what errors add to the estimates is a normal number."""
    sd = np.sqrt(variance)[..., None]
    middle = own.gap - sd * made.drawn[which, None, part]
    bound, size = made.found.bound[which, None, part], made.found.size[part]
    return Simulated(
        own.size,
        middle,
        sd * made.deviation[which, None, part],
        given.rest * (bound / size) + own.noise,
        own.least * bound + own.noise,
        np.broadcast_to(bound / (made.found.own[which, None, part] * size), middle.shape),
    )


def _root(design: Floats) -> Floats:
    values, vectors = np.linalg.eigh(design)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def observed(noisy: NoisyMoments) -> tuple[Inverse, Responses]:
    """Return the release itself, as one of one."""
    width = len(noisy.matrix) - 1
    found = inverse(noisy.matrix[:width, :width, None], noisy)
    cross = noisy.matrix[:width, width, None]
    estimates = _times(noisy, found, cross)
    rest = noisy.matrix[width, width] - np.einsum("dr,dr->r", cross, estimates)
    return found, Responses(estimates[None, None], rest[None, None])
