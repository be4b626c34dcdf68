"""Run a `setup.py` in the sandbox without its build requirements."""
