"""Measurements: ratios within one run, with the results that were seen in `results/`."""
