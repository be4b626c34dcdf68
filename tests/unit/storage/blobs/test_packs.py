"""Packs under crashes, forks and full disks: what was promised is there, what was not leaves no
trace that matters.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from storage.blobs import packs
from storage.blobs.packs import PackWriter


def read_packs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.pack")}


def test_frames_lie_where_it_says(tmp_path: Path) -> None:
    writer = PackWriter(tmp_path)
    frames = [b"one", b"", b"three"]
    places = writer.append(frames) + writer.append([b"four"])
    for (name, offset), frame in zip(places, [*frames, b"four"], strict=True):
        assert read_packs(tmp_path)[name][offset : offset + len(frame)] == frame
    assert len(read_packs(tmp_path)) == 1
    writer.close()


def test_a_full_pack_is_left_and_another_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packs, "MAX_PACK_BYTES", 10)
    writer = PackWriter(tmp_path)
    places = writer.append([b"12345", b"67890", b"abc", b"larger than any pack may be"])
    assert len({name for name, _ in places}) == 2
    assert writer.append([b"next"])[0][0] not in {name for name, _ in places}
    writer.close()
    assert PackWriter(tmp_path).append([b"again"])[0][0] == writer.pack_name


def test_two_writers_never_share_a_pack(tmp_path: Path) -> None:
    first, second = PackWriter(tmp_path), PackWriter(tmp_path)
    assert first.append([b"a"])[0][0] != second.append([b"b"])[0][0]
    mine = first.pack_name
    first.close()
    third = PackWriter(tmp_path)
    assert third.append([b"c"]) == [(mine, 1)], (
        "what is let go is taken up, behind what is there"
    )
    for writer in (second, third):
        writer.close()


def test_a_killed_writer_leaves_its_pack_to_the_next_one_with_a_torn_end(
    tmp_path: Path,
) -> None:
    dying = f"""
import os, signal
from pathlib import Path
from storage.blobs.packs import PackWriter
writer = PackWriter(Path({str(tmp_path)!r}))
writer.append([b"whole"])
os.write(writer._descriptor, b"to")
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", dying], check=False).returncode == -9
    writer = PackWriter(tmp_path)
    ((name, offset),) = writer.append([b"next"])
    assert read_packs(tmp_path) == {name: b"wholetonext"}
    assert offset == 7
    writer.close()


def test_a_write_that_fails_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = PackWriter(tmp_path)
    ((name, _),) = writer.append([b"before"])

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fdatasync", full)
        with pytest.raises(OSError, match="No space"):
            writer.append([b"lost"])
    assert read_packs(tmp_path) == {name: b"before"}
    assert writer.append([b"after"]) == [(name, 6)]
    writer.close()


def test_a_fork_writes_to_a_pack_of_its_own(tmp_path: Path) -> None:
    forking = f"""
import os
from pathlib import Path
from storage.blobs.packs import PackWriter
writer = PackWriter(Path({str(tmp_path)!r}))
mine = writer.append([b"parent"])[0][0]
child = os.fork()
if not child:
    os._exit(writer.append([b"child"])[0][0] == mine)
_, status = os.waitpid(child, 0)
assert status == 0, "the child wrote into the parent's pack"
assert writer.append([b"parent"]) == [(mine, 6)]
"""
    subprocess.run([sys.executable, "-c", forking], check=True)
