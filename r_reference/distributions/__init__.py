"""The distribution of each random function's releases, which draws of both sides are compared with."""
