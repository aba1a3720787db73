"""What pydpstat's statistics compute before any noise: exact sums on a grid, ranks and cells."""
