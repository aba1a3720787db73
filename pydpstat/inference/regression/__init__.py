"""Linear regression, by noisy moments or by ranks."""
