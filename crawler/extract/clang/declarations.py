"""Collect the project's namespace-level declarations of a translation unit, with ranges and
namespaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from clang.cindex import CursorKind, conf

from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.dead_branches import extend_to_whole_conditionals
from crawler.cpp.source_text import Lexeme, SourceFiles, SourceText
from crawler.cpp.token_brackets import find_closing_bracket, skip_angles_backwards
from crawler.extract.clang.cursor_locations import CursorLocations, child_cursors
from crawler.model import Span

_SCOPES: Final = {
    CursorKind.NAMESPACE,
    CursorKind.LINKAGE_SPEC,
    CursorKind.UNEXPOSED_DECL,
}
FUNCTION_KINDS: Final = {
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.DESTRUCTOR,
    CursorKind.CONVERSION_FUNCTION,
}
TYPE_KINDS: Final = {
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.UNION_DECL,
    CursorKind.ENUM_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
}
_WRITTEN: Final = ("namespace", "inline", "extern")
_CLASSES: Final = {
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.CLASS_TEMPLATE,
}
_OTHERS: Final = {
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
_ATTRIBUTED_BEHIND: Final = {
    CursorKind.TYPEDEF_DECL,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.VAR_DECL,
}
_BITS: Final = "_BitInt"
_DEVICE: Final = {
    CursorKind.CUDADEVICE_ATTR,
    CursorKind.CUDACONSTANT_ATTR,
    CursorKind.CUDASHARED_ATTR,
}
_ON_DEVICE_WORDS: Final = ("constexpr", "__managed__", "texture<", "surface<")


@dataclass(kw_only=True, eq=False)
class Declaration:
    """One declaration of the project at namespace level; `cursor` never leaves this package.

    What costs is told when it is asked for: a unit may see many thousand, and a kernel need few
    of them.
    """

    path: str
    source: SourceText
    names: tuple[str, ...]
    kind: str
    """`function`, `kernel`, `type`, `variable`, `alias`, `using` or `assertion`."""
    scope_openings: tuple[str, ...]
    """Openings of the namespaces and linkage specifications that it stands in."""
    namespaces: tuple[str, ...]
    cursor: Any
    owner_class: Declaration | None = None
    """The class that a member kernel stands in."""

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
        return self.source.raw[
            self.cursor.extent.start.offset : self.cursor.extent.end.offset
        ]

    @cached_property
    def _extent(self) -> tuple[int, int]:
        return find_declaration_extent(self.cursor, self.source)

    @cached_property
    def is_usable_on_device(self) -> bool:
        """Whether device code may use it."""
        return self.owner_class is not None or _on_device(self)

    @cached_property
    def is_definition(self) -> bool:
        """Whether it is more than a function's head."""
        return self.cursor.kind not in FUNCTION_KINDS or self.cursor.is_definition()


@dataclass(frozen=True, slots=True)
class ScopedCursor:
    """A cursor at namespace level, and the scopes round it."""

    cursor: Any
    path: str
    scope_openings: tuple[str, ...]
    namespaces: tuple[str, ...]


def collect_scoped_cursors(
    clang_unit: Any, locations: CursorLocations, sources: SourceFiles
) -> list[ScopedCursor]:
    """Return what the project's files hold at namespace level, in the order in which the
    compiler saw it.
    """
    found: list[ScopedCursor] = []
    _collect(clang_unit.cursor, locations, sources, (), (), found)
    return found


def collect_declarations(
    scoped_cursors: Iterable[ScopedCursor],
    sources: SourceFiles,
    is_marked: Callable[[Any], bool],
) -> list[Declaration]:
    """Return the project's declarations in order; `is_marked` tells whether the text of a
    cursor may head a kernel.
    """
    found: list[Declaration] = []
    for one in scoped_cursors:
        declaration = _declaration(one, sources[one.path], is_marked)
        if declaration:
            found.append(declaration)
            if one.cursor.kind in _CLASSES and is_marked(one.cursor):
                found += _member_kernels(declaration)
    return found


def collect_active_macros(
    scoped_cursors: Iterable[ScopedCursor], locations: CursorLocations
) -> frozenset[tuple[str, int]]:
    """Return (path, offset of its name) of each macro of the project that the preprocessor took."""
    taken = (
        one.cursor
        for one in scoped_cursors
        if one.cursor.kind is CursorKind.MACRO_DEFINITION
    )
    return frozenset(
        (path, start)
        for path, start, _ in map(locations.extent, taken)
        if path is not None
    )


def _collect(
    scope: Any,
    places: CursorLocations,
    sources: SourceFiles,
    wrappers: tuple[str, ...],
    namespaces: tuple[str, ...],
    found: list[ScopedCursor],
    made: _Made | None = None,
) -> None:
    for cursor in child_cursors(scope):
        path = places.path(cursor)
        if path is None:
            continue
        within = made.wrappers if made and made.holds(cursor) else wrappers
        if cursor.kind in _SCOPES and not _is_variable_template(cursor, sources[path]):
            opening, name = _opening(cursor, sources[path])
            inner = (*within, opening) if opening else within
            names = (*namespaces, name) if name else namespaces
            _collect(
                cursor,
                places,
                sources,
                inner,
                names,
                found,
                _made(cursor, sources[path], within),
            )
        else:
            found.append(ScopedCursor(cursor, path, within, namespaces))


@dataclass(frozen=True, slots=True)
class _Made:
    """A macro that opens and closes a namespace, and the scopes round it: what it holds needs
    no other.
    """

    start: int
    wrappers: tuple[str, ...]

    def holds(self, cursor: Any) -> bool:
        return bool(cursor.extent.start.offset == self.start)


def _made(scope: Any, source: SourceText, wrappers: tuple[str, ...]) -> _Made | None:
    start, end = scope.extent.start.offset, scope.extent.end.offset
    if source.raw.startswith(_WRITTEN, start):
        return None
    called = source.lexeme_index(start) + 1
    last = source.closing_brackets.get(called, called - 1)
    return _Made(start, wrappers) if source.lexeme_index(end) == last + 1 else None


def _opening(cursor: Any, source: SourceText) -> tuple[str, str]:
    """Return how a scope is opened in a unit, and the namespace's name; an anonymous one is not
    opened at all.
    """
    if cursor.kind is CursorKind.NAMESPACE:
        name = cursor.spelling if "(anonymous" not in cursor.spelling else ""
        if not name:
            return "", ""
        inline = (
            "inline "
            if source.raw[cursor.extent.start.offset :].startswith("inline")
            else ""
        )
        return f"{inline}namespace {name} {{", name
    return 'extern "C" {', ""


def _is_variable_template(cursor: Any, source: SourceText) -> bool:
    """Tell whether what libclang has no kind for is a variable template."""
    unexposed = cursor.kind is CursorKind.UNEXPOSED_DECL and bool(cursor.spelling)
    return unexposed and source.raw.startswith("template", cursor.extent.start.offset)


def _declaration(
    one: ScopedCursor, source: SourceText, is_marked: Callable[[Any], bool]
) -> Declaration | None:
    cursor = one.cursor
    kind = CursorKind.VAR_DECL if _is_variable_template(cursor, source) else cursor.kind
    if (
        kind not in FUNCTION_KINDS and kind not in TYPE_KINDS and kind not in _OTHERS
    ) or _is_instantiated(cursor):
        return None
    return Declaration(
        path=one.path,
        source=source,
        names=_names(cursor),
        kind="kernel"
        if kind in FUNCTION_KINDS and _is_kernel(cursor, is_marked)
        else _kind(kind),
        scope_openings=one.scope_openings,
        namespaces=one.namespaces,
        cursor=cursor,
    )


def _is_kernel(function: Any, is_marked: Callable[[Any], bool]) -> bool:
    """Ask for attributes only where the text may have one: most functions are none."""
    marked = is_marked(function) or (
        function.canonical != function and is_marked(function.canonical)
    )
    return marked and CursorKind.CUDAGLOBAL_ATTR in _attributes(function)


def _attributes(cursor: Any) -> set[Any]:
    """Return the kinds of attributes, those of the first declaration with them: a definition
    elsewhere omits them.
    """
    first = cursor.canonical if cursor.kind in FUNCTION_KINDS else cursor
    both = (cursor, first) if first != cursor else (cursor,)
    return set().union(*map(_attributes_of, both))


def _member_kernels(owner: Declaration) -> Iterator[Declaration]:
    """Yield the kernels that are static members of a class."""
    for cursor in child_cursors(owner.cursor):
        if (
            cursor.kind in FUNCTION_KINDS
            and CursorKind.CUDAGLOBAL_ATTR in _attributes_of(cursor)
        ):
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


def _attributes_of(cursor: Any) -> set[Any]:
    return {child.kind for child in child_cursors(cursor) if child.kind.is_attribute()}


def _is_instantiated(cursor: Any) -> bool:
    """Tell whether the compiler made a function from a template: those stand beside what the
    project declares.
    """
    if cursor.kind not in FUNCTION_KINDS:
        return False
    if cursor.lexical_parent is not None and cursor.lexical_parent.kind in TYPE_KINDS:
        return True
    template = conf.lib.clang_getSpecializedCursorTemplate(cursor)
    if template is None:
        return False
    patterns = (template, template.canonical, template.get_definition())
    return any(
        pattern is not None and pattern.location == cursor.location
        for pattern in patterns
    )


def find_declaration_extent(cursor: Any, source: SourceText) -> tuple[int, int]:
    """Return the range of a declaration, its semicolon included; of a macro's use where a macro
    makes it.
    """
    lexemes = source.lexemes
    at = _outer_head(lexemes, source.lexeme_index(cursor.extent.start.offset))
    start = min(
        [
            cursor.extent.start.offset,
            *(lexeme.offset for lexeme in lexemes[at : at + 1]),
        ]
    )
    end = cursor.extent.end.offset
    position = source.lexeme_index(end)
    if (
        at + 1 < len(lexemes)
        and lexemes[at].kind is TokenKind.NAME
        and lexemes[at + 1].text == "("
    ):
        closed = find_closing_bracket(source, at + 1)
        if closed > 0 and end <= lexemes[closed].end:
            end, position = lexemes[closed].end, closed + 1
    if cursor.kind in _ATTRIBUTED_BEHIND:
        while position + 1 < len(lexemes) and lexemes[position].text == "__attribute__":
            position = source.closing_brackets.get(position + 1, len(lexemes)) + 1
            end = lexemes[position - 1].end if position <= len(lexemes) else end
    if cursor.kind in FUNCTION_KINDS and source.raw[start:end].endswith(
        f" {cursor.spelling}"
    ):
        while position < len(lexemes) and lexemes[position].text not in (";", "{"):
            position = (
                source.closing_brackets.get(position, position) + 1
            )  # clang's range ends before its parameters
        end = lexemes[position - 1].end
    if (
        position < len(lexemes)
        and lexemes[position].text == "("
        and lexemes[position - 1].text == _BITS
    ):
        position = (
            find_closing_bracket(source, position) + 1
        )  # clang's range ends before the number of bits
        end = lexemes[position - 1].end
    if (
        position < len(lexemes)
        and lexemes[position].text == ";"
        and not source.raw[start:end].rstrip().endswith(";")
    ):
        end = lexemes[position].end
    return extend_to_whole_conditionals(source, start, end), end


def _outer_head(lexemes: Sequence[Lexeme], at: int) -> int:
    """Step back over the `template <…>` that clang leaves out: those of the class round a
    member template.
    """
    while 0 < at < len(lexemes) and lexemes[at - 1].text == ">":
        head = skip_angles_backwards(lexemes, at - 1)
        if lexemes[head].text != "template":
            break
        at = head
    return at


def _names(cursor: Any) -> tuple[str, ...]:
    names = [cursor.spelling]
    if cursor.kind is CursorKind.ENUM_DECL:
        names += [child.spelling for child in cursor.get_children()]
    if cursor.kind in FUNCTION_KINDS and cursor.semantic_parent is not None:
        parent = cursor.semantic_parent
        if parent.kind in TYPE_KINDS:
            names = [parent.spelling]
    if cursor.kind is CursorKind.USING_DECLARATION:
        names = [child.spelling for child in cursor.get_children() if child.spelling][
            -1:
        ] or names
    return tuple(name for name in names if name)


def _kind(kind: Any) -> str:
    if kind in FUNCTION_KINDS:
        return "function"
    if kind in TYPE_KINDS:
        return "type"
    if kind is CursorKind.VAR_DECL:
        return "variable"
    if kind in (
        CursorKind.USING_DIRECTIVE,
        CursorKind.USING_DECLARATION,
        CursorKind.NAMESPACE_ALIAS,
    ):
        return "using"
    return "assertion" if kind is CursorKind.STATIC_ASSERT else "alias"


def _on_device(declaration: Declaration) -> bool:
    cursor = declaration.cursor
    if _attributes(cursor) & _DEVICE:
        return True
    if cursor.kind in FUNCTION_KINDS:
        head = declaration.raw_text.split("{")[
            0
        ].lower()  # a macro that says it has it in its name
        return "constexpr" in head or "consteval" in head
    if cursor.kind in (CursorKind.VAR_DECL, CursorKind.UNEXPOSED_DECL):
        return cursor.type.is_const_qualified() or any(
            word in declaration.raw_text for word in _ON_DEVICE_WORDS
        )
    return True
