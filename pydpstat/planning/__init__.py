"""Plans of releases and tests: noise, accuracy and power without reading data."""
