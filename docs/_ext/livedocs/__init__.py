"""Pages whose code runs, in R and in Python, when they are built; the Sphinx extension is in `extension`."""
