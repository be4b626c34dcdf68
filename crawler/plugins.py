"""Plugin discovery: load the `PLUGIN` of every module in a package."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any, Final

_DEFAULT_ORDER: Final = 50


@cache
def load_plugins(package: str) -> tuple[Any, ...]:
    """Return the `PLUGIN` of every module in `package` that has one.

    They are ordered by their `order` (default 50), then by `name`.
    """
    path = importlib.import_module(package).__path__
    plugins: list[Any] = []

    for info in pkgutil.iter_modules(path):
        module = importlib.import_module(f"{package}.{info.name}")
        if hasattr(module, "PLUGIN"):
            plugins.append(module.PLUGIN)

    return tuple(sorted(plugins, key=_sort_key))


def _sort_key(plugin: Any) -> tuple[int, str]:
    return getattr(plugin, "order", _DEFAULT_ORDER), plugin.name
