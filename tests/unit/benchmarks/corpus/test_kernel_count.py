"""The truth that recall is held against: definitions counted by their text alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpus.kernel_count import find_kernel_definitions, find_kernel_names


def list_names(text: str, *aliases: str) -> list[str]:
    return list(find_kernel_names(text, frozenset(aliases)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("__global__ void scale(float *x, int n) { x[n] = 1; }", "scale"),
        ("static __global__ void __launch_bounds__(256, 2) f(int *x) {}", "f"),
        ("__global__ LAUNCH_BOUNDS(box) void f(int *x) { g(x); }", "f"),
        ("__global__ void f(int *x) __attribute__((cold)) {}", "f"),
        ("__global__ __attribute__((amdgpu_num_vgpr(64))) void f(int *x) {}", "f"),
        ("template <> __global__ void f<float, 3>(float *x) {}", "f"),
        ("__global__ void f(Pair<int, float> p, int (*g)(int)) {}", "f"),
        ("template <class T> __global__\nvoid\nf(T *x)\n{\n}", "f"),
    ],
)
def test_a_definition_is_counted_by_its_name(text: str, name: str) -> None:
    assert list_names(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void declared(float *x);",
        "// __global__ void f(int *x) {}",
        "/* __global__ void f(int *x) {} */",
        'const char *source = "__global__ void f(int *x) {}";',
        'auto source = R"cu(__global__ void f(int *x) {})cu";',
        "#define KERNEL(name) __global__ void name(int *x) {}",
        "#if 0\n__global__ void f(int *x) {}\n#endif",
        "#if 0\n#if 1\n#endif\n__global__ void f(int *x) {}\n#endif",
        "__global__ void cut_off(float *x",
    ],
)
def test_what_defines_no_kernel_is_not_counted(text: str) -> None:
    assert list_names(text) == []


def test_the_other_branch_of_a_dead_one_is_counted() -> None:
    text = "#if 0\n__global__ void f(int *x) {}\n#else\n__global__ void g() {}\n#endif"
    assert list_names(text) == ["g"]


def test_a_declaration_before_a_definition_counts_once() -> None:
    text = "__global__ void f(int *x);\n__global__ void f(int *x) {}"
    assert list_names(text) == ["f"]


def test_digit_separators_open_no_literal() -> None:
    text = "const int n = 1'000; __global__ void f(int *x) {} const int m = 2'000;"
    assert list_names(text) == ["f"]


def test_a_macro_of_another_file_stands_for_the_keyword(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include/macros.h").write_text("#define KERNEL_FN static __global__\n")
    (tmp_path / "run.cuh").write_text("KERNEL_FN void run(int *x) { x[0] = 1; }\n")
    (tmp_path / "notes.txt").write_text("__global__ void not_source(int *x) {}\n")
    assert find_kernel_definitions(tmp_path) == {("run.cuh", "run")}


def test_links_out_of_the_tree_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.cu"
    outside.write_text("__global__ void f(int *x) {}")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/link.cu").symlink_to(outside)
    assert find_kernel_definitions(tmp_path / "tree") == set()


WORDS = ("__global__ ", "void ", "f", "(", ")", "{", "}", "<", ">", ";", "\n", "#if 0")


@given(st.lists(st.sampled_from(WORDS)).map("".join) | st.text())
@settings(max_examples=200, deadline=None)
def test_any_text_ends_with_names_that_stand_in_it(text: str) -> None:
    assert all(name in text for name in list_names(text))
