"""Naming conventions of the field: what names of kernels' parameters usually mean."""
