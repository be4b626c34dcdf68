"""The index of kernels, and the language in which it is queried."""
