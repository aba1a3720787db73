"""Distributions of the scores of a logistic regression."""
