"""Kernels as tasks of Inspect and of verifiers, installed as the module `kernelset_tasks`.

Both libraries find tasks by the name of a module that stands by itself; neither is needed for
the other's.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["AnswerHarness", "KernelTaskset"]


def __getattr__(name: str) -> Any:
    # verifiers looks here for its classes; Inspect comes by an entry point
    if name in __all__:
        return getattr(import_module(f"{__name__}.verifiers_tasks"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
