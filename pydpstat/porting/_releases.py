"""Releases: the functions that make them, their arguments, and the guarantees stated by the mirrors.

A mirror is called with a script's public arguments and example records; its guarantee and its warnings
hold for the original.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from types import SimpleNamespace
from typing import Any

import pydpstat
from pydpstat._lazy import pd
from pydpstat.errors import PrivacyWarning, PydpstatError
from pydpstat.mechanisms import SignGeometricNoise
from pydpstat.porting._argument_matching import DOTS, AmbiguousArguments, match_arguments
from pydpstat.porting._code import make_python_name
from pydpstat.porting._forms import Place
from pydpstat.porting._values import EMPTY_SET, PRIVATE, CreatedObject, Source, Value
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
RELEASE_FUNCTIONS = [*STATISTICS, *TUNING, "releaseResponse", "fit"]
OBJECT_CLASSES = [*MODELS, *MECHANISMS, *PARAMETERS]
MIRRORS = {*RELEASE_FUNCTIONS, *OBJECT_CLASSES, *SAMPLERS} - {"fit"}
PUBLIC_NAMES = frozenset(pydpstat.__all__)
# functions of the originals whose results are not whole numbers
REAL_VALUED = {*STATISTICS[:4], *STATISTICS[6:12], "releaseResponse"}
# integer noise is a release as well
INTEGER_NOISE = {"symmetric_geometric", "symmetric_geometric_noise"}
# data arguments of the originals; all others are public
_DATA_PARAMETERS = frozenset("x x1 x2 samples factors columns true_values utility X y weights data value".split())
# number of example records, used because the script's records are not read
N_EXAMPLE_RECORDS = 1000


@dataclass(frozen=True, slots=True)
class Release:
    """A call that releases a function of the data.

    `times` is the number of calls, `seed` the position of a seed, `has_budget` whether a budget is charged.
    """

    place: Place
    function: str
    arguments: Mapping[str, Value]
    made: CreatedObject | None
    is_own: bool
    times: float
    seed: Place | None
    has_budget: bool

    @property
    def name(self) -> str:
        """Name of the function, or of the model with its method."""
        return f"{self.made.function}.fit" if self.made and self.function == "fit" else self.function

    def get_data(self) -> dict[str, Value]:
        """Return the data arguments."""
        names = get_data_names(self.function, self.is_own)
        return {name: value for name, value in self.arguments.items() if name.partition("#")[0] in names}

    def get_sources(self) -> frozenset[Source]:
        """Return the sources of the data."""
        return EMPTY_SET.union(*(value.sources for value in self.get_data().values()))

    def get_public(self) -> dict[str, Value]:
        """Return the arguments that are public, or that determine the noise scale."""
        inside = self.arguments.values() if self.function == "releaseResponse" else ()
        made = [self.made, *(each.made for each in inside)]
        both = {name: value for each in made if each for name, value in each.arguments.items()}
        hidden = {*self.get_data(), *_NON_NUMERIC_PARAMETERS}
        return {name: value for name, value in {**both, **self.arguments}.items() if name not in hidden}


# functions of the data, objects whose arguments are examined, and sources of noise
_NON_NUMERIC_PARAMETERS = set(
    "target oracle rng budget regularizer loss mapXy DPmodels by unit mechanism privacyParams".split()
)


@dataclass(frozen=True, slots=True)
class ReleaseAssessment:
    """Claimed and actual guarantee of a release with findings, or the reason why they are unknown."""

    claim: Guarantee | None = None
    guarantee: Guarantee | None = None
    findings: tuple[PrivacyWarning, ...] = ()
    refusal: str = ""


@cache
def get_own_releases() -> frozenset[str]:
    """Return the names of pydpstat's own releases."""
    return frozenset(PUBLIC_NAMES.intersection(dir(pydpstat.Design)) - {"plan"} | {"choose"})


@cache
def get_formals(function: str, owner: str = "") -> dict[str, inspect.Parameter]:
    """Return the formal arguments of one of pydpstat's functions, or of a method of a model or design."""
    thing: Any = pydpstat.design() if owner == "design" else getattr(pydpstat, owner) if owner else pydpstat
    found = dict(inspect.signature(getattr(thing, function)).parameters)
    found.pop("self", None)
    return found


@cache
def get_data_names(function: str, is_own: bool) -> frozenset[str]:
    """Return the names of the data arguments."""
    known = get_formals(function).values() if is_own else ()
    return frozenset(each.name for each in known if "Data" in str(each.annotation)) or _DATA_PARAMETERS


def match_to_formals(
    known: Mapping[str, inspect.Parameter], given: Sequence[tuple[str | None, Value]], is_r: bool
) -> tuple[dict[str, Value], list[str]]:
    """Match arguments to formal arguments, in R by its three rules; return also the unmatched names.

    Arguments in the dots are named by the dots and a number.
    """
    names = [name for name in known if not (is_r and name == "rng")]
    kinds = {known[name].kind: name for name in names}
    dots = kinds.get(inspect.Parameter.VAR_POSITIONAL, "")
    several = kinds.get(inspect.Parameter.VAR_KEYWORD, "")
    formals_ = list(dict.fromkeys(DOTS if name in (dots, several) else name for name in names))
    words = [make_python_name(name) if name else None for name, _ in given]
    try:
        places = match_arguments(formals_, words) if is_r else _match_as_python(formals_, words)
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


def _match_as_python(names: Sequence[str], given: Sequence[str | None]) -> list[str | None]:
    """Return the parameter of each argument of a Python call: by keyword, or by position before the dots."""
    free = [name for name in names[: names.index(DOTS) if DOTS in names else None] if name not in given]
    dots = DOTS if DOTS in names else None
    return [word if word in names else dots if word or not free else free.pop(0) for word in given]


def evaluate_release(release: Release) -> ReleaseAssessment:
    """Return the assessment of a release."""
    public = release.get_public()
    asked = [name for name in ("eps", "epsilon", "delta", "gamma") if name in public]
    missing = [name for name in asked if not public[name].is_known and not public[name].is_private]
    if missing or (release.is_own and "epsilon" not in asked):
        return ReleaseAssessment(refusal=f"{[*missing, 'epsilon'][0]} is no number that is written in the script")
    models = release.arguments.get("DPmodels", Value()).items
    all_ = {**public, **release.get_data(), **{f"model {k}": each for k, each in enumerate(models)}}
    key = (release.name, repr(sorted((name, _make_cache_key(value)) for name, value in all_.items())))
    if key not in _ASSESSMENTS:
        _ASSESSMENTS[key] = _probe_guarantee(release)
    return _ASSESSMENTS[key]


# assessments of equal calls are computed once
_ASSESSMENTS: dict[object, ReleaseAssessment] = {}
# objects that cannot be distinguished count as different
_UNIQUE_KEYS = count()


def _probe_guarantee(release: Release) -> ReleaseAssessment:
    try:
        result, found = _collect_warnings(lambda: _call_mirror(release))
    except PydpstatError as error:
        return ReleaseAssessment(refusal=str(error))
    except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
        return ReleaseAssessment(refusal=f"its arguments could not be made up: {error}")
    claim = None if isinstance(result, pydpstat.DPResultsPair) else result.claim
    return ReleaseAssessment(claim, result.guarantee, found)


def _collect_warnings(call: Callable[[], Any]) -> tuple[Any, tuple[PrivacyWarning, ...]]:
    """Return the result of a call with its privacy warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, tuple(each.message for each in caught if isinstance(each.message, PrivacyWarning))


def _make_cache_key(value: Value, depth: int = 4) -> object:
    """Return a key that distinguishes calls; nested objects are compared up to a depth."""
    made = value.made
    if made is None or not depth:
        return (repr(value.constant), value.levels, value.level == PRIVATE, made and next(_UNIQUE_KEYS))
    inside = sorted((name, _make_cache_key(each, depth - 1)) for name, each in made.arguments.items())
    return (repr(value.constant), value.levels, value.level == PRIVATE, made.function, tuple(inside))


# example arguments


def _call_mirror(release: Release) -> Any:
    function, arguments = release.function, release.arguments
    if release.is_own:
        asked = {name: arguments.get(name, Value()).constant for name in ("epsilon", "delta", "neighbors")}
        epsilon, delta, neighbors = asked.values()
        numbers = [each if isinstance(each, float) else 0.0 for each in (epsilon, delta)]
        neighbors = neighbors if isinstance(neighbors, str) else "bounded"
        kept = Guarantee(numbers[0], numbers[1], neighbors)
        return SimpleNamespace(guarantee=kept, claim=kept)
    if function == "releaseResponse":
        return _release_response(arguments)
    if function in TUNING:
        models = [_create_object(each.made) for each in arguments["DPmodels"].items if each.made]
        if not models:
            raise ValueError("the models are not followed")
        X, y, options = _make_model_arguments(arguments, isinstance(models[0], pydpstat.LinearRegressionDP))
        return getattr(pydpstat, function)(models, X, y, **options).results
    if release.made is not None:
        model = _create_object(release.made)
        X, y, options = _make_model_arguments(arguments, isinstance(model, pydpstat.EmpiricalRiskMinimizationDP_KST))
        return model.fit(X, y, **options)
    return getattr(pydpstat, function)(
        *_make_dot_arguments(function, arguments), **_make_stand_ins(function, arguments)
    )


def _make_example_records() -> list[float]:
    return [100.0 * k / (N_EXAMPLE_RECORDS - 1) for k in range(N_EXAMPLE_RECORDS)]


def _make_dot_arguments(function: str, arguments: Mapping[str, Value]) -> list[object]:
    given = [value for name, value in arguments.items() if "#" in name]
    if function == "tableDP":
        return [_make_example_factor(each) for each in given if not each.is_known or isinstance(each.constant, list)]
    pairs = [[each, each] for each in _make_example_records()]
    return [pairs if function == "pooledCovDP" else _make_example_records() for _ in given]


def _make_example_factor(value: Value) -> object:
    cells = ["a", "b"] * (N_EXAMPLE_RECORDS // 2)
    return pd.Categorical(cells, categories=["a", "b", "c"]) if value.levels else cells


_USUAL_ARGUMENTS: dict[str, object] = {
    **dict.fromkeys(("lower_bound", "lower_bound1", "lower_bound2"), 0.0),
    **dict.fromkeys(("upper_bound", "upper_bound1", "upper_bound2"), 100.0),
    **dict.fromkeys(("sensitivities", "sensitivity", "zeta", "lambda_", "gamma", "c"), 1.0),
    **{"quant": 0.5, "eps": 1.0, "epsilon": 1.0, "regularizer": "l2"},
}


def _make_stand_ins(function: str, arguments: Mapping[str, Value]) -> dict[str, object]:
    """Return the named arguments as in the script, or else example values."""
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    plain = (name for name, each in get_formals(function).items() if each.kind not in several)
    made = {name: _make_stand_in(name, arguments) for name in plain if name in arguments}
    return {name: value for name, value in made.items() if value is not None}


def _make_stand_in(name: str, arguments: Mapping[str, Value]) -> object:
    """Return an argument as in the script, or else an example value; None omits it."""
    value = arguments[name]
    if name in ("x", "x1", "x2"):
        return _make_example_records()
    if name == "true_values":
        several = arguments.get("sensitivities", Value()).constant
        return [0.0] * len(several) if isinstance(several, list) and len(several) > 1 else 0.0
    if name == "utility":
        sizes = [arguments[each].constant for each in ("candidates", "measure") if each in arguments]
        return [0.0] * next((len(each) for each in sizes if isinstance(each, list)), 2)
    if name == "breaks" and not value.is_known:
        return [_make_stand_in(f"{end}_bound", arguments) for end in ("lower", "upper")]
    return value.constant if value.is_known else _USUAL_ARGUMENTS.get(name)


def _create_object(made: CreatedObject, **other: object) -> Any:
    return getattr(pydpstat, made.function)(**{**_make_stand_ins(made.function, made.arguments), **other})


def _make_model_arguments(arguments: Mapping[str, Value], wide: bool) -> tuple[object, object, dict[str, object]]:
    """Return example records of a model, with the bounds and options in the script."""
    bounds = [arguments.get(f"{end}_bounds", Value()).constant for end in ("upper", "lower")]
    listed = [[each] if isinstance(each, float) else each for each in bounds]
    high, low = (each if isinstance(each, list) and each else None for each in listed)
    size = len(high or low or [1.0] * (1 + wide))
    high, low = high or [1.0] * size, low or [0.0] * size
    share = [k / (N_EXAMPLE_RECORDS - 1) for k in range(N_EXAMPLE_RECORDS)]
    columns = [[a + (b - a) * each for each in share] for a, b in zip(low, high)]
    y = columns.pop() if wide else [0.0, 1.0] * (N_EXAMPLE_RECORDS // 2)
    options: dict[str, object] = {"upper_bounds": high, "lower_bounds": low}
    if (bias := arguments.get("add_bias", Value())).is_known:
        options["add_bias"] = bias.constant
    if "weights" in arguments:
        bound = arguments.get("weights_upper_bound", Value()).constant
        options["weights"] = [1.0] * N_EXAMPLE_RECORDS
        options["weights_upper_bound"] = bound if isinstance(bound, float) else 1.0
    return pd.DataFrame(dict(enumerate(columns))), y, options


def _release_response(arguments: Mapping[str, Value]) -> object:
    mechanism, params = (arguments.get(name, Value()).made for name in ("mechanism", "privacyParams"))
    if mechanism is None or params is None:
        raise ValueError("the mechanism or its parameters are not followed")
    scores = mechanism.function in ("DPMechExponential", "DPMechBernstein")
    target: Callable[..., object] = (lambda X: lambda response: 1.0) if scores else (lambda X: 1.0)
    sizes = {"dims": 1, "latticeK": 2, "responseSet": [1.0, 2.0]}
    known = {name: each for name, each in sizes.items() if name in get_formals(mechanism.function)}
    return pydpstat.releaseResponse(
        _create_object(mechanism, target=target, **known), _create_object(params), _make_example_records()
    )


def sign_geometric(made: CreatedObject) -> ReleaseAssessment:
    """Return the assessment of a random sign times R's geometric number, with epsilon 1 if not in the script."""
    epsilon = compute_noise_epsilon(made) or 1.0
    _, found = _collect_warnings(lambda: pydpstat.symmetric_geometric_noise(1, epsilon, method="sign"))
    return ReleaseAssessment(Guarantee(epsilon), Guarantee(SignGeometricNoise(epsilon).epsilon_kept), found)


def compute_noise_epsilon(made: CreatedObject) -> float:
    """Return epsilon of noise added by hand for sensitivity 1, or 0 if it is not in the script."""
    geometric = "geom" in made.function
    names = ("prob", "p", "#1") if geometric else ("s", "scale", "rate", "b", "sd", "#2")
    found = [made.arguments[name].constant for name in names if name in made.arguments][:1]
    if not found or not isinstance(found[0], float) or not 0.0 < found[0]:
        return 0.0
    if geometric:
        return -math.log1p(-found[0]) if found[0] < 1.0 else 0.0
    return 1.0 / found[0] if made.function[6:] in ("rlaplace", "rlap", "laplace") else 0.0
