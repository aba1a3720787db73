"""Numbers behind the models: losses, maps, kernels, an optimiser, and the constants of their noise."""
