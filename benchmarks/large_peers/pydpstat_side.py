"""pydpstat: means and counts of the groups of a file, half of epsilon each."""

from __future__ import annotations

from serve import BOUNDS, KEYS, LEVELS, Found, main


def release(path: str, epsilon: float) -> Found:
    """Return the mean and the count of every group."""
    import polars as pl

    import pydpstat as dp

    data, half = pl.scan_parquet(path), epsilon / 2.0
    how = {"levels": LEVELS, "other": None, "neighbors": "unbounded"}
    means = dp.mean(data.select("income", *KEYS), half, bounds=BOUNDS, by=KEYS, **how).estimate
    counts = dp.crosstab(data.select(KEYS), half, **how).estimate
    return {key: (float(means[key]), float(counts.loc[key])) for key in means.index}


if __name__ == "__main__":
    from pydpstat import __version__

    main("pydpstat", release, __version__)
