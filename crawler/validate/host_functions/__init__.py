"""Functions of a project's host code that compute what a kernel computes."""
