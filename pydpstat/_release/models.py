"""Releases of fitted models, and the only place where their noise and data or coefficients are combined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypedDict

import numpy as np

from pydpstat._release.calibration import SEEDED_CONDITION
from pydpstat._release.charging import charge_budget, get_open_budgets, open_blocks
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random import Source
from pydpstat.results._call import Call, ModelCall
from pydpstat.results._postprocessing import NoiseQuantiles
from pydpstat.results.model_results import ModelResults

SAMPLER_CONDITION = (
    "noise comes from the operating system by a floating-point sampler; its rounding and the "
    "optimizer's error are not covered by the proof"
)


class ModelFields(TypedDict):
    """Fields of `ModelResults` that the caller of a release provides."""

    model: str
    names: tuple[str, ...]
    prediction: Callable[..., Floats] | None
    noise: NoiseQuantiles | None
    claim: Guarantee
    gamma: float
    bounds: tuple[tuple[float, ...], tuple[float, ...]]
    nobs: int
    record: ModelCall | Call
    facts: tuple[tuple[str, str], ...]


def get_constructor_arguments(
    model: object, field_names: tuple[str, ...], has_l2_regularizer: bool
) -> tuple[tuple[str, object], ...]:
    """Return the arguments of a model's constructor by its fields, in the form of the call record.

    The regularizer "l2" needs no separate gradient: it is left out, or None for a class that takes all its
    functions.
    """
    shown: dict[str, object] = {name.removeprefix("_"): getattr(model, name) for name in field_names}
    if has_l2_regularizer:
        shown |= {"regularizer": "l2", "regularizer_gr": None}
        if "loss" not in shown:
            del shown["regularizer_gr"]
    return tuple(shown.items())


def add_source_condition(guarantee: Guarantee, source: Source) -> Guarantee:
    """Return the guarantee with the condition of its random source added."""
    condition = SAMPLER_CONDITION if not source.reproducible else SEEDED_CONDITION
    stated = (*guarantee.conditions, condition)
    return replace(guarantee, conditions=stated, loss=None)


def release_model(
    minimize: Callable[[Floats], Floats],
    draw: Callable[[Source], Floats] | None,
    source: Source,
    *,
    size: int,
    perturbation: str,
    unscale: Callable[[Floats], Floats],
    guarantee: Guarantee,
    fields: ModelFields,
) -> ModelResults:
    """Fit a model with noise and return its release.

    `minimize` returns the coefficients for a noise vector in the objective (zeros for none), `draw` a noise vector
    of shape (size,), and `unscale` converts noisy coefficients to the units of the data. The budget of the
    enclosing ``with`` block is charged first.
    """
    if open_blocks or get_open_budgets():
        charge_budget(None, guarantee, fields["record"], mechanism=f"{perturbation} perturbation")
    nothing = np.zeros(size)
    with np.errstate(all="ignore"):
        if perturbation == "output":
            coeff = minimize(nothing)
            if draw is not None:
                coeff = coeff + draw(source)
        else:
            coeff = minimize(nothing if draw is None else draw(source))
        coeff = unscale(coeff)
    if not np.isfinite(coeff).all():
        raise PydpstatError(
            "a coefficient is not a finite number; R would return NaN or Inf. Use an eps and a gamma "
            "above 0 and finite bounds."
        )
    return ModelResults(
        coeff=coeff,
        perturbation=perturbation,
        guarantee=guarantee,
        reproducible=source.reproducible,
        **fields,
    )
