from __future__ import annotations

import os
from pathlib import Path

import pytest

from crawler.checkout import tree_copies
from crawler.checkout.clean_copy import make_clean_copy
from crawler.checkout.source_tree import SourceTree, open_tree
from crawler.checkout.tree_copies import (
    is_write_refused,
    make_linked_copy,
    make_private_copy,
)
from crawler.errors import TooLarge


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/k.cu").write_text("int k;\n")
    (root / "configure").write_text("#!/bin/sh\n")
    (root / "configure").chmod(0o755)
    (root / "alias.h").symlink_to("src/k.cu")
    return open_tree(root)


def test_a_linked_copy_shares_its_files_with_the_checkout(
    tree: SourceTree, tmp_path: Path
) -> None:
    copy = make_linked_copy(tree, tmp_path / "copy")
    assert (copy / "src/k.cu").samefile(tree.root / "src/k.cu")
    assert open_tree(copy).files == tree.files


def test_a_link_of_the_checkout_becomes_a_file_in_a_linked_copy(
    tree: SourceTree, tmp_path: Path
) -> None:
    copy = make_linked_copy(tree, tmp_path / "copy")
    assert not (copy / "alias.h").is_symlink()
    assert (copy / "alias.h").read_text() == "int k;\n"


def test_on_another_disk_files_are_copied(
    tree: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_link(source: Path, target: Path) -> None:
        raise OSError("invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse_link)
    copy = make_linked_copy(tree, tmp_path / "copy")
    assert (copy / "src/k.cu").read_text() == "int k;\n"
    assert not (copy / "src/k.cu").samefile(tree.root / "src/k.cu")


def test_what_a_build_writes_into_a_private_copy_stays_there(
    tree: SourceTree, tmp_path: Path
) -> None:
    copy = make_private_copy(tree, tmp_path / "copy")
    (copy / "src/k.cu").write_text("changed")
    assert tree.read_text("src/k.cu") == "int k;\n"
    assert os.access(copy / "configure", os.X_OK)


def test_large_files_are_empty_in_a_private_copy(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "weights.bin").write_bytes(b"\0" * ((1 << 20) + 1))
    (root / "table.inc").write_bytes(b"1," * (1 << 19))
    copy = make_private_copy(open_tree(root), tmp_path / "copy")
    assert (copy / "weights.bin").stat().st_size == 0
    assert (copy / "table.inc").stat().st_size == 1 << 20


def test_a_huge_checkout_is_not_copied(
    tree: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_copies, "_MAX_COPIED_BYTES", 10)
    with pytest.raises(TooLarge, match="crawl a part of it"):
        make_private_copy(tree, tmp_path / "copy")


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("cp: cannot create regular file 'src/a.h': Read-only file system", True),
        ("OSError: [Errno 30] cannot write 'version.py'", True),
        ("PermissionError: Permission denied: 'build'", True),
        ("[Errno 305] no such thing", False),
        ("nvcc fatal: unsupported architecture", False),
        ("", False),
    ],
)
def test_a_build_that_may_not_write_its_sources_is_told_by_its_log(
    log: str, expected: bool
) -> None:
    assert is_write_refused(log) is expected


def test_a_clean_copy_has_no_build_products_and_one_timestamp(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    names = ["k.cu", "k.o", "k.d", "libk.a", "libk.so", "k.lo", "Makefile", "k.obj"]
    for name in names:
        (root / name).write_text(name)
    os.utime(root / "Makefile", (1, 1))
    copy = make_clean_copy(open_tree(root), tmp_path / "copy")
    assert open_tree(copy).files == ("Makefile", "k.cu")
    timestamps = {path.stat().st_mtime for path in copy.iterdir()}
    assert len(timestamps) == 1
