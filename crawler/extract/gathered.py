"""What a kernel needs as ordered pieces of text: library headers, macros, declarations, and the kernel last."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from crawler.extract.declarations import Declaration
from crawler.extract.fragments import directives, fragment, is_foreign
from crawler.extract.late_defaults import late_defaults
from crawler.extract.libraries import library_headers
from crawler.extract.macros import Macro
from crawler.extract.redefined import placed, redefinitions
from crawler.extract.signature import template_parameters
from crawler.extract.state import global_state
from crawler.extract.surroundings import Surroundings
from crawler.extract.target_flags import as_set
from crawler.model import Closure, Dialect, Span

_TORCH_WORDS: Final = frozenset(
    {"at", "c10", "torch", "gpuAtomicAdd", "CUDA_KERNEL_LOOP", "CUDA_KERNEL_LOOP_TYPE", "C10_HOST_DEVICE"}
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
_OF_LIBCUDACXX: Final = re.compile(r"(?<![\w:])(?:::)?cuda::")  # at::cuda:: is PyTorch's
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


def gathered(
    kernel: Declaration,
    taken: Iterable[Declaration],
    used: Collection[Macro],
    words: frozenset[str],
    around: Surroundings,
) -> Closure:
    """Return a kernel with the declarations that were `taken` for it and the macros `used`, as ordered pieces of text.

    `words` are those of the arguments of its instantiations.
    """
    chosen = _outermost(sorted(taken, key=lambda declaration: around.position[id(declaration)]))
    chosen = [declaration for declaration in chosen if declaration is not kernel]
    around.moved.update(late_defaults(chosen, around.sources))
    opening = directives([*chosen, kernel], around)
    foreign = [directive for directive in opening if is_foreign(directive, around)]
    own = [directive for directive in opening if directive not in foreign]
    ordered = sorted(used, key=lambda m: (around.order.get(m.path, 0), m.name_offset))
    later = redefinitions(ordered)
    in_order = [(float(around.position[id(one)]), (fragment(one, around), one.span)) for one in (*chosen, *own)]
    positions = placed(later, around.declarations, around.position)
    in_order += [(at, (text, _span(macro, around))) for macro, (at, text) in zip(later, positions, strict=True)]
    listed = [(as_set(one, around.sources[one.path]), _span(one, around)) for one in ordered if one not in later]
    listed += [(fragment(directive, around), directive.span) for directive in foreign]
    listed += [piece for _, piece in sorted(in_order, key=lambda one: one[0])]
    if kernel.owner is None:
        listed.append((fragment(kernel, around), kernel.span))
    words = words.union(
        *(around.needs(one).words for one in (*chosen, *opening, kernel)), *(macro.words for macro in used)
    )
    words |= {_LIBCUDACXX} if any(_OF_LIBCUDACXX.search(text) for text, _ in listed) else frozenset()
    defines = [define for define in around.defines if define.split("=")[0] in words]
    pieces: dict[str, Span | None] = {f"#define {_definition(define)}": None for define in defines}
    for text, span in listed:
        pieces.setdefault(text, span)
    return Closure(
        includes=_includes(words, around),
        fragments=tuple(pieces),
        origins=tuple(pieces.values()),
        dependencies=tuple(sorted({name for declaration in chosen for name in declaration.names[:1]})),
        state=global_state(chosen, around.sources),
        owner_parameters=len(template_parameters(kernel.owner.cursor)) if kernel.owner else 0,
    )


def _span(macro: Macro, around: Surroundings) -> Span:
    return around.sources[macro.path].span(macro.start, macro.end)


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


def _includes(words: frozenset[str], around: Surroundings) -> tuple[str, ...]:
    """Return the prelude and the library headers that the closure's names ask for."""
    torch = bool(words & _TORCH_WORDS) or any(word.startswith(_TORCH_PREFIXES) for word in words)
    host = torch and bool(words & _HOST_WORDS)
    return (prelude(around.dialect, torch=torch, host=host), *library_headers(words, around.names, around.dialect))


_PRELUDES: Final = {
    Dialect.CUDA: ("cuda.cuh", "torch.cuh", "torch_parse.cuh"),
    Dialect.HIP: ("hip.h", "torch.hip.h", "torch_parse.hip.h"),
}


def prelude(dialect: Dialect, *, torch: bool, host: bool = False) -> str:
    """Return the header that a unit includes first."""
    plain, device, whole = _PRELUDES[dialect]
    return f"<kernelset/{whole if host else device if torch else plain}>"
