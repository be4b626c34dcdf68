"""Macros and conditional branches of C++ text."""
