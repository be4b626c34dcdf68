"""Benchmarks of compile databases and kernel units."""
