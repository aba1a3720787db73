"""Differential privacy for statisticians who come from R."""
