"""Kernels, launches and closures out of translation units, by AST and by syntax."""
