"""Evidence of how a kernel is launched: launch sites, host code, the kernel's text, parameter
names.
"""
