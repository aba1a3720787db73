"""Noisy counts of a table or a histogram, and releases derived from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import make_noise_sum
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import PostProcessing, ScaledValue
from pydpstat.results._shapes import derive_release

NO_SUM_MESSAGE = (
    "sums of several counts with {} noise have no known distribution here. Release the counts with "
    "mechanism='geometric' or 'gaussian'."
)


def _has_found_levels(release: Any) -> bool:
    """Return whether the levels were discovered in the data, which omits records of rare levels."""
    return bool(dict(release.record.arguments).get("levels") == "discover")


def _has_known_sums(release: Any) -> bool:
    """Return whether the noise distribution of sums of the counts is known."""
    return release.noise is not None and make_noise_sum(release.noise, 2) is not None


def can_sum_counts(release: Any) -> bool:
    """Return whether the counts include all records and their sums have a known noise distribution."""
    return not _has_found_levels(release) and _has_known_sums(release)


def get_noisy_counts(release: Any) -> tuple[Floats, float]:
    """Return the noisy counts before scaling, and their scale factor; raise if they cannot be summed."""
    if _has_found_levels(release):
        raise PydpstatError(
            "rare levels are missing from levels that were found in the data, and so are their "
            "records: the released counts have no margins or shares. Release the table with "
            "public levels."
        )
    if not _has_known_sums(release):
        raise PydpstatError(NO_SUM_MESSAGE.format(release.mechanism))
    factor = float(np.asarray(release.post.factor)) if isinstance(release.post, ScaledValue) else 1.0
    return release.value / factor, factor


def derive_by_method(
    release: Any,
    statistic: str,
    value: Floats,
    labels: Labels,
    post: PostProcessing,
    method_call: tuple[Any, ...],
    subject: str = "",
    **more: Any,
) -> Any:
    """Return a release derived from another by the method call `method_call`."""
    record = release.record.add_method_call(*method_call).replace_subject(
        subject if any(release.labels.dimension_names) else ""
    )
    return derive_release(release, statistic=statistic, value=value, labels=labels, post=post, record=record, **more)
