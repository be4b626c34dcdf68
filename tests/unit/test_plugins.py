"""Plugins are found by their package alone, and come in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.plugins import load_plugins

PLUGIN = """
class Plugin:
    name = {name!r}
    {order}

PLUGIN = Plugin()
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a package on the path with four modules."""
    name = f"plugins_of_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "late.py").write_text(PLUGIN.format(name="a", order="order = 60"))
    (folder / "early.py").write_text(PLUGIN.format(name="z", order="order = 10"))
    (folder / "plain.py").write_text(PLUGIN.format(name="b", order=""))
    (folder / "helper.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    return name


def test_plugins_come_by_order_and_modules_without_one_are_left_out(
    package: str,
) -> None:
    assert [plugin.name for plugin in load_plugins(package)] == ["z", "b", "a"]


def test_plugins_are_loaded_once(package: str) -> None:
    assert load_plugins(package) is load_plugins(package)


def test_a_package_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        load_plugins("crawler.no_such_package")
