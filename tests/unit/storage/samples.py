"""Small values of the model for tests of storage."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from crawler.model import (
    Build,
    Dialect,
    FlagsOrigin,
    Instantiation,
    Kernel,
    KernelUnit,
    Layer,
    Repo,
    Span,
    Status,
    Toolchain,
    Verdict,
)

REPO = Repo(source="git", owner="waves", name="tide", url="u", ref="main", commit="1")


def make_unit(text: str, **changes: object) -> KernelUnit:
    unit = KernelUnit(
        source=text,
        dialect=Dialect.CUDA,
        kernel_name="k",
        instantiations=(Instantiation(arguments=("float",), label="float"),),
        prelude="p",
        digest=hashlib.sha256(text.encode()).hexdigest(),
        token_digest=hashlib.sha256("".join(text.split()).encode()).hexdigest(),
    )
    return replace(unit, **changes)  # type: ignore[arg-type]


def make_kernel(name: str, offset: int = 0, **changes: object) -> Kernel:
    span = Span(
        path="a.cu", line=10, end_line=30, offset=offset, end_offset=offset + 50
    )
    kernel = Kernel(
        name=name,
        qualified_name=f"ns::{name}",
        mangled="",
        dialect=Dialect.CUDA,
        span=span,
        found_by=Layer.AST,
        reason="",
        source="__global__ void k();",
        template_head="",
        parameters=(),
        template_parameters=(),
        attributes=(),
        instantiations=(Instantiation(arguments=(), label=""),),
        launches=(),
        flags_origin=FlagsOrigin.EXPORTED,
    )
    return replace(kernel, **changes)  # type: ignore[arg-type]


def make_build(
    unit: KernelUnit, target: str, compiler: str = "clang", status: Status = Status.PASS
) -> Build:
    return Build(
        unit=unit.digest,
        target=target,
        toolchain=Toolchain(compiler=compiler, digest=compiler),
        pass_call=Verdict(status=status, code="" if status is Status.PASS else "bad"),
    )
