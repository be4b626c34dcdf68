"""Kernels as tasks of the libraries that people evaluate and train models with."""
