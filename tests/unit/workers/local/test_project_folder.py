"""A project that is named by a locator, in a folder."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from crawler.errors import Misconfigured, NotFound
from workers.config.settings import Settings
from workers.local.project_folder import open_project


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


def write_project(folder: Path) -> Path:
    folder.mkdir()
    (folder / "k.cu").write_text("__global__ void k() {}\n")
    (folder / "test_k.py").write_text("def test_k(): pass\n")
    return folder


def test_a_folder_is_used_as_it_stands(tmp_path: Path, settings: Settings) -> None:
    folder = write_project(tmp_path / "project")

    with open_project(str(folder), settings) as opened:
        assert opened == folder


def test_an_archive_is_unpacked_and_removed_again(
    tmp_path: Path, settings: Settings
) -> None:
    archive = tmp_path / "project.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(write_project(tmp_path / "project"), "project")

    with open_project(str(archive), settings) as opened:
        assert list(opened.rglob("test_k.py"))

    assert not opened.exists()


def test_all_repositories_of_an_owner_are_no_project(settings: Settings) -> None:
    with (
        pytest.raises(Misconfigured, match="name one of them"),
        open_project("github:somebody", settings),
    ):
        pass


def test_what_is_not_there_is_said(tmp_path: Path, settings: Settings) -> None:
    with (
        pytest.raises(NotFound, match="check the path"),
        open_project(str(tmp_path / "missing"), settings),
    ):
        pass
