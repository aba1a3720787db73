"""Releases of statistics, each of which satisfies the guarantee that it states."""
