"""Commands about the kernels of the index."""
