"""The bundled headers and the digest that addresses what depends on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler import headers


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(headers, "ROOT", tmp_path)
    headers.headers_digest.cache_clear()
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / "a.h").write_text("int a;")
    return tmp_path


@pytest.fixture(autouse=True)
def _forget_digest() -> None:
    headers.headers_digest.cache_clear()


def digest() -> str:
    headers.headers_digest.cache_clear()
    return headers.headers_digest()


def test_headers_are_listed_in_order_without_other_files(tree: Path) -> None:
    (tree / "cuda" / "vector").write_text("")
    (tree / "overlay.py").write_text("")
    (tree / "__pycache__").mkdir()
    (tree / "__pycache__" / "left.h").write_text("")
    names = [str(path.relative_to(tree)) for path in headers.list_header_files()]
    assert names == ["cuda/a.h", "cuda/vector"]


@pytest.mark.parametrize("change", ["content", "name", "new file"])
def test_any_change_of_a_header_changes_the_digest(tree: Path, change: str) -> None:
    before = digest()
    header = tree / "cuda" / "a.h"
    if change == "content":
        header.write_text("int b;")
    elif change == "name":
        header.rename(tree / "cuda" / "b.h")
    else:
        (tree / "cuda" / "b.h").write_text("")
    assert digest() != before


def test_python_sources_do_not_change_the_digest(tree: Path) -> None:
    before = digest()
    (tree / "overlay.py").write_text("x = 1")
    assert digest() == before


def test_our_own_tree_has_headers_of_every_dialect() -> None:
    folders = {
        path.relative_to(headers.ROOT).parts[0] for path in headers.list_header_files()
    }
    assert {"cuda", "hip", "torch", "common", "cpu", "nvcc"} <= folders


def test_helpers_of_programs_are_no_headers_of_units() -> None:
    names = {path.name for path in headers.list_header_files()}
    assert (headers.HELPERS / "helper_cuda.h").is_file()
    assert "helper_cuda.h" not in names
