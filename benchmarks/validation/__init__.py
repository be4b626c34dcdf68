"""Benchmarks of runs on CPUs and devices."""
