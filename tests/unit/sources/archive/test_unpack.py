"""Hostile archives: nothing lands outside, nothing half-written stays, and each is refused in
bounded time.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import resource
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from crawler.errors import BadArchive, CrawlError, TooLarge
from crawler.sources.archive.unpack import unpack_archive
from crawler.sources.interface import Limits

LIMITS = Limits(unpacked_bytes=1 << 20, file_bytes=1 << 19, files=100, seconds=20)
FORMS: dict[str, Callable[[bytes], bytes]] = {
    "tar": bytes,
    "tar.gz": gzip.compress,
    "tar.bz2": bz2.compress,
    "tar.xz": lzma.compress,
    "tar.zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def member(
    name: str, content: bytes = b"x", **fields: object
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def make_zip(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.fixture
def unpack(tmp_path: Path) -> Callable[..., dict[str, bytes]]:
    """Unpack bytes, and hold that nothing appeared but in the destination."""

    def call(
        content: bytes, form: str = "tar", limits: Limits = LIMITS
    ) -> dict[str, bytes]:
        room = Path(tempfile.mkdtemp(dir=tmp_path))
        archive, destination = room / f"a.{form}", room / "in" / "deep"
        destination.mkdir(parents=True)
        archive.write_bytes(content)
        try:
            unpack_archive(archive, destination, limits)
        except CrawlError:
            assert list(destination.iterdir()) == []
            raise
        finally:
            everywhere = {
                path for path in room.rglob("*") if not path.is_relative_to(destination)
            }
            assert everywhere == {archive, destination.parent}
        paths = list(destination.rglob("*"))
        assert all(
            stat.S_ISREG(path.lstat().st_mode) or path.is_dir() for path in paths
        )
        return {
            path.relative_to(destination).as_posix(): path.read_bytes()
            for path in paths
            if path.is_file()
        }

    return call


Opened = Callable[..., dict[str, bytes]]
NAMES = [
    "/etc/passwd",
    "../out",
    "a/../../out",
    "..",
    "a\\..\\b",
    "n" * 300,
    "/".join(["d" * 200] * 6),
    ".",
    "//x",
]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_honest_is_unpacked(unpack: Opened, form: str) -> None:
    content = tar(
        member("p/a.cu", b"kernel"), member("p/empty", b""), member("./p/./b", b"dots")
    )
    assert unpack(FORMS[form](content), form) == {
        "p/a.cu": b"kernel",
        "p/empty": b"",
        "p/b": b"dots",
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_leaves_the_folder_or_fits_nowhere_refuses_the_archive(
    unpack: Opened, name: str
) -> None:
    for content, form in (
        (tar(member("first"), member(name)), "tar"),
        (make_zip(("first", b"x"), (name, b"x")), "zip"),
    ):
        with pytest.raises(BadArchive, match="the archive is refused"):
            unpack(content, form)


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.FIFOTYPE,
    ],
)
def test_links_and_devices_are_left_out(unpack: Opened, kind: bytes) -> None:
    odd = member("odd", b"", type=kind, linkname="/etc/passwd")
    assert unpack(tar(odd, member("a"))) == {"a": b"x"}


def test_a_file_behind_a_link_lands_in_a_folder_of_that_name(unpack: Opened) -> None:
    link = member("way", b"", type=tarfile.SYMTYPE, linkname="../..")
    assert unpack(tar(link, member("way/out", b"caught"))) == {"way/out": b"caught"}
    written = member("own", b"mine")
    assert unpack(
        tar(member("a", b"", type=tarfile.LNKTYPE, linkname="own"), written)
    ) == {"own": b"mine"}


def test_links_in_zip_archives_are_left_out(unpack: Opened) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert unpack(make_zip((link, b"/etc/passwd"), ("a", b"x")), "zip") == {"a": b"x"}


def test_the_later_of_two_members_of_one_name_wins(unpack: Opened) -> None:
    assert unpack(tar(member("a", b"first"), member("./a", b"later"))) == {
        "a": b"later"
    }
    assert unpack(tar(member("A", b"upper"), member("a", b"lower"))) == {
        "A": b"upper",
        "a": b"lower",
    }


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a")])
def test_a_file_that_is_a_folder_too_refuses_the_archive(
    unpack: Opened, names: tuple[str, str]
) -> None:
    with pytest.raises(BadArchive, match="both a file and a folder"):
        unpack(tar(*(member(name) for name in names)))


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2J", "caf\udce9.cu", "a\u202eb"])
def test_a_name_that_cannot_be_printed_is_left_out(unpack: Opened, name: str) -> None:
    info, content = member(name)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(content))
        archive.addfile(
            *(lambda pair: (pair[0], io.BytesIO(pair[1])))(member("café.cu"))
        )
    assert unpack(packed.getvalue()) == {"café.cu": b"x"}


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


def test_a_zip_directory_of_millions_is_not_read(unpack: Opened) -> None:
    count = 3_000
    record = struct.pack("<4s6H3L5H2L", b"PK\1\2", *[0] * 16)
    directory = record * count
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), 0, 0)
    with pytest.raises(TooLarge, match="100 members"):
        unpack(directory + end, "zip")


def test_a_zip_that_lies_about_its_sizes_is_corrupt(unpack: Opened) -> None:
    honest = bytearray(make_zip(("bomb", bytes(1 << 19))))
    for start in (honest.find(b"PK\3\4") + 22, honest.find(b"PK\1\2") + 24):
        honest[start : start + 4] = struct.pack("<L", 10)
    with pytest.raises(BadArchive, match="cannot be unpacked"):
        unpack(bytes(honest), "zip")


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


@pytest.mark.parametrize("form", [*FORMS, "zip"])
def test_a_cut_archive_is_corrupt_wherever_it_is_cut(unpack: Opened, form: str) -> None:
    content = bytes(range(256)) * 20
    whole = (
        make_zip(("a", content), ("b", content))
        if form == "zip"
        else FORMS[form](tar(member("a", content), member("b", content)))
    )
    # the zeros that end a plain tar may lack
    end = len(whole) - 8_192 if form == "tar" else len(whole)
    for cut in {
        0,
        1,
        10,
        end // 3,
        end // 2,
        end - 1_024 if form == "tar" else end - 5,
    }:
        with pytest.raises(BadArchive, match="cannot be unpacked"):
            unpack(whole[:cut], form)


@pytest.mark.parametrize("form", [*FORMS, "zip"])
def test_a_flipped_bit_in_the_content_is_noticed(unpack: Opened, form: str) -> None:
    if form == "tar":
        whole, spot = tar(member("a"), member("b")), 1_024 + 20
    elif form == "zip":
        whole = make_zip(("a", bytes(range(256)) * 20))
        spot = 60
    else:
        whole = FORMS[form](tar(member("a", bytes(range(256)) * 20)))
        spot = len(whole) // 2
    broken = bytearray(whole)
    broken[spot] ^= 0x10
    with pytest.raises(BadArchive, match="cannot be unpacked"):
        unpack(bytes(broken), form)


@pytest.mark.parametrize("form", ["tar.gz", "zip"])
@pytest.mark.parametrize(
    "content",
    [b"", b"not an archive", b"\x1f\x8b", b"PK\3\4", b"BZh9", b"\x28\xb5\x2f\xfd"],
)
def test_what_is_no_archive_is_corrupt(
    unpack: Opened, content: bytes, form: str
) -> None:
    with pytest.raises(BadArchive, match="cannot be unpacked"):
        unpack(content, form)


def test_an_encrypted_zip_is_refused(unpack: Opened) -> None:
    locked = bytearray(make_zip(("a", b"x")))
    for start in (locked.find(b"PK\3\4") + 6, locked.find(b"PK\1\2") + 8):
        locked[start] |= 1
    with pytest.raises(BadArchive, match="cannot be unpacked"):
        unpack(bytes(locked), "zip")


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
