"""Plans of releases and of tests: noise, accuracy and power, before any data are read."""
