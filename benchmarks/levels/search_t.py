"""Search for laws that the noisy t tests reject too often.

``python benchmarks/levels/search_t.py SECONDS LOG SEED``, and ``two`` for Welch's test.

An evolution over laws of two to four values, the number of records and epsilon: each candidate is judged by
a few thousand runs, the best ones move on, and those above .05 are judged again with fresh draws, so that
what is reported is no luck. The log has a line for each that was judged again.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from levels.means import ALPHA, one_sample, table, two_samples  # noqa: E402

SCREEN, CONFIRM = 4_000, 20_000
SCREEN_TWO, CONFIRM_TWO = 200, 1_500


class Candidate(NamedTuple):
    """A law, and the public numbers of a test of its mean; two samples where there are two sizes."""

    values: tuple[float, ...]
    weights: tuple[float, ...]
    sizes: tuple[int, ...]
    epsilon: float

    @property
    def law(self) -> tuple[np.ndarray, np.ndarray]:
        """The values and their probabilities."""
        weights = np.array(self.weights)
        return np.array(self.values), weights / weights.sum()


def drawn(rng: np.random.Generator, two: bool) -> Candidate:
    """Return a random candidate; rare values, and values at the bounds, are likely."""
    count = int(rng.integers(2, 5))
    values = rng.uniform(-1, 1, count)
    at_bound = rng.random(count) < 0.4
    values[at_bound] = np.sign(values[at_bound])
    weights = 10.0 ** rng.uniform(-3, 0, count)
    # where noise dominates the level is .05 whatever the law is: nothing is to be found there
    sizes = tuple(int(10 ** rng.uniform(0.7, 3.3)) for _ in range(1 + two))
    return Candidate(tuple(values), tuple(weights), sizes, float(10 ** rng.uniform(-0.7, 2.0)))


def moved(each: Candidate, rng: np.random.Generator, step: float) -> Candidate:
    """Return a neighbor of a candidate."""
    values = np.clip(np.array(each.values) + step * rng.normal(size=len(each.values)), -1, 1)
    stay = rng.random(values.size) < 0.5
    values[stay] = np.array(each.values)[stay]
    weights = np.array(each.weights) * np.exp(2 * step * rng.normal(size=values.size))
    sizes = tuple(max(2, round(n * np.exp(step * rng.normal()))) for n in each.sizes)
    epsilon = float(np.clip(each.epsilon * np.exp(step * rng.normal()), 0.2, 100))
    return Candidate(tuple(values), tuple(weights), sizes, epsilon)


def level(each: Candidate, runs: int, seed: int) -> float:
    """Return the share of true hypotheses that are rejected."""
    rng = np.random.default_rng(seed)
    values, shares = each.law
    setting: dict[str, Any] = {"epsilon": each.epsilon, "noise": "laplace"}
    if len(each.sizes) == 2:
        return two_samples([each.law, each.law], setting | {"n": each.sizes}, runs, rng) / runs
    table.cache_clear()
    p = one_sample(each.law, float(values @ shares), setting | {"n": each.sizes[0]}, runs, rng)
    return float((p <= ALPHA).mean())


def search(seconds: float, log: Path, seed: int, two: bool = False) -> list[tuple[float, Candidate]]:
    """Search for so long; return what was judged again, the worst first."""
    rng, end = np.random.default_rng(seed), time.monotonic() + seconds
    screen, confirm = (SCREEN_TWO, CONFIRM_TWO) if two else (SCREEN, CONFIRM)
    pool: list[tuple[float, Candidate]] = []
    judged: list[tuple[float, Candidate]] = []
    tried = 0
    while time.monotonic() < end:
        if len(pool) < 12 or rng.random() < 0.3:
            each = drawn(rng, two)
        else:
            each = moved(
                pool[int(rng.integers(min(12, len(pool))))][1], rng, float(10 ** rng.uniform(-2, -0.3))
            )
        tried += 1
        found = level(each, screen, int(rng.integers(2**31)))
        pool = sorted([*pool, (found, each)], key=lambda one: -one[0])[:40]
        if found > ALPHA + 1.5 * (0.0475 / screen) ** 0.5:
            again = level(each, confirm, int(rng.integers(2**31)))
            # what was luck loses its place
            pool = sorted(
                [(again if one[1] is each else one[0], one[1]) for one in pool], key=lambda one: -one[0]
            )
            judged.append((again, each))
            with log.open("a") as file:
                line = {"level": round(again, 5), "runs": confirm, "tried": tried, **each._asdict()}
                file.write(json.dumps(line) + "\n")
    return sorted(judged, key=lambda one: -one[0])


if __name__ == "__main__":
    found = search(float(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), "two" in sys.argv)
    for share, one in found[:10]:
        print(f"{share:.4f}", one)
