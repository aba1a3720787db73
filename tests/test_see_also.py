"""Each public name's text says what else there is, and what it names is there."""

import importlib
import inspect
import re
from typing import Any

import pytest

import pydpstat

# the packages whose names are public beside those of pydpstat
PACKAGES = ("anonymity", "budget", "consistency", "diffpriv", "dppack", "errors", "local", "mechanisms")
PACKAGES += ("plots", "privacy", "r_arithmetic", "random", "results", "teaching")
AFTER = ("Parameters", "Attributes", "Returns", "Raises", "Warns")
BEFORE = ("Notes", "References", "Examples")
SECTION = re.compile(r"^See Also\n-{8}\n(?P<lines>(?:.+\n?)+)", re.MULTILINE)


def public() -> dict[str, Any]:
    """Return everything callable that is public, under the first of its names."""
    found: dict[int, tuple[str, Any]] = {}
    for package in ("pydpstat", *(f"pydpstat.{each}" for each in PACKAGES)):
        home = importlib.import_module(package)
        for name in getattr(home, "__all__", [each for each in dir(home) if not each.startswith("_")]):
            thing = getattr(home, name)
            if callable(thing) and str(thing.__module__).startswith("pydpstat"):
                found.setdefault(id(thing), (f"{package}.{name}", thing))
    return dict(found.values())


PUBLIC = public()


def thing_of(name: str, home: str) -> Any:
    """Return what a name means in a text of a package: there, in pydpstat, or anywhere."""
    parts = name.split(".")
    starts = [(home, parts), ("pydpstat", parts)]
    starts += [(".".join(parts[:size]), parts[size:]) for size in range(len(parts) - 1, 0, -1)]
    for start, rest in starts:
        try:
            thing = importlib.import_module(start)
            for each in rest:
                thing = getattr(thing, each)
        except (ImportError, AttributeError):
            continue
        return thing
    raise LookupError(name)


# what readers ask for of results and accounts; what is alone of its kind has nothing to see
KINDS = (pydpstat.DPResults, pydpstat.InferenceResults, pydpstat.RegressionResults, pydpstat.PairwiseResults)
KINDS += (
    pydpstat.TableResults,
    pydpstat.HistogramResults,
    pydpstat.GroupedResults,
    pydpstat.ModelResults,
    pydpstat.AuditResults,
    pydpstat.Budget,
)
ALONE = ("plot", "summary", "to_dict", "to_r", "of", "of_several")
MEMBERS = {
    f"pydpstat.{kind.__name__}.{name}": getattr(kind, name)
    for kind in KINDS
    for name in dir(kind)
    if name[0] != "_" and name not in ALONE and inspect.isroutine(getattr(kind, name))
}


@pytest.mark.parametrize("name", [*PUBLIC, *MEMBERS])
def test_a_public_name_says_what_else_there_is(name: str) -> None:
    thing = PUBLIC[name] if name in PUBLIC else MEMBERS[name]
    text, home = inspect.getdoc(thing) or "", "pydpstat" if name in MEMBERS else name.rpartition(".")[0]
    found = SECTION.search(text)
    assert found is not None
    lines = found["lines"].strip().split("\n")
    assert 1 <= len(lines) <= (4 if name in PUBLIC else 3)
    named = []
    for line in lines:
        names, _, words = line.partition(" : ")
        assert words.endswith(".") and len(words.split()) <= 14
        named += names.split(", ")
    assert len(set(named)) == len(named) <= 6
    things = [thing_of(each, home) for each in named]
    assert all(callable(each) or isinstance(each, property) for each in things)
    assert thing not in things
    # where numpydoc has it
    place = {
        section: text.index(f"{section}\n{'-' * len(section)}\n")
        for section in (*AFTER, *BEFORE)
        if f"{section}\n{'-' * len(section)}\n" in text
    }
    assert all((place[each] < found.start()) == (each in AFTER) for each in place)


def test_all_public_names_are_looked_at() -> None:
    assert len(PUBLIC) >= 240
    assert set(pydpstat.__all__) - {"__version__"} <= {each.removeprefix("pydpstat.") for each in PUBLIC}
