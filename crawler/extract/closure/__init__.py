"""Dependency closures: what a kernel needs, as the text of a kernel unit."""
