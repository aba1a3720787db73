"""Tests and intervals that hold the level they state: a release of few noisy numbers, then their law.

Whatever is asked of a release afterwards, another null value, level or quantile, is post-processing and costs
nothing.
"""
