"""pydpstat: means of the groups of a file, and the counts that come with them from the same noisy sums."""

from __future__ import annotations

from serve import BOUNDS, KEYS, LEVELS, Found, main


def release(path: str, epsilon: float) -> Found:
    """Return the mean and the count of every group."""
    import polars as pl

    import pydpstat as dp

    how = {"by": KEYS, "levels": LEVELS, "other": None, "neighbors": "unbounded"}
    found = dp.mean(pl.scan_parquet(path).select("income", *KEYS), epsilon, bounds=BOUNDS, **how)
    means, counts = found.estimate, found.noisy_nobs
    return {key: (float(means[key]), float(counts[key])) for key in means.index}


if __name__ == "__main__":
    from pydpstat import __version__

    main("pydpstat", release, __version__)
