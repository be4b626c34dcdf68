"""Files that are there whole or not at all, and disks that are full."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from crawler.errors import DiskFull
from storage.blobs.durable_files import (
    remove_stale_files,
    translate_disk_full,
    write_atomically,
)


def test_a_file_is_there_whole(tmp_path: Path) -> None:
    target = tmp_path / "ab" / "cd"
    write_atomically(target, b"x" * 100_000, scratch=tmp_path)
    assert target.read_bytes() == b"x" * 100_000
    write_atomically(target, b"y", scratch=tmp_path)
    assert target.read_bytes() == b"y"
    assert [path.name for path in tmp_path.iterdir()] == ["ab"]


@pytest.mark.parametrize("broken", ["write", "fsync"])
def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    (tmp_path / "kept").write_bytes(b"before")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, broken, full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(tmp_path / "kept", b"after", scratch=tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "kept": b"before"
    }


def test_every_way_of_a_full_disk_is_one_error() -> None:
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        with (
            pytest.raises(DiskFull, match=r"no room for /there .*; free some space"),
            translate_disk_full(),
        ):
            raise OSError(number, "full", "/there")
    with pytest.raises(PermissionError), translate_disk_full():
        raise PermissionError(errno.EACCES, "no")


def test_only_what_was_long_forgotten_is_swept(tmp_path: Path) -> None:
    for name, age in (("old", 3700), ("new", 60)):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    remove_stale_files(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
