"""Extract kernels: from compile commands to the facts of translation units, and from these facts
to the kernels of a commit.
"""
