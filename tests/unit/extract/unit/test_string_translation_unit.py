"""Kernels in strings get the closures that the AST of their text shows, at places of the file."""

from __future__ import annotations

from dataclasses import replace

from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.extract.unit.string_translation_unit import (
    merge_ast_sighting,
    parse_string_kernels,
)
from crawler.model import Dialect, GlobalVariable, Layer, Span
from tests.unit.extract.builders import make_closure, make_kernel, make_span


def test_the_text_is_a_unit_of_its_own() -> None:
    text = "__device__ float two() { return 2; }\n__global__ void k(float *x) { *x = two(); }\n"
    (kernel,) = parse_string_kernels(text, Dialect.CUDA, extract_unit_facts)
    assert kernel.closure is not None
    assert "two()" in kernel.closure.fragments[0]
    assert kernel.span.offset == text.index("__global__")


def test_only_what_the_ast_shows_counts() -> None:
    text = "#if 0\n__global__ void k(float *x) { *x = 1; }\n#endif\n"
    assert parse_string_kernels(text, Dialect.CUDA, extract_unit_facts) == ()


def test_places_in_the_text_become_places_in_the_file() -> None:
    def move(span: Span) -> Span:
        return replace(span, path="script.py", offset=span.offset + 100)

    state = GlobalVariable(name="n", type="int", kind="device", span=make_span())
    closure = make_closure(
        "int n;", "kernel", origins=(make_span(offset=4), None), state=(state,)
    )
    in_string = make_kernel("text", name="k", found_by=Layer.STRING)
    by_ast = make_kernel("other", qualified_name="lib::k", closure=closure)
    merged = merge_ast_sighting(in_string, by_ast, move)

    assert (merged.source, merged.qualified_name) == ("text", "lib::k")
    assert merged.found_by is Layer.STRING
    assert merged.closure is not None
    first, second = merged.closure.origins
    assert first is not None
    assert (first.path, first.offset, second) == ("script.py", 104, None)
    assert merged.closure.state[0].span.path == "script.py"
