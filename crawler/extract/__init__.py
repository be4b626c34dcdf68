"""From a compile command to the facts of its translation unit, and from all facts of a commit
to kernels.
"""
