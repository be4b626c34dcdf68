"""Runs kernels on a GPU: standard library only, so that any machine with Python 3.8 can run it."""
