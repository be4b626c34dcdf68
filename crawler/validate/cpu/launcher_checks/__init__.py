"""Runs of a kernel held against what its launcher allocates and passes."""
