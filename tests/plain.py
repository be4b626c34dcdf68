"""Kernels and units of a few words: what a test does not say of one is as plain as can be."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from crawler.model import (
    Dialect,
    FlagsOrigin,
    Instantiation,
    Kernel,
    KernelUnit,
    Layer,
    Parameter,
    Span,
)

HERE = Span(path="a.cu", line=1, end_line=2, offset=0, end_offset=1)


def plain_unit(source: str, *instantiations: Instantiation, **facts: Any) -> KernelUnit:
    """Return the unit of a CUDA kernel `k`, its digests those of its text."""
    digest = hashlib.sha256(source.encode()).hexdigest()
    plain = {
        "dialect": Dialect.CUDA,
        "kernel_name": "k",
        "prelude": "",
        "digest": digest,
        "token_digest": digest,
    }
    return KernelUnit(
        source=source, instantiations=instantiations, **{**plain, **facts}
    )


def plain_kernel(
    unit: KernelUnit, parameters: Sequence[tuple[str, str]] = (), **facts: Any
) -> Kernel:
    """Return the kernel of a unit; `parameters` are names and types."""
    plain = {
        "name": unit.kernel_name,
        "qualified_name": unit.kernel_name,
        "mangled": "",
        "dialect": unit.dialect,
        "span": HERE,
        "found_by": Layer.AST,
        "reason": "",
        "source": "",
        "template_head": "",
        "parameters": tuple(
            Parameter(name=name, type=kind) for name, kind in parameters
        ),
        "template_parameters": (),
        "attributes": (),
        "instantiations": unit.instantiations,
        "launches": (),
        "flags_origin": FlagsOrigin.EXPORTED,
        "unit": unit,
    }
    return Kernel(**{**plain, **facts})
