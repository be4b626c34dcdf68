"""Test inputs of a kernel: argument layout, buffer contents, sizes and cases, found by tracing
runs.
"""
