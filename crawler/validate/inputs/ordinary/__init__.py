"""The ordinary trial of a kernel, from which all cases start."""
