"""Collect GPU kernels from public source code, port them and prove them."""
