"""diffpriv's classes and functions under their own names, with R's arguments, defaults and numbers."""

__all__: list[str] = []
