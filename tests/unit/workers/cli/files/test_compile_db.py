"""Files are named from anywhere, and a database is there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.headers import overlay
from workers.cli.files.compile_db import (
    _path_in_project,
    _write_atomically,
    _write_overlay,
)


def test_a_file_is_named_from_the_working_folder_or_from_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src/a.cu").touch()
    monkeypatch.chdir(tmp_path)

    for name in ("src/a.cu", "project/src/a.cu", str(project / "src/../src/a.cu")):
        assert _path_in_project(Path("project"), Path(name)) == "src/a.cu"


def test_a_file_elsewhere_keeps_its_name(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "b.cu").touch()
    assert _path_in_project(project, Path("missing.cu")) == "missing.cu"
    outside = tmp_path / "b.cu"
    assert _path_in_project(project, outside) == outside.as_posix()


def test_a_written_file_can_be_read_by_others(tmp_path: Path) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text("old")
    _write_atomically(path, "[]\n")
    assert path.read_text() == "[]\n"
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        _write_atomically(path, "\udc80")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_installations_on_one_home_have_lists_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _write_overlay(tmp_path)
    monkeypatch.setattr(overlay, "ROOT", Path("/opt/kernelset/crawler/headers"))
    second = _write_overlay(tmp_path)

    assert first != second
    assert "/opt/kernelset/" in second.read_text()
    assert "/opt/kernelset/" not in first.read_text()
