"""Constructs that nvcc accepts and clang does not, one module each."""
