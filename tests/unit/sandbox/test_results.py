"""Files that a run leaves are copied out, and nothing that only looks like one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.sandbox.mounts import Mount
from crawler.sandbox.results import copy_results

MANY = 1 << 20


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    folder = tmp_path / "inside"
    (folder / "deep" / "deeper").mkdir(parents=True)
    (folder / "top.o").write_bytes(b"top")
    (folder / "deep" / "deeper" / "low.o").write_bytes(b"low")
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def descriptor(inside: Path) -> Iterator[int]:
    descriptor = os.open(inside, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def copy(
    descriptor: int, outside: Path, *patterns: str, max_bytes: int = MANY
) -> set[str]:
    mount = Mount(source=outside, target="/work", writable=True, copy_back=patterns)
    copy_results(descriptor, mount, max_bytes)
    files = [path for path in outside.rglob("*") if path.is_file()]
    return {str(path.relative_to(outside)) for path in files}


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (("**",), {"top.o", "deep/deeper/low.o"}),
        (("*",), {"top.o"}),
        (("*.o", "other"), {"top.o"}),
        (("other",), set()),
        ((), set()),
    ],
)
def test_a_mount_says_what_comes_back(
    descriptor: int, outside: Path, patterns: tuple[str, ...], expected: set[str]
) -> None:
    assert copy(descriptor, outside, *patterns) == expected


def test_content_time_and_executable_bit_come_back(
    inside: Path, descriptor: int, outside: Path
) -> None:
    (inside / "top.o").chmod(0o4777)
    os.utime(inside / "top.o", ns=(5, 7))
    copy(descriptor, outside, "**")
    status = (outside / "top.o").stat()
    assert (outside / "top.o").read_bytes() == b"top"
    assert status.st_mtime_ns == 7
    assert status.st_mode & 0o7777 == 0o755, "neither setuid nor writable by others"
    assert (outside / "deep/deeper/low.o").stat().st_mode & 0o777 == 0o644


def test_links_pipes_and_names_that_control_a_terminal_stay(
    inside: Path, descriptor: int, outside: Path
) -> None:
    (inside / "link").symlink_to("/etc/passwd")
    (inside / "linked").symlink_to("/etc")
    os.mkfifo(inside / "pipe")
    (inside / "red\x1b[31m").write_bytes(b"x")
    (inside / "bell\x07").mkdir()
    (inside / "bell\x07" / "file").write_bytes(b"x")
    assert copy(descriptor, outside, "**") == {"top.o", "deep/deeper/low.o"}


def test_a_link_on_the_host_is_replaced_not_followed(
    descriptor: int, outside: Path, tmp_path: Path
) -> None:
    (tmp_path / "precious").write_bytes(b"precious")
    (outside / "top.o").symlink_to(tmp_path / "precious")
    copy(descriptor, outside, "*")
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert (outside / "top.o").read_bytes() == b"top"


def test_what_is_too_large_stays_and_smaller_files_still_come(
    inside: Path, descriptor: int, outside: Path
) -> None:
    (inside / "huge").write_bytes(bytes(1000))
    assert copy(descriptor, outside, "*", max_bytes=500) == {"top.o"}


def test_all_files_together_have_one_bound(
    inside: Path, descriptor: int, outside: Path
) -> None:
    for number in range(10):
        (inside / f"{number}.bin").write_bytes(bytes(100))
    copied = copy(descriptor, outside, "*.bin", max_bytes=350)
    assert len(copied) == 3


def test_what_has_not_changed_is_not_written_again(
    inside: Path, descriptor: int, outside: Path
) -> None:
    (outside / "top.o").write_bytes(b"old")
    status = (inside / "top.o").stat()
    os.utime(outside / "top.o", ns=(status.st_mtime_ns, status.st_mtime_ns))
    copy(descriptor, outside, "*")
    assert (outside / "top.o").read_bytes() == b"old"
