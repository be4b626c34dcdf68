"""Measurements; `results/` holds reports of runs that really took place, each with its command and circumstances."""
