"""Numbers behind the models: losses, maps, kernels, optimisers, and the constants of their noise."""
