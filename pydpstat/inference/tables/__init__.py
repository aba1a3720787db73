"""Chi-square tests of contingency tables."""
