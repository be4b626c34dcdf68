"""A build begins from sources alone, none of them newer than another."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.clean_copy import make_clean_copy
from crawler.checkout.source_tree import open_tree


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/a.cu").write_text("__global__ void k() {}\n")
    return root


@pytest.mark.parametrize("name", ["a.o", "liba.a", "a.so", "a.lo", "a.obj", "a.d"])
def test_a_build_product_is_left_out(project: Path, tmp_path: Path, name: str) -> None:
    (project / "src" / name).write_bytes(b"\x7fELF")
    copied_root = make_clean_copy(open_tree(project), tmp_path / "copy")
    assert [path.name for path in (copied_root / "src").iterdir()] == ["a.cu"]
    assert (project / "src" / name).exists()


def test_no_file_is_newer_than_another(project: Path, tmp_path: Path) -> None:
    (project / "configure").write_text("#!/bin/sh\n")
    (project / "configure.ac").write_text("AC_INIT\n")
    copied_root = make_clean_copy(open_tree(project), tmp_path / "copy")
    files = [path for path in copied_root.rglob("*") if path.is_file()]
    assert len(files) == 3
    assert len({path.stat().st_mtime for path in files}) == 1
