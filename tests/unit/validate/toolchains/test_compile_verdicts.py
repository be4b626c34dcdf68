"""Verdicts of compiler runs: a stable code for each way that a compilation fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crawler.model import (
    Dialect,
    Instantiation,
    KernelUnit,
    PortReport,
    Status,
)
from crawler.process import CompletedProcess
from crawler.validate.toolchains.compile_verdicts import judge_compilation
from crawler.validate.toolchains.sandboxed_compiler import CompilerRun, compile_limits
from tests.plain import plain_unit

PTX = b".version 7.0\n.visible .entry _Z1kPf(\n)\n"


def make_unit(**facts: Any) -> KernelUnit:
    return plain_unit("__global__ void k(float* a) {}", **facts)


def make_run(
    log: str = "", code: bytes = b"", exit_code: int = 1, *, timed_out: bool = False
) -> CompilerRun:
    process = CompletedProcess(
        argv=("clang++",),
        exit_code=exit_code,
        output=log.encode(),
        errors=b"",
        timed_out=timed_out,
    )
    return CompilerRun(process, code, log)


@pytest.mark.parametrize(
    ("log", "code"),
    [
        ("unit.cu:3:1: error: expected ';'", "compile-error"),
        ("LLVM ERROR: out of memory\nStack dump:", "compile-memory"),
        ("PLEASE submit a bug report to someone", "compile-crashed"),
        ("fatal error: error in backend: Cannot select", "backend-error"),
        ("ld.lld: error: undefined symbol: f", "link-error"),
        ("", "compile-error"),
    ],
)
def test_a_failure_has_its_code(log: str, code: str) -> None:
    verdict, symbols = judge_compilation(make_unit(), make_run(log))
    assert (verdict.status, verdict.code, symbols) == (Status.FAIL, code, ())


def test_a_compiler_that_is_killed_has_crashed() -> None:
    verdict, _ = judge_compilation(make_unit(), make_run(exit_code=-11))
    assert verdict.code == "compile-crashed"
    assert verdict.message == "the compiler said nothing"


def test_the_first_error_is_the_message_and_warnings_are_not() -> None:
    log = "a.h:1:1: warning: odd\nunit.cu:3:9: error: bad\nunit.cu:4:1: error: worse"
    verdict, _ = judge_compilation(make_unit(), make_run(log))
    assert verdict.message == "unit.cu:3: bad"


def test_a_timeout_says_how_long_it_took() -> None:
    unit = make_unit()
    verdict, _ = judge_compilation(unit, make_run(timed_out=True))
    seconds = compile_limits(unit).cpu_seconds
    assert (verdict.code, verdict.message) == (
        "compile-timeout",
        f"no result after {seconds} s of a processor",
    )


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (
            "kernel launch from __device__ or __global__ functions requires -fgpu-rdc",
            "dynamic-parallelism",
        ),
        ("The image/texture API not supported on the device", "no-images"),
    ],
)
def test_what_a_device_cannot_do_is_unsupported(message: str, code: str) -> None:
    log = f"unit.hip:1:1: error: {message}"
    verdict, _ = judge_compilation(make_unit(), make_run(log))
    assert (verdict.status, verdict.code) == (Status.UNSUPPORTED, code)


def test_a_port_that_was_known_to_be_impossible_is_unsupported() -> None:
    report = PortReport(blockers=(("tma_cluster", 7),))
    verdict, _ = judge_compilation(make_unit(port_report=report), make_run("error: x"))
    assert (verdict.status, verdict.code) == (
        Status.UNSUPPORTED,
        "port-tma-cluster",
    )
    assert verdict.message.startswith("tma_cluster in line 7; ")


def test_missing_headers_explain_unknown_names_alone() -> None:
    unit = make_unit(missing_headers=("a.h", "b.h", "c.h", "d.h"))
    unknown = make_run("u.cu:1:1: error: unknown type name 'Half'")
    verdict, _ = judge_compilation(unit, unknown)
    assert verdict.code == "missing-header"
    assert "a.h, b.h, c.h, … not among the sources" in verdict.message
    other, _ = judge_compilation(unit, make_run("u.cu:1:1: error: expected ';'"))
    assert other.code == "compile-error"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("thrust/system/cuda/error.h", "library-dialect"),
        ("cub/util_arch.cuh", "library-dialect"),
        ("thrust/system/cpp/error.h", "compile-error"),
        ("unit.hip", "compile-error"),
    ],
)
def test_what_a_library_has_for_cuda_alone_is_unsupported_on_amd(
    path: str, code: str
) -> None:
    log = make_run(f"{path}:1:1: fatal error: 'cuda_runtime.h' file not found")
    unit = make_unit(dialect=Dialect.HIP, libraries=(("thrust", "1.17.2"),))
    assert judge_compilation(unit, log)[0].code == code
    plain = make_unit(dialect=Dialect.HIP, libraries=(("thrust", "shim"),))
    assert judge_compilation(plain, log)[0].code == "compile-error"


def test_ptx_passes_with_its_entries() -> None:
    verdict, symbols = judge_compilation(make_unit(), make_run("", PTX, 0))
    assert verdict.status is Status.PASS
    assert symbols == ("_Z1kPf",)


def test_a_function_that_ptx_calls_and_nothing_defines_is_a_link_error() -> None:
    code = PTX + b".extern .func _Z4helpv\n()\n.extern .func vprintf\n"
    verdict, _ = judge_compilation(make_unit(), make_run("", code, 0))
    assert (verdict.code, verdict.message) == ("link-error", "undefined: _Z4helpv")


def test_an_instantiation_without_an_entry_is_named() -> None:
    unit = make_unit()
    unit = replace(
        unit,
        instantiations=(
            Instantiation(arguments=("float",), label="float", symbol="_Z1kPf"),
            Instantiation(arguments=("int",), label="int", symbol="_Z1kPi"),
        ),
    )
    verdict, _ = judge_compilation(unit, make_run("", PTX, 0))
    assert (verdict.code, verdict.message) == (
        "entry-missing",
        "the object has no entry for int",
    )
    other = replace(unit, kernel_name="mine::missing", instantiations=())
    verdict, _ = judge_compilation(other, make_run("", PTX, 0))
    assert verdict.message == "the object has no entry for missing"


def test_units_of_many_instantiations_have_more_time_up_to_a_limit() -> None:
    seconds = []
    for count in (1, 100, 100_000):
        instantiation = Instantiation(arguments=(), label="")
        unit = replace(make_unit(), instantiations=(instantiation,) * count)
        seconds.append(compile_limits(unit).cpu_seconds)
    assert seconds == [121, 220, 960]


def test_an_object_for_amd_is_not_asked_for_undefined_functions() -> None:
    unit = make_unit(dialect=Dialect.HIP)
    verdict, _ = judge_compilation(unit, make_run("", b"\x7fELF\x02\x01", 0))
    assert verdict.code == "entry-missing"
