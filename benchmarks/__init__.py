"""Benchmarks; `results/` holds reports of real runs, each with its command and circumstances."""
