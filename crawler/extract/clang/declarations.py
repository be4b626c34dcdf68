"""Collect the project's namespace-level declarations of a translation unit.

Each comes with its range, its namespaces and what it declares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS, TYPE_KINDS
from crawler.extract.clang.cursor_queries import (
    get_specialized_template,
    list_child_cursors,
)
from crawler.extract.clang.declaration_extent import find_declaration_extent
from crawler.extract.clang.declaration_names import (
    list_declared_names,
    name_declaration_kind,
)
from crawler.extract.clang.scoped_cursors import ScopedCursor, is_variable_template
from crawler.model import Span

_CLASS_KINDS: Final = {
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.CLASS_TEMPLATE,
}
_OTHER_DECLARATION_KINDS: Final = {
    CursorKind.TYPEDEF_DECL,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.TYPE_ALIAS_TEMPLATE_DECL,
    CursorKind.VAR_DECL,
    CursorKind.USING_DECLARATION,
    CursorKind.USING_DIRECTIVE,
    CursorKind.NAMESPACE_ALIAS,
    CursorKind.CONCEPT_DECL,
    CursorKind.STATIC_ASSERT,
}
_DECLARATION_KINDS: Final = FUNCTION_KINDS | TYPE_KINDS | _OTHER_DECLARATION_KINDS
_BUILT_IN_VARIABLES: Final = frozenset(
    {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"}
)
"""CUDA C++ Programming Guide, "Built-in Variables"."""
_DEVICE_ATTRIBUTES: Final = {
    CursorKind.CUDADEVICE_ATTR,
    CursorKind.CUDACONSTANT_ATTR,
    CursorKind.CUDASHARED_ATTR,
}
_DEVICE_VARIABLE_WORDS: Final = ("constexpr", "__managed__", "texture<", "surface<")


@dataclass(kw_only=True, eq=False)
class Declaration:
    """One declaration of the project at namespace level; `cursor` never leaves this package.

    What is costly to tell is computed when it is asked for: a unit may see many thousand
    declarations, and a kernel need few of them.
    """

    path: str
    source: SourceText
    names: tuple[str, ...]
    kind: str
    """`function`, `kernel`, `type`, `variable`, `alias`, `using` or `assertion`."""
    scope_openings: tuple[str, ...]
    """Openings of the namespaces and linkage specifications that it stands in."""
    namespaces: tuple[str, ...]
    cursor: Cursor
    owner_class: Declaration | None = None
    """The class that a member kernel stands in."""
    inherited_targets: str = ""
    """`__host__ __device__` of an earlier declaration, which nvcc takes them from, not clang."""
    member_targets: dict[int, str] = field(default_factory=dict)
    """The same words of definitions outside of a class, by the offsets of its members."""

    @property
    def start(self) -> int:
        """The offset of its first character."""
        return self._extent[0]

    @property
    def end(self) -> int:
        """The offset behind it, its semicolon included."""
        return self._extent[1]

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.source.make_span(self.start, self.end)

    @cached_property
    def raw_text(self) -> str:
        """Its text as far as clang's own range goes, for a look at it."""
        extent = self.cursor.extent
        return self.source.raw[extent.start.offset : extent.end.offset]

    @cached_property
    def _extent(self) -> tuple[int, int]:
        return find_declaration_extent(self.cursor, self.source)

    @cached_property
    def cursor_kind(self) -> CursorKind:
        """Its kind to libclang, which is asked once."""
        return self.cursor.kind

    @cached_property
    def is_usable_on_device(self) -> bool:
        """Whether device code may use it."""
        if self.owner_class is not None or self.inherited_targets:
            return True
        return _may_be_used_on_device(self)

    @cached_property
    def is_definition(self) -> bool:
        """Whether it is more than a function's head."""
        return self.cursor.kind not in FUNCTION_KINDS or self.cursor.is_definition()


def collect_declarations(
    scoped_cursors: Iterable[ScopedCursor],
    sources: SourceFiles,
    is_marked: Callable[[Cursor], bool],
) -> list[Declaration]:
    """Return the project's declarations in order.

    `is_marked` tells whether the text of a cursor may head a kernel.
    """
    declarations: list[Declaration] = []
    for scoped_cursor in scoped_cursors:
        source = sources[scoped_cursor.path]
        declaration = _make_declaration(scoped_cursor, source, is_marked)
        if declaration is None:
            continue

        declarations.append(declaration)
        cursor = scoped_cursor.cursor

        if cursor.kind in _CLASS_KINDS and is_marked(cursor):
            declarations += _iter_member_kernels(declaration)

    return declarations


def _declares_built_in_variable(scoped_cursor: ScopedCursor) -> bool:
    """Tell whether a cursor is, say, `extern const dim3 blockDim;`, for an editor or the host.

    The language has it already; a constant `warpSize` of a project is its own.
    """
    cursor = scoped_cursor.cursor
    if cursor.spelling not in _BUILT_IN_VARIABLES or scoped_cursor.namespaces:
        return False
    return cursor.kind is CursorKind.VAR_DECL and not cursor.is_definition()


def _make_declaration(
    scoped_cursor: ScopedCursor,
    source: SourceText,
    is_marked: Callable[[Cursor], bool],
) -> Declaration | None:
    """Return the declaration that a cursor is; `None` for anything else."""
    cursor = scoped_cursor.cursor
    cursor_kind = cursor.kind

    if is_variable_template(cursor):
        cursor_kind = CursorKind.VAR_DECL

    if cursor_kind not in _DECLARATION_KINDS or _is_instantiated(cursor):
        return None
    if _declares_built_in_variable(scoped_cursor):
        return None

    # a kernel is a function: what marks it decides
    names = list_declared_names(cursor)
    is_kernel = cursor_kind in FUNCTION_KINDS and _is_kernel(cursor, is_marked)

    return Declaration(
        path=scoped_cursor.path,
        source=source,
        names=names,
        kind="kernel" if is_kernel else name_declaration_kind(cursor_kind),
        scope_openings=scoped_cursor.scope_openings,
        namespaces=scoped_cursor.namespaces,
        cursor=cursor,
    )


def _is_kernel(function: Cursor, is_marked: Callable[[Cursor], bool]) -> bool:
    """Tell whether a function is a kernel.

    Attributes are read only where the text may have one: most functions are no kernels.
    """
    may_be_kernel = is_marked(function)
    if not may_be_kernel:
        first = function.canonical
        may_be_kernel = first != function and is_marked(first)

    return may_be_kernel and CursorKind.CUDAGLOBAL_ATTR in _attribute_kinds(function)


def _attribute_kinds(cursor: Cursor) -> set[object]:
    """Return the kinds of a declaration's attributes, those of its first declaration included.

    A definition that stands elsewhere omits them.
    """
    kinds = _own_attribute_kinds(cursor)
    if cursor.kind in FUNCTION_KINDS and cursor.canonical != cursor:
        kinds |= _own_attribute_kinds(cursor.canonical)

    return kinds


def _own_attribute_kinds(cursor: Cursor) -> set[object]:
    return {
        child.kind for child in list_child_cursors(cursor) if child.kind.is_attribute()
    }


def _iter_member_kernels(owner: Declaration) -> Iterator[Declaration]:
    """Yield the kernels that are static members of a class."""
    for cursor in list_child_cursors(owner.cursor):
        if cursor.kind not in FUNCTION_KINDS:
            continue
        if CursorKind.CUDAGLOBAL_ATTR not in _own_attribute_kinds(cursor):
            continue
        yield Declaration(
            path=owner.path,
            source=owner.source,
            names=(cursor.spelling,),
            kind="kernel",
            scope_openings=owner.scope_openings,
            namespaces=(*owner.namespaces, *owner.names[:1]),
            cursor=cursor,
            owner_class=owner,
        )


def _is_instantiated(cursor: Cursor) -> bool:
    """Tell whether the compiler made a function from a template.

    libclang lists those beside what the project declares.
    """
    if cursor.kind not in FUNCTION_KINDS:
        return False

    lexical_parent = cursor.lexical_parent
    if lexical_parent is not None and lexical_parent.kind in TYPE_KINDS:
        return True

    template = get_specialized_template(cursor)
    if template is None:
        return False

    # an explicit specialisation has a place of its own
    patterns = (template, template.canonical, template.get_definition())
    return any(
        pattern is not None and pattern.location == cursor.location
        for pattern in patterns
    )


def _may_be_used_on_device(declaration: Declaration) -> bool:
    cursor = declaration.cursor
    if _attribute_kinds(cursor) & _DEVICE_ATTRIBUTES:
        return True

    if cursor.kind in FUNCTION_KINDS:
        # a macro that stands for `constexpr` has the word in its name, as `MY_CONSTEXPR` does
        head = declaration.raw_text.split("{")[0].lower()
        return "constexpr" in head or "consteval" in head

    # a template of variables, whose constness its head or a macro says
    if cursor.kind is CursorKind.UNEXPOSED_DECL:
        return True

    if cursor.kind is CursorKind.VAR_DECL:
        if cursor.type.is_const_qualified():
            return True
        return any(word in declaration.raw_text for word in _DEVICE_VARIABLE_WORDS)

    return True
