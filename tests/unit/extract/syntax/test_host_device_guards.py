"""A unit that speaks of devices is parsed as their compilers see it, then as a host's only
where that adds uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang import parse
from crawler.extract.syntax.host_device_guards import HostDeviceGuards

TEXT = """#if defined(__CUDA_ARCH__)
#define ON_DEVICE 1
#else
#define ON_HOST 1
#endif
#if ON_HOST
int a;
#endif
#if defined(OTHER)
int b;
#endif
"""
LAUNCHER = """template <class T> __global__ void k(T* x) {
#if __CUDA_ARCH__ >= 800
  x[0] = 1;
#endif
}
template <class T> void launch(T* x) { k<<<1, 2>>>(x); }
void f(float* x) { launch(x); }
"""
HIDDEN = "#ifndef __CUDA_ARCH__\nvoid g(double* x) { launch(x); }\n#endif\n"
ELSEWHERE = "#ifdef OTHER\nvoid g(double* x) { launch(x); }\n#endif\n"


def test_macros_that_a_device_decides_decide_too(project: Callable[..., Any]) -> None:
    root = project({"a.cuh": TEXT}).root
    guards = HostDeviceGuards(SourceFiles(root), ("a.cuh",), ("__CUDA_ARCH__",))
    assert guards.is_guarded("a.cuh", TEXT.index("int a"), TEXT.index("int a") + 5)
    assert not guards.is_guarded("a.cuh", TEXT.index("int b"), TEXT.index("int b") + 5)


@pytest.mark.parametrize(
    ("addition", "types", "parses"),
    [(HIDDEN, {"float", "double"}, 2), (ELSEWHERE, {"float"}, 1)],
)
def test_the_host_is_asked_where_it_may_use_kernels_otherwise(
    project: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    addition: str,
    types: set[str],
    parses: int,
) -> None:
    parsed_devices: list[object] = []
    whole = parse.parse_unit

    def count_parse(*arguments: Any, **options: Any) -> Any:
        parsed_devices.append(options.get("device"))
        return whole(*arguments, **options)

    monkeypatch.setattr(parse, "parse_unit", count_parse)
    (kernel,) = project({"a.cu": LAUNCHER + addition}).kernels()
    assert {
        part
        for instantiation in kernel.instantiations
        for part in instantiation.arguments
    } == types
    assert len(parsed_devices) == parses


def test_a_condition_that_is_never_closed_guards_nothing(
    project: Callable[..., Any],
) -> None:
    text = "#ifdef __CUDA_ARCH__\nint a;\n"
    root = project({"a.cuh": text}).root
    guards = HostDeviceGuards(SourceFiles(root), ("a.cuh",), ("__CUDA_ARCH__",))
    assert not guards.is_guarded("a.cuh", text.index("int a"), len(text))


def test_a_range_that_leaves_the_condition_is_not_guarded(
    project: Callable[..., Any],
) -> None:
    text = "int b;\n#ifdef __CUDA_ARCH__\nint a;\n#endif\nint c;\n"
    root = project({"a.cuh": text}).root
    guards = HostDeviceGuards(SourceFiles(root), ("a.cuh",), ("__CUDA_ARCH__",))
    inside = text.index("int a")
    assert guards.is_guarded("a.cuh", inside, inside + 5)
    assert not guards.is_guarded("a.cuh", 0, inside + 5)
    assert not guards.is_guarded("a.cuh", inside, len(text))
    assert not guards.is_guarded("other.cuh", inside, inside + 5)
