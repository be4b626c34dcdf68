"""Projects for the contract of the source `local`."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.source_project import (
    CHANGED_FILES,
    FILES,
    SourceProject,
    write_files,
)


def make_folder(request: pytest.FixtureRequest) -> Iterator[SourceProject]:
    tmp_path: Path = request.getfixturevalue("tmp_path")
    folder = tmp_path / "waves"
    write_files(folder, FILES)
    # Neither of the two is a file of the project.
    (folder / "leak").symlink_to("/etc/passwd")
    (folder / ".git").mkdir()

    yield SourceProject(
        locator=str(folder),
        missing_locator=str(tmp_path / "absent"),
        name="waves",
        change=lambda: write_files(folder, CHANGED_FILES),
        remove=lambda: folder.rename(tmp_path / "moved"),
        pins_fetched_files=True,
    )


def make_archive(request: pytest.FixtureRequest) -> Iterator[SourceProject]:
    tmp_path: Path = request.getfixturevalue("tmp_path")
    path = tmp_path / "waves.zip"

    def pack(files: dict[str, bytes]) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)

    pack(FILES)
    yield SourceProject(
        locator=f"local:{path}",
        missing_locator=f"{path}.tar.gz",
        name="waves.zip",
        change=lambda: pack(CHANGED_FILES),
        remove=path.unlink,
        pins_fetched_files=True,
    )


PROJECTS = (make_folder, make_archive)
