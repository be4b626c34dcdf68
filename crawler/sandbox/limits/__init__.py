"""Limits on all processes of a run together, by control groups or by polling."""
