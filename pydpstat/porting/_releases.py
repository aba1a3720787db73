"""Releases: which functions make them, of which arguments, and what the mirrors say is kept.

A mirror is called with a script's public arguments and made-up records; what it states and what it warns
of is what holds of the original.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pydpstat
from pydpstat.errors import PrivacyWarning, PydpstatError
from pydpstat.mechanisms import SignGeometricNoise
from pydpstat.porting._forms import Place
from pydpstat.porting._values import PRIVATE, Made, Value
from pydpstat.privacy import Guarantee

STATISTICS = (
    "meanDP varDP sdDP covDP histogramDP tableDP pooledVarDP pooledCovDP quantileDP medianDP "
    "LaplaceMechanism GaussianMechanism ExponentialMechanism"
).split()
MODELS = (
    "EmpiricalRiskMinimizationDP_CMS EmpiricalRiskMinimizationDP_KST WeightedERMDP_CMS LogisticRegressionDP "
    "svmDP LinearRegressionDP"
).split()
TUNING = ["tune_classification_model", "tune_linear_regression_model"]
MECHANISMS = ["DPMechLaplace", "DPMechGaussian", "DPMechExponential", "DPMechBernstein"]
PARAMETERS = ["DPParamsEps", "DPParamsDel", "DPParamsGam"]
SAMPLERS = ["sensitivitySampler", "sensitivitySamplerManual"]
RELEASED = [*STATISTICS, *TUNING, "releaseResponse", "fit"]
MADE = [*MODELS, *MECHANISMS, *PARAMETERS]
MIRRORS = {*RELEASED, *MADE, *SAMPLERS} - {"fit"}
NAMES = frozenset(pydpstat.__all__)
# integer noise is a release as well
NOISE = {"symmetric_geometric", "symmetric_geometric_noise"}
# arguments of the originals that are the data; all others are public
_DATA = frozenset("x x1 x2 samples factors columns true_values utility X y weights data value".split())
# records are made up where the script does not have them, and so many
COUNT = 1000


@dataclass(frozen=True, slots=True)
class Release:
    """A call that publishes something of data.

    `times` is how often it is made, `seed` where its noise gets a seed, `budget` whether one adds it up.
    """

    place: Place
    function: str
    arguments: Mapping[str, Value]
    made: Made | None
    own: bool
    times: float
    seed: Place | None
    budget: bool

    @property
    def name(self) -> str:
        """Return what made it: a function, or a model with its method."""
        return f"{self.made.function}.fit" if self.made and self.function == "fit" else self.function

    def data(self) -> dict[str, Value]:
        """Return the arguments that are the data."""
        names = data_names(self.function, self.own)
        return {name: value for name, value in self.arguments.items() if name.partition("#")[0] in names}

    def public(self) -> dict[str, Value]:
        """Return the arguments that are published, or decide how much noise there is."""
        data = self.data()
        made = self.made.arguments if self.made else {}
        inside = {
            name: value
            for each in self.arguments.values()
            if each.made and self.function == "releaseResponse"
            for name, value in each.made.arguments.items()
        }
        both = {**made, **inside, **self.arguments}
        return {name: value for name, value in both.items() if name not in data and name not in _NO_FIGURE}


# functions of the data, objects that are looked into, and where noise comes from
_NO_FIGURE = set(
    "target oracle rng budget regularizer loss mapXy DPmodels by unit mechanism privacyParams".split()
)


@dataclass(frozen=True, slots=True)
class Held:
    """What a release claims, what is kept, and the findings about it; or why that is not known."""

    claim: Guarantee | None = None
    kept: Guarantee | None = None
    findings: tuple[PrivacyWarning, ...] = ()
    refused: str = ""


@lru_cache(maxsize=None)
def own_releases() -> frozenset[str]:
    """Return the names of pydpstat's own releases."""
    return frozenset(NAMES.intersection(dir(pydpstat.Design)) - {"plan"} | {"choose"})


@lru_cache(maxsize=None)
def formals(function: str, owner: str = "") -> dict[str, inspect.Parameter]:
    """Return the formal arguments of one of pydpstat's functions, or of a model's or a design's method."""
    thing: Any = pydpstat
    if owner:
        thing = pydpstat.design() if owner == "design" else getattr(pydpstat, owner)
    found = dict(inspect.signature(getattr(thing, function)).parameters)
    found.pop("self", None)
    return found


@lru_cache(maxsize=None)
def data_names(function: str, own: bool) -> frozenset[str]:
    """Return the names of the arguments that are the data."""
    if not own:
        return _DATA
    known = formals(function).values()
    return frozenset(each.name for each in known if "Data" in str(each.annotation))


def matched(
    known: Mapping[str, inspect.Parameter], given: Sequence[tuple[str | None, Value]], r: bool
) -> tuple[dict[str, Value], list[str]]:
    """Match arguments to formal ones, in R by its three rules; return also the names that fit none.

    What goes into dots is named by them and a number.
    """
    names = [name for name in known if not (r and name == "rng")]
    dots = next((name for name in names if known[name].kind is inspect.Parameter.VAR_POSITIONAL), "")
    several = next((name for name in names if known[name].kind is inspect.Parameter.VAR_KEYWORD), "")
    plain = [name for name in names if name not in (dots, several)]
    before = [] if dots else plain
    found: dict[str, Value] = {}
    rest: list[tuple[str | None, Value]] = []
    for exact in (True, False):
        for name, value in given if exact else rest[:]:
            word = (name or "").replace(".", "_")
            word = "lambda_" if word == "lambda" else word
            near = [each for each in before if each.startswith(word) and each not in found] if word else []
            if exact and word in plain and word not in found:
                found[word] = value
            elif not exact and r and len(near) == 1:
                found[near[0]] = value
                rest.remove((name, value))
            elif exact:
                rest.append((name, value))
    free = [name for name in before if name not in found]
    unmatched = []
    for name, value in rest:
        if name is None and free:
            found[free.pop(0)] = value
        elif dots and (name is None or several):
            found[f"{dots if name is None else several}#{len(found)}"] = value
        else:
            unmatched.append(name or value.why or "an argument")
    return found, unmatched


def held(release: Release) -> Held:
    """Return what a release keeps."""
    missing = [name for name, value in release.public().items() if _needed(name, value)]
    missing += ["epsilon"] * (release.own and "epsilon" not in release.arguments)
    if missing:
        return Held(refused=f"{missing[0]} is no number that is written in the script")
    key = (release.name, repr(sorted((name, _key(value)) for name, value in _all(release).items())))
    if key not in _KNOWN:
        _KNOWN[key] = _asked(release)
    return _KNOWN[key]


# the same calls in a script are asked once
_KNOWN: dict[object, Held] = {}


def _asked(release: Release) -> Held:
    try:
        result, found = _warned(lambda: _called(release))
    except PydpstatError as error:
        return Held(refused=str(error))
    except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
        return Held(refused=f"its arguments could not be made up: {error}")
    kept = result.guarantee
    parts = (result.Bounded, result.Unbounded) if isinstance(result, pydpstat.DPResultsPair) else (result,)
    claim = parts[0].claim if len(parts) == 1 else None
    return Held(claim, kept, found)


def _warned(call: Callable[[], Any]) -> tuple[Any, tuple[PrivacyWarning, ...]]:
    """Return what a call returns, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, tuple(each.message for each in caught if isinstance(each.message, PrivacyWarning))


def _needed(name: str, value: Value) -> bool:
    """Return whether a number is not known that the guarantee is."""
    return name in ("eps", "epsilon", "delta", "gamma") and not value.known and not value.private


def _all(release: Release) -> dict[str, Value]:
    models = release.arguments.get("DPmodels", Value()).items
    inside = {f"model {k}": each for k, each in enumerate(models)}
    return {**release.public(), **release.data(), **inside}


def _key(value: Value) -> object:
    made = value.made
    inside = sorted((name, _key(each)) for name, each in made.arguments.items()) if made else ()
    return (repr(value.constant), value.levels, value.level == PRIVATE, made and made.function, repr(inside))


# made-up arguments


def _called(release: Release) -> Any:
    function, arguments = release.function, release.arguments
    if release.own:
        return _own(function, arguments)
    if function == "releaseResponse":
        return _response(arguments)
    if function in TUNING:
        models = [_object(each.made) for each in arguments["DPmodels"].items if each.made]
        if not models:
            raise ValueError("the models are not followed")
        X, y, options = _design(arguments, isinstance(models[0], pydpstat.LinearRegressionDP))
        chosen = getattr(pydpstat, function)(models, X, y, **options)
        return chosen.results
    if release.made is not None:
        model = _object(release.made)
        wide = isinstance(model, pydpstat.EmpiricalRiskMinimizationDP_KST)
        X, y, options = _design(arguments, wide)
        return model.fit(X, y, **options)
    return getattr(pydpstat, function)(*_dots(function, arguments), **_keywords(function, arguments))


def _own(function: str, arguments: Mapping[str, Value]) -> Any:
    """Return what stands for a result of pydpstat's own: its guarantee is what it was asked for."""

    def number(name: str) -> float:
        value = arguments.get(name, Value(constant=0.0)).constant
        return value if isinstance(value, float) else 0.0

    asked = arguments.get("neighbors", Value()).constant
    neighbors = asked if isinstance(asked, str) else "bounded"
    return Asked(Guarantee(number("epsilon"), number("delta"), neighbors))


@dataclass(frozen=True, slots=True)
class Asked:
    """A result that keeps what was asked for."""

    guarantee: Guarantee

    @property
    def claim(self) -> Guarantee:
        """The same."""
        return self.guarantee


def _records(low: float = 0.0, high: float = 100.0) -> list[float]:
    return [low + (high - low) * k / (COUNT - 1) for k in range(COUNT)]


def _dots(function: str, arguments: Mapping[str, Value]) -> list[object]:
    given = [value for name, value in arguments.items() if "#" in name]
    if function == "tableDP":
        return [_factor(each) for each in given if not each.known or isinstance(each.constant, list)]
    if function == "pooledVarDP":
        return [_records() for _ in given]
    if function == "pooledCovDP":
        return [[[each, each] for each in _records()] for _ in given]
    return []


def _factor(value: Value) -> object:
    import pandas as pd

    cells = ["a", "b"] * (COUNT // 2)
    return pd.Categorical(cells, categories=["a", "b", "c"]) if value.levels else cells


def _keywords(function: str, arguments: Mapping[str, Value]) -> dict[str, object]:
    known = formals(function)
    plain = [name for name, each in known.items() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    made = {name: _stand_in(name, arguments) for name in plain if name in arguments}
    return {name: value for name, value in made.items() if value is not None}


_USUAL: dict[str, object] = {
    **dict.fromkeys(("lower_bound", "lower_bound1", "lower_bound2"), 0.0),
    **dict.fromkeys(("upper_bound", "upper_bound1", "upper_bound2"), 100.0),
    **dict.fromkeys(("sensitivities", "sensitivity", "zeta", "lambda_", "gamma", "c"), 1.0),
    **{"quant": 0.5, "eps": 1.0, "epsilon": 1.0, "regularizer": "l2"},
}


def _stand_in(name: str, arguments: Mapping[str, Value]) -> object:
    """Return an argument as it is written, and else one that could be; None leaves it out."""
    value = arguments[name]
    if name in ("x", "x1", "x2"):
        return _records()
    if name == "true_values":
        several = arguments.get("sensitivities", Value()).constant
        return [0.0] * len(several) if isinstance(several, list) and len(several) > 1 else 0.0
    if name == "utility":
        sizes = [arguments[each].constant for each in ("candidates", "measure") if each in arguments]
        return [0.0] * next((len(each) for each in sizes if isinstance(each, list)), 2)
    if name == "breaks" and not value.known:
        low, high = (_stand_in(f"{end}_bound", arguments) for end in ("lower", "upper"))
        return [low, high]
    if value.known:
        return value.constant
    return _USUAL.get(name)


def _object(made: Made) -> Any:
    names = formals(made.function)
    given = {name: _stand_in(name, made.arguments) for name in made.arguments if name in names}
    return getattr(pydpstat, made.function)(
        **{name: value for name, value in given.items() if value is not None}
    )


def _design(arguments: Mapping[str, Value], wide: bool) -> tuple[object, object, dict[str, object]]:
    """Return made-up records of a model, and the bounds and switches that are written."""
    bounds = [arguments.get(f"{end}_bounds", Value()).constant for end in ("upper", "lower")]
    listed = [[each] if isinstance(each, float) else each for each in bounds]
    high, low = (each if isinstance(each, list) and each else None for each in listed)
    size = len(high or low or [1.0] * (1 + wide))
    high, low = high or [1.0] * size, low or [0.0] * size
    share = [k / (COUNT - 1) for k in range(COUNT)]
    X = [[a + (b - a) * each for a, b in zip(low[: size - wide], high[: size - wide])] for each in share]
    y = [low[-1] + (high[-1] - low[-1]) * each for each in share] if wide else [0.0, 1.0] * (COUNT // 2)
    options: dict[str, object] = {"upper_bounds": high, "lower_bounds": low}
    bias = arguments.get("add_bias", Value())
    if bias.known:
        options["add_bias"] = bias.constant
    if "weights" in arguments:
        bound = arguments.get("weights_upper_bound", Value()).constant
        options |= {
            "weights": [1.0] * COUNT,
            "weights_upper_bound": bound if isinstance(bound, float) else 1.0,
        }
    import pandas as pd

    return pd.DataFrame(X), y, options


def _response(arguments: Mapping[str, Value]) -> Any:
    made = [arguments.get(name, Value()).made for name in ("mechanism", "privacyParams")]
    mechanism, params = made
    if mechanism is None or params is None:
        raise ValueError("the mechanism or its parameters are not followed")
    given = {name: value for name, value in mechanism.arguments.items() if name != "target"}
    names = formals(mechanism.function)
    plain = {name: _stand_in(name, given) for name in given if name in names}
    several = mechanism.function in ("DPMechExponential", "DPMechBernstein")
    chosen: Callable[..., object] = _quality if several else _one
    plain |= {"target": chosen}
    plain |= {"dims": 1} if "dims" in names else {}
    plain |= {"latticeK": 2} if "latticeK" in names else {}
    plain |= {"responseSet": [1.0, 2.0]} if "responseSet" in names else {}
    thing = getattr(pydpstat, mechanism.function)(
        **{k: each for k, each in plain.items() if each is not None}
    )
    return pydpstat.releaseResponse(thing, _object(params), _records())


def _one(X: object) -> float:
    return 1.0


def _quality(X: object) -> Callable[[object], float]:
    return lambda response: 1.0


def sign_geometric(made: Made) -> Held:
    """Return what a random sign times a geometric number of R keeps; epsilon 1 where it is not written."""
    chance = made.arguments["chance"].constant
    known = isinstance(chance, float) and 0.0 < chance < 1.0
    epsilon = -math.log1p(-chance) if known and isinstance(chance, float) else 1.0
    _, found = _warned(lambda: pydpstat.symmetric_geometric_noise(1, epsilon, method="sign"))
    kept = SignGeometricNoise(epsilon).epsilon_kept
    return Held(Guarantee(epsilon), Guarantee(kept), found)
