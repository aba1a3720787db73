"""Compare trees and syntax errors with R's own: ``python benchmarks/r_grammar.py FOLDER...``.

Every file of R in the folders is parsed by pydpstat and by R. ``--changes 5000`` then changes a word in each
of so many pieces of them, most of which are no R any more, and compares again: which error, and where.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pydpstat.porting import RSyntaxError, read  # noqa: E402
from pydpstat.porting._tokens import tokenize_text  # noqa: E402
from r_reference import trees  # noqa: E402

BATCH = 200
# R's chains are as deep as they are long
sys.setrecursionlimit(20_000)
TIMER = """
paths <- readLines(commandArgs(trailingOnly = TRUE)[1])
options(warn = -1)
cat(system.time(for (path in paths) try(parse(path, encoding = "UTF-8"), silent = TRUE))[["elapsed"]])
"""
WORDS = (
    "( ) [ ] [[ ]] { } , ; = <- <<- -> ->> := ? ~ ! - + * / ^ ** %in% |> => :: ::: : $ @ == < >= && | || if "
    "else for in while repeat function next break NULL NA TRUE x f 1 2L 1e 0x 0x1p3 1i 's' `b` _ \\ \\(x) \n "
    "# \t r\"(a)\" '\\q' '\\u{41}' % ... ..1 .5 é ² 1.5.2 function(x) if(a) (y) {z} . \" '"
).split(" ")


def files(folders: Sequence[Path]) -> list[Path]:
    """Return the files of R in folders, in order."""
    found = (path for folder in folders for path in (folder.rglob("*") if folder.is_dir() else [folder]))
    return sorted(path for path in found if re.search(r"\.[RrSq]$", path.name) and path.is_file())


def compared(paths: Sequence[Path], folder: Path) -> tuple[int, int, int, float, float]:
    """Print what differs; return how many expressions, errors and differences, and both sides' seconds."""
    expressions = errors = differences = 0
    seconds = [0.0, 0.0]
    listing = folder / "listing"
    for start in range(0, len(paths), BATCH):
        batch = paths[start : start + BATCH]
        listing.write_text("".join(f"{path}\n" for path in batch), encoding="utf-8")
        timed = ["Rscript", "--vanilla", "-e", TIMER, str(listing)]
        seconds[1] += float(subprocess.run(timed, check=True, capture_output=True, text=True).stdout)
        began = time.perf_counter()
        for path in batch:
            try:
                read(path)
            except RSyntaxError:
                errors += 1
        seconds[0] += time.perf_counter() - began
        wanted = trees.theirs(batch)
        for path in batch:
            ours, theirs = trees.ours(path), wanted[str(path)]
            expressions += sum(line.startswith("tree ") for line in ours)
            if not trees.same(ours, theirs):
                differences += 1
                pair = next((pair for pair in zip(theirs, ours) if pair[0] != pair[1]), ("lines", "lines"))
                print(f"{path}\n    R        {pair[0][:200]}\n    pydpstat {pair[1][:200]}")
    return expressions, errors, differences, *seconds


def changed(paths: Sequence[Path], count: int, seed: int) -> Iterator[str]:
    """Give pieces of files in which a word is left out, added, changed, doubled or swapped with another."""
    draw = random.Random(seed)
    pieces: dict[Path, list[str]] = {}
    while count:
        path = draw.choice(paths)
        if path not in pieces:
            try:
                script = read(path)
                pieces[path] = [script.written(each) for each in script.expressions if each.end - each.start < 2500]
            except RSyntaxError:
                pieces[path] = []
        if pieces[path]:
            text = draw.choice(pieces[path])
            spans = [(token.start, token.end) for token in tokenize_text(f"{text}\n")[0] if token.end > token.start]
            (a, b), (c, d) = sorted(draw.choices(spans, k=2))
            new = f" {draw.choice(WORDS)} "
            yield draw.choice([
                text[:a] + text[b:],
                text[:a] + new + text[a:],
                text[:a] + new + text[b:],
                f"{text[:b]} {text[a:b]}{text[b:]}",
                text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:] if b <= c else text[:b],
            ])  # fmt: skip
            count -= 1


def main() -> None:
    """Compare, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--changes", type=int, default=0, help="how many changed pieces to compare as well")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    paths = files(options.folders)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = {"files": paths}
        if options.changes:
            runs["changed pieces"] = [folder / f"{n}.R" for n in range(options.changes)]
            for path, text in zip(runs["changed pieces"], changed(paths, options.changes, options.seed)):
                path.write_text(f"{text}\n", encoding="utf-8", errors="surrogateescape")
        found = {what: compared(each, folder) for what, each in runs.items()}
    heads = ("expressions", "with an error", "differences", "seconds", "R's seconds")
    print(f"{'':<16}{'number':>10}", *(f"{head:>14}" for head in heads))
    for what, figures in found.items():
        shown = (f"{each:>14,.1f}" if isinstance(each, float) else f"{each:>14,}" for each in figures)
        print(f"{what:<16}{len(runs[what]):>10,}", *shown)


if __name__ == "__main__":
    main()
