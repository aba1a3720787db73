"""Tests and intervals that hold the level they state: a few noisy numbers, then their distribution.

Whatever is asked of a release afterwards, another null value, level or quantile, is post-processing and costs
nothing.
"""
