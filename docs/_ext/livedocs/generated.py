"""The parts of pages that are made from data: the porting guide and the lists of the reference."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pydpstat
from pydpstat import mechanisms
from pydpstat.mechanisms import Mechanism
from pydpstat.parity._compare import DIFFERENCE_LEVELS
from pydpstat.parity.case import Case
from pydpstat.porting._code import make_python_name
from pydpstat.statistics._catalog import FORMS, STATISTICS, list_statistics

_MARK = re.compile(r"<!-- (\w+): ([\w.-]+) -->")


@dataclass(frozen=True)
class Entry:
    """One function of an R package in the porting guide.

    Parameters
    ----------
    name : str
        R's name.
    group : str
        The page it stands on.
    cases : tuple of str
        Ids of the comparisons that are shown; where there are none, `clearest` chooses one.
    remark : str
        What a reader has to know, in Markdown.
    """

    name: str
    group: str
    cases: tuple[str, ...]
    remark: str

    @property
    def python(self) -> str:
        """The name in Python, with its module."""
        home = "diffpriv" if self.group == "diffpriv" else "dppack"
        return f"pydpstat.{home}.{make_python_name(self.name)}"


def entries(path: Path) -> tuple[Entry, ...]:
    """Read the porting guide's data."""
    groups = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Entry(name, group, tuple(data.get("cases", ())), data.get("remark", "").strip())
        for group, functions in groups.items()
        for name, data in functions.items()
    )


def section(entry: Entry, cases: Sequence[Case]) -> str:
    """Return an entry's section in Markdown."""
    lines = [f"(port-{slug(entry.name)})=", f"## {entry.name}", ""]
    lines += [entry.remark, ""] if entry.remark else []
    for name in entry.cases or clearest(entry.name, cases):
        lines += [f"```{{parity}} {name}", "```", ""]
    lines += _stops([case for case in cases if case.function == entry.name and case.level in DIFFERENCE_LEVELS])
    lines += [f"Reference: {{py:obj}}`~{entry.python}`", ""] if exists(entry) else []
    return "\n".join(lines)


def clearest(name: str, cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the id of the shortest comparison that shows how an R function is used, if there is one.

    Examples of R's help pages come first.
    """
    usable = [case for case in cases if case.function == name and case.level not in ("error", *DIFFERENCE_LEVELS)]
    best = sorted(usable, key=_length)
    return tuple(case.id for case in best[:1])


def _length(case: Case) -> tuple[bool, int]:
    return not case.help_page, len(case.r) + len(case.python) + len(str(case.inputs))


def _stops(cases: Sequence[Case]) -> list[str]:
    if not cases:
        return []
    summary = (
        f"{len(cases)} calls where R goes on and Python stops"
        if len(cases) > 1
        else "One call where R goes on and Python stops"
    )
    lines = ['<details class="stops">', f"<summary>{summary}</summary>", ""]
    reasons = dict.fromkeys(map(_why, cases))
    for reason in reasons:
        lines += [f"{reason}:", ""]
        lines += [f"- {case.id.partition('/')[2]}: {_call(case)}" for case in cases if _why(case) == reason]
        lines += [""]
    return [*lines, "</details>", ""]


def _call(case: Case) -> str:
    text = case.r.strip().splitlines()[-1].replace(f"{case.package}::", "")
    return f"``{text}``" if "`" in text else f"`{text}`"


def _why(case: Case) -> str:
    return "R never returns" if case.level == "endless" else case.reason


def slug(name: str) -> str:
    """Return a name as part of a link's target."""
    return name.lower().replace(".", "-").replace("_", "-")


def reference(names: Sequence[str]) -> str:
    """Return the reference of some objects: a table of them, then each one's docstring."""
    table = [
        "```{eval-rst}",
        ".. autosummary::",
        "   :nosignatures:",
        "",
        *(f"   {name}" for name in names),
        "```",
        "",
    ]
    return "\n".join([*table, *(line for name in names for line in _documented(name))])


def _documented(name: str) -> list[str]:
    module, _, short = name.rpartition(".")
    thing = getattr(__import__(module, fromlist=[short]), short)
    if inspect.isclass(thing):
        lines = [
            f".. autoclass:: {name}",
            "   :members:",
            "   :inherited-members: Exception, Mapping, ABC, Mechanism, Noise",
        ]
    else:
        lines = [f".. autofunction:: {name}"]
    return [f"## {short}", "", "```{eval-rst}", *lines, "```", ""]


def mirrored(guide: Sequence[Entry], group: str) -> list[str]:
    """Return the Python names of a group that exist."""
    return [entry.python for entry in guide if entry.group == group and exists(entry)]


def exists(entry: Entry) -> bool:
    """Tell whether Python has the counterpart of an entry."""
    module, _, short = entry.python.rpartition(".")
    return hasattr(__import__(module, fromlist=[short]), short)


def gaps(guide: Sequence[Entry], cases: Sequence[Case]) -> list[str]:
    """Return what the guide lacks: counterparts in Python, and comparisons to show."""
    missing = [f"{entry.python} does not exist" for entry in guide if not exists(entry)]
    return missing + [
        f"no comparison shows {entry.name}" for entry in guide if not entry.cases and not clearest(entry.name, cases)
    ]


# further names that the pages of the package's own parts have, and which modules the parts are in
_OWN_PARTS = {
    "releases": (
        ("pydpstat.planning.plan.Plan", "pydpstat.planning._test_power.PowerPlan"),
        ("pydpstat.statistics", "pydpstat.planning"),
    ),
    "tests": (
        (
            "pydpstat.inference.means.moments.MomentsResults",
            "pydpstat.inference.means.moments.GroupMomentsResults",
        ),
        ("pydpstat.inference",),
    ),
    "accounts": (
        (
            "pydpstat.budget.Allocation",
            "pydpstat.budget.Amount",
            "pydpstat.budget.Reservation",
            "pydpstat.budget.Share",
            "pydpstat.results.statements.Statement",
        ),
        ("pydpstat.budget", "pydpstat.privacy", "pydpstat.auditing", "pydpstat.results.statements"),
    ),
    "designs": ((), ("pydpstat.designs",)),
    "pydpstat": ((), ()),
}


def own_names(part: str) -> list[str]:
    """Return the package's public names of a part; "pydpstat" is for the rest.

    Mirrors are in none of them.
    """
    from pydpstat import diffpriv, dppack

    mirrors = {*dppack.__all__, *getattr(diffpriv, "__all__", ()), "__version__"}
    own = [name for name in pydpstat.__all__ if name not in mirrors]
    return [f"pydpstat.{name}" for name in own if _part(getattr(pydpstat, name)) == part] + [*_OWN_PARTS[part][0]]


def _part(thing: object) -> str:
    home = getattr(thing, "__module__", "")
    for part, (_, modules) in _OWN_PARTS.items():
        if any(home == module or home.startswith(f"{module}.") for module in modules):
            return part
    return "pydpstat"


def filled(text: str, guide: Sequence[Entry], cases: Sequence[Case]) -> str:
    """Replace the marks ``<!-- KIND: GROUP -->`` of a page, where KIND is porting, reference, list or a table's."""

    def replacement(found: re.Match[str]) -> str:
        kind, group = found.groups()
        if kind == "porting":
            return "\n".join(section(entry, cases) for entry in guide if entry.group == group)
        if kind == "reference":
            if group == "noise":
                return reference([f"pydpstat.mechanisms.{name}" for name in mechanism_names()])
            return reference(own_names(group) if group in _OWN_PARTS else mirrored(guide, group))
        if kind == "list":
            return listing(guide, group)
        if kind == "statistics":
            return {"releases": statistics_by_form, "questions": statistics_by_question}[group]()
        if kind == "mechanisms":
            return mechanism_objects()
        raise ValueError(f"no text is made for {found.group(0)}")

    return _MARK.sub(replacement, text)


def statistics_by_form() -> str:
    """Return the table of what the statistics release, with a row for each form."""
    lines = ["| Function | Releases | Public, chosen without the data |", "| --- | --- | --- |"]
    for form, (released, public) in FORMS.items():
        lines += [f"| {', '.join(f'`{name}`' for name in list_statistics(form))} | {released} | {public} |"]
    return "\n".join(lines)


def statistics_by_question() -> str:
    """Return the table from R's functions to the statistics."""
    rows = [each for each in STATISTICS.values() if each.question]
    lines = [f"| {each.question} | {each.r_calls} | {each.example} |" for each in rows]
    return "\n".join(["| Question | R | pydpstat |", "| --- | --- | --- |", *lines])


def mechanism_names() -> list[str]:
    """Return the public names of mechanisms: the base classes, the mechanisms, their noise, and functions."""
    things = {name: getattr(mechanisms, name) for name in mechanisms.__all__}
    kinds = [each for each in things if inspect.isclass(things[each])]
    objects = [each for each in kinds if issubclass(things[each], Mechanism)]
    bases = ["Mechanism", "Noise"]
    return list(dict.fromkeys([*bases, *objects, *kinds, *things]))


def mechanism_objects() -> str:
    """Return the table of what ``mechanism=`` takes."""
    lines = ["| Object | Mechanism | Guarantee |", "| --- | --- | --- |"]
    for name in mechanism_names():
        thing = getattr(mechanisms, name)
        if not inspect.isclass(thing) or not issubclass(thing, Mechanism) or thing is Mechanism:
            continue
        arguments = ", ".join(inspect.signature(thing).parameters)
        said = (inspect.getdoc(thing) or "").split("\n")[0].rstrip(".")
        lines += [f"| `{name}({arguments})` | {said} | {'(epsilon, delta)' if thing.approximate else 'epsilon'} |"]
    return "\n".join(lines)


def listing(guide: Sequence[Entry], group: str) -> str:
    """Return links to the sections of a group, in one paragraph."""
    return ", ".join(f"{{ref}}`{entry.name} <port-{slug(entry.name)}>`" for entry in guide if entry.group == group)
