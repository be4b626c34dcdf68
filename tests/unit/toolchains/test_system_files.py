"""What of this machine sources and programs have to see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.toolchains import system_files
from crawler.toolchains.discovery import find_clang

LISTS = [
    system_files.list_compiler_files,
    system_files.list_runtime_files,
    system_files.list_parser_files,
]


@pytest.mark.parametrize("list_files", LISTS)
def test_no_folder_that_programs_of_all_kinds_share_is_among_them(
    list_files: Callable[[], tuple[Path, ...]],
) -> None:
    listed = {path.resolve() for path in list_files()}
    for name in ("/", "/usr", "/usr/bin", "/usr/share", "/usr/local", "/root", "/etc"):
        assert Path(name) not in listed


@pytest.mark.apt
def test_a_compiler_sees_itself_and_its_headers() -> None:
    clang = find_clang()
    assert clang is not None
    listed = system_files.list_compiler_files()
    assert clang.path in listed
    assert clang.resource_dir in listed
    assert Path("/usr/include") in listed


def test_a_program_sees_libraries_and_no_header() -> None:
    names = [path.name for path in system_files.list_runtime_files()]
    assert "libc.so.6" in names
    assert all(".so" in name for name in names)
