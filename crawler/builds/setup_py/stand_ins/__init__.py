"""Run a `setup.py` in the sandbox: `python -m crawler.builds.setup_py.stand_ins REQUEST
RECORD`.

`python -m crawler.builds.setup_py.stand_ins ASKED RECORD`: it writes down the extensions that
are declared, what would
have been compiled, and which variables of the environment were asked for. Nothing here knows of
the rest of Kernelset.
"""
