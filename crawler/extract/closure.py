"""The dependency closure of a kernel: the project's declarations and macros that its text names, transitively."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from clang.cindex import CursorKind

from crawler.extract.declarations import Declaration
from crawler.extract.deduced import asked_for
from crawler.extract.fragments import directives, fragment, is_directive, is_foreign
from crawler.extract.host_parts import Cut, host_parts
from crawler.extract.late_defaults import late_defaults
from crawler.extract.libraries import library_headers
from crawler.extract.macros import Macro, macros
from crawler.extract.mentions import Mention, mentions, mentions_in
from crawler.extract.operators import Operands, Operator, operators
from crawler.extract.pasted import pasted
from crawler.extract.redefined import placed, redefinitions
from crawler.extract.scopes import Scope, Scopes
from crawler.extract.signature import template_parameters
from crawler.extract.source import Sources
from crawler.extract.specialisations import Specialisations
from crawler.extract.state import global_state
from crawler.extract.typenames import types_alone
from crawler.model import Closure, Dialect, Span

_MOST_FRAGMENTS: Final = 8_000
"""Declarations that one unit may take along: templates of a library that its project carries are some thousands."""
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
_DEVICE: Final = "__device__"
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
_CONTAINER: Final = re.compile(
    r"\bstd\s*::\s*(?:vector|string|string_view|map|unordered_map|set|list|deque|shared_ptr|unique_ptr|function|ostream)\b"
)


@dataclass(frozen=True, slots=True)
class _Needs:
    """What one declaration names."""

    declarations: dict[int, Declaration]
    """By their identity: a name of a template library may mean hundreds."""
    scopes: frozenset[Scope]
    """That these stand in."""
    macros: tuple[Macro, ...]
    calls: tuple[Mention, ...]
    """Calls that may find a function by the types of their arguments."""
    words: frozenset[str]
    """All names in it, without those of its macros."""


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
    names: frozenset[str] = frozenset()
    macros: dict[str, list[Macro]] = field(default_factory=lambda: defaultdict(list))
    active: frozenset[tuple[str, int]] = frozenset()
    """(path, offset of its name) of each macro that the preprocessor took."""
    order: dict[str, int] = field(default_factory=dict)
    operators: tuple[Operator, ...] = ()
    types: frozenset[str] = frozenset()
    """Names that the unit's files give to types alone."""
    asked: frozenset[str] = frozenset()
    """Names of functions whose bodies tell types that the unit's files ask for."""
    scopes: Scopes = field(init=False)
    moved: dict[int, tuple[Cut, ...]] = field(default_factory=dict)
    """Default arguments that stand elsewhere in a unit, by the identity of a declaration."""
    position: dict[int, int] = field(default_factory=dict)
    _needs: dict[int, _Needs] = field(default_factory=dict)
    _cuts: dict[int, tuple[Cut, ...]] = field(default_factory=dict)
    _containers: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.operators = operators(self.declarations)
        self.scopes = Scopes(self.declarations, self.files, self.sources, self.defines)
        self.names = frozenset(name for declaration in self.declarations for name in declaration.names)
        self.position = {id(declaration): at for at, declaration in enumerate(self.declarations)}
        for position, path in enumerate(self.files):
            self.order[path] = position
            for macro in macros(self.sources[path]):
                if (path, macro.name_offset) in self.active:
                    self.macros[macro.name].append(macro)
        device = {name for name, listed in self.macros.items() if any(_DEVICE in one.words for one in listed)}
        self.types = types_alone(self.sources[path] for path in self.files)
        self.asked = asked_for((self.sources[path] for path in self.files), {_DEVICE, *device})

    def needs(self, declaration: Declaration) -> _Needs:
        """Return what a declaration names, its macros unfolded."""
        known = self._needs.get(id(declaration))
        if known is None:
            known = self._needs[id(declaration)] = self.named(self._mentions(declaration), declaration)
        return known

    def named(self, found: Collection[Mention], by: Declaration) -> _Needs:
        """Return what is meant by mentions in a declaration."""
        used, through = self._unfolded({one.name for one in found})
        every = dict.fromkeys((*found, *through))
        meant = {id(one): one for mention in every for one in self.meant(mention, by)}
        calls = tuple(mention for mention in every if self.scopes.may_be_elsewhere(mention))
        words = frozenset(mention.name for mention in found)
        if by.kind != "using" and not any("at" in mention.qualifier for mention in found):
            words -= {"at"}  # a variable or a member, as many have
        return _Needs(meant, frozenset(map(self.scopes.scope, meant.values())), tuple(used), calls, words)

    def meant(self, mention: Mention, by: Declaration, known: Collection[Scope] = ()) -> list[Declaration]:
        """Return what is meant; a host function only where device code calls it and there is no other.

        `known` are the namespaces of types that a call may bring along.
        """
        every = [one for one in self.scopes.meant(mention, by, known) if mention.is_scope or not _is_scope(one)]
        fitting = [one for one in every if _fits(one)]
        found = [one for one in fitting if not self._takes_container(one)] or fitting
        if found or not mention.is_called or by.kind == "kernel":
            return found
        return [one for one in every if one.kind == "function" and self._may_be_declared(one)]

    def _may_be_declared(self, function: Declaration) -> bool:
        """Tell whether a function for the host may stand in a unit: its type is told, or asked for."""
        is_told = "auto" not in self._head(function) or not function.is_definition
        return is_told or not self.asked.isdisjoint(function.names)

    def _takes_container(self, function: Declaration) -> bool:
        """Tell whether an overload takes what only a host has: no call in device code can mean it."""
        if function.kind != "function":
            return False
        known = self._containers.get(id(function))
        if known is None:
            taken = function.written.partition("(")[2].partition("{")[0]
            known = self._containers[id(function)] = bool(_CONTAINER.search(taken))
        return known

    def _head(self, function: Declaration) -> str:
        return self.sources[function.path].raw[function.start : function.end].partition("(")[0]

    def cuts(self, declaration: Declaration) -> tuple[Cut, ...]:
        """Return what is left out of a declaration."""
        if id(declaration) not in self._cuts:
            self._cuts[id(declaration)] = host_parts(declaration, self.sources[declaration.path], self.asked)
        return self._cuts[id(declaration)]

    def _mentions(self, declaration: Declaration) -> frozenset[Mention]:
        source = self.sources[declaration.path]
        found: set[Mention] = set()
        start = declaration.start
        for cut, behind, _ in (*self.cuts(declaration), (declaration.end, declaration.end, "")):
            found |= mentions(source, start, cut)
            found.update(pasted(source, start, cut, self.macros))
            start = behind
        found.update(Mention(name) for wrapper in declaration.wrappers for name in wrapper.split()[1:-1])
        return frozenset(found)

    def _unfolded(self, names: Collection[str]) -> tuple[list[Macro], list[Mention]]:
        """Return the macros that names mean, transitively, and what those mention."""
        used: list[Macro] = []
        through: list[Mention] = []
        pending, seen = set(names), set(names)
        while pending:
            macros_named = [macro for name in sorted(pending) for macro in self.macros.get(name, ())]
            used += macros_named
            fresh = [mention for macro in macros_named for mention in macro.mentions]
            through += fresh
            pending = {mention.name for mention in fresh} - seen
            seen |= pending
        return used, through


def closure(kernel: Declaration, arguments: Iterable[str], around: Surroundings) -> Closure:
    """Return what `kernel` needs to compile alone; `arguments` are those of its templates, as spelled."""
    taken: dict[int, Declaration] = {}
    used: dict[tuple[str, int], Macro] = {}
    calls: dict[Mention, Declaration] = {}
    operands = Operands(around.operators, around.sources)
    given = around.named({mention for one in arguments for mention in mentions_in(one)}, kernel)
    special = Specialisations(around.scopes, around.sources, kernel.owner)
    fresh = [*_primaries(kernel, around), *filter(None, (kernel.owner, kernel)), *given.declarations.values()]
    while fresh and len(taken) < _MOST_FRAGMENTS:
        named = {id(one): one for one in fresh if id(one) not in taken and not _renames(one, kernel)}
        fresh = special.meant(named.values(), taken)
        taken.update((id(one), one) for one in fresh)
        needs = [around.needs(one) for one in fresh]
        used.update(((macro.path, macro.name_offset), macro) for one in needs for macro in one.macros)
        calls.update((mention, by) for one, by in zip(needs, fresh, strict=True) for mention in one.calls)
        reached: dict[int, Declaration] = {}
        for each in needs:
            reached.update(each.declarations)
        fresh = [*operands.reached(fresh), *reached.values()]
        if all(id(one) in taken for one in fresh):
            fresh += (*_by_argument(calls, taken.values(), around), *special.meant((), taken))
            fresh = [one for one in fresh if id(one) not in taken]
    used.update(((macro.path, macro.name_offset), macro) for macro in given.macros)
    found = _closure(kernel, taken.values(), used.values(), given.words, around)
    if len(taken) < _MOST_FRAGMENTS:
        return found
    problem = f"closure-too-large: it needs more than {_MOST_FRAGMENTS} declarations of its project"
    return replace(found, fragments=(), complete=False, problems=(problem,))


def _by_argument(
    calls: dict[Mention, Declaration], taken: Collection[Declaration], around: Surroundings
) -> list[Declaration]:
    """Return the functions that calls may find beside the types which are there by now."""
    known = {around.scopes.scope(one) for one in taken if one.kind in ("type", "alias")}
    return [one for mention, by in calls.items() for one in around.meant(mention, by, known) if _fits(one)]


def _primaries(kernel: Declaration, around: Surroundings) -> list[Declaration]:
    """Return the template that a specialisation specialises."""
    if kernel.cursor.get_num_template_arguments() <= 0:
        return []
    same = [one for one in around.declarations if one.kind == "kernel" and kernel.cursor.spelling in one.names]
    return [one for one in same if one.cursor.kind.name == "FUNCTION_TEMPLATE"]


def _renames(declaration: Declaration, kernel: Declaration) -> bool:
    """Tell whether a using-declaration names the kernel, which the unit has not yet declared there."""
    return declaration.kind == "using" and kernel.cursor.spelling in declaration.names


def _is_scope(declaration: Declaration) -> bool:
    """Tell whether a declaration is another name of a namespace, which a variable may have too."""
    return declaration.cursor.kind is CursorKind.NAMESPACE_ALIAS


def _fits(declaration: Declaration) -> bool:
    if declaration.kind in ("kernel", "assertion"):
        return False
    if declaration.kind == "using":
        return not is_directive(declaration)
    return declaration.on_device


def _closure(
    kernel: Declaration,
    taken: Iterable[Declaration],
    used: Collection[Macro],
    words: frozenset[str],
    around: Surroundings,
) -> Closure:
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
    listed = [(macro.text, _span(macro, around)) for macro in ordered if macro not in later]
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
