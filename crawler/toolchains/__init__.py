"""Compilers on this machine, and the flags that each takes."""
