"""The twelve rows of the tutorial, as data: the R lines, the Python lines, and what R printed.

The recorded values are those of R 4.2.2 (x86-64) with rmutil 1.1.10 and DPpack 0.2.2. A row that
does not begin with ``set.seed(123)`` goes on with the stream and the variables of the row before.
"""

from __future__ import annotations

from pydpstat.parity.case import Recorded, Step
from r_reference.tutorial.cars import LEVELS

R_PREAMBLE = ("library(DPpack); Cars93 <- MASS::Cars93",)
PYTHON_PREAMBLE = (
    "import numpy as np",
    "from pydpstat import RRandom, calibrate_gaussian, symmetric_geometric_noise",
    "from pydpstat import histogramDP, meanDP, tableDP",
    "from pydpstat import r_arithmetic as r",
    "from r_reference.tutorial.cars import cars93",
    "cars = cars93()",
)


def _table(*rows: tuple[int, int]) -> tuple[Recorded, ...]:
    return (Recorded(rows, "table", (LEVELS["Type"], LEVELS["Origin"])),)


STEPS = (
    Step(
        "The mean of 100 uniform numbers",
        ("set.seed(123); D <- runif(100, 0, 1)", "mean(D)"),
        ("rng = RRandom(123); D = rng.runif(100, 0, 1)", "r.mean(D)"),
        (Recorded(0.49855899423826489, "mean"),),
    ),
    Step(
        "Laplace noise by hand",
        ("set.seed(123); D <- runif(100, 0, 1)", "mean(D) + rmutil::rlaplace(1, s = 0.01 / 1)"),
        ("rng = RRandom(123); D = rng.runif(100, 0, 1)", "r.mean(D) + rng.rlaplace(1, s=0.01 / 1)"),
        (Recorded(0.50079015373681646, "mean"),),
        next_uniform=0.33282354031689465,
        logarithms=True,
    ),
    Step(
        "Gaussian noise by hand: epsilon 1, delta 0.01, probabilistic privacy",
        (
            "set.seed(123); D <- runif(100, 0, 1); q <- qnorm(0.01 / 2)",
            "(sd <- 0.01 * (sqrt(q^2 + 2 * 1) - q) / (2 * 1)); mean(D) + rnorm(1, 0, sd)",
        ),
        (
            "rng = RRandom(123); D = rng.runif(100, 0, 1)",
            'sd = calibrate_gaussian(1, 0.01, sensitivity=0.01, method="probabilistic")',
            "sd, r.mean(D) + rng.rnorm(1, 0, sd)",
        ),
        (Recorded(0.027571743804321515, "sd"), Recorded(0.50554342740701974, "mean")),
        next_uniform=0.48861303366720676,
        logarithms=True,
    ),
    Step(
        "The same mean by DPpack, first with Laplace noise, then with Gaussian noise",
        (
            'set.seed(123); D <- runif(100, 0, 1); meanDP(D, 1, 0, 1, mechanism = "Laplace")',
            'meanDP(D, 0.9, 0, 1, mechanism = "Gaussian", delta = 0.01)',
        ),
        (
            "rng = RRandom(123); D = rng.runif(100, 0, 1)",
            'private_mean = meanDP(D, 1, 0, 1, mechanism="Laplace", rng=rng)',
            'private_mean, meanDP(D, 0.9, 0, 1, mechanism="Gaussian", delta=0.01, rng=rng)',
        ),
        (Recorded(0.50079015373681646, "Laplace"), Recorded(0.48363845773315978, "Gaussian")),
        next_uniform=0.95447382749989629,
        logarithms=True,
    ),
    Step(
        "A contingency table by DPpack, epsilon 1",
        ("set.seed(123)", 'tableDP(Cars93$Type, Cars93$Origin, eps = 1, type.DP = "pDP")'),
        ("rng = RRandom(123)", 'tableDP(cars.Type, cars.Origin, eps=1, type_DP="pDP", rng=rng)'),
        _table((6, 9), (13, 3), (10, 12), (10, 14), (12, 11), (0, 4)),
        next_uniform=0.67757063545286655,
        logarithms=True,
    ),
    Step(
        "The true table",
        ("(true <- table(Cars93$Type, Cars93$Origin))",),
        ("true = r.table(cars.Type, cars.Origin).counts; true",),
        _table((7, 9), (11, 0), (10, 12), (7, 14), (8, 6), (5, 4)),
    ),
    Step(
        "That table plus symmetric geometric noise by hand, epsilon 1, cut at 0",
        (
            "set.seed(123); noise <- sample(c(-1, 1), 12, replace = TRUE) * rgeom(12, 1 - exp(-1))",
            "pmax(true + noise, 0)",
        ),
        (
            'rng = RRandom(123); noise = symmetric_geometric_noise(12, 1, method="sign", rng=rng)',
            'np.maximum(true + noise.reshape(6, 2, order="F"), 0)',
        ),
        _table((7, 10), (8, 2), (8, 12), (7, 14), (8, 7), (5, 4)),
        next_uniform=0.15244474774226546,
    ),
    Step(
        "A histogram of 500 normal numbers",
        ("set.seed(123); x <- rnorm(500)", "h <- hist(x, plot = FALSE); h$breaks; h$counts"),
        ("rng = RRandom(123); x = rng.rnorm(500)", "h = r.hist(x)", "h.breaks, h.counts"),
        (
            Recorded((-3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5), "breaks"),
            Recorded((2, 8, 18, 48, 65, 104, 104, 69, 43, 26, 11, 1, 1), "counts"),
        ),
    ),
    Step(
        "The private histogram by DPpack, on the same stream",
        ("histogramDP(x, 1, min(h$breaks), max(h$breaks))$counts",),
        (
            "private = histogramDP(x, 1, min(h.breaks), max(h.breaks), rng=rng).estimate",
            "private.counts",
        ),
        (Recorded((1, 8, 16, 50, 67, 104, 106, 68, 39, 26, 11, 0, 0), "counts"),),
        logarithms=True,
    ),
    Step(
        "A hierarchy, on the same stream: the country",
        ("(country <- max(0, round(1000 + rmutil::rlaplace(1, s = 10))))",),
        ("country = np.maximum(0, r.round(1000 + rng.rlaplace(1, s=10))); country",),
        (Recorded(1000.0, "country"),),
        logarithms=True,
    ),
    Step(
        "Its three states, scaled to the country",
        (
            "states <- c(300, 400, 300) + rmutil::rlaplace(3, s = 5)",
            "(states <- states / sum(states) * country)",
        ),
        (
            "states = np.array([300, 400, 300]) + rng.rlaplace(3, s=5)",
            "states = states / r.sum(states) * country; states",
        ),
        (Recorded((287.05834243100151, 408.74659274928081, 304.19506481971769), "states"),),
        logarithms=True,
    ),
    Step(
        "Their municipalities, two a state, each row scaled to its state",
        (
            "m <- rbind(c(100, 200), c(150, 250), c(200, 100)) + rmutil::rlaplace(6, s = 2)",
            "m / rowSums(m) * states",
        ),
        (
            'noise = rng.rlaplace(6, s=2).reshape(3, 2, order="F")',
            "m = np.array([[100, 200], [150, 250], [200, 100]]) + noise",
            "m / m.sum(axis=1, keepdims=True) * states.reshape(3, 1)",
        ),
        (
            Recorded(
                (
                    (96.161125954571148, 190.89721647643032),
                    (152.5248356194376, 256.22175712984318),
                    (202.14741575974082, 102.04764905997685),
                ),
                "municipalities",
            ),
        ),
        next_uniform=0.39475898584350944,
        logarithms=True,
    ),
)
