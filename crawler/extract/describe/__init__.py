"""Measures, tags and the class of computation of a kernel."""
