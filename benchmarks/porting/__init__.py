"""Benchmarks of the port from CUDA to HIP."""
