"""Plugins are found by the modules of a package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from crawler.plugins import load_plugins


def write_plugin(folder: Path, module: str, name: str, order: int | None) -> None:
    lines = ["class Plugin:", f"    name = {name!r}"]
    if order is not None:
        lines.append(f"    order = {order}")
    lines.append("PLUGIN = Plugin()")
    (folder / f"{module}.py").write_text("\n".join(lines))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "some_plugins"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return folder


def test_plugins_are_sorted_by_order_then_by_name(package: Path) -> None:
    write_plugin(package, "a", "last", 90)
    write_plugin(package, "b", "zebra", None)
    write_plugin(package, "c", "ant", 50)
    write_plugin(package, "d", "first", 10)
    (package / "helper.py").write_text("VALUE = 1")
    plugins = load_plugins("some_plugins")
    assert [plugin.name for plugin in plugins] == ["first", "ant", "zebra", "last"]


@pytest.mark.parametrize(
    "package_name", ["crawler.sources.providers", "crawler.dataset.exporters"]
)
def test_names_of_our_plugins_are_unique(package_name: str) -> None:
    names = [plugin.name for plugin in load_plugins(package_name)]
    assert names
    assert len(names) == len(set(names))
