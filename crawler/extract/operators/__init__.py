"""The call chain of an operator, from its Python name to its kernels."""
