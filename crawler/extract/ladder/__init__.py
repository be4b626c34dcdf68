"""Rungs of a kernel's unit: the minimal closure, else the whole translation unit, reduced."""
