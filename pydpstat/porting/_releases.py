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
from itertools import count
from types import SimpleNamespace
from typing import Any

import pydpstat
from pydpstat._lazy import pd
from pydpstat.errors import PrivacyWarning, PydpstatError
from pydpstat.mechanisms import SignGeometricNoise
from pydpstat.porting._argument_matching import DOTS, AmbiguousArguments, match_arguments
from pydpstat.porting._code import python_name
from pydpstat.porting._forms import Place
from pydpstat.porting._values import NONE, PRIVATE, Made, Source, Value
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
# of the originals, those that give numbers that are not whole
REAL = {*STATISTICS[:4], *STATISTICS[6:12], "releaseResponse"}
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

    def sources(self) -> frozenset[Source]:
        """Return where the data come from."""
        return NONE.union(*(value.sources for value in self.data().values()))

    def public(self) -> dict[str, Value]:
        """Return the arguments that are published, or decide how much noise there is."""
        inside = self.arguments.values() if self.function == "releaseResponse" else ()
        made = [self.made, *(each.made for each in inside)]
        both = {name: value for each in made if each for name, value in each.arguments.items()}
        hidden = {*self.data(), *_NO_FIGURE}
        return {name: value for name, value in {**both, **self.arguments}.items() if name not in hidden}


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
    thing: Any = pydpstat.design() if owner == "design" else getattr(pydpstat, owner) if owner else pydpstat
    found = dict(inspect.signature(getattr(thing, function)).parameters)
    found.pop("self", None)
    return found


@lru_cache(maxsize=None)
def data_names(function: str, own: bool) -> frozenset[str]:
    """Return the names of the arguments that are the data."""
    known = formals(function).values() if own else ()
    return frozenset(each.name for each in known if "Data" in str(each.annotation)) or _DATA


def matched(
    known: Mapping[str, inspect.Parameter], given: Sequence[tuple[str | None, Value]], r: bool
) -> tuple[dict[str, Value], list[str]]:
    """Match arguments to formal ones, in R by its three rules; return also the names that fit none.

    What goes into dots is named by them and a number.
    """
    names = [name for name in known if not (r and name == "rng")]
    kinds = {known[name].kind: name for name in names}
    dots = kinds.get(inspect.Parameter.VAR_POSITIONAL, "")
    several = kinds.get(inspect.Parameter.VAR_KEYWORD, "")
    formals_ = list(dict.fromkeys(DOTS if name in (dots, several) else name for name in names))
    words = [python_name(name) if name else None for name, _ in given]
    try:
        places = match_arguments(formals_, words) if r else _match_python(formals_, words)
    except AmbiguousArguments as error:
        return {}, [str(error)]
    found: dict[str, Value] = {}
    unmatched = []
    for formal, (name, value) in zip(places, given):
        word = formal if formal != DOTS else dots if name is None else several
        if formal == DOTS and word:
            found[f"{word}#{len(found)}"] = value
        elif word:
            found[word] = value
        else:
            unmatched.append(name or value.why or "an argument")
    return found, unmatched


def _match_python(names: Sequence[str], given: Sequence[str | None]) -> list[str | None]:
    """Return the parameter of each argument of a call in Python: its name's, or by place before the dots."""
    free = [name for name in names[: names.index(DOTS) if DOTS in names else None] if name not in given]
    dots = DOTS if DOTS in names else None
    return [word if word in names else dots if word or not free else free.pop(0) for word in given]


def held(release: Release) -> Held:
    """Return what a release keeps."""
    public = release.public()
    asked = [name for name in ("eps", "epsilon", "delta", "gamma") if name in public]
    missing = [name for name in asked if not public[name].known and not public[name].private]
    if missing or (release.own and "epsilon" not in asked):
        return Held(refused=f"{[*missing, 'epsilon'][0]} is no number that is written in the script")
    models = release.arguments.get("DPmodels", Value()).items
    all_ = {**public, **release.data(), **{f"model {k}": each for k, each in enumerate(models)}}
    key = (release.name, repr(sorted((name, _key(value)) for name, value in all_.items())))
    if key not in _KNOWN:
        _KNOWN[key] = _asked(release)
    return _KNOWN[key]


# the same calls in a script are asked once
_KNOWN: dict[object, Held] = {}
# objects that cannot be distinguished count as new ones
_OTHER = count()


def _asked(release: Release) -> Held:
    try:
        result, found = _warned(lambda: _called(release))
    except PydpstatError as error:
        return Held(refused=str(error))
    except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
        return Held(refused=f"its arguments could not be made up: {error}")
    claim = None if isinstance(result, pydpstat.DPResultsPair) else result.claim
    return Held(claim, result.guarantee, found)


def _warned(call: Callable[[], Any]) -> tuple[Any, tuple[PrivacyWarning, ...]]:
    """Return what a call returns, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, tuple(each.message for each in caught if isinstance(each.message, PrivacyWarning))


def _key(value: Value, depth: int = 4) -> object:
    """Return a key that distinguishes calls; nested objects are compared up to a depth."""
    made = value.made
    if made is None or not depth:
        return (repr(value.constant), value.levels, value.level == PRIVATE, made and next(_OTHER))
    inside = sorted((name, _key(each, depth - 1)) for name, each in made.arguments.items())
    return (repr(value.constant), value.levels, value.level == PRIVATE, made.function, tuple(inside))


# made-up arguments


def _called(release: Release) -> Any:
    function, arguments = release.function, release.arguments
    if release.own:
        asked = {name: arguments.get(name, Value()).constant for name in ("epsilon", "delta", "neighbors")}
        epsilon, delta, neighbors = asked.values()
        numbers = [each if isinstance(each, float) else 0.0 for each in (epsilon, delta)]
        neighbors = neighbors if isinstance(neighbors, str) else "bounded"
        kept = Guarantee(numbers[0], numbers[1], neighbors)
        return SimpleNamespace(guarantee=kept, claim=kept)
    if function == "releaseResponse":
        return _response(arguments)
    if function in TUNING:
        models = [_object(each.made) for each in arguments["DPmodels"].items if each.made]
        if not models:
            raise ValueError("the models are not followed")
        X, y, options = _design(arguments, isinstance(models[0], pydpstat.LinearRegressionDP))
        return getattr(pydpstat, function)(models, X, y, **options).results
    if release.made is not None:
        model = _object(release.made)
        X, y, options = _design(arguments, isinstance(model, pydpstat.EmpiricalRiskMinimizationDP_KST))
        return model.fit(X, y, **options)
    return getattr(pydpstat, function)(*_dots(function, arguments), **_stand_ins(function, arguments))


def _records() -> list[float]:
    return [100.0 * k / (COUNT - 1) for k in range(COUNT)]


def _dots(function: str, arguments: Mapping[str, Value]) -> list[object]:
    given = [value for name, value in arguments.items() if "#" in name]
    if function == "tableDP":
        return [_factor(each) for each in given if not each.known or isinstance(each.constant, list)]
    pairs = [[each, each] for each in _records()]
    return [pairs if function == "pooledCovDP" else _records() for _ in given]


def _factor(value: Value) -> object:
    cells = ["a", "b"] * (COUNT // 2)
    return pd.Categorical(cells, categories=["a", "b", "c"]) if value.levels else cells


_USUAL: dict[str, object] = {
    **dict.fromkeys(("lower_bound", "lower_bound1", "lower_bound2"), 0.0),
    **dict.fromkeys(("upper_bound", "upper_bound1", "upper_bound2"), 100.0),
    **dict.fromkeys(("sensitivities", "sensitivity", "zeta", "lambda_", "gamma", "c"), 1.0),
    **{"quant": 0.5, "eps": 1.0, "epsilon": 1.0, "regularizer": "l2"},
}


def _stand_ins(function: str, arguments: Mapping[str, Value]) -> dict[str, object]:
    """Return the named arguments as they are written, and else such as could be."""
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    plain = (name for name, each in formals(function).items() if each.kind not in several)
    made = {name: _stand_in(name, arguments) for name in plain if name in arguments}
    return {name: value for name, value in made.items() if value is not None}


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
        return [_stand_in(f"{end}_bound", arguments) for end in ("lower", "upper")]
    return value.constant if value.known else _USUAL.get(name)


def _object(made: Made, **other: object) -> Any:
    return getattr(pydpstat, made.function)(**{**_stand_ins(made.function, made.arguments), **other})


def _design(arguments: Mapping[str, Value], wide: bool) -> tuple[object, object, dict[str, object]]:
    """Return made-up records of a model, and the bounds and switches that are written."""
    bounds = [arguments.get(f"{end}_bounds", Value()).constant for end in ("upper", "lower")]
    listed = [[each] if isinstance(each, float) else each for each in bounds]
    high, low = (each if isinstance(each, list) and each else None for each in listed)
    size = len(high or low or [1.0] * (1 + wide))
    high, low = high or [1.0] * size, low or [0.0] * size
    share = [k / (COUNT - 1) for k in range(COUNT)]
    columns = [[a + (b - a) * each for each in share] for a, b in zip(low, high)]
    y = columns.pop() if wide else [0.0, 1.0] * (COUNT // 2)
    options: dict[str, object] = {"upper_bounds": high, "lower_bounds": low}
    if (bias := arguments.get("add_bias", Value())).known:
        options["add_bias"] = bias.constant
    if "weights" in arguments:
        bound = arguments.get("weights_upper_bound", Value()).constant
        options["weights"] = [1.0] * COUNT
        options["weights_upper_bound"] = bound if isinstance(bound, float) else 1.0
    return pd.DataFrame(dict(enumerate(columns))), y, options


def _response(arguments: Mapping[str, Value]) -> object:
    mechanism, params = (arguments.get(name, Value()).made for name in ("mechanism", "privacyParams"))
    if mechanism is None or params is None:
        raise ValueError("the mechanism or its parameters are not followed")
    scores = mechanism.function in ("DPMechExponential", "DPMechBernstein")
    target: Callable[..., object] = (lambda X: lambda response: 1.0) if scores else (lambda X: 1.0)
    sizes = {"dims": 1, "latticeK": 2, "responseSet": [1.0, 2.0]}
    known = {name: each for name, each in sizes.items() if name in formals(mechanism.function)}
    return pydpstat.releaseResponse(_object(mechanism, target=target, **known), _object(params), _records())


def sign_geometric(made: Made) -> Held:
    """Return what a random sign times a geometric number of R keeps; epsilon 1 where it is not written."""
    epsilon = rate_of(made) or 1.0
    _, found = _warned(lambda: pydpstat.symmetric_geometric_noise(1, epsilon, method="sign"))
    return Held(Guarantee(epsilon), Guarantee(SignGeometricNoise(epsilon).epsilon_kept), found)


def rate_of(made: Made) -> float:
    """Return epsilon of noise that is added by hand, for a change by 1; 0 where it is not written."""
    geometric = "geom" in made.function
    names = ("prob", "p", "#1") if geometric else ("s", "scale", "rate", "b", "sd", "#2")
    found = [made.arguments[name].constant for name in names if name in made.arguments][:1]
    if not found or not isinstance(found[0], float) or not 0.0 < found[0]:
        return 0.0
    if geometric:
        return -math.log1p(-found[0]) if found[0] < 1.0 else 0.0
    return 1.0 / found[0] if made.function[6:] in ("rlaplace", "rlap", "laplace") else 0.0
