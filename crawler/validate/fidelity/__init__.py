"""Fidelity: whether a kernel's unit gives the machine code of its whole translation unit."""
