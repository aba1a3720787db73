"""Tables fitted to margins, against R's package mipfp, whose functions have no mirror here."""

from __future__ import annotations

from typing import Any

from pydpstat.parity.case import Case, Inputs

# both sides go on until nothing changes in 12 digits; what is left is a few units of that
CLOSE = 1e-9
ITERATED = "both sides iterate, each until its own measure of what is left is small"
SOLVED = "R's optimiser stops at about eight digits; here the solution has a formula"
PYTHON = "from pydpstat.consistency import ipf, least_squares\n"

TWO = {"s": [40.0, 35.0, 12.0, 30.0, 50.0, 7.0], "a": [80.0, 70.0, 31.0], "b": [85.0, 96.0]}
ZEROS = {"s": [4.0, 0.0, 2.0, 3.0, 5.0, 0.0], "a": [10.0, 12.0, 9.0], "b": [16.0, 15.0]}
THREE = {
    "s": [float(7 * place % 11 + 1) for place in range(24)],
    # the margins of another table of the same shape
    "t": [float(5 * place % 13 + 2) for place in range(24)],
}


def _ipf(name: str, r: str, python: str, inputs: Inputs, **options: Any) -> Case:
    how: dict[str, Any] = {"level": "rtol", "tolerance": CLOSE, "reason": ITERATED, **options}
    return Case(f"Ipfp/{name}", "Ipfp", "mipfp", r, PYTHON + python, inputs, draws=False, **how)


def _two_way(name: str, inputs: Inputs, shape: str = "3", **options: Any) -> Case:
    return _ipf(
        name,
        f"mipfp::Ipfp(matrix(s, {shape}), list(1, 2), list(a, b), tol = 1e-12)$x.hat",
        f'ipf(s.reshape({shape}, -1, order="F"), {{0: a, 1: b}}, tolerance=1e-13).estimate',
        inputs,
        **options,
    )


def _three_way(name: str, axes: tuple[tuple[int, ...], ...], order: str = "2, 3, 4") -> Case:
    """Margins of a second table, by their axes from 0 on; R counts them from 1 on."""
    listed = ", ".join(f"c({', '.join(str(axis + 1) for axis in each)})" for each in axes)
    goals = ", ".join(f"{each}: m({each})" for each in axes)
    return _ipf(
        name,
        f"t <- array(t, c({order}))\nl <- list({listed})\n"
        f"mipfp::Ipfp(array(s, c({order})), l, lapply(l, function(k) apply(t, k, sum)), tol = 1e-12)$x.hat",
        f't = t.reshape({order}, order="F")\n'
        "m = lambda axes: np.einsum(t, [0, 1, 2], list(axes))\n"
        f'ipf(s.reshape({order}, order="F"), {{{goals}}}, tolerance=1e-13).estimate',
        THREE,
    )


def _least_squares(name: str, inputs: Inputs, shape: str) -> Case:
    return Case(
        f"ObtainModelEstimates/{name}",
        "ObtainModelEstimates",
        "mipfp",
        f"fit <- mipfp::ObtainModelEstimates(matrix(s, {shape}), list(1, 2), list(a, b), method = 'lsq')\nfit$x.hat",
        PYTHON
        # R works on shares: the table has the margins' total first
        + f's = s.reshape({shape}, -1, order="F") * (a.sum() / s.sum())\n'
        "least_squares(s, {0: a, 1: b}, variance=s).estimate",
        inputs,
        level="rtol",
        tolerance=1e-5,
        reason=SOLVED,
        draws=False,
    )


CASES = (
    _two_way("two ways", TWO),
    _two_way("zeros stay zeros", ZEROS),
    _two_way("a margin of 0", {**TWO, "a": [80.0, 0.0, 31.0], "b": [55.0, 56.0]}),
    _two_way("cells of any size", {**TWO, "s": [1e-3, 1e4, 2.5, 1e2, 1e-2, 7.0]}),
    _three_way("three two-way margins", ((0, 1), (0, 2), (1, 2))),
    _three_way("one-way margins of three ways", ((0,), (1,), (2,))),
    _three_way("a two-way and a one-way margin", ((1, 2), (0,))),
    _three_way("margins in another order", ((2, 0), (1,)), "4, 3, 2"),
    _two_way(
        "margins with different totals",
        {**TWO, "b": [85.0, 97.0]},
        level="refused",
        tolerance=0.0,
        reason="R divides everything by its own total and returns shares; no table has both margins",
    ),
    _two_way(
        "a positive margin of empty cells",
        {**TWO, "s": [0.0, 35.0, 12.0, 0.0, 50.0, 7.0]},
        level="refused",
        tolerance=0.0,
        reason="R returns a table that misses the margin, with a warning",
    ),
    _two_way(
        "zeros that leave no solution",
        {"s": [1.0, 1.0, 0.0, 1.0], "a": [2.0, 1.0], "b": [1.0, 2.0]},
        shape="2",
        level="refused",
        tolerance=0.0,
        reason="R returns a table that misses a margin, with a warning",
    ),
    _two_way("negative cells", {**TWO, "s": [40.0, -35.0, 12.0, 30.0, 50.0, 7.0]}, level="error", tolerance=0.0),
    _two_way("missing cells", {**TWO, "s": [40.0, None, 12.0, 30.0, 50.0, 7.0]}, level="error", tolerance=0.0),
    _two_way("missing margins", {**TWO, "a": [80.0, None, 31.0]}, level="error", tolerance=0.0),
    _least_squares("least squares", TWO, "3"),
    _least_squares(
        "least squares of a table with the wrong total",
        {"s": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0], "a": [70.0, 90.0], "b": [40.0, 55.0, 65.0]},
        "2",
    ),
)
