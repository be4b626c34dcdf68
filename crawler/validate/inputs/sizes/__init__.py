"""Choices of launch sizes and strides."""
