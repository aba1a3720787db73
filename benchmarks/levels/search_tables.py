"""Search for true null hypotheses that the tests of tables and of group means reject too often.

``python -m levels.search_tables --seconds 3600`` from the folder of benchmarks. A setting is drawn or is one
of the worst so far, a little changed; whatever is found is confirmed by new seeds before it goes to the log.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from levels import group_means, tables

# runs of a setting when it is tried, and when it is confirmed
TRIED, CONFIRMED = 150, 2_000
KEPT = 12
Point = dict[str, Any]


def drawn_table(rng: np.random.Generator) -> Point:
    """Draw margins, concentrated or not, a number of records and an epsilon."""
    rows, columns = rng.integers(2, 5), rng.integers(2, 5)
    spread = 10.0 ** rng.uniform(-1.5, 0.7)
    n = int(10.0 ** rng.uniform(1.3, 5.0))
    return {
        "rows": rng.dirichlet(np.full(rows, spread)).tolist(),
        "columns": rng.dirichlet(np.full(columns, spread)).tolist(),
        "n": n,
        "epsilon": float(np.clip(10.0 ** rng.uniform(-0.3, 3.0) / n, 0.001, 10.0)),
        "private": bool(rng.random() < 0.3),
    }


def near_table(point: Point, rng: np.random.Generator) -> Point:
    """Change a table's margins, numbers and epsilon a little."""
    found = dict(point)
    for margin in ("rows", "columns"):
        shares = np.array(point[margin]) * np.exp(rng.normal(0.0, 0.5, len(point[margin])))
        found[margin] = (shares / shares.sum()).tolist()
    found["n"] = max(20, round(point["n"] * float(np.exp(rng.normal(0.0, 0.3)))))
    found["epsilon"] = float(np.clip(point["epsilon"] * np.exp(rng.normal(0.0, 0.3)), 0.001, 10.0))
    return found


def rate_of_table(point: Point, runs: int, seed: int) -> float:
    """Return the share of rejections."""
    setting = {**point, "p": np.outer(point["rows"], point["columns"])}
    return tables.rejections(setting, runs, seed) / runs


def drawn_groups(rng: np.random.Generator) -> Point:
    """Draw groups whose records have two values with a common mean."""
    groups = int(rng.integers(2, 5))
    sizes = [int(10.0 ** rng.uniform(0.5, 2.7)) for _ in range(groups)]
    total = sum(sizes)
    return {
        "mean": float(rng.uniform(-0.98, 0.98)),
        "shares": (10.0 ** rng.uniform(-3.0, -0.01, groups)).tolist(),
        "reach": rng.uniform(0.0, 1.0, groups).tolist(),
        "up": (rng.random(groups) < 0.5).tolist(),
        "sizes": sizes,
        "epsilon": float(np.clip(10.0 ** rng.uniform(0.0, 3.5) / total, 0.01, 10.0)),
    }


def near_groups(point: Point, rng: np.random.Generator) -> Point:
    """Change groups a little."""
    found, groups = dict(point), len(point["sizes"])
    found["mean"] = float(np.clip(point["mean"] + rng.normal(0.0, 0.1), -0.98, 0.98))
    found["shares"] = np.clip(point["shares"] * np.exp(rng.normal(0.0, 0.4, groups)), 1e-4, 0.99).tolist()
    found["reach"] = np.clip(point["reach"] + rng.normal(0.0, 0.15, groups), 0.0, 1.0).tolist()
    found["sizes"] = [max(2, round(each * float(np.exp(rng.normal(0.0, 0.25))))) for each in point["sizes"]]
    found["epsilon"] = float(np.clip(point["epsilon"] * np.exp(rng.normal(0.0, 0.3)), 0.01, 10.0))
    return found


def rate_of_groups(point: Point, runs: int, seed: int) -> float:
    """Return the share of rejections."""
    mean, laws = point["mean"], []
    for share, reach, up in zip(point["shares"], point["reach"], point["up"]):
        sign = 1.0 if up else -1.0
        # neither of the two values is outside the bounds
        most = min(1.0 - sign * mean, (1.0 + sign * mean) * (1.0 - share) / share)
        laws.append(group_means._Two(share, mean, sign * reach * most))
    setting = {"laws": laws, "sizes": tuple(point["sizes"]), "epsilon": point["epsilon"]}
    return group_means.rejections(setting, runs, seed) / runs


Search = tuple[
    Callable[[np.random.Generator], Point],
    Callable[[Point, np.random.Generator], Point],
    Callable[[Point, int, int], float],
]
SEARCHES: dict[str, Search] = {
    "tables": (drawn_table, near_table, rate_of_table),
    "groups": (drawn_groups, near_groups, rate_of_groups),
}


def search(name: str, seconds: float, seed: int, log: Path) -> list[tuple[float, Point]]:
    """Search for so many seconds of processor time; return the worst settings with their confirmed rates."""
    draw, near, rate = SEARCHES[name]
    rng = np.random.default_rng(seed)
    worst: list[tuple[float, Point]] = []
    end, tried = time.process_time() + 0.7 * seconds, 0
    while time.process_time() < end:
        fresh = len(worst) < KEPT or rng.random() < 0.5
        point = draw(rng) if fresh else near(worst[rng.integers(len(worst))][1], rng)
        worst.append((rate(point, TRIED, int(rng.integers(2**31))), point))
        worst = sorted(worst, key=lambda each: -each[0])[:KEPT]
        tried += 1
    confirmed, end = [], time.process_time() + 0.3 * seconds
    for found, point in worst:
        if time.process_time() > end:
            break
        confirmed.append((rate(point, CONFIRMED, int(rng.integers(2**31))), point))
        with log.open("a", encoding="utf-8") as file:
            said = {"search": name, "tried": tried, "found": found, "confirmed": confirmed[-1][0], **point}
            file.write(json.dumps(said) + "\n")
    return sorted(confirmed, key=lambda each: -each[0])


def main() -> int:
    """Search, and print the worst that was confirmed."""
    parser = argparse.ArgumentParser(description="Search for levels that do not hold.")
    parser.add_argument("--only", choices=SEARCHES, default=None)
    parser.add_argument(
        "--seconds", type=float, default=600.0, help="of processor time (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, default=Path("search_tables.log"))
    options = parser.parse_args()
    names = [options.only] if options.only else list(SEARCHES)
    for name in names:
        for rate, point in search(name, options.seconds / len(names), options.seed, options.log)[:5]:
            print(f"{name}: {rate:.4f} of {CONFIRMED} runs, {json.dumps(point)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
