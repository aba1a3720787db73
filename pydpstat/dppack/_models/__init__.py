"""Numerical parts of DPpack's models: losses, maps, kernels, optimizers, and calibration of their noise."""
