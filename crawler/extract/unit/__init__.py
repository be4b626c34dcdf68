"""Preparing a translation unit so that a parse shows as many kernels as possible."""
