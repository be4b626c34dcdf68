"""Archives that are too much: each is refused in bounded time."""

from __future__ import annotations

import gzip
import resource
import struct
import subprocess
import sys
import tarfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import BadArchive, TooLarge
from crawler.sources.archive.unpack import unpack_archive
from tests.unit.sources.archive.packed_archives import (
    FORMS,
    LIMITS,
    Opened,
    make_zip,
    member,
    tar,
)


def test_a_member_that_is_too_large_is_left_out(unpack: Opened) -> None:
    content = tar(member("large", bytes(LIMITS.file_bytes + 1)), member("a"))
    assert unpack(content) == {"a": b"x"}


def test_many_members_of_a_middling_size_are_too_much(unpack: Opened) -> None:
    content = tar(*(member(f"m{index}", bytes(1 << 18)) for index in range(5)))
    for form, press in FORMS.items():
        with pytest.raises(TooLarge):
            unpack(press(content), form)
    with pytest.raises(TooLarge):
        unpack(make_zip(*((f"m{index}", bytes(1 << 18)) for index in range(5))), "zip")


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE])
def test_members_of_any_kind_are_counted(unpack: Opened, kind: bytes) -> None:
    with pytest.raises(TooLarge, match="100 members"):
        unpack(tar(*(member(f"m{index}", b"", type=kind) for index in range(101))))


@pytest.mark.parametrize("form", ["tar", "tar.gz", "zip"])
def test_an_archive_of_too_many_members_is_refused_before_most_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    names = [f"m{index}" for index in range(6_000)]
    archive = tmp_path / f"a.{form}"
    if form == "zip":
        archive.write_bytes(make_zip(*((name, b"") for name in names)))
    else:
        long_name = member("n" * 200, b"longer than a block" * 60)
        content = tar(long_name, *(member(name) for name in names))
        archive.write_bytes(FORMS[form](content))
    written: list[Path] = []

    def clear(folder: Path) -> None:
        written.extend(folder.iterdir())

    monkeypatch.setattr("crawler.sources.archive.unpack.clear_folder", clear)
    (tmp_path / "in").mkdir()
    limits = replace(LIMITS, files=5_000, unpacked_bytes=1 << 24)
    with pytest.raises(TooLarge, match="over 5000 members: raise `files`"):
        unpack_archive(archive, tmp_path / "in", limits)
    assert len(written) <= 2_000
    unpack_archive(archive, tmp_path / "in", replace(limits, files=6_001))


def test_a_zip_directory_of_millions_is_not_read(unpack: Opened) -> None:
    count = 3_000
    record = struct.pack("<4s6H3L5H2L", b"PK\1\2", *[0] * 16)
    directory = record * count
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), 0, 0)
    with pytest.raises(TooLarge, match="100 members"):
        unpack(directory + end, "zip")


def test_gigabytes_of_nothing_end_at_the_limit(unpack: Opened) -> None:
    huge = tarfile.TarInfo("huge")
    huge.size = 1 << 40
    content = gzip.compress(huge.tobuf(tarfile.GNU_FORMAT) + bytes(8 << 20))
    with pytest.raises(TooLarge, match="unpacked_bytes"):
        unpack(content, "tar.gz")
    trailing = gzip.compress(tar(member("a")) + bytes(8 << 20))
    with pytest.raises(TooLarge, match="unpacked_bytes"):
        unpack(trailing, "tar.gz")


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
    ],
)
def test_a_header_that_asks_for_all_memory_is_refused(
    unpack: Opened, kind: bytes
) -> None:
    header = tarfile.TarInfo("h")
    header.type, header.size = kind, 1 << 36
    with pytest.raises(BadArchive, match="a header is too large"):
        unpack(
            gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20)), "tar.gz"
        )


def test_a_header_that_is_slow_to_read_costs_little(unpack: Opened) -> None:
    header = tarfile.TarInfo("h")
    header.type, header.size = tarfile.XHDTYPE, 30 << 10
    slow = header.tobuf(tarfile.GNU_FORMAT) + b"1" * (30 << 10)
    began = time.monotonic()
    with pytest.raises(TooLarge, match="takes too long"):
        unpack(
            (slow + tar(member("a"))[:1024]) * 40 + bytes(1024),
            limits=replace(LIMITS, seconds=1, unpacked_bytes=1 << 24),
        )
    assert time.monotonic() - began < 15


def test_headers_upon_headers_are_refused(unpack: Opened) -> None:
    header = tarfile.TarInfo("h")
    header.type, header.size = tarfile.XHDTYPE, 0
    with pytest.raises(BadArchive):
        unpack(header.tobuf(tarfile.GNU_FORMAT) * 3_000)


def test_a_full_disk_is_no_fault_of_the_archive(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar(member("a", bytes(100_000))))
    (tmp_path / "in").mkdir()
    program = (
        "import resource, signal, sys; from pathlib import Path; from crawler.sources.options import Limits;"
        "from crawler.sources.archive.unpack import unpack_archive; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, {resource.RLIM_INFINITY}));"
        "unpack_archive(Path(sys.argv[1]), Path(sys.argv[2]), Limits())"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "a.tar", tmp_path / "in"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "OSError: [Errno 27]" in ended.stderr.splitlines()[-1]
    assert list((tmp_path / "in").iterdir()) == []


def test_limits_may_be_raised(unpack: Opened) -> None:
    content = tar(*(member(f"m{index}", b"") for index in range(101)))
    assert len(unpack(content, limits=replace(LIMITS, files=101))) == 101
