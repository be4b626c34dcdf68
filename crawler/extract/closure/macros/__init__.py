"""Macros of a kernel unit that a file defines again or for some architectures only."""
