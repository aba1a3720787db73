"""Draw the rooms and a release's way through them: ``python docs/rooms.py`` writes ``docs/rooms.svg``.

Every letter stands on a light band of its own, so that the picture reads on light and on dark pages.
"""

from __future__ import annotations

import sys
import textwrap
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tools"))

from house import LAYERS  # noqa: E402

# what a layer is for, by its first room
PURPOSES = {
    "__main__": "commands",
    "parity": "comparison with R",
    "porting": "reading R's code",
    "local": "applications",
    "auditing": "audits",
    "designs": "public facts, once",
    "planning": "plans and power",
    "inference": "tests and models",
    "statistics": "statistics and mirrors",
    "_records": "exact sums of records",
    "_release": "how a release is made",
    "budget": "account",
    "results": "result",
    "plots": "pictures",
    "mechanisms": "noise, and how much",
    "privacy": "guarantees and losses",
    "random": "randomness",
    "r_arithmetic": "R's arithmetic",
    "_data": "reading data",
    "_answering": "helpful errors, files",
    "_wrong_calls": "wrong calls explained",
    "_checks": "arguments",
    "_frozen": "beneath all",
}
# the rooms that a release passes, in the order of the list in built.md
WAY = ("statistics", "_data", "_release", "mechanisms", "privacy", "budget", "random", "_release", "results")

WIDTH, BAND, LINE, GAP = 840, 34, 20, 10
NAMES, FIRST, STEP = 236, 500, 39
LONGEST = 70
STYLE = """
.band { fill: #eef2f6; stroke: #c5ced8 }
.purpose { fill: #5b6675 }
.names { fill: #1c2430; font: 13px ui-monospace, 'DejaVu Sans Mono', monospace }
.way { fill: none; stroke: #b4540a; stroke-width: 2.5 }
.stop { fill: #b4540a }
.number { fill: #ffffff; font-size: 13px; text-anchor: middle }
.down { fill: none; stroke: #7a8594; stroke-width: 2.5 }
"""


def picture() -> str:
    """Return the picture as SVG."""
    bands, height = [], GAP
    tops: dict[str, int] = {}
    for layer in LAYERS:
        lines = textwrap.wrap(" ".join(layer), LONGEST)
        tops |= dict.fromkeys(layer, height)
        bands.append(_band(PURPOSES[layer[0]], lines, height))
        height += BAND + LINE * (len(lines) - 1) + GAP
    points = [(FIRST + STEP * step, tops[room] + BAND // 2) for step, room in enumerate(WAY)]
    way = " ".join(f"{x},{y}" for x, y in points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'font-family="system-ui, \'DejaVu Sans\', Arial, sans-serif" font-size="14">',
        "<title>The rooms of pydpstat from top to bottom, and a release's way through them</title>",
        f"<style>{STYLE}</style>",
        f'<path class="down" d="M14,12 V{height - 8} M7,{height - 17} L14,{height - 8} L21,{height - 17}"/>',
        *bands,
        f'<polyline class="way" points="{way}"/>',
        *(_stop(number, x, y) for number, (x, y) in enumerate(points, 1)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _band(purpose: str, lines: list[str], top: int) -> str:
    tall = BAND + LINE * (len(lines) - 1)
    names = (f'<text class="names" x="{NAMES}" y="{top + 22 + LINE * n}">{line}</text>' for n, line in enumerate(lines))
    return (
        f'<rect class="band" x="30" y="{top}" width="{WIDTH - 34}" height="{tall}" rx="6"/>'
        f'<text class="purpose" x="42" y="{top + 22}">{escape(purpose)}</text>{"".join(names)}'
    )


def _stop(number: int, x: int, y: int) -> str:
    label = f'<text class="number" x="{x}" y="{y + 4.5}">{number}</text>'
    return f'<circle class="stop" cx="{x}" cy="{y}" r="11"/>{label}'


if __name__ == "__main__":
    (HERE / "rooms.svg").write_text(picture(), encoding="utf-8")
