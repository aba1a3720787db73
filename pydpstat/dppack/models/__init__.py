"""DPpack's models: classes with R's names for methods and fields, and their helper functions."""
