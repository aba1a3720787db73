"""The comparisons with R, as data: a module for each part of the package, each with its ``CASES``."""
