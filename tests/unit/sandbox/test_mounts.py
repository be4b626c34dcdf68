"""Mounts that everybody can read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from crawler.sandbox import mounts as mounts_module
from crawler.sandbox.mounts import (
    Mount,
    ensure_readable,
    list_python_mounts,
    make_python_environment,
)


def test_a_file_that_is_removed_while_a_folder_is_looked_at_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").write_text("")
    (tmp_path / "pruned").write_text("")
    tmp_path.chmod(0o755)
    walk = os.walk

    def pruning(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for listed in walk(top):
            (tmp_path / "pruned").unlink()
            yield listed

    monkeypatch.setattr("crawler.sandbox.mounts.os.walk", pruning)
    mount = Mount(source=tmp_path, target="/seen")
    with ExitStack() as resources:
        assert ensure_readable(mount, resources) == mount
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.fixture
def private_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "plain").write_text("plain")
    (folder / "plain").chmod(0o600)
    (folder / "program").write_text("program")
    (folder / "program").chmod(0o700)
    (folder / "link").symlink_to("plain")
    os.mkfifo(folder / "pipe")
    folder.chmod(0o700)
    return folder


def test_what_only_we_can_read_is_shown_as_a_copy(private_folder: Path) -> None:
    mount = Mount(source=private_folder, target="/seen")
    with ExitStack() as resources:
        readable = ensure_readable(mount, resources)
        assert readable.source != private_folder
        assert readable.target == "/seen"
        names = sorted(path.name for path in readable.source.iterdir())
        assert names == ["link", "plain", "program"], "a pipe would block"
        modes = {
            path.name: path.stat().st_mode & 0o777 for path in readable.source.iterdir()
        }
        assert modes == {"link": 0o644, "plain": 0o644, "program": 0o755}
    assert not readable.source.exists()
    assert (private_folder / "plain").stat().st_mode & 0o777 == 0o600


def test_a_copy_among_temporary_files_does_not_hold_itself(
    private_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(private_folder))
    mount = Mount(source=private_folder, target="/seen")
    with ExitStack() as resources:
        readable = ensure_readable(mount, resources)
        names = sorted(path.name for path in readable.source.iterdir())
        assert names == ["link", "plain", "program"]


def test_nothing_of_the_system_is_copied(
    private_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a browser that root once started leaves such a folder deep in /usr/lib
    monkeypatch.setattr(mounts_module, "_SYSTEM_FOLDER", str(private_folder))
    shown_folder = private_folder / "lib"
    shown_folder.mkdir(mode=0o700)
    mount = Mount(source=shown_folder, target="/seen")
    with ExitStack() as resources:
        assert ensure_readable(mount, resources) is mount


def test_a_single_file_is_copied_too(private_folder: Path) -> None:
    mount = Mount(source=private_folder / "plain", target="/seen")
    with ExitStack() as resources:
        readable = ensure_readable(mount, resources)
        assert readable.source.read_text() == "plain"
        assert readable.source.stat().st_mode & 0o777 == 0o644


def test_what_everybody_can_read_is_shown_itself(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    (folder / "file").write_text("")
    (folder / "file").chmod(0o644)
    mount = Mount(source=folder, target="/seen")
    with ExitStack() as resources:
        assert ensure_readable(mount, resources) is mount


def test_a_folder_that_changes_is_looked_at_again(tmp_path: Path) -> None:
    folder = tmp_path / "changing"
    folder.mkdir(mode=0o755)
    mount = Mount(source=folder, target="/seen")
    with ExitStack() as resources:
        assert ensure_readable(mount, resources) is mount
        (folder / "secret").write_text("")
        (folder / "secret").chmod(0o600)
        assert ensure_readable(mount, resources) is not mount


def test_python_and_our_packages_are_shown_at_their_own_paths() -> None:
    mounts = list_python_mounts()
    assert all(str(mount.source) == mount.target for mount in mounts)
    assert Path("/usr") not in {mount.source for mount in mounts}
    package = Path(mounts_module.__file__).resolve().parents[1]
    assert package in {mount.source for mount in mounts}


def test_packages_outside_of_an_installation_are_named_to_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkout = str(Path(mounts_module.__file__).parents[2])
    assert make_python_environment() == {"PYTHONPATH": checkout}
    installed = "/opt/venv/lib/python3.11/site-packages/crawler/sandbox/mounts.py"
    monkeypatch.setattr(mounts_module, "__file__", installed)
    assert make_python_environment() == {}
