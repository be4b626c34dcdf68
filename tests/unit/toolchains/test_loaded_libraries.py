"""Libraries that programs load."""

from __future__ import annotations

import sys
from pathlib import Path

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
