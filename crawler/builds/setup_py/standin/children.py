"""The Pythons that a setup starts: each has the stand-ins for torch and numpy, by a hook that it begins with."""

from __future__ import annotations

import os
from typing import Final

FOLDER: Final = "/opt/kernelset-python"
HOOK: Final = """\
try:
    from crawler.builds.setup_py.standin.real import serve
except ImportError:  # another Python
    pass
else:
    serve()
"""
NAME: Final = "sitecustomize.py"


def hook_children() -> None:
    """Have every Python that this one starts run the hook, which lies in `FOLDER`."""
    os.environ["PYTHONPATH"] = FOLDER
