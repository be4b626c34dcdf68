"""What a file defines for its host code, as a syntax tree shows it."""

from __future__ import annotations

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.extract.companions.file_definitions import list_definitions
from crawler.model import CompanionKind


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("#define NX 45\n", CompanionKind.MACRO, ("NX",)),
        ("#define UP(a, b) ((a) / \\\n (b))\n", CompanionKind.MACRO, ("UP",)),
        ("#ifndef T\n#define T 16\n#endif\n", CompanionKind.MACRO, ("T",)),
        (
            "namespace a { constexpr int m = 1, n{2}; }",
            CompanionKind.CONSTANT,
            ("a::m", "a::n"),
        ),
        ("enum Mode { A, B = 4 };", CompanionKind.ENUMERATION, ("Mode", "A", "B")),
        ("typedef enum { P } pq;", CompanionKind.ENUMERATION, ("pq", "P")),
        ("int up(int n) { return n; }", CompanionKind.FUNCTION, ("up",)),
        (
            "template <class T> T* Buf<T>::get() { return p; }",
            CompanionKind.FUNCTION,
            ("Buf::get",),
        ),
        (
            "__host__ __device__ int f(int n) { return n; }",
            CompanionKind.FUNCTION,
            ("f",),
        ),
        ("template <class T> struct Buf { T* p; };", CompanionKind.CLASS, ("Buf",)),
        ("typedef struct { int n; } Grid;", CompanionKind.CLASS, ("Grid",)),
    ],
)
def test_a_definition_is_listed_with_its_names_and_its_text(
    text: str,
    kind: CompanionKind,
    names: tuple[str, ...],
) -> None:
    (definition,) = list_definitions(SourceText("a.cu", text.encode()))
    assert (definition.kind, definition.names) == (kind, names)
    written = text.encode()
    span = definition.span
    assert written[span.offset : span.end_offset].decode() == definition.text


@pytest.mark.parametrize(
    "text",
    [
        "int changeable = 5;",
        "struct Declared;",
        "__global__ void k(float* x) {}",
        "__device__ int f(int n) { return n; }",
        "#define" + " x" * 20_000,
        "(" * 50_000,
    ],
)
def test_what_is_no_constant_and_no_host_code_is_not_listed(text: str) -> None:
    assert list_definitions(SourceText("a.cu", text.encode())) == ()
