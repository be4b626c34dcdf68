"""Releases of a dataset: what changed since an earlier one, and what has to go."""
