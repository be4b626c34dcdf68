"""Declarations that a kernel needs without naming them."""
