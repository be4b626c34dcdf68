"""Launches are counted as they stand in a text, and each has a row or a reason."""

from __future__ import annotations

from pathlib import Path

from benchmarks.extraction.launch_tokens import find_launch_tokens, is_declaration
from benchmarks.extraction.launches import extract_facts, measure_launches


def test_launch_tokens_are_those_outside_of_comments_and_strings() -> None:
    text = (
        '// a<<<1, 2>>>()\n/* b<<<1, 2>>>() */ const char* s = "c<<<1>>>()"; auto r = R"x(d<<<1>>>())x";\n'
        "#include <<<x\n<<<<<<< merge\ne<<<1, 2>>>();\n"
        "#define M(k) \\\n  k<<<1, 2>>>(1'000)\n"
        "cudaLaunchKernel((void*)f, g, b, a, 0, s);\ncudaError_t cudaLaunchKernel(const void* f, dim3 g);\n"
        "hipLaunchKernelGGL(f, g, b, 0, s); cuLaunchKernel (f); my_cudaLaunchKernel(f);\n"
    )
    tokens = [
        token for token in find_launch_tokens(text) if not is_declaration(text, token)
    ]
    assert [(token.text, token.line, token.in_macro) for token in tokens] == [
        ("<<<", 5, False),
        ("<<<", 7, True),
        ("cudaLaunchKernel", 8, False),
        ("hipLaunchKernelGGL", 10, False),
        ("cuLaunchKernel", 10, False),
    ]
    assert [text[token.offset :].startswith(token.text) for token in tokens] == [
        True
    ] * 5


def test_an_argument_with_a_default_may_be_left_out(tmp_path: Path) -> None:
    kernel = "template <class T> __global__ void k(T* a, int n, int stride = 1) {}\n"
    (tmp_path / "a.cu").write_text(
        f"{kernel}void f(int* a) {{ k<<<1, 2>>>(a, 3); k<<<1, 2>>>(a, 3, 4); k<<<1, 2>>>(a); }}\n"
    )
    counts = measure_launches(tmp_path, extract_facts(tmp_path))
    assert (
        counts["of_templates"],
        counts["with_types"],
        counts["templates_mapped"],
    ) == (
        3,
        2,
        2,
    )


def test_every_token_of_a_tree_has_a_row_or_a_reason(tmp_path: Path) -> None:
    source = "__global__ void k(int n) {}\n#define L(n) k<<<n, 2>>>(n)\nvoid f() { L(3); other<<<1, 1>>>(); }\n"
    (tmp_path / "a.cu").write_text(source)
    counts = measure_launches(tmp_path, extract_facts(tmp_path))
    assert (counts["tokens"], counts["in_macros"], counts["lost"]) == (2, 1, [])
    assert counts["counted"] == {"row": 1, "kernel-elsewhere": 1}
    (tmp_path / "b.h").write_text("void g() { <<<; }\n")
    unread = measure_launches(tmp_path, [])
    assert unread["counted"] == {"unread-file": 2, "no row and no reason": 1}
    assert unread["lost"] == ["b.h:1: <<<"]
