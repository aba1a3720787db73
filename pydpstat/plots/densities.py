"""Densities of noise around true values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import answered
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import GaussianNoise, LaplaceNoise
from pydpstat.plots._frames import finite
from pydpstat.plots._style import DASHES, axes_for, check_curves, finish, palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# how far the picture goes to both sides, in scales
REACH = {"laplace": 5.0, "gaussian": 3.5}
POINTS = 1601
# a picture resolves no more
WIDEST = 1e6


@answered
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
        The noise.
    {ax}

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PydpstatError
        Where an argument is not allowed, or more than seven curves are asked for.
    MissingExtraError
        Where matplotlib is not installed; the message has the command.

    See Also
    --------
    neighboring_densities : what neighbors make of it.

    Notes
    -----
    Laplace noise of scale b has the variance ``2 * b**2``. Where two curves of one scale b lie d
    apart, their logarithms differ by at most d / b: that is epsilon.

    References
    ----------
    Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to sensitivity in
    private data analysis. TCC 2006.

    Examples
    --------
    >>> from pydpstat import plots
    >>> ax = plots.noise_densities(0, [1, 2, 3, 4])  # doctest: +SKIP
    """
    checks.one_of(distribution, "distribution", tuple(REACH))
    places, widths = _paired(locations, scales)
    axes = axes_for("noise_densities", ax)
    reach = REACH[distribution] * widths
    low, high = float((places - reach).min()), float((places + reach).max())
    x = curve_points(low, high, places)
    noise, word = (LaplaceNoise, "scale") if distribution == "laplace" else (GaussianNoise, "sd")
    for location, scale, colour, dashes in zip(places, widths, palette(axes), DASHES):
        density = noise(float(scale)).pdf(x - location)
        label = f"location {location:.4g}, {word} {scale:.4g}"
        axes.plot(x, density, color=colour, linestyle=dashes, label=label)
    axes.set_ylim(bottom=0.0)
    axes.set(xlim=(low, high), xlabel=f"noisy value ({distribution.title()} noise)", ylabel="density")
    # above the axes, where it hides no peak
    finish(axes)
    return axes


def curve_points(low: float, high: float, peaks: np.ndarray) -> np.ndarray:
    """Return where to draw densities: the peaks may be corners, as Laplace's, and are separate points."""
    return np.unique(np.concatenate([np.linspace(low, high, POINTS), peaks]))


def _paired(locations: npt.ArrayLike, scales: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    given = []
    for value, name in ((locations, "locations"), (scales, "scales")):
        array = finite(value)
        if array is None or array.ndim > 1:
            raise PydpstatError(
                f"{name} must be finite numbers; got {checks.shown(value)}. Give for example [1, 2, 4]."
            )
        given.append(np.atleast_1d(array))
    places, widths = given
    if not (widths > 0.0).all() or not widths.size:
        raise PydpstatError(f"scales must be above 0; got {checks.shown(scales)}. Give for example 1.")
    if places.size != widths.size and 1 not in (places.size, widths.size) or not places.size:
        raise PydpstatError(
            f"locations must be one, or as many as scales; got {places.size} for {widths.size} scales. "
            "Give one location, or one for each scale."
        )
    curves = max(places.size, widths.size)
    check_curves("locations and scales must give", "curves", curves, "Draw several pictures.")
    if max(float(np.abs(places).max()), float(widths.max())) > WIDEST * float(widths.min()):
        raise PydpstatError(
            f"locations and scales must be at most {WIDEST:g} times the smallest scale, or nothing shows; "
            f"got {checks.shown(locations)} and {checks.shown(scales)}. Draw several pictures."
        )
    pair = np.broadcast_arrays(places, widths)
    return pair[0], pair[1]
