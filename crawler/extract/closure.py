"""The dependency closure of a kernel: the project's declarations and macros that its text names, transitively."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from crawler.extract.declarations import Declaration
from crawler.extract.libraries import library_headers
from crawler.extract.macros import Macro, macros
from crawler.extract.operators import Operands, Operator, operators
from crawler.extract.source import Sources
from crawler.model import Closure, Dialect

_MOST_FRAGMENTS: Final = 2_000
_TORCH_WORDS: Final = frozenset(
    {"at", "c10", "torch", "gpuAtomicAdd", "CUDA_KERNEL_LOOP", "CUDA_KERNEL_LOOP_TYPE", "C10_HOST_DEVICE"}
)
_TORCH_PREFIXES: Final = ("C10_", "TORCH_", "AT_", "WARP_SHFL", "WARP_BALLOT", "gpuAtomic", "CUDA_KERNEL_ASSERT")
_HOST_WORDS: Final = frozenset(
    {"Tensor", "TensorOptions", "ScalarType", "IntArrayRef", "CUDAStream", "getCurrentCUDAStream", "TORCH_CHECK"}
)


@dataclass(slots=True)
class Surroundings:
    """Everything of one translation unit that a kernel of it may need."""

    sources: Sources
    declarations: list[Declaration]
    files: tuple[str, ...]
    """The project's files of the unit, included ones before those that include them."""
    defines: tuple[str, ...]
    """Macros of the command line, as `NAME` or `NAME=VALUE`."""
    dialect: Dialect
    by_name: dict[str, list[Declaration]] = field(default_factory=lambda: defaultdict(list))
    macros: dict[str, list[Macro]] = field(default_factory=lambda: defaultdict(list))
    active: frozenset[tuple[str, int]] = frozenset()
    """(path, offset of its name) of each macro that the preprocessor took."""
    order: dict[str, int] = field(default_factory=dict)
    operators: tuple[Operator, ...] = ()

    def __post_init__(self) -> None:
        self.operators = operators(self.declarations, self.sources)
        for declaration in self.declarations:
            for name in declaration.names:
                self.by_name[name].append(declaration)
        for position, path in enumerate(self.files):
            self.order[path] = position
            for macro in macros(self.sources[path]):
                if (path, macro.name_offset) in self.active:
                    self.macros[macro.name].append(macro)


def closure(kernel: Declaration, argument_words: frozenset[str], around: Surroundings) -> Closure:
    """Return what `kernel` needs to compile alone; `argument_words` are names in its template arguments."""
    taken: dict[tuple[str, int], Declaration] = {}
    used: dict[tuple[str, int], Macro] = {}
    operands = Operands(around.operators, around.sources)
    seen: set[str] = set()
    pending = set(argument_words)
    fresh = [*_primaries(kernel, around), *filter(None, (kernel.owner, kernel))]
    while fresh or pending:
        reached = set(pending)
        while fresh and len(taken) < _MOST_FRAGMENTS:
            taken.update(((one.path, one.start), one) for one in fresh)
            reached.update(*(_words(one, around) for one in fresh))
            fresh = [one for one in operands.reached(fresh) if (one.path, one.start) not in taken]
        if len(taken) >= _MOST_FRAGMENTS:
            break
        named = sorted(reached - seen)
        seen |= reached
        macros_named = [macro for name in named for macro in around.macros.get(name, ())]
        used.update(((macro.path, macro.name_offset), macro) for macro in macros_named)
        pending = set().union(*(macro.words for macro in macros_named)) - seen
        fresh = [
            declaration
            for name in named
            for declaration in around.by_name.get(name, ())
            if _fits(declaration, kernel) and (declaration.path, declaration.start) not in taken
        ]
    return _closure(kernel, taken.values(), used.values(), seen, around)


def _primaries(kernel: Declaration, around: Surroundings) -> list[Declaration]:
    """Return the template that a specialisation specialises."""
    if kernel.cursor.get_num_template_arguments() <= 0:
        return []
    same = around.by_name.get(kernel.cursor.spelling, ())
    return [one for one in same if one.kind == "kernel" and one.cursor.kind.name == "FUNCTION_TEMPLATE"]


def _fits(declaration: Declaration, kernel: Declaration) -> bool:
    if declaration.kind in ("kernel", "assertion"):
        return False
    if declaration.kind == "using":
        return not _is_directive(declaration)
    return declaration.on_device and (declaration.path, declaration.start) != (kernel.path, kernel.start)


def _words(declaration: Declaration, around: Surroundings) -> set[str]:
    words = set(around.sources[declaration.path].words(declaration.start, declaration.end))
    for wrapper in declaration.wrappers:
        words.update(wrapper.split()[1:-1])
    return words


def _closure(
    kernel: Declaration,
    taken: Iterable[Declaration],
    used: Iterable[Macro],
    words: set[str],
    around: Surroundings,
) -> Closure:
    position = {id(declaration): at for at, declaration in enumerate(around.declarations)}
    chosen = _outermost(sorted(taken, key=lambda declaration: position[id(declaration)]))
    chosen = [declaration for declaration in chosen if declaration is not kernel]
    fragments = [f"#define {_definition(define)}" for define in around.defines if define.split("=")[0] in words]
    fragments += [macro.text for macro in sorted(used, key=lambda m: (around.order.get(m.path, 0), m.name_offset))]
    directives = _directives([*chosen, kernel], around)
    words = words.union(*(_words(directive, around) for directive in directives))
    fragments += [_fragment(declaration, around) for declaration in directives if _is_foreign(declaration, around)]
    fragments += [_fragment(declaration, around) for declaration in chosen]
    fragments += [_fragment(declaration, around) for declaration in directives if not _is_foreign(declaration, around)]
    if kernel.owner is None:
        fragments.append(_fragment(kernel, around))
    return Closure(
        includes=_includes(words, around),
        fragments=tuple(dict.fromkeys(fragments)),
        dependencies=tuple(sorted({name for declaration in chosen for name in declaration.names[:1]})),
        files=tuple(dict.fromkeys(declaration.path for declaration in [*chosen, kernel])),
    )


def _outermost(chosen: list[Declaration]) -> list[Declaration]:
    """Drop what stands inside another: `typedef struct { … } name;` shows as two declarations."""

    def size(declaration: Declaration) -> int:
        return declaration.end - declaration.start

    kept: dict[int, Declaration] = {}
    for declaration in sorted(chosen, key=size, reverse=True):
        inside = any(
            other.path == declaration.path and other.start <= declaration.start and declaration.end <= other.end
            for other in kept.values()
        )
        if not inside:
            kept[id(declaration)] = declaration
    return [declaration for declaration in chosen if id(declaration) in kept]


def _directives(chosen: list[Declaration], around: Surroundings) -> list[Declaration]:
    """Return the `using namespace` of the files that fragments come from."""
    files = {declaration.path for declaration in chosen}
    return [
        declaration for declaration in around.declarations if _is_directive(declaration) and declaration.path in files
    ]


def _is_directive(declaration: Declaration) -> bool:
    return bool(declaration.cursor.kind.name == "USING_DIRECTIVE")


def _is_foreign(directive: Declaration, around: Surroundings) -> bool:
    named = around.sources[directive.path].words(directive.start, directive.end)
    return not any(named & set(declaration.namespaces) for declaration in around.declarations)


def _definition(define: str) -> str:
    name, _, value = define.partition("=")
    return f"{name} {value or 1}"


def _fragment(declaration: Declaration, around: Surroundings) -> str:
    text = around.sources[declaration.path].text(declaration.start, declaration.end).replace("\r\n", "\n").strip()
    if _is_directive(declaration) and not _is_foreign(declaration, around):
        name = text.removeprefix("using namespace").strip(" ;\n\t")
        text = f"namespace {name.removeprefix('::')} {{}}\n{text}"
    if not text.endswith((";", "}")):
        text += ";"
    return "\n".join((*declaration.wrappers, text, *("}" for _ in declaration.wrappers)))


def _includes(words: set[str], around: Surroundings) -> tuple[str, ...]:
    """Return the prelude and the library headers that the closure's names ask for."""
    torch = bool(words & _TORCH_WORDS) or any(word.startswith(_TORCH_PREFIXES) for word in words)
    host = torch and bool(words & _HOST_WORDS) and around.dialect is Dialect.CUDA
    return (prelude(around.dialect, torch=torch, host=host), *library_headers(words, around.by_name, around.dialect))


def prelude(dialect: Dialect, *, torch: bool, host: bool = False) -> str:
    """Return the header that a unit includes first."""
    if dialect is Dialect.HIP:
        return "<kernelset/torch.hip.h>" if torch else "<kernelset/hip.h>"
    if host:
        return "<kernelset/torch_parse.cuh>"
    return "<kernelset/torch.cuh>" if torch else "<kernelset/cuda.cuh>"
