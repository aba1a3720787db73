"""Simulations of tests and intervals under known laws, a topic a module.

A topic has `SETTINGS`, with a `name` each, and `rejections(setting, runs, seed)`: how many of so many
p-values of a true hypothesis are 0.05 at most; `misses(setting, runs, seed)` where there are intervals, of
level 0.95; and `POWER` with `power(setting, runs, seed)`, the rejections of a false hypothesis, where a
`figure` is what is to be reached.
"""
