"""Choices of a project's macros that reveal kernels which its build leaves out."""
