"""Bindings that a file writes down, and the files that are read for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.extract.operators.bindings import find_bindings
from crawler.extract.operators.project_files import iter_texts, list_code_files


@pytest.mark.parametrize(
    ("text", "bindings"),
    [
        (
            'PYBIND11_MODULE(e, m) { m.def("add", &lib::add); }',
            [("add", "lib::add", "pybind11")],
        ),
        (
            'm.def("add(Tensor a) -> Tensor", TORCH_FN(add));',
            [("add", "add", "torch_library")],
        ),
        ('m.impl("add", add_cuda);', [("add", "add_cuda", "torch_library")]),
        ('m . def ("add" , add);', [("add", "add", "torch_library")]),
        ('m.def("add");', []),
        ("void def_add();", []),
    ],
)
def test_bindings(text: str, bindings: list[tuple[str, str, str]]) -> None:
    source = SourceText("a.cpp", text.encode())
    described = [
        (binding.name, binding.function, binding.kind)
        for binding in find_bindings(source)
    ]
    assert described == bindings


def test_files_with_launches_come_first(tmp_path: Path) -> None:
    for path in ("a.h", "b.cpp", "c.py", "d.CU", "e.txt", "z.cuh", ".git/f.cpp"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path)
    files = list_code_files(tmp_path, {"z.cuh"})
    assert files.native == ["z.cuh", "b.cpp", "a.h", "d.CU"]
    assert files.python == ["c.py"]


def test_links_and_missing_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_bytes(b"\xff")
    (tmp_path / "b.cpp").symlink_to(tmp_path / "a.cpp")
    paths = ["a.cpp", "b.cpp", "c.cpp"]
    assert list(iter_texts(tmp_path, paths)) == [("a.cpp", "\xff")]
