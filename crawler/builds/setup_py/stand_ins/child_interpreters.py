"""Hook that installs the stand-ins in every Python that a `setup.py` starts."""

from __future__ import annotations

import os
from typing import Final

HOOK_FOLDER: Final = "/opt/kernelset-python"
HOOK_SOURCE: Final = """\
try:
    from crawler.builds.setup_py.stand_ins.real_setuptools import install_library_finder
except ImportError:  # another Python
    pass
else:
    install_library_finder()
"""
HOOK_NAME: Final = "sitecustomize.py"
"""Python imports a module of this name at its start."""


def hook_children() -> None:
    """Have every Python that this one starts run the hook in `HOOK_FOLDER`."""
    os.environ["PYTHONPATH"] = HOOK_FOLDER
