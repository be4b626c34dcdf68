"""A program is asked for constants, and its answers are read."""

from __future__ import annotations

from crawler.validate.emulator.source.constant_probes import (
    find_probe_line,
    insert_constant_probes,
    parse_constants,
)
from crawler.validate.emulator.source.constant_queries import (
    ConstantQueries,
    ConstantQuery,
)

QUERIES = (
    ConstantQuery("Traits::kThreads", "T::kThreads"),
    ConstantQuery("sizeof(Traits)", "sizeof(T)"),
)
TEMPLATE = ConstantQueries("template <typename T>\n__global__ void k(", QUERIES)
PLAIN = ConstantQueries("__global__ void k(", (ConstantQuery("N", "N * 2"),))


def test_a_template_answers_for_its_own_arguments() -> None:
    body = "struct Traits;\n" + TEMPLATE.kernel_head + "T* p) {}\n"
    source, calls = insert_constant_probes(body, TEMPLATE, "ns::k", "ns::k<Traits>")
    assert source.count("\n") == body.count("\n")
    assert "template <typename T> static auto kernelset_constant_0(int)" in source
    assert "static_cast<long long>(sizeof(T))" in source
    assert calls == (
        "ns::kernelset_constant_0<Traits>(0), ns::kernelset_constant_1<Traits>(0)"
    )


def test_what_stands_in_front_of_the_kernel_stays_so() -> None:
    body = "constexpr int N = 4;\n" + PLAIN.kernel_head + "int* p) {}\n"
    source, calls = insert_constant_probes(body, PLAIN, "k", "k")
    assert source.startswith(
        "constexpr int N = 4;\nstatic long long kernelset_constant_0(int)"
    )
    assert source.endswith(PLAIN.kernel_head + "int* p) {}\n")
    assert calls == "kernelset_constant_0(0)"


def test_nothing_is_asked_where_the_kernel_is_not_found() -> None:
    assert insert_constant_probes("void other();", PLAIN, "k", "k") == (
        "void other();",
        "",
    )


def test_nothing_is_asked_of_a_template_without_arguments() -> None:
    body = TEMPLATE.kernel_head + "T* p) {}\n"
    assert insert_constant_probes(body, TEMPLATE, "k", "k") == (body, "")


def test_probes_stand_on_the_line_of_the_kernel() -> None:
    source = "int a;\nint b;\n" + PLAIN.kernel_head + ") {}"
    assert find_probe_line(PLAIN, source) == 3
    assert find_probe_line(PLAIN, "int a;") == 0
    assert find_probe_line(ConstantQueries(PLAIN.kernel_head, ()), source) == 0


def test_answers_go_by_what_was_asked() -> None:
    description = "constant 0 128\nconstant 1 -1\nconstant 7 5\nconstant x\n"
    assert parse_constants(description, TEMPLATE) == {"Traits::kThreads": 128}
