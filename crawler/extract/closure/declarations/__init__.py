"""Declarations as a kernel unit holds them."""
