"""Measure standard errors of regressions on factors: ``python benchmarks/factor_errors.py``.

The data are made up: 200,000 persons with income, age, sex and one of twelve regions, of which the largest
has a fifth of the persons, and the smallest a hundredth.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import table

import pydpstat
from pydpstat.inference._null_distributions.noisy_moments import NoisyMoments
from pydpstat.inference._null_distributions.score_tests import ScoreInterval, Seen
from pydpstat.mechanisms.mechanism import Noise

SIZE, EPSILON, REPEATS = 200_000, 0.4, 7
SHARES = (0.2, 0.15, 0.13, 0.1, 0.1, 0.08, 0.07, 0.06, 0.05, 0.03, 0.02, 0.01)
REGIONS = [f"r{place:02}" for place in range(len(SHARES))]
BOUNDS = {"income": (0, 200_000), "age": (0, 110)}
LEVELS = {"region": REGIONS, "sex": ["m", "f"]}
FORMULAS = ("income ~ C(region)", "income ~ C(sex) + C(region)", "income ~ age + C(sex) + C(region)")
# slopes whose errors are shown: the second largest region, one in the middle, and the smallest
SHOWN = ("r01", "r06", "r11")
HEAD = (
    "neighbors",
    "model",
    "region",
    "least squares",
    "means by group",
    "ols",
    "ratio",
    "limit",
    "ratio",
    "s",
)
HOW = (
    f"Standard errors of the difference to the largest region at epsilon {EPSILON:g}, sampling and noise, "
    "the median of {repeats} releases: without privacy; of two means of one mean(by=) with all of epsilon; "
    "of ols, and how many times the means' that is; and of a release whose sums by cell have the noise of "
    "all of epsilon, and whose other moments are exact, and how many times its error that of ols is. The "
    "last column has the seconds of processor time of ols and its summary.",
)


@dataclass(frozen=True, eq=False)
class Known(Noise):
    """Noise of which nothing is known but the standard deviations."""

    deviations: np.ndarray

    def std(self) -> np.ndarray:
        """Return the standard deviations."""
        return self.deviations


def persons() -> pd.DataFrame:
    """Return the made up records."""
    rng = np.random.default_rng(0)
    region, sex = rng.choice(len(SHARES), SIZE, p=SHARES), rng.integers(0, 2, SIZE)
    age = rng.normal(45.0, 17.0, SIZE).clip(0.0, 110.0)
    rest = 30_000.0 * (rng.gamma(2.0, 1.0, SIZE) - 2.0) / np.sqrt(2.0)
    income = (38_000.0 + 600.0 * (region - 5) - 4_000.0 * sex + 150.0 * (age - 45.0) + rest).clip(
        0.0, 200_000.0
    )
    named = {"sex": np.array(LEVELS["sex"])[sex], "region": np.array(REGIONS)[region]}
    return pd.DataFrame({"income": income, "age": age, **named})


def differences(frame: pd.DataFrame, neighbors: str) -> dict[str, float]:
    """Return the standard errors of differences to the largest region's mean, of a mean by group."""
    own = {"bounds": BOUNDS["income"], "by": frame.region, "levels": REGIONS, "neighbors": neighbors}
    noise = np.asarray(pydpstat.mean(frame.income, EPSILON, **own, rng=1).bse)[: len(REGIONS)]
    groups = frame.groupby("region").income
    whole = (groups.var() / groups.size()).loc[REGIONS].to_numpy() + noise**2
    return dict(zip(REGIONS, np.sqrt(whole + whole[0])))


def limit(noisy: NoisyMoments, neighbors: str) -> np.ndarray:
    """Return the standard errors if the sums by cell had all of epsilon, and other moments no noise."""
    cells, size = noisy.noise.noises[0], noisy.noise.sizes[0]
    # a record that is replaced moves two cells
    scale = (2.0 if neighbors == "bounded" else 1.0) / EPSILON
    deviations = np.zeros(sum(noisy.noise.sizes))
    deviations[:size] = scale / cells.scale * cells.std()
    return Seen(replace(noisy, noise=Known(deviations))).errors


def lines(frame: pd.DataFrame, repeats: int) -> list[tuple[str, ...]]:
    """Return the table's lines."""
    import statsmodels.formula.api as smf

    found = []
    for neighbors in ("bounded", "unbounded"):
        means = differences(frame, neighbors)
        for formula in FORMULAS:
            own = {"bounds": {name: pair for name, pair in BOUNDS.items() if name in formula}}
            own["levels"] = {name: each for name, each in LEVELS.items() if f"C({name})" in formula}
            levels = formula.replace("C(sex)", "C(sex, levels=['m', 'f'])")
            plain = smf.ols(levels, frame).fit().bse
            errors, least, seconds = [], [], []
            for seed in range(repeats):
                start = time.process_time()
                fit = pydpstat.ols(formula, frame, EPSILON, **own, neighbors=neighbors, rng=seed)
                fit.summary()
                seconds.append(time.process_time() - start)
                tests = fit.intervals[0]
                assert isinstance(tests, ScoreInterval)
                errors.append(fit.bse.to_numpy())
                least.append(tests.tests.units * limit(tests.tests.noisy, neighbors))
            ours, bound = (dict(zip(fit.names, np.median(each, axis=0))) for each in (errors, least))
            for region in SHOWN:
                name = f"C(region)[T.{region}]"
                mean, error, best = means[region], ours[name], bound[name]
                numbers = f"{plain[name]:.0f}", f"{mean:.0f}", f"{error:.0f}", f"{error / mean:.2f}"
                timed = f"{min(seconds):.2f}"
                found.append(
                    (neighbors, formula, region, *numbers, f"{best:.0f}", f"{error / best:.2f}", timed)
                )
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="Standard errors of regressions on factors.")
    parser.add_argument(
        "--repeats", metavar="N", type=int, default=REPEATS, help="releases (default: %(default)s)"
    )
    repeats = max(1, parser.parse_args(argv).repeats)
    found = lines(persons(), repeats)
    print(table.piped([HEAD, *found], (False,) * 3 + (True,) * (len(HEAD) - 3)))
    for part in HOW:
        print("", textwrap.fill(part.format(repeats=repeats), 110), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
