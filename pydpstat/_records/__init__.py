"""Computations on records before noise is added: exact sums on a grid, ranks and cell counts."""
