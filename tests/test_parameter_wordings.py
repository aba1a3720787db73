"""A parameter that many public functions have is described in the same words by all of them."""

import importlib
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import pytest

from pydpstat.designs._signatures import DESIGN_METHODS
from pydpstat.errors import MissingExtraError
from tests.test_see_also import PUBLIC

# packages of pydpstat's own functions: R's mirrors have R's parameters, and a guarantee states what was released
ROOMS = ("anonymity", "auditing", "consistency", "designs", "inference", "local", "mechanisms", "planning")
ROOMS += ("sklearn", "statistics", "teaching")


class Wording(NamedTuple):
    """Description of a parameter: its type without the default, and the sentences with which its text begins."""

    kind: str
    text: str


WORDINGS = {
    "epsilon": Wording("float", "Privacy parameter; positive and finite."),
    "delta": Wording(
        "float",
        'Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.',
    ),
    "neighbors": Wording(
        '{"bounded", "unbounded"}',
        '``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is '
        "added or removed, and the number of records is private. The default is that of `budget`, or "
        '``"bounded"`` without it.',
    ),
    "missing": Wording(
        '{"error", "drop"} or scalar',
        'Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only).',
    ),
    "rng": Wording(
        "None, int, numpy.random.Generator or RRandom",
        "Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.",
    ),
    "budget": Wording("Budget", "Budget to which the release is charged."),
    "unit": Wording(
        "str or column",
        "Column that identifies the unit of each record, such as a person's id, by name or as values. All records of a "
        "unit are protected together, and `neighbors` differ in one unit.",
    ),
    "by": Wording(
        "str, list of str, or columns",
        "Columns that define the groups: names of columns of the data, or a separate column (or a dict or tuple of "
        "them) with a value for each record. The release has all groups, including empty ones.",
    ),
    "levels": Wording(
        'list, dict, list of lists or "declared"',
        'Public levels, or ``"declared"`` for Categoricals whose categories are public.',
    ),
    "max_records": Wording(
        "int", "Largest number of records of a unit that are used, drawn at random for each release."
    ),
    "mechanism": Wording('{"laplace", "gaussian", "linf"} or Mechanism', "Noise mechanism."),
    "sample": Wording(
        "float or int",
        "Size of a random sample, drawn for this release: a share of the records, or under bounded neighbors a number "
        "of them.",
    ),
    "other": Wording("str or None", "Name of an additional level for values that are not among the levels."),
    "alternative": Wording('{"two-sided", "less", "greater"}', "Alternative hypothesis."),
    "population": Wording(
        "bool",
        'Whether to release what ``conf_int(kind="population")`` requires. One record of each unit is then used.',
    ),
}


def list_exceptions(table: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Return the reason of each parameter and function."""
    return {(name, function): reason for (name, functions), reason in table.items() for function in functions.split()}


_BOUNDED_ONLY = "kendalltau kruskal kstest mannwhitneyu proportions_test"
_VECTORIZED_LOSSES = (
    "mechanisms.DiscreteGaussianNoise.delta mechanisms.GaussianNoise.delta mechanisms.LaplaceNoise.delta "
    "mechanisms.SignGeometricNoise.delta mechanisms.SymmetricGeometricNoise.delta"
)
# what functions say that are for bounded neighbors only
BOUNDED_TEXTS = {
    "neighbors": '``"bounded"``: one record is replaced, and the number of records is public. Unbounded neighbors are '
    "an error.",
    "missing": 'Treatment of missing values: ``"error"`` raises an error, a scalar replaces them:',
}
# another type, with the reason
TYPES = list_exceptions(
    {
        ("epsilon", _VECTORIZED_LOSSES): "vectorized",
        ("epsilon", "calibrate_gaussian mechanisms.calibrate_laplace local.experiment local.uncertainty"): "vectorized",
        ("epsilon", "local.get_prob_from_epsilon"): "vectorized",
        ("epsilon", "mechanisms.scale_for"): "also exact",
        ("epsilon", "cov wilcoxon"): "required, although an optional argument is before it",
        ("delta", "calibrate_gaussian"): "vectorized",
        ("neighbors", _BOUNDED_ONLY): "unbounded neighbors are an error",
        ("missing", _BOUNDED_ONLY): "no unbounded neighbors to drop them",
        ("missing", "nunique weighted_mean consistency.release_hierarchy"): "no value replaces missing ones",
        ("missing", "design"): "also by column",
        ("missing", "local.RandomizedResponse"): "one answer cannot be dropped",
        ("unit", "f_oneway ks_2samp kruskal mannwhitneyu proportions_test ttest_ind"): "a column for each sample",
        ("unit", "design"): "a column of the design's data",
        ("unit", "sklearn.LinearRegression.fit sklearn.LogisticRegression.fit"): "values only",
        ("levels", "crosstab"): "can discover the levels",
        ("levels", "design logit ols"): "levels of several variables by name",
        ("levels", "consistency.Hierarchy consistency.Hierarchy.from_columns"): "levels of a hierarchy",
        ("levels", "consistency.Hierarchy.from_parents"): "levels of a hierarchy",
        ("mechanism", "choose"): "draws a candidate",
        ("mechanism", "count crosstab histogram nunique proportion consistency.release_hierarchy"): "integer noise",
        ("mechanism", "moments"): "no mechanism as an object",
    }
)
# another wording, with the reason
TEXTS = list_exceptions(
    {
        ("epsilon", _VECTORIZED_LOSSES): "the guarantee's epsilon at which delta is computed",
        ("epsilon", "local.RandomizedResponse local.get_prob_from_epsilon"): "0 is allowed",
        ("delta", "calibrate_gaussian mechanisms.calibrate_discrete_gaussian local.GaussianAccess"): "always required",
        ("neighbors", _BOUNDED_ONLY): "unbounded neighbors are an error",
        ("neighbors", "design"): "unbounded by default",
        ("neighbors", "nunique"): "neighbors differ in one id",
        ("neighbors", "teaching.Sensitivity teaching.sensitivity"): "small data sets, without a budget",
        ("missing", _BOUNDED_ONLY): "no unbounded neighbors to drop them",
        ("missing", "local.RandomizedResponse"): "one answer cannot be dropped",
        ("budget", "design"): "charged by later releases",
        ("budget", "teaching.UniformNoise.answer"): "an error",
        ("unit", "design"): "a column of the design's data",
        ("unit", "sklearn.LinearRegression.fit sklearn.LogisticRegression.fit"): "values only",
        ("levels", "consistency.Hierarchy consistency.Hierarchy.from_columns"): "levels of a hierarchy",
        ("levels", "consistency.Hierarchy.from_parents"): "levels of a hierarchy",
        ("mechanism", "choose"): "draws a candidate",
    }
)
SECTION = re.compile(r"^Parameters\n-{10}\n(.*?)(?=^\w[\w ]*\n-{3,}\n|\Z)", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^(?P<names>\S.*)\n(?P<text>(?:(?: +.*)?(?:\n|\Z))*)", re.MULTILINE)
REFERENCE = re.compile(r"\b[Aa]s in `(?:\w+\.)*(\w+)`")


class Entry(NamedTuple):
    """Description of a parameter in a docstring; `shared` says whether it describes several parameters."""

    function: str
    name: str
    kind: str
    text: str
    shared: bool


def find_functions() -> Iterator[tuple[str, Any]]:
    """Yield the public functions, classes and methods, under the shortest of their public names."""
    things = dict(PUBLIC)
    # an installed scikit-learn may be older than pydpstat.sklearn needs
    with suppress(MissingExtraError):
        home = importlib.import_module("pydpstat.sklearn")
        things |= {f"pydpstat.sklearn.{name}": getattr(home, name) for name in home.__all__}
    for name, thing in things.items():
        if str(thing.__module__).split(".")[1] not in ROOMS:
            continue
        short = name.removeprefix("pydpstat.")
        yield short, thing
        for member in dir(thing) if inspect.isclass(thing) else ():
            found = getattr(thing, member)
            # a design's methods have the docstrings of the functions, and scikit-learn makes methods
            known = short == "Design" and member in DESIGN_METHODS
            known |= str(getattr(found, "__module__", "")).startswith("sklearn.")
            if member[0] != "_" and not known:
                yield f"{short}.{member}", found


def read_entries(function: str, docstring: str) -> Iterator[Entry]:
    """Yield the descriptions of the parameters of a docstring that have a common wording."""
    section = SECTION.search(docstring)
    for entry in ENTRY.finditer(section[1] if section else ""):
        heads, _, kind = entry["names"].partition(" : ")
        names = heads.split(", ")
        for name in names:
            if name in WORDINGS:
                yield Entry(function, name, kind, re.sub(r"\s+", " ", entry["text"]).strip(), len(names) > 1)


FUNCTIONS = dict(find_functions())
ENTRIES = [each for name, thing in FUNCTIONS.items() for each in read_entries(name, inspect.getdoc(thing) or "")]
# a description may refer to that of another function
REFERENCES = [
    each for each in ENTRIES if REFERENCE.search(each.text) and not each.text.startswith(WORDINGS[each.name].text)
]
DESCRIPTIONS = [each for each in ENTRIES if each not in REFERENCES]


def make_kind(entry: Entry) -> str:
    """Return the common type with the default that the function's signature has."""
    kind = WORDINGS[entry.name].kind
    default = inspect.signature(FUNCTIONS[entry.function]).parameters[entry.name].default
    if default is inspect.Parameter.empty:
        return kind
    if default is None:
        return f"{kind.removesuffix(' or None')}, optional"
    return f"{kind}, default " + (f'"{default}"' if isinstance(default, str) else f"{default}")


def has_common_text(entry: Entry) -> bool:
    """Return whether a text is the common one, possibly with further sentences."""
    text = WORDINGS[entry.name].text
    return entry.text == text or entry.text.startswith(f"{text} ")


def label(entry: Entry) -> str:
    """Return the name of a test."""
    return f"{entry.function}-{entry.name}"


@pytest.mark.parametrize("entry", DESCRIPTIONS, ids=label)
def test_a_parameter_has_the_common_type_and_wording(entry: Entry) -> None:
    assert not entry.shared
    key = entry.name, entry.function
    if key not in TYPES:
        assert entry.kind == make_kind(entry)
    if key not in TEXTS:
        assert has_common_text(entry), entry.text


@pytest.mark.parametrize("entry", REFERENCES, ids=label)
def test_a_reference_is_to_a_description(entry: Entry) -> None:
    (target,) = set(REFERENCE.findall(entry.text))
    described = {each.function.split(".")[-1] for each in DESCRIPTIONS if each.name == entry.name}
    assert target in described and entry.kind in ("", "optional", make_kind(entry))


def find_description(name: str, function: str) -> Entry:
    """Return the only description of a parameter of a function."""
    if function.startswith("sklearn."):
        pytest.importorskip("sklearn", minversion="1.6", reason="pip install 'pydpstat[sklearn]'")
    (entry,) = [each for each in DESCRIPTIONS if (each.name, each.function) == (name, function)]
    return entry


@pytest.mark.parametrize("name, function", TYPES)
def test_an_exception_has_another_type(name: str, function: str) -> None:
    entry = find_description(name, function)
    assert entry.kind != make_kind(entry)


@pytest.mark.parametrize("name, function", TEXTS)
def test_an_exception_has_another_wording(name: str, function: str) -> None:
    assert not has_common_text(find_description(name, function))


@pytest.mark.parametrize("name", BOUNDED_TEXTS)
def test_functions_for_bounded_neighbors_have_one_wording(name: str) -> None:
    texts = [each.text for each in DESCRIPTIONS if each.name == name and each.function in _BOUNDED_ONLY.split()]
    assert len(texts) == 5 and all(each.startswith(BOUNDED_TEXTS[name]) for each in texts)


def test_the_parameters_are_found() -> None:
    assert {each.name for each in DESCRIPTIONS} == set(WORDINGS)
    assert len(FUNCTIONS) > 150 and len(DESCRIPTIONS) > 200 and len(REFERENCES) > 50
