"""Compile and run kernel units, and judge their results."""
