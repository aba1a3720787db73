"""Random Fourier features of the Gaussian kernel: DPpack's functions, and the feature map of records."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat.dppack._models.formulas import compute_dot_product, compute_matrix_vector
from pydpstat.dppack._models.noise import draw_normals
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import to_doubles
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source, source_from


@explain_wrong_calls
def phi_gaussian(x: npt.ArrayLike, theta: npt.ArrayLike) -> float:
    """Return the feature cos(x'frequencies + phase) of the Gaussian kernel.

    R's function is ``DPpack::phi.gaussian``.

    Parameters
    ----------
    x : array_like of shape (d,)
        A record.
    theta : array_like of shape (d + 1,)
        d frequencies, then the phase. Further elements are ignored.

    Returns
    -------
    float

    Raises
    ------
    PydpstatError
        If `theta` is too short.

    See Also
    --------
    svmDP : the model whose kernel it approximates.
    generate_sampling : sampling of its frequencies.

    References
    ----------
    Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines.
    Advances in Neural Information Processing Systems 20.

    Examples
    --------
    >>> from pydpstat.dppack import phi_gaussian
    >>> phi_gaussian([1, 2], [0.5, -0.25, 0.0])
    1.0
    """
    record, parameters = to_doubles(x, "x"), to_doubles(theta, "theta")
    if parameters.size < record.size + 1 or not record.size:
        raise PydpstatError(
            f"theta must have one element more than x, which must not be empty; got {parameters.size} "
            f"and {record.size}."
        )
    angle = compute_dot_product(record, parameters[: record.size]) + parameters[record.size]
    if not math.isfinite(angle):
        raise PydpstatError(
            "x and theta must have a finite product, or R returns NaN with a warning; got "
            f"{checks.describe_value(float(angle))}. Scale x."
        )
    return float(compute_cosine(np.array([angle]))[0])


@explain_wrong_calls
def generate_sampling(kernel_param: float, *, rng: object = None) -> Callable[..., Floats]:
    """Return the function that draws a random Fourier feature.

    R's function is ``DPpack::generate.sampling``.

    Parameters
    ----------
    kernel_param : float
        The Gaussian kernel's gamma in ``exp(-gamma |x - x'|^2)``; at least 0.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of its draws. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    callable
        ``sampling(d, *, rng=None)`` returns d frequencies and a phase, an ndarray of shape (d + 1,).
        Its `rng`, if given, takes precedence over the one given here.

    Raises
    ------
    PydpstatError
        If `kernel_param` is not a number of at least 0.

    See Also
    --------
    svmDP : the model whose kernel it approximates.

    References
    ----------
    Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines.
    Advances in Neural Information Processing Systems 20.

    Examples
    --------
    >>> from pydpstat import RRandom
    >>> from pydpstat.dppack import generate_sampling
    >>> generate_sampling(0.1)(2, rng=RRandom(123)).round(4)
    array([-0.2507, -0.1029,  2.7675])
    """
    width = checks.check_scalar(kernel_param, "kernel_param")
    if not 0.0 <= width < math.inf:
        raise PydpstatError(f"kernel_param must be at least 0 and finite; got {width!r}. 1/d is the default.")
    return _FeatureSampler(width, source_from(rng, int_seeds_r=True))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _FeatureSampler:
    """Sampler of features of a Gaussian kernel; a class, since closures cannot be pickled."""

    kernel_param: float
    source: Source

    __name__ = "sampling"

    def __call__(self, d: int, *, rng: object = None) -> Floats:
        """Draw d frequencies and a phase, an ndarray of shape (d + 1,)."""
        source = self.source if rng is None else source_from(rng, int_seeds_r=True)
        size = check_integer_at_least(d, "d", 0)
        return _draw_feature(source, size, math.sqrt(2.0 * self.kernel_param))

    def __repr__(self) -> str:
        return f"generate_sampling({self.kernel_param!r})"


def draw_phases(source: Source, size: int) -> Floats:
    """Draw uniform variables between -pi and pi."""
    # scaled as in R's runif(size, -pi, pi)
    return -math.pi + 2.0 * math.pi * source.uniform(size)


def draw_features(source: Source, count: int, size: int, sd: float) -> FourierFeatures:
    """Draw random Fourier features: `count` rows of `size` frequencies and a phase."""
    return FourierFeatures(np.array([_draw_feature(source, size, sd) for _ in range(count)]))


def _draw_feature(source: Source, size: int, sd: float) -> Floats:
    return np.append(draw_normals(source, size, sd), draw_phases(source, 1))


def check_integer_at_least(value: object, name: str, minimum: int) -> int:
    """Check an integer of at least `minimum`."""
    number = checks.check_scalar(value, name)
    if not math.isfinite(number) or number != int(number) or number < minimum:
        raise PydpstatError(f"{name} must be a whole number of at least {minimum}; got {checks.describe_value(value)}.")
    return int(number)


def compute_cosine(x: Floats) -> Floats:
    """Compute cosines with the rounding of the C library; NumPy's vectorized code differs in last bits."""
    if not np.isfinite(x).all():
        # R's cosine of infinity is NaN, whereas Python's raises an error
        x = np.where(np.isfinite(x), x, np.nan)
    return np.fromiter(map(math.cos, x.tolist()), np.float64, x.size)


@dataclass(frozen=True, slots=True, eq=False)
class FourierFeatures(ReadOnlyArrays):
    """Map from records to features whose inner products approximate the Gaussian kernel.

    A row of `prefilter`, of shape (D, d + 1), is a feature: d frequencies, then a phase. It is drawn
    independently of the data, so it is public.

    Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines.
    Advances in Neural Information Processing Systems 20.

    >>> FourierFeatures(np.array([[0.0, 0.0]])).compute_features(np.array([[3.0]])).round(6)
    array([[1.414214]])
    """

    prefilter: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "prefilter", freeze_array(self.prefilter, np.float64))

    def compute_unit_features(self, X: Floats) -> Floats:
        """Return the features of records, scaled to norm at most 1."""
        size = self.prefilter.shape[0]
        scaled = self.compute_features(X)
        scaled /= math.sqrt(2.0 / size)
        scaled /= math.sqrt(size)
        return scaled

    def compute_features(self, X: Floats) -> Floats:
        """Return the features of records of shape (n, d), of shape (n, D) in column-major order."""
        size, width = self.prefilter.shape
        if X.shape[1] != width - 1:
            raise PydpstatError(f"X must have {width - 1} columns, including the bias, as in fit; got {X.shape[1]}.")
        scale = math.sqrt(2.0 / size)
        features = np.empty((X.shape[0], size), order="F")
        for j in range(size):
            frequencies, phase = self.prefilter[j, : width - 1], self.prefilter[j, width - 1]
            features[:, j] = scale * compute_cosine(compute_matrix_vector(X, frequencies) + phase)
        return features
