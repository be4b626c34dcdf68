"""Kernels as folders of sources, with their metadata beside them."""
