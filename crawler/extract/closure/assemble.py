"""Assemble a closure: library headers, macros, declarations in their order, and the kernel last."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.signature import template_parameter_cursors
from crawler.extract.closure.declaration_text import (
    find_using_directives,
    is_foreign_directive,
    render_declaration,
)
from crawler.extract.closure.device_globals import find_device_globals
from crawler.extract.closure.library_headers import select_library_headers
from crawler.extract.closure.macro_redefinitions import (
    find_redefinitions,
    place_redefinitions,
)
from crawler.extract.closure.per_arch_defines import render_define
from crawler.extract.closure.unit_context import UnitContext
from crawler.extract.nvcc.redeclared_defaults import collect_default_argument_edits
from crawler.model import Closure, Dialect, Span

_TORCH_WORDS: Final = frozenset(
    {
        "at",
        "c10",
        "torch",
        "gpuAtomicAdd",
        "CUDA_KERNEL_LOOP",
        "CUDA_KERNEL_LOOP_TYPE",
        "C10_HOST_DEVICE",
    }
)
_TORCH_PREFIXES: Final = (
    "C10_",
    "TORCH_",
    "STD_TORCH_",
    "AT_",
    "WARP_SHFL",
    "WARP_BALLOT",
    "gpuAtomic",
    "CUDA_KERNEL_ASSERT",
)
_LIBCUDACXX: Final = "cuda::"
_OF_LIBCUDACXX: Final = re.compile(
    r"(?<![\w:])(?:::)?cuda::"
)  # at::cuda:: is PyTorch's
_HOST_WORDS: Final = frozenset(
    {
        "Tensor",
        "TensorOptions",
        "ScalarType",
        "IntArrayRef",
        "CUDAStream",
        "getCurrentCUDAStream",
        "TORCH_CHECK",
        "STD_TORCH_CHECK",
    }
)


def assemble_closure(
    kernel: Declaration,
    declarations: Iterable[Declaration],
    used_macros: Collection[Macro],
    words: frozenset[str],
    context: UnitContext,
) -> Closure:
    """Return a kernel with the declarations that were `declarations` for it and the macros
    `used_macros`, as ordered pieces of text.

    `words` are those of the arguments of its instantiations.
    """
    chosen = _outermost(
        sorted(
            declarations,
            key=lambda declaration: context.declaration_order[id(declaration)],
        )
    )
    chosen = [declaration for declaration in chosen if declaration is not kernel]
    context.moved_defaults.update(
        collect_default_argument_edits(chosen, context.sources)
    )
    opening = find_using_directives([*chosen, kernel], context)
    foreign = [
        directive for directive in opening if is_foreign_directive(directive, context)
    ]
    own = [directive for directive in opening if directive not in foreign]
    ordered = sorted(
        used_macros, key=lambda m: (context.file_order.get(m.path, 0), m.name_offset)
    )
    later = find_redefinitions(ordered)
    in_order = [
        (
            float(context.declaration_order[id(one)]),
            (render_declaration(one, context), one.span),
        )
        for one in (*chosen, *own)
    ]
    positions = place_redefinitions(
        later, context.declarations, context.declaration_order
    )
    in_order += [
        (at, (text, _span(macro, context)))
        for macro, (at, text) in zip(later, positions, strict=True)
    ]
    listed = [
        (render_define(one, context.sources[one.path]), _span(one, context))
        for one in ordered
        if one not in later
    ]
    listed += [
        (render_declaration(directive, context), directive.span)
        for directive in foreign
    ]
    listed += [piece for _, piece in sorted(in_order, key=lambda one: one[0])]
    if kernel.owner_class is None:
        listed.append((render_declaration(kernel, context), kernel.span))
    words = words.union(
        *(context.get_references(one).words for one in (*chosen, *opening, kernel)),
        *(macro.used_names for macro in used_macros),
    )
    words |= (
        {_LIBCUDACXX}
        if any(_OF_LIBCUDACXX.search(text) for text, _ in listed)
        else frozenset()
    )
    defines = [define for define in context.defines if define.split("=")[0] in words]
    pieces: dict[str, Span | None] = {
        f"#define {_definition(define)}": None for define in defines
    }
    for text, span in listed:
        pieces.setdefault(text, span)
    return Closure(
        includes=_includes(words, context),
        fragments=tuple(pieces),
        origins=tuple(pieces.values()),
        dependencies=tuple(
            sorted({name for declaration in chosen for name in declaration.names[:1]})
        ),
        state=find_device_globals(chosen, context.sources),
        owner_parameters=len(template_parameter_cursors(kernel.owner_class.cursor))
        if kernel.owner_class
        else 0,
    )


def _span(macro: Macro, around: UnitContext) -> Span:
    return around.sources[macro.path].make_span(macro.start, macro.end)


def _outermost(chosen: list[Declaration]) -> list[Declaration]:
    """Drop what stands inside another: `typedef struct { … } name;` shows as two declarations."""
    kept: set[int] = set()
    path, behind = "", -1
    for declaration in sorted(chosen, key=lambda one: (one.path, one.start, -one.end)):
        if declaration.path != path or declaration.end > behind:
            path, behind = declaration.path, declaration.end
            kept.add(id(declaration))
    return [declaration for declaration in chosen if id(declaration) in kept]


def _definition(define: str) -> str:
    name, _, value = define.partition("=")
    return f"{name} {value or 1}"


def _includes(words: frozenset[str], around: UnitContext) -> tuple[str, ...]:
    """Return the prelude and the library headers that the closure's names ask for."""
    torch = bool(words & _TORCH_WORDS) or any(
        word.startswith(_TORCH_PREFIXES) for word in words
    )
    host = torch and bool(words & _HOST_WORDS)
    return (
        select_prelude(around.dialect, has_torch=torch, has_host_types=host),
        *select_library_headers(words, around.declared_names, around.dialect),
    )


_PRELUDES: Final = {
    Dialect.CUDA: ("cuda.cuh", "torch.cuh", "torch_parse.cuh"),
    Dialect.HIP: ("hip.h", "torch.hip.h", "torch_parse.hip.h"),
}


def select_prelude(
    dialect: Dialect, *, has_torch: bool, has_host_types: bool = False
) -> str:
    """Return the header that a unit includes first."""
    plain, device, whole = _PRELUDES[dialect]
    return f"<kernelset/{whole if has_host_types else device if has_torch else plain}>"
