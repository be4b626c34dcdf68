"""Archives that want to write outside of their folder, as members of a tar."""

from __future__ import annotations

import tarfile
from typing import Final

from tests.unit.sources.archive.packed_archives import member

Members = tuple[tuple[tarfile.TarInfo, bytes], ...]


def link(
    name: str, target: str, kind: bytes = tarfile.SYMTYPE
) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, b"", type=kind, linkname=target)


_LONG: Final = "d" * 247
# each step of a link is a folder with a name so long that the whole path has no room to be resolved
_STEPS: Final = tuple(
    each
    for depth in range(16)
    for each in (
        member("/".join([_LONG] * depth + [_LONG]), b"", type=tarfile.DIRTYPE),
        link("/".join([_LONG] * depth + ["a"]), _LONG),
    )
)
ARCHIVES: Final[dict[str, Members]] = {
    "CVE-2007-4559 a name with dots": (member("../../out"),),
    "CVE-2007-4559 a name from the root": (member("/tmp/out"),),
    "CVE-2025-4517 a link whose path is too long to be resolved": (
        *_STEPS,
        link("escape", f"{'a/' * 16}../../../../out"),
        member("escape"),
    ),
    "CVE-2025-4330 a link through a link": (
        link("a", "."),
        link("a/b", "../out"),
        member("b", b"caught"),
    ),
    "CVE-2025-4138 a link out of a folder that holds no link": (
        member("a/b", b"", type=tarfile.DIRTYPE),
        link("a/b/up", "../../../out"),
        member("a/b/up"),
    ),
    "CVE-2025-4435 what was refused, written all the same": (
        member("refused", b"", type=tarfile.CHRTYPE),
        member("refused/../../out"),
    ),
    "CVE-2025-8194 a size below zero": (
        member("a", pax_headers={"size": "-512"}),
        member("../out"),
    ),
    "CVE-2025-45582 GNU tar: a folder of the last archive that became a link": (
        link("x", "../.."),
        member("x/out"),
    ),
    "CVE-2024-6232 a header that is searched for ever": (
        member("pax", b"1" * 100_000, type=tarfile.XHDTYPE),
        member("a"),
    ),
    "CVE-2023-39804 attributes without an end": (
        member("a", pax_headers={"SCHILY.xattr.user.a": "x" * 100_000}),
    ),
    "CVE-2022-48303 a number of 256 bits": (member("a", mtime=-(1 << 60)),),
    "CVE-2026-23745 a hard link to a path from the root": (
        link("own", "/tmp/out", tarfile.LNKTYPE),
        member("own", b"caught"),
    ),
    "CVE-2024-12718 rights of what lies outside": (
        member("../out", b"", type=tarfile.DIRTYPE, mode=0o777),
    ),
    "CVE-2021-32803 a folder that became a link": (
        member("d", b"", type=tarfile.DIRTYPE),
        link("d", "/tmp"),
        member("d/out"),
    ),
    "CVE-2021-37701 a folder and a link that differ by a backslash": (
        member("d", b"", type=tarfile.DIRTYPE),
        link("d\\", "/tmp"),
        member("d\\/out"),
    ),
    "CVE-2016-6321 dots behind a name": (member("etc/../../out"),),
    "a hard link to accounts": (
        link("own", "/etc/passwd", tarfile.LNKTYPE),
        member("own"),
    ),
    "a hard link out of the folder": (link("own", "../../out", tarfile.LNKTYPE),),
    "a disk": (member("disk", b"", type=tarfile.BLKTYPE, devmajor=254),),
    "a pipe that nobody writes to": (member("pipe", b"", type=tarfile.FIFOTYPE),),
    "a program that runs as its owner": (member("own", b"x", mode=0o6755),),
}
