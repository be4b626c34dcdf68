"""Rows of a dataset, and their schemas."""
