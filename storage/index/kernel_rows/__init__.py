"""Rows of kernels, units and verdicts: how values become rows, and how rows are replaced."""
