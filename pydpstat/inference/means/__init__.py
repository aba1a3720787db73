"""Tests and intervals of means, by t and F statistics."""
