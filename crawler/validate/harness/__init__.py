"""Host harnesses that a person can build and run: a kernel unit with its host code, cases and
golden outputs.
"""
