"""Tests and confidence intervals of means, based on t and F statistics."""
