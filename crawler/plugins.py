"""Plugin discovery: load the `PLUGIN` of every module in a package."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar, overload

PluginT = TypeVar("PluginT")

_DEFAULT_ORDER: Final = 50


@overload
def load_plugins(package: str) -> tuple[Any, ...]: ...


@overload
def load_plugins(
    package: str, interface: Callable[..., PluginT]
) -> tuple[PluginT, ...]: ...


def load_plugins(
    package: str, interface: Callable[..., Any] | None = None
) -> tuple[Any, ...]:
    """Return the `PLUGIN` of every module in `package` that has one, ordered by `order`
    (default 50), then name.

    `interface` is the protocol that they follow; it gives the result its type. Nothing is checked
    at run time: the contract suite of each package does that.
    """
    # A callable, since mypy takes no protocol where `type[PluginT]` is asked for.
    return _load(package)


@cache
def _load(package: str) -> tuple[Any, ...]:
    path = importlib.import_module(package).__path__
    plugins: list[Any] = []

    for info in pkgutil.iter_modules(path):
        module = importlib.import_module(f"{package}.{info.name}")
        if hasattr(module, "PLUGIN"):
            plugins.append(module.PLUGIN)

    plugins.sort(key=_sort_key)
    return tuple(plugins)


def _sort_key(plugin: Any) -> tuple[int, str]:
    order = getattr(plugin, "order", _DEFAULT_ORDER)
    return order, plugin.name
