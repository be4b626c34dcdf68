"""Declarations alone are put in front of a unit, which stays as its project wrote it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.completion.missing_declarations import (
    DeclarationSubject,
    add_declarations,
    find_fault,
    find_missing_declarations,
)
from crawler.model import (
    Build,
    FlagsOrigin,
    KernelRecord,
    Provenance,
    Repo,
    Status,
    Toolchain,
    Verdict,
)
from tests.plain import HERE, plain_kernel, plain_unit

BODY = "\n__global__ void k(real* x) { *x = 1; }\n"
UNIT = plain_unit(f"#include <kernelset/cuda.cuh>{BODY}")
REPO = Repo(source="git", owner="o", name="n", url="u", ref="main", commit="1")


def build(target: str, status: Status, code: str = "", message: str = "") -> Build:
    return Build(
        unit=UNIT.digest,
        target=target,
        toolchain=Toolchain(compiler="clang"),
        pass_call=Verdict(status=status, code=code, message=message),
    )


def find(*builds: Build) -> list[DeclarationSubject]:
    unit = replace(UNIT, missing_headers=("real.h",))
    record = KernelRecord(
        kernel=plain_kernel(unit),
        provenance=Provenance(
            repo=REPO, span=HERE, snapshot="", flags_origin=FlagsOrigin.EXPORTED
        ),
        builds=builds,
    )
    return list(find_missing_declarations(record, ("sm_80", "sm_90", "gfx90a")))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("missing-header", "whatever it says"),
        ("compile-error", "unknown type name 'real'"),
    ],
)
def test_a_unit_that_lacks_a_name_is_asked_about(code: str, message: str) -> None:
    (subject,) = find(
        build("sm_80", Status.FAIL, code, message), build("sm_90", Status.PASS)
    )
    assert subject.targets == ("sm_80", "sm_90")
    assert subject.missing_headers == ("real.h",)
    assert subject.problem == f"sm_80: {code}: {message}"


def test_what_fails_otherwise_is_not() -> None:
    assert find(build("sm_80", Status.PASS)) == []
    assert find() == []
    assert find(build("sm_80", Status.FAIL, "compile-error", "expected ';'")) == []
    assert (
        find(
            build("sm_80", Status.FAIL, "missing-header"),
            build("sm_90", Status.FAIL, "backend-error"),
        )
        == []
    )


@pytest.mark.parametrize(
    "declarations",
    [
        "using real = float;\n",
        "namespace n { struct A { int a[2]; } /* } */; }\n",
        "// of # a comment\nconstexpr char c = '#'; // __global__\n",
    ],
)
def test_declarations_are_taken(declarations: str) -> None:
    assert find_fault(declarations, UNIT) == ""
    unit = add_declarations(UNIT, declarations)
    assert unit.source == f"#include <kernelset/cuda.cuh>\n{declarations}\n{BODY}"
    assert unit.digest != UNIT.digest


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no declaration"),
        ("// nothing", "no declaration"),
        ("#define real float\n", "directive"),
        ("%:define real float\n", "directive"),
        ("__global__ void k(float* x) {}", "`__global__`"),
        ("__attribute__((global)) void k(float* x) {}", "`global`"),
        ('asm(".text");', "`asm`"),
        ("using real = float; namespace n {", "not closed"),
        ("} using real = float; namespace n {}", "not closed"),
        ("using real = float; /*", "not closed"),
        ('constexpr char c[] = R"(;', "not closed"),
        ("using real = float", "not closed"),
        ("using real = float;" * 1000, "longer"),
    ],
)
def test_what_is_more_or_less_is_told(text: str, fault: str) -> None:
    assert fault in find_fault(text, UNIT)
