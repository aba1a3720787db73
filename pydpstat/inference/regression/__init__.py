"""Linear regression from noisy moments or by ranks."""
