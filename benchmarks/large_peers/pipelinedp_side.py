"""PipelineDP in its local backend: means and counts of public groups, a privacy id for each record."""

from __future__ import annotations

import pipeline_dp
import pyarrow.parquet as pq
from serve import BOUNDS, GROUPS, KEYS, Found, main


def release(path: str, epsilon: float) -> Found:
    """Return the mean and the count of every group."""
    table = pq.read_table(path, columns=["income", *KEYS])
    rows = enumerate(zip(*(table[name].to_pylist() for name in ("income", *KEYS))))
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=1e-15)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    params = pipeline_dp.AggregateParams(
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        metrics=[pipeline_dp.Metrics.MEAN, pipeline_dp.Metrics.COUNT],
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=BOUNDS[0],
        max_value=BOUNDS[1],
    )
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1][1:],
        value_extractor=lambda row: row[1][0],
    )
    found = engine.aggregate(rows, params, extractors, public_partitions=GROUPS)
    accountant.compute_budgets()
    return {group: (value.mean, value.count) for group, value in found}


if __name__ == "__main__":
    main("pipeline-dp", release)
