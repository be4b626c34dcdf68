"""Launches that a project's own programs, launchers and tests made, as cases of its kernels."""
