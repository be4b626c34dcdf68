"""Counts of kernels, units, verdicts and values, made in SQL."""
