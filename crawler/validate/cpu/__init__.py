"""Validation of a kernel on the CPU, from its launch sites to a verdict."""
