"""Comparisons of the analytic Gaussian calibration, and of the normal distribution's two functions."""

from __future__ import annotations

from pydpstat.parity.case import Case, Level

FUNCTION = "calibrateAnalyticGaussianMechanism"
STOPS_BY_NOT_FINITE = "R returns NA, NaN, infinity or no number; Python stops and says so"
NEVER_RETURNS = "R's loop has no end; Python stops and says so"


def _case(arguments: str, level: Level = "exact", reason: str = "", name: str = "") -> Case:
    return Case(
        id=f"{FUNCTION}/{name or arguments}",
        function=FUNCTION,
        package="DPpack",
        r=f"DPpack::{FUNCTION}({arguments})",
        level=level,
        reason=reason,
        recorded_ulp=4.0 if level == "exact" else 0.0,
    )


_EXACT = tuple(
    map(
        _case,
        (
            "0.5, 0.01, 1",
            "1, 0.01, 1",
            "0.1, 1e-3, 1",
            "0.9, 1e-5, 2.5",
            "1, 1e-6, 1",
            "1, 1e-8, 1",
            "1, 1e-10, 1",
            # delta at and below the tolerance: the result is arbitrary, and R's all the same
            "1, 1e-12, 1",
            "1, 1e-15, 1",
            "0.1, 1e-14, 1",
            "1, 0, 1",
            "500, 0, 1",
            "2, 1e-300, 3",
            # small and large epsilon
            "1e-3, 1e-5, 1",
            "1e-5, 0.1, 1",
            "1e-10, 1e-15, 1",
            "1e-17, 0.1, 1",
            "1e-300, 0.1, 1",
            "10, 1e-5, 1",
            "100, 1e-6, 0.01",
            "500, 1e-9, 1",
            "709.78, 1e-6, 1",
            # large delta, on the other branch
            "1, 0.5, 1",
            "0.2, 0.75, 1",
            "3, 0.999, 1",
            "1, 1, 1",
            "5, 0.4, 10",
            # the tolerance
            "1, 0.1, 1, 1e-6",
            "1, 0.1, 1, 1e-3",
            "0.3, 0.02, 1, 0.5",
            "1, 0.1, 1, 0",
            "0.7, 1e-4, 2, 1e-15",
            # R only multiplies with the sensitivity
            "1, 0.1, 0",
            "1, 0.1, -2",
        ),
    )
) + (
    _case("1, 0.1, c(1, 2, -3)", name="three sensitivities"),
    _case("1, 0.1, 1, Inf", name="infinite tolerance"),
    _case("1, 0.5 - exp(1) * pnorm(-sqrt(2)), 1", name="delta between the branches"),
    _case("TRUE, 0.1, TRUE", name="logical arguments"),
)

_STOPS = (
    _case("0, 0.1, 1", "error"),
    _case("-1, 0.1, 1", "error"),
    _case("709.79, 0.1, 1", "error"),
    _case("Inf, 0.1, 1", "error"),
    _case("NA, 0.1, 1", "error"),
    _case("1, NaN, 1", "error"),
    _case("1, 0.1, 1, NaN", "error"),
    _case("c(1, 2), 0.1, 1", "error"),
    _case("1, c(0.1, 0.2), 1", "error"),
    _case("numeric(0), 0.1, 1", "error"),
    _case("'1', 0.1, 1", "error"),
    _case("1, 0.1, 'a'", "error"),
)

_DIFFERENT = tuple(
    _case(arguments, "difference", STOPS_BY_NOT_FINITE)
    for arguments in ("1, 0.1, NA", "1, 0.1, Inf", "1, 0.1, numeric(0)", "0, 0, 1")
)

_ENDLESS = tuple(
    _case(arguments, "endless", NEVER_RETURNS) for arguments in ("1, -1e-9, 1", "1, 1.5, 1", "0.3, 0.01, 1, 0")
)

_QUANTILES = [-50.0, -37.5193, -37.5, -20.25, -8.3, -5.7, -5.65, -1.96, -0.68, -0.67, -0.1, -1e-17, 0.0]
_QUANTILES += [1e-300, 1e-16, 0.3, 0.674489, 0.67449, 1.0, 1.7, 3.3, 5.6568, 5.657, 8.2, 8.3, 40.0]
_PROBABILITIES = [0.0, 5e-324, 1e-300, 1e-30, 1e-10, 0.001, 0.0749, 0.0751, 0.25, 0.4, 0.5, 0.6, 0.925]
_PROBABILITIES += [0.975, 0.999, 1.0 - 1e-10, 1.0 - 2.0**-53, 1.0]

_NORMAL = (
    Case(
        id="pnorm/every range",
        function="pnorm",
        package="stats",
        r="pnorm(q)",
        inputs={"q": _QUANTILES},
        recorded_ulp=2.0,
    ),
    Case(
        id="qnorm/every range",
        function="qnorm",
        package="stats",
        r="qnorm(p)",
        inputs={"p": _PROBABILITIES},
        recorded_ulp=2.0,
    ),
    Case(
        id="qnorm/by hand, the probabilistic Gaussian",
        function="qnorm",
        package="stats",
        r="0.1 * (sqrt(qnorm(0.01 / 2)^2 + 2 * 1) - qnorm(0.01 / 2)) / (2 * 1)",
        python="pydpstat.mechanisms.calibrate_gaussian(1, 0.01, 0.1, 'probabilistic')",
        recorded_ulp=2.0,
    ),
    Case(
        id="log/by hand, the classical Gaussian",
        function="log",
        package="base",
        r="0.3 * sqrt(2 * log(1.25 / delta)) / 0.7",
        python="pydpstat.mechanisms.calibrate_gaussian(0.7, delta, 0.3, 'classical')",
        inputs={"delta": [0.5, 0.1, 0.01, 1e-3, 1e-5, 1e-6, 1e-10, 1e-100]},
        recorded_ulp=2.0,
    ),
)

CASES: tuple[Case, ...] = _EXACT + _STOPS + _DIFFERENT + _ENDLESS + _NORMAL
