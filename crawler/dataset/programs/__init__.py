"""Test programs that are exported with kernels."""
