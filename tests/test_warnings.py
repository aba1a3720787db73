"""Which calls warn, with which figure, at whose line; and as an error a warning stops before any draw."""

from __future__ import annotations

import functools
import inspect
import math
import re
import warnings

import mpmath
import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PrivacyWarning, RRandom

X = [1.0, 2.5, 3.0, 4.0, 2.0]
CELLS = pd.Categorical(["a", "b", "a", None], categories=["a", "b", "c"])
GAUSS = {"mechanism": "Gaussian", "delta": 0.01}
ANALYTIC = {"mechanism": "analytic", "delta": 1e-5}
# what each text must say
REDRAWN, SCALE, BREAKS, LEVELS = (
    "until the result is positive",
    "proportional to 1/n",
    "breaks computed",
    "levels found",
)
SIGN, DELTA, LOOSE, SAME = (
    "twice the weight of the symmetric geometric",
    "promises nothing",
    "absolute tolerance",
    "are the same here",
)


def spread(call):
    return lambda **more: call(X, **{"eps": 0.5, "lower_bound": 0, "upper_bound": 5, **more})


mean, var, sd = (spread(call) for call in (pydpstat.meanDP, pydpstat.varDP, pydpstat.sdDP))


def cov(**more):
    return pydpstat.covDP(
        X,
        X,
        **{"eps": 0.5, "lower_bound1": 0, "upper_bound1": 5, "lower_bound2": 0, "upper_bound2": 5, **more},
    )


def hist(**more):
    return pydpstat.histogramDP(
        X, **{"eps": 0.5, "lower_bound": 0, "upper_bound": 4, "breaks": [0, 2, 4], **more}
    )


def table(*columns, **more):
    return pydpstat.tableDP(*columns, **{"eps": 0.5, **more})


def laplace(**more):
    return pydpstat.LaplaceMechanism([1.0, 2.0], 0.5, **{"sensitivities": [1, 2], **more})


def gauss(**more):
    return pydpstat.GaussianMechanism(
        [1.0, 2.0], **{"eps": 0.5, "delta": 0.01, "sensitivities": [1, 2], **more}
    )


SILENT = {
    "mean": mean,
    "mean, Gaussian": functools.partial(mean, **GAUSS),
    "mean, analytic": functools.partial(mean, **ANALYTIC),
    "variance, Gaussian": functools.partial(var, **GAUSS),
    "variance, pDP": functools.partial(var, **GAUSS, type_DP="pDP"),
    "sd, analytic": functools.partial(sd, **ANALYTIC),
    "covariance": cov,
    "histogram, breaks span": hist,
    "histogram, breaks go beyond": functools.partial(hist, breaks=[-2, 0, 2, 4, 6]),
    "histogram, breaks span, unbounded": functools.partial(hist, which_sensitivity="unbounded"),
    "histogram, breaks span, both": functools.partial(hist, which_sensitivity="both", **GAUSS),
    "histogram, shares": functools.partial(hist, normalize=True, eps=50.0),
    "table of Categoricals": functools.partial(table, CELLS),
    "table of Categoricals, NA always": functools.partial(table, CELLS, useNA="always"),
    "table of Categoricals, exclude": functools.partial(table, CELLS, exclude=["a", None]),
    "table of Categoricals, both": functools.partial(table, CELLS, which_sensitivity="both"),
    "table of a categorical Series": functools.partial(table, pd.Series(CELLS)),
    "Laplace": laplace,
    "Laplace, split": functools.partial(laplace, alloc_proportions=[1, 2]),
    "Gaussian": gauss,
    "Gaussian, delta .99": functools.partial(gauss, delta=0.99),
    "Gaussian, pDP": functools.partial(gauss, eps=2.0, type_DP="pDP"),
    "Gaussian, analytic": functools.partial(gauss, eps=2.0, delta=1e-9, analytic=True),
    "Gaussian, split": functools.partial(gauss, alloc_proportions=[1, 2]),
    "geometric": lambda **more: pydpstat.symmetric_geometric(3, 1.0, **more),
    "geometric noise": lambda **more: pydpstat.symmetric_geometric_noise(3, 1.0, **more),
}
LOUD = {
    "mean, unbounded": (functools.partial(mean, which_sensitivity="unbounded"), [SCALE]),
    "mean, both": (functools.partial(mean, which_sensitivity="both"), [SAME, SCALE]),
    "mean, unbounded, analytic": (
        functools.partial(mean, which_sensitivity="unbounded", **ANALYTIC),
        [SCALE],
    ),
    "mean, delta 1.1": (functools.partial(mean, mechanism="Gaussian", delta=1.1), [DELTA]),
    "variance": (var, [REDRAWN]),
    "variance, unbounded": (functools.partial(var, which_sensitivity="unbounded"), [REDRAWN, SCALE]),
    "variance, unbounded, Gaussian": (
        functools.partial(var, which_sensitivity="unbounded", **GAUSS),
        [SCALE],
    ),
    "sd": (sd, [REDRAWN]),
    "sd, both, analytic": (functools.partial(sd, which_sensitivity="both", **ANALYTIC), [SAME, SCALE]),
    "covariance, both": (functools.partial(cov, which_sensitivity="both"), [SAME, SCALE]),
    "covariance, unbounded": (functools.partial(cov, which_sensitivity="unbounded"), [SCALE]),
    "histogram, Sturges": (functools.partial(hist, breaks="Sturges"), [BREAKS]),
    "histogram, number": (functools.partial(hist, breaks=3), [BREAKS]),
    "histogram, Scott": (functools.partial(hist, breaks="Scott"), [BREAKS]),
    "histogram, function": (functools.partial(hist, breaks=lambda x: [0, 2, 4]), [BREAKS]),
    "histogram, breaks too short above": (functools.partial(hist, upper_bound=5), [BREAKS]),
    "histogram, breaks too short below": (functools.partial(hist, lower_bound=-1), [BREAKS]),
    "table of texts": (functools.partial(table, ["a", "b"]), [LEVELS]),
    "table of numbers": (functools.partial(table, [1, 2]), [LEVELS]),
    "table, one of two": (functools.partial(table, CELLS, ["a", "b", "a", "b"]), [LEVELS]),
    "table, NA if any": (functools.partial(table, CELLS, useNA="ifany"), [LEVELS]),
    "Gaussian, delta 1": (functools.partial(gauss, delta=1.0), [DELTA]),
    "Gaussian, delta 1.25": (functools.partial(gauss, delta=1.25), [DELTA]),
    "Gaussian, pDP, delta 1.5": (functools.partial(gauss, delta=1.5, type_DP="pDP"), [DELTA]),
    "Gaussian, analytic, small delta": (
        functools.partial(gauss, eps=0.1, delta=1e-15, analytic=True),
        [LOOSE],
    ),
    "geometric noise, sign": (
        lambda **more: pydpstat.symmetric_geometric_noise(3, 1.0, method="sign", **more),
        [SIGN],
    ),
}


def caught(call, *arguments, **keywords):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call(*arguments, **keywords)
    return seen


@pytest.mark.parametrize("rng", [None, 5, "Generator"])
@pytest.mark.parametrize("name", SILENT)
def test_sound_calls_are_silent(name, rng):
    assert caught(SILENT[name], rng=np.random.default_rng(1) if rng == "Generator" else rng) == []


@pytest.mark.parametrize("rng", [None, 5])
@pytest.mark.parametrize("name", LOUD)
def test_other_calls_warn(name, rng):
    call, expected = LOUD[name]
    seen = caught(call, rng=rng)
    # the same text twice from one line is shown once
    texts = list(dict.fromkeys(str(each.message) for each in seen))
    assert len(texts) == len(expected) and all(part in text for part, text in zip(expected, texts)), texts
    for each in seen:
        wanted = UserWarning if SAME in str(each.message) else PrivacyWarning
        assert each.category is wanted


@pytest.mark.parametrize("which", ["table", "histogram"])
def test_a_pair_warns_once(which):
    call = (
        functools.partial(table, ["a", "b"])
        if which == "table"
        else functools.partial(hist, breaks="Sturges")
    )
    assert len(caught(call, which_sensitivity="both", rng=1)) == 1


@pytest.mark.parametrize("name", LOUD)
def test_as_an_error_it_stops_before_any_draw(name):
    rng = RRandom(8)
    before = rng.state
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        with pytest.raises((PrivacyWarning, UserWarning)):
            LOUD[name][0](rng=rng)
    assert np.array_equal(rng.state, before)


@pytest.mark.parametrize("name", LOUD)
def test_a_text_says_what_to_use(name):
    for each in caught(LOUD[name][0], rng=1):
        text = str(each.message)
        assert text.endswith(".") and "\n" not in text and "  " not in text
        if each.category is PrivacyWarning:
            assert re.search(r"\b(Use|Give)\b", text)


# where a warning points


def line():
    return inspect.currentframe().f_back.f_lineno


def test_it_points_at_the_callers_line():
    lines = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        pydpstat.varDP(X, 1, 0, 5, rng=1)
        lines.append(line())
        pydpstat.sdDP(X, 1, 0, 5, rng=1)
        lines.append(line())
        pydpstat.covDP(X, X, 1, 0, 5, 0, 5, "unbounded", rng=1)
        lines.append(line())
        pydpstat.histogramDP(X, 1, 0, 5, rng=1)
        lines.append(line())
        pydpstat.tableDP([1, 2], rng=1)
        lines.append(line())
        pydpstat.GaussianMechanism(1, 0.5, 1.1, 1, rng=1)
        lines.append(line())
        pydpstat.symmetric_geometric_noise(3, 1, method="sign", rng=1)
        lines.append(line())
        pydpstat.meanDP(X, 1, 0, 5, "both", rng=1)
        lines.append(line())
    assert {each.filename for each in seen} == {__file__}
    # each is above its line(), and the last call warns twice
    assert [each.lineno + 1 for each in seen] == [*lines, lines[-1]]


def test_it_points_at_the_caller_through_helpers():
    def helper(call):
        return call(X, 1, 0, 5, rng=1)

    first = line() - 2
    partial = functools.partial(pydpstat.varDP, eps=1, lower_bound=0, upper_bound=5, rng=1)
    seen = caught(helper, pydpstat.varDP)
    assert [(each.filename, each.lineno) for each in seen] == [(__file__, first)]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        list(map(partial, [X]))
        here = line() - 1
    assert [(each.filename, each.lineno) for each in seen] == [(__file__, here)]


def test_each_line_warns_once_by_default():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            pydpstat.varDP(X, 1, 0, 5, rng=1)
        pydpstat.varDP(X, 1, 0, 5, rng=1)
    assert len(seen) == 2


def test_it_can_be_silenced_by_module():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=PrivacyWarning, module=re.escape(__name__))
        pydpstat.varDP(X, 1, 0, 5, rng=1)
    assert seen == []


# the figures


def test_the_figure_of_the_variance_is_well_known():
    (seen,) = caught(pydpstat.varDP, X, 1, 0, 5, rng=1)
    assert "epsilon 1.4899, not 1." in str(seen.message)


@pytest.mark.parametrize("eps", [0.01, 0.5, 1.0, 2.0, 10.0])
@pytest.mark.parametrize("call", [pydpstat.varDP, pydpstat.sdDP])
def test_the_figure_of_redrawing(call, eps):
    (seen,) = caught(call, X, eps, 0, 5, rng=1)
    kept = eps + math.log(2 - math.exp(-eps))
    assert f"epsilon {kept:.4f}, not {eps:g}" in str(seen.message)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = call(X, eps, 0, 5, rng=1)
    # the bound is attained: variance 0 against the sensitivity, near 0
    assert result.guarantee.epsilon == pytest.approx(kept, rel=1e-14) and result.epsilon == eps


def exact_delta(eps, sd, sensitivity):
    with mpmath.workdps(60):
        a, e = mpmath.mpf(sensitivity) / mpmath.mpf(sd), mpmath.mpf(eps)
        return float(mpmath.ncdf(a / 2 - e / a) - mpmath.exp(e) * mpmath.ncdf(-a / 2 - e / a))


@pytest.mark.parametrize("delta", [1.0, 1.1, 1.2])
def test_the_figure_of_a_large_delta(delta):
    (seen,) = caught(pydpstat.GaussianMechanism, 1, 0.5, delta, 1, rng=1)
    sd = math.sqrt(2 * math.log(1.25 / delta)) / 0.5
    assert f"delta={delta:g}" in str(
        seen.message
    ) and f"at epsilon 0.5 the exact delta is {exact_delta(0.5, sd, 1):.3g}" in str(seen.message)


def test_delta_125_publishes_the_true_value():
    (seen,) = caught(pydpstat.GaussianMechanism, 1, 0.5, 1.25, 1, rng=1)
    assert "the true value is published" in str(seen.message)
    with pytest.warns(PrivacyWarning):
        result = pydpstat.GaussianMechanism(1, 0.5, 1.25, 1, rng=1)
    assert float(result) == 1.0 and result.guarantee.delta == 1.0


@pytest.mark.parametrize("delta", [1e-13, 1e-14, 1e-15])
def test_the_figure_of_a_loose_calibration(delta):
    seen = caught(pydpstat.GaussianMechanism, 1, 0.1, delta, 1, analytic=True, rng=1)
    sd = pydpstat.calibrateAnalyticGaussianMechanism(0.1, delta, 1)
    exact = exact_delta(0.1, sd, 1)
    if exact <= 1.01 * delta:
        assert seen == []
        return
    (only,) = seen
    figure, times = re.search(r"exact delta is (\S+), (\S+) times the claimed", str(only.message)).groups()
    assert float(figure) == pytest.approx(exact, rel=0.01) and float(times) == pytest.approx(
        exact / delta, rel=0.01
    )
    with pytest.warns(PrivacyWarning):
        result = pydpstat.GaussianMechanism(1, 0.1, delta, 1, analytic=True, rng=1)
    assert result.guarantee.delta == pytest.approx(exact, rel=1e-6) and result.delta == delta


def test_some_loose_calibration_is_seen():
    ratios = [
        exact_delta(0.1, pydpstat.calibrateAnalyticGaussianMechanism(0.1, delta, 1), 1) / delta
        for delta in (1e-13, 1e-14, 1e-15)
    ]
    assert max(ratios) > 7


def test_the_figures_of_a_sign_times_a_geometric():
    (seen,) = caught(pydpstat.symmetric_geometric_noise, 3, 1.0, method="sign", rng=1)
    assert (
        f"epsilon {1 + math.log(2):.4f}, not 1; at epsilon 1 its delta is {(1 - math.exp(-1)) / 2:.4f}"
        in str(seen.message)
    )


# what holds


def epsilon_that_holds(call, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(rng=1, **more).guarantee.epsilon


def test_guarantees():
    assert (
        epsilon_that_holds(mean) == 0.5
        and epsilon_that_holds(hist) == 0.5
        and epsilon_that_holds(table, a=CELLS) == 0.5
    )
    assert math.isinf(epsilon_that_holds(hist, breaks="Sturges")) and math.isinf(
        epsilon_that_holds(table, a=[1, 2])
    )
    assert math.isinf(epsilon_that_holds(table, a=CELLS, useNA="ifany"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mean(which_sensitivity="unbounded", rng=1)
    assert result.neighbors == "unbounded" and result.guarantee.neighbors == "bounded" and result.nobs is None
    assert any("nothing holds" in line for line in result.guarantee.conditions)


NA, NO_NA = pd.Categorical(["a", "b", None], ["a", "b", "c"]), pd.Categorical(
    ["a", "b", "b"], ["a", "b", "c"]
)


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"useNA": "no"},
        {"useNA": "always"},
        {"useNA": "ifany"},
        {"exclude": None},
        {"exclude": "c"},
        {"exclude": ["zzz"]},
        {"exclude": ["c", None]},
        {"exclude": None, "useNA": "no"},
        {"exclude": "c", "useNA": "always"},
    ],
    ids=str,
)
def test_levels_that_depend_on_a_missing_value_are_not_called_public(rules):
    """Where one record decides whether there is a level NA, nothing is guaranteed, and a warning says so."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        results = [pydpstat.tableDP(cells, **rules, rng=1) for cells in (NA, NO_NA)]
    depends = results[0].labels != results[1].labels
    for result in results:
        assert math.isinf(result.guarantee.epsilon) == depends
    assert bool(seen) == depends


# once for each calling line


def shown_by(lines, action="default"):
    """How many privacy warnings the lines give, run as a module's own lines."""
    scope = {"pydpstat": pydpstat, "X": X, "__name__": "a_script"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter(action, PrivacyWarning)
        exec(compile(lines, "a_script.py", "exec"), scope)
    return [each for each in caught if issubclass(each.category, PrivacyWarning)]


LOOP = "for eps in (0.5, 1.0, 2.0):\n    pydpstat.varDP(X, eps, 0, 5)\n"


def test_one_line_warns_once_also_with_other_figures():
    (warning,) = shown_by(LOOP)
    assert (
        warning.lineno == 2 and warning.filename == "a_script.py" and "epsilon 0.8318" in str(warning.message)
    )


def test_another_line_and_another_row_warn_again():
    assert len(shown_by(LOOP + LOOP)) == 2
    both = "for eps in (0.5, 1.0):\n    pydpstat.varDP(X, eps, 0, 5, 'unbounded')\n"
    assert sorted(each.message.row for each in shown_by(both)) == ["2", "5"]


def test_the_filter_decides():
    assert len(shown_by(LOOP, "always")) == 3
    assert shown_by(LOOP, "ignore") == []
    with pytest.raises(PrivacyWarning) as raised:
        shown_by(LOOP, "error")
    assert raised.value.row == "2" and raised.value.use == "var"


def test_a_changed_filter_lets_a_line_warn_again():
    scope = {"pydpstat": pydpstat, "X": X, "__name__": "a_script"}
    code = compile("pydpstat.varDP(X, 1.0, 0, 5)", "a_script.py", "exec")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", PrivacyWarning)
        exec(code, scope)
        exec(code, scope)
        assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        with pytest.raises(PrivacyWarning):
            exec(code, scope)


@pytest.mark.parametrize(
    "call, row, use",
    [
        (lambda: var(), "2", "var"),
        (lambda: sd(), "2", "std"),
        (lambda: mean(which_sensitivity="unbounded"), "5", "mean"),
        (lambda: cov(which_sensitivity="unbounded"), "5", "cov"),
        (lambda: hist(breaks="Sturges"), "4", "histogram"),
        (lambda: table(["a", "b"]), "8", "crosstab"),
        (lambda: pydpstat.symmetric_geometric_noise(3, 1.0, method="sign"), "1", "symmetric_geometric"),
        (
            lambda: pydpstat.GaussianMechanism(1, 0.1, 1e-15, 1, analytic=True),
            "11",
            "calibrate_gaussian",
        ),
        (lambda: mean(mechanism="Gaussian", delta=1.1), "delta", "meanDP"),
    ],
)
def test_a_warning_has_its_row_and_a_function_that_exists(call, row, use):
    with pytest.warns(PrivacyWarning) as caught:
        call()
    (warning,) = [each.message for each in caught if isinstance(each.message, PrivacyWarning)]
    assert (warning.row, warning.use) == (row, use) and hasattr(pydpstat, use)


@pytest.mark.parametrize(
    "epsilon, delta, figure",
    [(1, 1e-6, "1.41e-06"), (0.5, 1e-3, "0.00108"), (1, 0.01, "0.0102"), (1, 1e-9, "2.5e-09")],
)
def test_the_figure_of_an_unbounded_mean_with_gaussian_noise(epsilon, delta, figure):
    with pytest.warns(PrivacyWarning, match=f"delta is {figure} for a removed record") as caught:
        pydpstat.meanDP(
            np.zeros(1000),
            epsilon,
            0,
            1,
            which_sensitivity="unbounded",
            mechanism="analytic",
            delta=delta,
            rng=1,
        )
    assert [each.message.row for each in caught if isinstance(each.message, PrivacyWarning)][-1] == "5"


def test_no_figure_where_none_is_derived():
    with pytest.warns(PrivacyWarning, match="delta may exceed the claimed one"):
        var(which_sensitivity="unbounded", **ANALYTIC)
    with pytest.warns(PrivacyWarning, match="delta may exceed the claimed one"):
        pydpstat.meanDP([0.5], 0.5, 0, 1, which_sensitivity="unbounded", **GAUSS)
