"""Evaluate BUILD files and their macros in a bounded subset of Starlark."""
