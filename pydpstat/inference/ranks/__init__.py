"""Tests by ranks, and of distances of distribution functions."""
