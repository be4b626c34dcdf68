"""Plugin discovery: load the `PLUGIN` of every module in a package."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any


@cache
def load_plugins(package: str) -> tuple[Any, ...]:
    """Return the `PLUGIN` of every module in `package` that has one, ordered by `order`
    (default 50), then name.
    """
    path = importlib.import_module(package).__path__
    modules = (
        importlib.import_module(f"{package}.{info.name}")
        for info in pkgutil.iter_modules(path)
    )
    found = [module.PLUGIN for module in modules if hasattr(module, "PLUGIN")]
    return tuple(
        sorted(found, key=lambda plugin: (getattr(plugin, "order", 50), plugin.name))
    )
