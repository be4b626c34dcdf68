"""Slice what computes a launch out of the functions round it."""
