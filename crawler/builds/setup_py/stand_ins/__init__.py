"""Run a `setup.py` in the sandbox with stand-ins for its build requirements.

`python -m crawler.builds.setup_py.stand_ins REQUEST RECORD` writes the extensions that are
declared, the compilers that would have been started, and the variables of the environment that
were read, as JSON into the file RECORD. Nothing here imports another part of Kernelset.
"""
