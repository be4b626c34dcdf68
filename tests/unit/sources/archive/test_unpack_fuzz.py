"""Whatever an archive holds, nothing lands outside its folder, and what is refused leaves
nothing.
"""

from __future__ import annotations

import io
import os
import stat
import tarfile
import tempfile
import warnings
import zipfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.errors import CrawlError
from crawler.sources.archive.unpack import unpack_archive
from crawler.sources.interface import Limits

LIMITS = Limits(unpacked_bytes=50_000, file_bytes=20_000, files=20, seconds=20)
PART = st.sampled_from(
    [
        "a",
        "b",
        "..",
        ".",
        "",
        "/",
        "A",
        "\\",
        "\n",
        "\udce9",
        "é",
        " ",
        "-x",
        "n" * 260,
        ".git",
    ]
)
NAME = st.lists(PART, min_size=1, max_size=4).map("/".join)
TYPES = st.sampled_from([bytes([kind]) for kind in b"01234567LKSgx"])
CONTENT = st.binary(max_size=40) | st.sampled_from([bytes(15_000), bytes(25_000)])
FLIPS = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=3
)
TAR = st.lists(st.tuples(NAME, TYPES, NAME, CONTENT), max_size=6)
ZIP = st.lists(st.tuples(NAME, st.integers(0, 0xFFFF), CONTENT), max_size=6)


def check(form: str, packed: bytes, flips: list[tuple[float, int]]) -> None:
    broken = bytearray(packed)
    for place, value in flips:
        broken[int(place * len(broken))] = value
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        destination = root / "in" / "deep"
        destination.mkdir(parents=True)
        (root / f"a.{form}").write_bytes(broken)
        try:
            unpack_archive(root / f"a.{form}", destination, LIMITS)
        except CrawlError:
            assert os.listdir(destination) == []  # noqa: PTH208
        outside = {
            Path(folder, name) for folder, _, names in os.walk(root) for name in names
        }
        outside = {path for path in outside if not path.is_relative_to(destination)}
        assert outside == {root / f"a.{form}"}
        inside = [
            Path(folder, name)
            for folder, _, names in os.walk(destination)
            for name in names
        ]
        states = [path.lstat() for path in inside]
        assert all(
            stat.S_ISREG(state.st_mode) and state.st_nlink == 1 for state in states
        )
        assert sum(state.st_size for state in states) <= LIMITS.unpacked_bytes
        assert all(str(path).isprintable() for path in inside)


@settings(deadline=None, max_examples=150)
@given(
    TAR,
    FLIPS,
    st.sampled_from(["tar", "tar.gz"]),
    st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]),
)
def test_any_tar_archive(
    members: list[tuple[str, bytes, str, bytes]],
    flips: list[tuple[float, int]],
    form: str,
    flavour: int,
) -> None:
    packed = io.BytesIO()
    with tarfile.open(
        fileobj=packed, mode="w:gz" if form == "tar.gz" else "w", format=flavour
    ) as archive:
        for name, kind, link, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, link, len(content)
            archive.addfile(info, io.BytesIO(content))
    check(form, packed.getvalue(), flips)


@settings(deadline=None, max_examples=100)
@given(ZIP, FLIPS)
def test_any_zip_archive(
    members: list[tuple[str, int, bytes]], flips: list[tuple[float, int]]
) -> None:
    packed = io.BytesIO()
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(packed, "w") as archive,
    ):
        for name, mode, content in members:
            info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode())
            info.external_attr = mode << 16
            archive.writestr(info, content)
    check("zip", packed.getvalue(), flips)


@settings(deadline=None, max_examples=150)
@given(
    st.binary(max_size=2_000),
    st.sampled_from(["tar", "tar.gz", "tar.zst", "zip"]),
    st.booleans(),
)
def test_any_bytes(content: bytes, form: str, marked: bool) -> None:
    start = (
        {
            "tar.gz": b"\x1f\x8b\x08",
            "tar.zst": b"\x28\xb5\x2f\xfd",
            "zip": b"PK\3\4",
        }.get(form, b"")
        if marked
        else b""
    )
    check(form, start + content, [])
