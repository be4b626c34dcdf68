"""Which files of a project are said to compute on a CPU what a kernel does."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import HostCode, Kernel, Operator, OperatorPart, OperatorRole, Span
from crawler.validate.cpu.oracle_and_strength import list_cpu_files
from crawler.validate.host_functions.cpu_paths import list_cpu_paths
from tests.plain import plain_kernel, plain_unit

UNIT = plain_unit("__global__ void k() {}\n")


def make_span(path: str) -> Span:
    return Span(path=path, line=1, end_line=2, offset=0, end_offset=9)


def make_part(role: OperatorRole, path: str) -> OperatorPart:
    return OperatorPart(role=role, name="f", span=make_span(path), evidence="")


def make_kernel(*parts: OperatorPart, host: tuple[HostCode, ...] = ()) -> Kernel:
    operators = (Operator(name="op", parts=parts),)
    return replace(plain_kernel(UNIT, (), operators=operators), host=host)


def test_files_come_once_and_in_the_order_of_the_record() -> None:
    kernel = make_kernel(
        make_part(OperatorRole.CPU, "z.cpp"),
        make_part(OperatorRole.LAUNCHER, "launch.cu"),
        make_part(OperatorRole.CPU, "a.cpp"),
        make_part(OperatorRole.CPU, "z.cpp"),
    )
    assert list_cpu_paths(kernel) == ["z.cpp", "a.cpp"]


def test_stored_host_code_counts_as_well() -> None:
    host = (
        HostCode(
            role=OperatorRole.CPU, name="f", span=make_span("m.cpp"), source="void f();"
        ),
        HostCode(
            role=OperatorRole.LAUNCHER, name="g", span=make_span("g.cu"), source=""
        ),
    )
    kernel = make_kernel(make_part(OperatorRole.CPU, "z.cpp"), host=host)
    assert list_cpu_paths(kernel) == ["z.cpp", "m.cpp"]


def test_a_run_is_remembered_by_the_same_files_whatever_their_order() -> None:
    first = make_part(OperatorRole.CPU, "b.cpp")
    second = make_part(OperatorRole.CPU, "a.cpp")
    files = list_cpu_files(make_kernel(first, second))
    assert files == list_cpu_files(make_kernel(second, first)) == ("a.cpp", "b.cpp")


def test_a_kernel_without_an_operator_has_no_such_file() -> None:
    assert list_cpu_paths(plain_kernel(UNIT, ())) == []
