"""Numbers behind the models: losses, maps, kernels, optimizers, and the constants of their noise."""
