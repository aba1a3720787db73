"""What R computed in a script, as ``record.R`` writes it down, and how far Python's values are from that."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import which
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError
from pydpstat.porting._escapes import escaped, shortened
from pydpstat.porting._grammar import decoded
from pydpstat.porting._r_environment import add_own_library, choose_kernels

# JSON: a value has a "kind", or a "ref" to its place in the record's "pool"
Value: TypeAlias = dict[str, Any]
Record: TypeAlias = dict[str, Any]
_CALL = "(commandArgs(TRUE)[1], commandArgs(TRUE)[2])"
_SECONDS = 3600
_NOTHING = object()
# as record.R shortens what is longer
_ENDS = 20
_LISTS = (dict, list, tuple, pd.Series, np.ndarray)


def recorder_for(script: Path) -> str:
    """Return R code that, run by Rscript beside the script, writes the script's record beside it.

    Examples
    --------
    >>> recorder_for(Path("analysis.R")).splitlines()[-1]
    '})("./analysis.R", "./analysis.json")'
    """
    names = _in_r(script.name), _in_r(f"{script.stem}.json")
    return _recorder().read_text(encoding="utf-8").replace(_CALL, f"({', '.join(names)})")


def _in_r(name: str) -> str:
    """Return a file's name as a relative path in an R string: ``stdin`` and a tilde are special in R."""
    if not name.isprintable():
        shown = escaped(name)
        raise PydpstatError(f"the script's name has characters that cannot be seen: {shown}. Rename it.")
    return json.dumps(f"./{name}", ensure_ascii=False)


def record_of(script: Path, recorded: Path | None = None) -> Record:
    """Return what R computes in a script: from R itself, or from a file that its recorder wrote.

    Raises
    ------
    PydpstatError
        Where there is no R, R cannot read the script, or the file is no record of this text.
    """
    if recorded is None:
        with tempfile.TemporaryDirectory() as folder:
            recorded = Path(folder) / "record.json"
            _run(script, recorded)
            return record_of(script, recorded)
    try:
        record = json.loads(recorded.read_text(encoding="utf-8"))
        known = record["md5"], record["expressions"], record["pool"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PydpstatError(
            f"{escaped(str(recorded))} is no record of an R script: {error!r}. Make it with --record."
        ) from None
    text = decoded(script.read_bytes())
    lines = text if text.endswith("\n") or not text else f"{text}\n"
    if known[0] != hashlib.md5(lines.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest():
        names = escaped(f"{recorded} is a record of another text than {script} has now")
        raise PydpstatError(f"{names}. Record it again.")
    return record


def _recorder() -> Path:
    return Path(__file__).with_name("record.R")


def _run(script: Path, output: Path) -> None:
    if which("Rscript") is None:
        raise PydpstatError(
            "there is no Rscript on the path. Install R, or let a colleague with R make a record (--record)."
        )
    add_own_library()
    choose_kernels()
    # absolute paths, since R may read others as options, URLs or connections
    command = ["Rscript", str(_recorder()), str(script.resolve()), str(output.resolve())]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        name = escaped(str(script))
        raise PydpstatError(f"R has not ended {name} within an hour. Shorten the script.") from None
    if done.returncode or not output.exists():
        said = done.stderr.strip() or "it ended before the script did"
        raise PydpstatError(f"R made no record of {escaped(str(script))}: {shortened(said)}")


def deviations(
    recorded: Value, value: object, pool: Sequence[Value], place: str = ""
) -> Iterator[tuple[float, str]]:
    """Yield for each vector how far Python's is from R's, relatively, and in words; nothing of functions.

    Examples
    --------
    >>> r = {"kind": "double", "count": 2, "values": [1, "0x1.8p+0"]}
    >>> list(deviations(r, np.array([1.0, 1.5]), []))
    [(0.0, '')]
    >>> list(deviations(r, [1.0, 2.0], []))
    [(0.25, 'value 2: R 1.5, Python 2.0')]
    """
    recorded = _resolved(recorded, pool)
    kind = recorded["kind"]
    head = f"{place}: " if place else ""
    if kind == "NULL":
        yield _same(value is None or np.size(np.asarray(value)) == 0, f"{head}R NULL, Python {value!r}")
    elif kind in ("list", "data.frame"):
        yield from _parts(recorded, value, pool, place)
    elif "fields" in recorded:
        for name, part in recorded["fields"].items():
            if (inner := _member(value, name)) is not _NOTHING:
                yield from deviations(part, inner, pool, f"{place}${name}")
    elif kind != "other":
        yield _vector(recorded, value, head)


def _parts(recorded: Value, value: Any, pool: Sequence[Value], place: str) -> Iterator[tuple[float, str]]:
    frame, kind = recorded["kind"] == "data.frame", type(value).__name__
    names = recorded["names"] or [None] * len(recorded["values"])
    # an object's fields are compared where Python's has them, a list's elements all
    listed = isinstance(value, pd.DataFrame) if frame else isinstance(value, _LISTS) and not recorded["class"]
    if frame and not listed:
        yield math.inf, f"{place or 'value'}: R has a data frame, Python {kind}"
        return
    there = (recorded["rows"], len(names)) if frame else len(names)
    if listed and there != (here := value.shape if frame else len(value)):
        yield math.inf, f"{place or 'value'}: R has the size {there}, Python {here}"
        return
    for number, (name, part) in enumerate(zip(names, recorded["values"])):
        part, inner = _resolved(part, pool), _member(value, name, number)
        under = f"{place}${name}" if name else f"{place}[[{number + 1}]]"
        if inner is _NOTHING:
            yield from [(math.inf, f"{under}: not in Python's {kind}")] * listed
        # the texts of R's objects only say how they were called
        elif listed or part["kind"] != "character":
            yield from deviations(part, inner, pool, under)


def _resolved(recorded: Value, pool: Sequence[Value]) -> Value:
    return pool[recorded["ref"]] if "ref" in recorded else recorded


def _member(value: object, name: str | None, number: int = -1) -> object:
    if name is not None and isinstance(value, (dict, pd.DataFrame, pd.Series)):
        return value[name] if name in value else _NOTHING
    if isinstance(value, _LISTS):
        return list(value.values())[number] if isinstance(value, dict) else list(value)[number]
    for each in (value, getattr(value, "estimate", None)):
        for attribute in (str(name), str(name).replace(".", "_")):
            try:
                return getattr(each, attribute)
            except (AttributeError, PydpstatError):
                continue
    return _NOTHING


def _same(equal: object, words: str) -> tuple[float, str]:
    return (0.0, "") if equal else (math.inf, words)


def _vector(recorded: Value, value: Any, head: str) -> tuple[float, str]:
    value = value.estimate if hasattr(value, "noise_scale") else value
    names, shape = _names(value), np.shape(getattr(value, "counts", value))
    try:
        flat = _flat(value)
    except ValueError:
        return math.inf, f"{head}R has a vector, Python {type(value).__name__}"
    if flat.size != recorded["count"]:
        return math.inf, f"{head}R has {recorded['count']} values, Python {flat.size}"
    there, dim = recorded["values"], recorded.get("dim")
    if dim and len(dim) > 1 and len(shape) > 1 and tuple(dim) != shape:
        return math.inf, f"{head}R has the dimensions {dim}, Python {list(shape)}"
    known = recorded.get("dimnames") or [recorded.get("names")]
    for mine, theirs in zip(names, known) if len(names) == len(known) else ():
        if mine is not None and theirs is not None and list(map(str, mine)) != list(map(str, theirs)):
            return math.inf, f"{head}R's names are {theirs[:9]}, Python's {list(mine)[:9]}"
    if len(there) < flat.size:
        flat = np.concatenate([flat[:_ENDS], flat[-_ENDS:]])
    if recorded["kind"] == "factor":
        levels = getattr(getattr(value, "dtype", None), "categories", None)
        if levels is not None and list(map(str, levels)) != recorded["levels"]:
            return math.inf, f"{head}R's levels are {recorded['levels']}, Python's {list(levels)}"
        there = [None if code == "NA" else recorded["levels"][code - 1] for code in there]
    if recorded["kind"] in ("factor", "character"):
        here = [None if is_missing(each) else str(each) if isinstance(each, str) else each for each in flat]
        wrong = [i for i, (a, b) in enumerate(zip(there, here)) if a != b]
        return _same(not wrong, _words(head, wrong[:1], there, here))
    return _numbers(recorded["kind"], there, flat, head)


def _numbers(kind: str, there: list[float | str], flat: np.ndarray, head: str) -> tuple[float, str]:
    truth = [isinstance(each, (bool, np.bool_)) for each in flat]
    # a logical NA is nan
    if truth != [kind == "logical" and each != "NA" for each in there]:
        return math.inf, f"{head}R has {kind} values, Python {sorted({type(each).__name__ for each in flat})}"
    known = [math.nan if is_missing(each) else each for each in flat]
    if wrong := [each for each in known if not isinstance(each, (int, float, np.number, np.bool_))]:
        return math.inf, f"{head}R has numbers, Python {wrong[0]!r}"
    here = np.array(known, dtype=float)
    r = np.array([_number(each) for each in there], dtype=float)
    with np.errstate(all="ignore"):
        off = np.abs(here - r) / np.maximum(np.abs(here), np.abs(r))
    off = np.where((here == r) | (np.isnan(here) & np.isnan(r)), 0.0, np.where(np.isnan(off), math.inf, off))
    worst = int(off.argmax()) if off.size else 0
    return (float(off[worst]), _words(head, [worst], r, here)) if off.size and off[worst] else (0.0, "")


def _number(text: float | str) -> float:
    return (
        math.nan if text in ("NA", "NaN") else float.fromhex(text) if isinstance(text, str) else float(text)
    )


def _words(
    head: str, places: list[int], there: Sequence[object] | np.ndarray, here: Sequence[object] | np.ndarray
) -> str:
    return "".join(f"{head}value {i + 1}: R {_plain(there[i])}, Python {_plain(here[i])}" for i in places)


def _plain(value: object) -> object:
    return repr(value.item() if isinstance(value, np.generic) else value)


def _flat(value: object) -> np.ndarray:
    value = getattr(value, "counts", value)
    if isinstance(value, (list, tuple, dict)):
        value = list(value.values()) if isinstance(value, dict) else value
        value = [each.item() if isinstance(each, np.ndarray) else each for each in value]
        return np.array([*value, None], dtype=object)[:-1]
    return np.asarray(value, dtype=object).ravel(order="F")


def _names(value: object) -> list[Sequence[object] | None]:
    """The names along each dimension, None where a dimension has none."""
    if isinstance(value, pd.Series):
        return [None if isinstance(value.index, pd.RangeIndex) else list(value.index)]
    if isinstance(value, pd.DataFrame):
        return [None, list(value.columns)]
    return [list(value)] if isinstance(value, dict) else list(getattr(value, "dimnames", None) or ())
