"""Stubs take, become and have anything, and are C++ that compiles."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from crawler.extract.unit.missing_headers.stub_types import (
    render_any_type,
    render_stub_type,
)

USE = """
struct Options {{ kernelset_unknown::Tensor input; int size; }};
int count(const Options &options) {{
  int rows = options.input.size(0) * 2 + options.size;
  rows += int(options.input.stride);
  kernelset_unknown::Buffer<float, 4> buffer(options.input, rows);
  buffer.template fill<int>(3);
  for (auto each : options.input) rows += each;
  while (buffer.next()) {{ ++rows; buffer.rows++; --buffer.rows; buffer.rows <<= 1; }}
  buffer.rows = -buffer.rows;
  buffer.insert(buffer.begin(), options.input.begin(0), !buffer.end());
  return options.input && rows < buffer[2] ? rows : 0;
}}
"""


@pytest.mark.apt("clang-19")
def test_code_that_uses_stubs_compiles(tmp_path: Path) -> None:
    use = USE.format()
    text = "\n".join(
        (
            "#define __host__",
            "#define __device__",
            render_any_type([use]),
            "namespace kernelset_unknown {",
            render_stub_type("Tensor", False, [use]),
            render_stub_type("Buffer", True, [use]),
            "}",
            use,
        )
    )
    source = tmp_path / "use.cpp"
    source.write_text(text)
    subprocess.run(
        ["clang++-19", "-std=c++17", "-fsyntax-only", str(source)], check=True
    )


def test_members_are_those_that_the_texts_name() -> None:
    text = render_any_type(["a.size(); a->next; a.template cast<int>(); a.class;"])
    assert "static Any size;" in text
    assert "static Any next;" in text
    assert "template <class..., class... A> static Any cast(A &&...);" in text
    assert "Any class" not in text


@pytest.mark.parametrize(
    ("use", "kind"), [("Vec<float, 4> v;", "int"), ("Vec<float, Row> v;", "class")]
)
def test_further_arguments_of_a_template_are_of_the_kind_that_is_used(
    use: str, kind: str
) -> None:
    assert f"<class T = Any, {kind}...>" in render_stub_type("Vec", True, [use])
