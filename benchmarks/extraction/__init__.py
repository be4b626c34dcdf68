"""Benchmarks of parsing and extraction."""
