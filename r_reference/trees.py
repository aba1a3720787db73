"""R's trees beside those of pydpstat's parser: ``python -m r_reference.trees`` records R's anew.

``trees.R`` writes R's trees as text, and this module writes pydpstat's alike. Those of R for the snippets in
``grammar`` are recorded in ``grammar.txt``.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pydpstat.porting import Argument, Call, Constant, Function, Name, RSyntaxError, read

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "grammar.txt"
# a line of a snippet that ends a piece
_CUT = "#----\n"
_PLAIN = {'"': re.compile(r"[] !#-[^-~]*"), "`": re.compile("[ -_a-~]*")}


def tree(node: Call | Constant | Function | Name | None) -> str:
    """Return a tree as text.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> tree(parse("-x^2L").expressions[0])
    '(`-` (`^` `x` 2L))'
    """
    match node:
        case Constant():
            return _constant(node.value, node.kind)
        case Name():
            return _word(node.name, "`")
        case Call():
            return f"({' '.join([tree(node.function), *map(_argument, node.arguments)])})"
        case Function():
            formals = f"[{' '.join(map(_argument, node.formals))}]" if node.formals else "NULL"
            return f"(`function` {formals} {tree(node.body)} NULL)"
    return ""


def _argument(argument: Argument) -> str:
    name = "" if argument.name is None else f"{_word(argument.name, '`')}="
    return f"{name}{tree(argument.value)}"


def _word(text: str, quote: str) -> str:
    if _PLAIN[quote].fullmatch(text):
        return f"{quote}{text}{quote}"
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # half of a pair, which R keeps
        raw = text.encode("utf-8", "surrogatepass")
    return f"{quote}#{raw.hex()}{quote}"


def _constant(value: float | complex | str | None, kind: str) -> str:
    if value is None:
        return {"NULL": "NULL", "logical": "NA", "double": "NA_real_"}.get(kind, f"NA_{kind}_")
    if isinstance(value, str):
        return _word(value, '"')
    if isinstance(value, complex):
        return f"{_double(value.imag)}i"
    return {"logical": str(value).upper(), "integer": f"{value}L"}.get(kind) or _double(value)


def _double(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Inf"
    return value.hex() if value else "0"


def ours(path: Path) -> list[str]:
    """Return what ``trees.R`` would write of a file if R's parser were pydpstat's."""
    try:
        script = read(path)
    except RSyntaxError as error:
        return [f"error {error.line}:{error.column}: {error.reason}"]
    places = [(script.place(each.start), script.place(each.end - 1)) for each in script.expressions]
    return [
        f"tree {first[0]}:{first[1]}-{last[0]}:{last[1]} {tree(each)}"
        for (first, last), each in zip(places, script.expressions)
    ]


def theirs(paths: Iterable[Path]) -> dict[str, list[str]]:
    """Return for each file what R makes of it; without Rscript on the path it is a ``FileNotFoundError``."""
    with tempfile.TemporaryDirectory() as folder:
        listing, output = Path(folder) / "listing", Path(folder) / "output"
        listing.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
        command = ["Rscript", "--vanilla", str(HERE / "trees.R"), str(listing), str(output)]
        # R's messages in English
        subprocess.run(command, check=True, env={**os.environ, "LANGUAGE": "en"})
        return sections(output.read_text(encoding="utf-8", errors="surrogateescape"))


def sections(text: str) -> dict[str, list[str]]:
    """Return for each file its lines in an output of ``trees.R``."""
    found: dict[str, list[str]] = {}
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("file "):
            found[line.removeprefix("file ")] = lines = []
        else:
            lines.append(line)
    return found


def same(our: list[str], their: list[str]) -> bool:
    """Tell whether both have the same trees, or the same error at the same place.

    Of some errors R says no column, or no place at all; from R 4.3 on it says more of them.
    """
    if our == their or not (our and their and our[0].startswith("error ")):
        return our == their
    _, place, reason = our[0].split(" ", 2)
    line = re.search(r"\bline (\d+)", their[0])
    return (
        re.match(r"error \d+:\d+: unexpected", their[0]) is None
        and their[0].startswith(f"error {reason}")
        and (line is None or line[1] == place.split(":")[0])
    )


def pieces(folder: Path) -> list[Path]:
    """Write the pieces of all snippets into a folder, each into a file, and return their names there."""
    names = []
    for snippet in sorted((HERE / "grammar").glob("*.R")):
        text = snippet.read_bytes().decode("utf-8", "surrogateescape")
        for number, piece in enumerate(text.split(_CUT), 1):
            names.append(Path(f"{snippet.stem}-{number}.R"))
            (folder / names[-1]).write_bytes(piece.encode("utf-8", "surrogateescape"))
    return names


def record() -> None:
    """Record what R makes of the snippets' pieces."""
    with tempfile.TemporaryDirectory() as folder:
        names = pieces(Path(folder))
        found = theirs(Path(folder) / name for name in names)
        lines = [line for name in names for line in (f"file {name}", *found[str(Path(folder) / name)])]
    RECORDED.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    record()
