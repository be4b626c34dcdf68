"""Runs kernels on a real device: standard library only, so that it can be carried to a bare machine with any Python."""
