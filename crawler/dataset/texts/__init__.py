"""Texts of kernels as a dataset publishes them."""
