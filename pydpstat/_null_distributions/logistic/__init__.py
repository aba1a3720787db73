"""Null distributions of the scores of a logistic regression."""
