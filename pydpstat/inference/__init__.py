"""Tests and confidence intervals computed from a few noisy numbers and their exact or approximate distribution.

Other null values, levels or quantiles are post-processing of the same release and have no additional privacy
cost.
"""
