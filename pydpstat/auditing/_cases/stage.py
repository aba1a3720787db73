"""One of the stages that a release consists of, as a separate release with epsilon 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydpstat._release.additive import Query
from pydpstat._release.statistic import call, options, release_stage
from pydpstat.auditing._cases.case import Release
from pydpstat.mechanisms import Mechanism
from pydpstat.random import source_from
from pydpstat.results import DPResults


def stage(function: str, query: Callable[[Any], Query], mechanism: Mechanism | None = None) -> Release:
    """Return a release of what is asked of the records, by default with Laplace or geometric noise."""
    how = options(1.0, 0, "laplace", "bounded", "error", others=False)
    if mechanism is not None:
        how = how._replace(mechanism=mechanism)
    record, source = call(function, how, ("formula", "data")), source_from(None)

    def release(data: Any) -> DPResults:
        return release_stage(query(data), how, 1.0, (), source, record)

    return release
