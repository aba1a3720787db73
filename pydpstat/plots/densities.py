"""Densities of noise around true values, and of noisy values for two neighboring data sets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import GaussianNoise, LaplaceNoise, Noise
from pydpstat.mechanisms._noise import get_density
from pydpstat.plots._style import (
    DASHES,
    apply_axes_style,
    check_curves,
    get_axes,
    get_line_colors,
    get_muted_color,
    get_panel_axes,
    get_text_color,
    to_finite_floats,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# half width of the plotted range, in scales
PLOT_HALF_WIDTHS = {"laplace": 5.0, "gaussian": 3.5}
N_CURVE_POINTS = 1601
# a plot cannot resolve larger ratios
MAX_SCALE_RATIO = 1e6


@explain_wrong_calls
def noise_densities(
    locations: npt.ArrayLike = 0.0,
    scales: npt.ArrayLike = 1.0,
    *,
    distribution: str = "laplace",
    ax: Axes | None = None,
) -> Axes:
    """Draw densities of a noisy value for several true values and scales.

    Parameters
    ----------
    locations : float or array_like, default 0
        True values, in the statistic's unit.
    scales : float or array_like, default 1
        Scales of the noise, above 0: Laplace's scale, or the Gaussian's standard deviation. Locations
        and scales are paired as NumPy broadcasts them: one of each, or as many as of the other.
    distribution : {"laplace", "gaussian"}, default "laplace"
        Distribution of the noise.
    ax : matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PydpstatError
        If an argument is invalid, or more than seven curves are asked for.
    MissingExtraError
        If matplotlib is not installed; the message has the command.

    See Also
    --------
    neighboring_densities : densities for two neighbors, and their ratio.

    Notes
    -----
    Laplace noise of scale b has the variance ``2 * b**2``. If two curves of one scale b have
    locations at a distance d, their logarithms differ by at most d / b: this is epsilon.

    References
    ----------
    Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to sensitivity in
    private data analysis. TCC 2006.

    Examples
    --------
    >>> from pydpstat import plots
    >>> ax = plots.noise_densities(0, [1, 2, 3, 4])  # doctest: +SKIP
    """
    checks.check_choice(distribution, "distribution", tuple(PLOT_HALF_WIDTHS))
    centers, widths = _check_locations_and_scales(locations, scales)
    axes = get_axes("noise_densities", ax)
    half_widths = PLOT_HALF_WIDTHS[distribution] * widths
    low, high = float((centers - half_widths).min()), float((centers + half_widths).max())
    x = make_curve_points(low, high, centers)
    noise, scale_name = (LaplaceNoise, "scale") if distribution == "laplace" else (GaussianNoise, "sd")
    for location, scale, colour, dashes in zip(centers, widths, get_line_colors(axes), DASHES):
        density = noise(float(scale)).pdf(x - location)
        label = f"location {location:.4g}, {scale_name} {scale:.4g}"
        axes.plot(x, density, color=colour, linestyle=dashes, label=label)
    axes.set_ylim(bottom=0.0)
    axes.set(xlim=(low, high), xlabel=f"noisy value ({distribution.title()} noise)", ylabel="density")
    # above the axes, so that it hides no peak
    apply_axes_style(axes)
    return axes


def make_curve_points(low: float, high: float, peaks: np.ndarray) -> np.ndarray:
    """Return the points of a density curve, which include the peaks because these may be corners."""
    return np.unique(np.concatenate([np.linspace(low, high, N_CURVE_POINTS), peaks]))


def _check_locations_and_scales(locations: npt.ArrayLike, scales: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    arrays = []
    for value, name in ((locations, "locations"), (scales, "scales")):
        array = to_finite_floats(value)
        if array is None or array.ndim > 1:
            raise PydpstatError(
                f"{name} must be finite numbers; got {checks.describe_value(value)}. Give for example [1, 2, 4]."
            )
        arrays.append(np.atleast_1d(array))
    centers, widths = arrays
    if not (widths > 0.0).all() or not widths.size:
        raise PydpstatError(f"scales must be above 0; got {checks.describe_value(scales)}. Give for example 1.")
    if centers.size != widths.size and 1 not in (centers.size, widths.size) or not centers.size:
        raise PydpstatError(
            f"locations must be one, or as many as scales; got {centers.size} for {widths.size} scales. "
            "Give one location, or one for each scale."
        )
    curves = max(centers.size, widths.size)
    check_curves("locations and scales must give", "curves", curves, "Draw several pictures.")
    if max(float(np.abs(centers).max()), float(widths.max())) > MAX_SCALE_RATIO * float(widths.min()):
        raise PydpstatError(
            f"locations and scales must be at most {MAX_SCALE_RATIO:g} times the smallest scale, or nothing shows; "
            f"got {checks.describe_value(locations)} and {checks.describe_value(scales)}. Draw several pictures."
        )
    pair = np.broadcast_arrays(centers, widths)
    return pair[0], pair[1]


# half width of the plotted range, in standard deviations
RATIO_HALF_WIDTH = 3.0
# with more integers, single ones would not be visible
MAX_INTEGER_POINTS = 400


@explain_wrong_calls
def neighboring_densities(
    noise: Noise,
    location: float = 0.0,
    sensitivity: float = 1.0,
    epsilon: float | None = None,
    axes: object = None,
) -> tuple[Axes, Axes]:
    """Draw a noisy value's densities for two neighbors, and their ratio.

    Parameters
    ----------
    noise : Noise
        One of `pydpstat.mechanisms`, for one number, with a density (``pdf``, or ``pmf`` on the integers).
    location : float, default 0
        True value of the first data set, in the statistic's unit.
    sensitivity : float, default 1
        Difference of the second data set's true value from the first; above 0.
    epsilon : float, optional
        If given, above 0: the limits exp(epsilon) and exp(-epsilon) are drawn, too.
    axes : two matplotlib Axes, optional
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    tuple of two matplotlib Axes

    Raises
    ------
    PydpstatError
        If an argument is invalid.
    MissingExtraError
        If matplotlib is not installed; the message has the command.

    See Also
    --------
    noise_densities : densities for several true values and scales.

    Notes
    -----
    The right panel has a logarithmic axis. The noise is epsilon-DP if the ratio stays between the limits
    everywhere: with Laplace noise of scale ``sensitivity / epsilon`` it attains them on both sides. The
    ratio of two Gaussian densities is a straight line there and exceeds any limit: hence the delta.

    References
    ----------
    Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to sensitivity in
    private data analysis. TCC 2006.

    Examples
    --------
    >>> from pydpstat import plots
    >>> from pydpstat.mechanisms import LaplaceNoise
    >>> left, right = plots.neighboring_densities(LaplaceNoise(1.0), 5, 1, epsilon=1)  # doctest: +SKIP
    """
    density = get_density(noise) if isinstance(noise, Noise) else None
    if density is None:
        raise PydpstatError(
            f"noise must be a Noise with a density (pdf or pmf); got {checks.describe_value(noise)}. "
            "Give for example pydpstat.mechanisms.LaplaceNoise(1.0)."
        )
    if np.ndim(noise.scale):
        raise PydpstatError(
            f"noise must be for one number; got {np.size(noise.scale)} scales. Draw them one at a time."
        )
    center, change = (
        checks.check_scalar(location, "location"),
        checks.check_positive(sensitivity, "sensitivity"),
    )
    limit = None if epsilon is None else checks.check_positive(epsilon, "epsilon")
    if not math.isfinite(center):
        raise PydpstatError(f"location must be a finite number; got {center!r}. Give the true value.")
    x, centers = _make_ratio_points(noise, center, change)
    densities = np.array([density(x - mean) for mean in centers])
    left, right = get_panel_axes("neighboring_densities", axes, 2)
    is_integer = noise.integer
    for values, mean, label, colour, dash in zip(densities, centers, ("D", "D'"), get_line_colors(left), ("-", "--")):
        left.plot(
            x,
            values,
            color=colour,
            linestyle=":" if is_integer else dash,
            marker="o" if is_integer else None,
            markersize=4,
            label=f"{label}, true value {mean:.4g}",
        )
    if not is_integer:
        left.fill_between(x, densities.min(axis=0), color=get_text_color(left), alpha=0.12, label="overlap")
    left.set_ylim(bottom=0.0)
    left.set_ylabel("probability" if is_integer else "density")
    with np.errstate(all="ignore"):
        ratio = densities[0] / densities[1]
    marks: dict[str, Any] = {"linestyle": ":", "marker": "o", "markersize": 4} if is_integer else {}
    right.plot(x, ratio, color=get_text_color(right), label="ratio, D over D'", **marks)
    right.set_yscale("log", base=math.e)
    right.axhline(1.0, color=get_muted_color(right), linewidth=0.8)
    if limit is not None:
        right.axhline(math.exp(limit), color=get_line_colors(right)[1], linestyle="--", label="limits")
        right.axhline(math.exp(-limit), color=get_line_colors(right)[1], linestyle="--")
    _set_ratio_axis(right, limit)
    for panel in (left, right):
        panel.set_xlabel(f"noisy value ({noise.name} noise)")
        panel.set_xlim(x[0], x[-1])
        apply_axes_style(panel)
    return left, right


def _set_ratio_axis(axes: Axes, limit: float | None) -> None:
    """Set limits of the ratio's axis that are symmetric around 1 on the log scale, with a tick at each limit."""
    half_height = max(abs(math.log(end)) for end in axes.get_ylim()) * 1.1
    axes.set_ylim(math.exp(-half_height), math.exp(half_height))
    step = half_height / 2.2 if limit is None else limit
    names = ["", "1", ""] if limit is None else ["exp(-\u03b5) = ", "1", "exp(\u03b5) = "]
    ticks = [math.exp(-step), 1.0, math.exp(step)]
    axes.set_yticks(ticks, [n if n == "1" else f"{n}{tick:.3g}" for n, tick in zip(names, ticks)])
    axes.set_yticks([], minor=True)
    axes.set_ylabel("ratio (log scale)")


def _make_ratio_points(noise: Noise, here: float, change: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of the curves, and both true values."""
    centers = np.array([here, here + change])
    half_width = RATIO_HALF_WIDTH * float(noise.std())
    low, high = here - half_width, here + change + half_width
    if not noise.integer:
        return make_curve_points(low, high, centers), centers
    if not (centers == np.rint(centers)).all() or high - low > MAX_INTEGER_POINTS:
        raise PydpstatError(
            "location and sensitivity must be whole numbers for noise on the integers, and the noise "
            f"must not extend over more than {MAX_INTEGER_POINTS} of them; got {here:.6g}, {change:.6g} and "
            f"{2 * half_width:.4g}."
        )
    return np.arange(math.floor(low), math.ceil(high) + 1.0), centers
