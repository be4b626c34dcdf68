"""A program that runs a `setup.py` inside the sandbox with stand-ins for torch and setuptools.

`python -m crawler.builds.setup_py.standin ASKED RECORD`: it writes down the extensions that are declared, what would
have been compiled, and which variables of the environment were asked for. Nothing here knows of the rest of Kernelset.
"""
