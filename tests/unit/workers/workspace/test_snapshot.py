"""A snapshot holds the text of a checkout, the same bytes for the same files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crawler.errors import NoKernels, TooLarge
from workers.workspace import snapshot


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, content in {
        "src/a.cu": b"__global__ void k() {}\n",
        "LICENSE": b"MIT License\n",
        "logo.png": b"\x89PNG\x00\x01",
        "mesh.obj": b"v 0 0 0\n",
        ".git/config": b"[core]\n",
        "weights.txt": b"0.1 " * (2 << 20),
        "latin\udce9.h": b"// caf\xe9\n",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (root / "configure").write_text("#!/bin/sh\n")
    (root / "configure").chmod(0o700)
    (root / "escape").symlink_to("/etc/passwd")
    return root


def unpack_files(archive: bytes, folder: Path) -> dict[str, bytes]:
    snapshot.unpack_snapshot(archive, folder)
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_it_keeps_sources_and_leaves_the_rest_out(tree: Path, tmp_path: Path) -> None:
    files = unpack_files(
        snapshot.pack_snapshot(tree, limit=1 << 20), tmp_path / "again"
    )
    assert sorted(files) == ["LICENSE", "configure", "latin\udce9.h", "src/a.cu"]
    assert files["latin\udce9.h"] == b"// caf\xe9\n"
    assert os.access(tmp_path / "again/configure", os.X_OK)


def test_the_same_files_give_the_same_bytes_whenever_and_whoever(tree: Path) -> None:
    first = snapshot.pack_snapshot(tree, limit=1 << 20)
    for path in tree.rglob("*"):
        if not path.is_symlink():
            os.utime(path, (0, 0))
    assert snapshot.pack_snapshot(tree, limit=1 << 20) == first
    (tree / "src/a.cu").write_text("__global__ void other() {}\n")
    assert snapshot.pack_snapshot(tree, limit=1 << 20) != first


def test_the_sandbox_may_read_what_is_unpacked(tree: Path, tmp_path: Path) -> None:
    (tree / "src/a.cu").chmod(0o600)
    (tree / "src").chmod(0o700)
    unpack_files(snapshot.pack_snapshot(tree, limit=1 << 20), tmp_path / "again")
    assert (tmp_path / "again/src").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "again/src/a.cu").stat().st_mode & 0o777 == 0o644


def test_too_much_text_is_refused(tree: Path) -> None:
    with pytest.raises(TooLarge, match="snapshot_bytes"):
        snapshot.pack_snapshot(tree, limit=30)


def test_a_tree_without_device_code_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "main.cpp").write_text("int main() {}\n")
    with pytest.raises(NoKernels):
        snapshot.pack_snapshot(tmp_path, limit=1 << 20)
    (tmp_path / "hidden.h").write_text("__global__ void k();\n")
    assert snapshot.pack_snapshot(tmp_path, limit=1 << 20)


def test_files_that_are_left_out_are_named_where_nothing_else_is_there(
    tmp_path: Path,
) -> None:
    (tmp_path / "binary.cu").write_bytes(b"__global__ void k() {}\0")
    (tmp_path / "large.cuh").write_bytes(b" " * (snapshot.MAX_FILE_BYTES + 1))
    (tmp_path / "link.hip").symlink_to("/etc/passwd")
    (tmp_path / "more.cu").write_bytes(b"\0")
    with pytest.raises(NoKernels) as raised:
        snapshot.pack_snapshot(tmp_path, limit=1 << 20)
    assert str(raised.value).partition(": ")[2] == (
        "binary.cu is binary; large.cuh has more than 4 MiB; link.hip is no regular file; "
        "1 more are like them"
    )
