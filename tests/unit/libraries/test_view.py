"""Compilers are shown one library alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import MissingTool
from crawler.libraries import view
from crawler.model import Dialect
from tests.header_libraries import naming, plant_thrust


def test_nothing_else_of_its_folder_is_seen(thrust: Path) -> None:
    (thrust / "stdio.h").write_text("#error another library's\n")
    option, folder, *_ = view.get_include_flags(("thrust",), Dialect.CUDA)
    assert option == "-isystem"
    folder_names = {path.name for path in Path(folder).iterdir() if path.is_dir()}
    assert folder_names == {"thrust", "cub"}
    assert (Path(folder) / "thrust/detail/vector_base.h").is_file()


def test_the_sandbox_is_shown_what_lies_outside_of_usr(thrust: Path) -> None:
    assert view.list_readable_folders(["thrust"]) == (
        thrust / "thrust",
        thrust / "cub",
    )


def test_a_library_that_nobody_knows_is_an_error_with_a_remedy() -> None:
    with pytest.raises(MissingTool, match="kernelset doctor"):
        view.get_include_flags(("nobody",), Dialect.CUDA)


def test_another_folder_is_another_view(thrust: Path, tmp_path: Path) -> None:
    before = view.get_include_flags(("thrust",), Dialect.CUDA)
    with naming(plant_thrust(tmp_path / "other")):
        assert view.get_include_flags(("thrust",), Dialect.CUDA) != before
