"""Facts of kernels and launches, made without a parse, and parses of small texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crawler.extract.clang import parse
from crawler.extract.clang.cursor import ClangUnit
from crawler.model import (
    Closure,
    CompileCommand,
    Dialect,
    FlagsOrigin,
    Instantiation,
    InstantiationOrigin,
    Kernel,
    KernelFacts,
    KernelUnit,
    Launch,
    LaunchFacts,
    Layer,
    Parameter,
    Span,
    TemplateParameter,
)


def unit_of(kernel: Kernel) -> KernelUnit:
    """Return the unit of a kernel, which must have one."""
    assert kernel.unit is not None, kernel.unit_problem
    return kernel.unit


def parse_text(root: Path, text: str, *flags: str) -> ClangUnit:
    """Parse a text as `a.cu` in a folder, without PyTorch."""
    (root / "a.cu").write_text(text)
    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=flags,
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    return parse.parse_unit(root, command, has_torch=False)


def make_span(path: str = "a.cu", offset: int = 0, length: int = 10) -> Span:
    return Span(
        path=path, line=1, end_line=2, offset=offset, end_offset=offset + length
    )


def make_launch(kernel_name: str = "scale", offset: int = 0, **fields: Any) -> Launch:
    path = fields.pop("path", "a.cu")
    return Launch(
        span=make_span(path, offset),
        kernel_name=kernel_name,
        grid="1",
        block="32",
        **fields,
    )


def make_launch_facts(
    launch: Launch, target: tuple[str, int] | None = None
) -> LaunchFacts:
    if target is None:
        return LaunchFacts(launch=launch)
    return LaunchFacts(launch=launch, target_path=target[0], target_offset=target[1])


def make_template_parameter(text: str) -> TemplateParameter:
    """Return the parameter that `class T`, `int N` or `int N = 4` declares."""
    declaration, _, default = text.partition(" = ")
    type_name, _, name = declaration.rpartition(" ")
    is_type = type_name in ("class", "typename")
    return TemplateParameter(
        name=name,
        kind="type" if is_type else "value",
        type="" if is_type else type_name,
        default=default,
    )


def make_instantiation(
    *arguments: str, origin: InstantiationOrigin = InstantiationOrigin.LAUNCH
) -> Instantiation:
    return Instantiation(arguments=arguments, label="_".join(arguments), origin=origin)


def make_kernel(
    source: str = "",
    template_parameters: tuple[str, ...] = (),
    parameters: tuple[tuple[str, str], ...] = (),
    **fields: Any,
) -> KernelFacts:
    """Return a kernel; parameters are (type, name)."""
    name = fields.pop("name", "scale")
    return KernelFacts(
        span=fields.pop("span", make_span()),
        name=name,
        qualified_name=fields.pop("qualified_name", name),
        dialect=Dialect.CUDA,
        found_by=fields.pop("found_by", Layer.AST),
        source=source,
        template_parameters=tuple(map(make_template_parameter, template_parameters)),
        parameters=tuple(
            Parameter(name=parameter, type=type_name)
            for type_name, parameter in parameters
        ),
        **fields,
    )


def make_closure(*fragments: str, **fields: Any) -> Closure:
    includes = fields.pop("includes", ("<kernelset/cuda.cuh>",))
    return Closure(includes=includes, fragments=fragments, **fields)
