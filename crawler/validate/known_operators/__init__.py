"""Operators that are known from outside of a project, with NumPy in the place of kernels."""
