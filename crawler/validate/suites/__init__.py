"""A project's own test suite, run with its kernels on the CPU model."""
