"""Names and links in archives: nothing lands outside, and nothing half-written stays."""

from __future__ import annotations

import io
import stat
import struct
import tarfile
import zipfile

import pytest

from crawler.errors import BadArchive
from tests.unit.sources.archive.packed_archives import (
    FORMS,
    Opened,
    make_zip,
    member,
    tar,
)

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


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("a\nb", "a%0Ab"),
        ("a\x1b[2J", "a%1B[2J"),
        ("caf\udce9.cu", "caf%E9.cu"),
        ("a\u202eb", "a%E2%80%AEb"),
    ],
)
def test_a_name_that_cannot_be_printed_is_spelled_as_text(
    unpack: Opened, name: str, spelled: str
) -> None:
    info, content = member(name)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(content))
        archive.addfile(
            *(lambda pair: (pair[0], io.BytesIO(pair[1])))(member("café.cu"))
        )
    assert unpack(packed.getvalue()) == {"café.cu": b"x", spelled: b"x"}


def test_a_zip_that_lies_about_its_sizes_is_corrupt(unpack: Opened) -> None:
    honest = bytearray(make_zip(("bomb", bytes(1 << 19))))
    for start in (honest.find(b"PK\3\4") + 22, honest.find(b"PK\1\2") + 24):
        honest[start : start + 4] = struct.pack("<L", 10)
    with pytest.raises(BadArchive, match="cannot be unpacked"):
        unpack(bytes(honest), "zip")


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
