"""Libraries that programs load."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from crawler.toolchains import loaded_libraries
from crawler.toolchains.loaded_libraries import list_loaded_libraries


def test_a_program_loads_libc_and_its_loader() -> None:
    names = {path.name for path in list_loaded_libraries([Path(sys.executable)])}
    assert "libc.so.6" in names
    assert any(name.startswith("ld-linux") for name in names)


def test_a_script_and_nothing_load_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    assert list_loaded_libraries([script]) == ()
    assert list_loaded_libraries([]) == ()


def test_they_are_known_whatever_is_on_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = Path("/bin/sh")
    expected = list_loaded_libraries([program])
    loaded_libraries._list_loaded_libraries.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list_loaded_libraries([program]) == expected
    assert expected
