"""What the R packages export, and whether the mirrors have it: names, arguments, order and defaults."""

from __future__ import annotations

import inspect
import json
import math
import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Any

from pydpstat.parity.comparison import Verdict
from pydpstat.parity.live import add_own_library

_HERE = Path(__file__).resolve().parent
_CONSTANTS = {"": inspect.Parameter.empty, "TRUE": True, "FALSE": False, "NULL": None, "Inf": math.inf}
_CONSTANTS |= {"NA_integer_": None, "NA_real_": None, "NA": None}


def exports_path() -> Path:
    """Return where the recorded export lists are: in the checkout, or in the installed package."""
    in_checkout = _HERE.parents[1] / "r_reference" / "exports.json"
    return in_checkout if in_checkout.exists() else _HERE / "exports.json"


def exports(path: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return for each R package its exported names, each with its kind and its arguments.

    Examples
    --------
    >>> from pydpstat.parity.exports import exports
    >>> {package: len(names) for package, names in exports().items()}
    {'DPpack': 44, 'diffpriv': 13}
    """
    content = json.loads((path or exports_path()).read_text(encoding="utf-8"))
    return {package: entry["exports"] for package, entry in content.items()}


def write_exports(target: Path) -> None:
    """Ask R for the export lists and write them to a file.

    Raises
    ------
    FileNotFoundError
        Where this is not a checkout, or Rscript is not on the path.
    subprocess.CalledProcessError
        Where R stops.
    """
    script = _HERE.parents[1] / "r_reference" / "exports.R"
    if not script.exists():
        raise FileNotFoundError(f"{script} is not there: record from a checkout of the repository")
    add_own_library()
    subprocess.run(["Rscript", str(script), str(target)], check=True, capture_output=True)


def record_exports() -> bool:
    """Record the export lists anew and return whether they changed."""
    target = exports_path()
    before = target.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        output = Path(folder) / target.name
        write_exports(output)
        after = output.read_text(encoding="utf-8")
        os.replace(output, target)
    return after != before


def python_name(name: str) -> str:
    """Return the mirror's name of an R name: dots are underscores, Python's own words get one more.

    Examples
    --------
    >>> from pydpstat.parity.exports import python_name
    >>> python_name("loss.cross.entropy")
    'loss_cross_entropy'
    """
    plain = name.replace(".", "_")
    return f"{plain}_" if iskeyword(plain) else plain


def signature_differences(package: str, name: str, entry: dict[str, Any]) -> list[str]:
    """Return what is missing or different in the mirror of one exported name; empty where it agrees.

    Parameters
    ----------
    package : {"DPpack", "diffpriv"}
    name : str
        R's name.
    entry : dict
        Its entry in `exports`.
    """
    mirror = getattr(import_module(f"pydpstat.{package.lower()}"), python_name(name), None)
    if mirror is None:
        return [f"{name}: pydpstat.{package.lower()} has no {python_name(name)}"]
    if entry["kind"] == "S4":
        return _different_slots(name, mirror, entry["slots"])
    if entry["kind"] == "function":
        return _different_arguments(name, mirror, entry["arguments"])
    found = []
    for method, arguments in entry["methods"].items():
        ours = mirror if method == "initialize" else getattr(mirror, method, None)
        if ours is None:
            found.append(f"{name}: no method {method}")
        else:
            found += _different_arguments(f"{name}${method}", ours, arguments, bound=method != "initialize")
    return found


def covered(verdicts: Iterable[Verdict]) -> dict[str, tuple[list[str], list[str]]]:
    """Return for each R package the exported names that passed, and the others.

    A name counts as passed where it has at least one comparison and none that failed or did not run.
    """
    status: dict[tuple[str, str], set[str]] = {}
    for verdict in verdicts:
        status.setdefault((verdict.case.package, verdict.case.function), set()).add(verdict.status)
    result = {}
    for package, names in exports().items():
        passed = [name for name in names if status.get((package, name)) == {"passed"}]
        result[package] = (passed, [name for name in names if name not in passed])
    return result


def _different_slots(name: str, mirror: Any, slots: Sequence[Sequence[str]]) -> list[str]:
    ours = inspect.signature(mirror).parameters
    found = [f"{name}: no slot {slot}" for slot, _ in slots if python_name(slot) not in ours]
    return found + [
        f"{name}: {slot} is {_default(default)!r} in R, {ours[python_name(slot)].default!r} here"
        for slot, default in slots
        if default and python_name(slot) in ours and not _same(ours[python_name(slot)].default, default)
    ]


def _different_arguments(
    name: str, mirror: Any, arguments: Sequence[Sequence[str]], bound: bool = False
) -> list[str]:
    ours = [each for each in inspect.signature(mirror).parameters.values() if each.name != "rng"][bound:]
    # data columns given by name, which R takes in its dots
    ours = [each for each in ours if each.kind is not inspect.Parameter.VAR_KEYWORD]
    theirs = [python_name(argument) for argument, _ in arguments]
    names = ["___" if each.kind is inspect.Parameter.VAR_POSITIONAL else each.name for each in ours]
    extra = [each.name for each in ours[len(theirs) :] if each.kind is not inspect.Parameter.KEYWORD_ONLY]
    if names[: len(theirs)] != theirs or extra:
        return [f"{name}: arguments {theirs} in R, {names} here"]
    return [
        f"{name}: {argument} is {_default(default)!r} in R, {each.default!r} here"
        for each, (argument, default) in zip(ours, arguments)
        if not _same(each.default, default)
    ]


def _same(ours: Any, theirs: str) -> bool:
    expected = _default(theirs)
    if isinstance(ours, float) and math.isnan(ours):
        return expected is None
    return ours is expected or (type(ours) is not bool and ours == expected)


def _default(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text.startswith('"'):
        return text.strip('"')
    return float(text.rstrip("L"))
