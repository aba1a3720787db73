"""Pipeline of a release: options, query, calibration, charging and the addition of noise."""
