"""Expressions of host code: their words, their trees, and what tensors they make and view."""
