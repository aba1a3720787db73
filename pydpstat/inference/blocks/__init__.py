"""Tests and intervals from arbitrary callables that are run on random blocks of records."""
