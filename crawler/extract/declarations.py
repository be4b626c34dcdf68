"""The project's own declarations of a translation unit, in its order, each with its range and namespaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from clang.cindex import CursorKind, conf

from crawler.extract.brackets import before_angles, closing
from crawler.extract.conditions import whole_branches
from crawler.extract.parse import relative
from crawler.extract.source import Lexeme, Sources, SourceText
from crawler.tokens import Kind

_SCOPES: Final = {CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL}
FUNCTIONS: Final = {
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.DESTRUCTOR,
    CursorKind.CONVERSION_FUNCTION,
}
TYPES: Final = {
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.UNION_DECL,
    CursorKind.ENUM_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
}
_CLASSES: Final = {CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL, CursorKind.CLASS_TEMPLATE}
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
_ATTRIBUTED_BEHIND: Final = {CursorKind.TYPEDEF_DECL, CursorKind.TYPE_ALIAS_DECL, CursorKind.VAR_DECL}
_BITS: Final = "_BitInt"
_DEVICE: Final = {CursorKind.CUDADEVICE_ATTR, CursorKind.CUDACONSTANT_ATTR, CursorKind.CUDASHARED_ATTR}
_ON_DEVICE_WORDS: Final = ("constexpr", "__managed__", "texture<", "surface<")


@dataclass(slots=True, kw_only=True)
class Declaration:
    """One declaration of the project at namespace level; `cursor` never leaves this package."""

    path: str
    start: int
    end: int
    names: tuple[str, ...]
    kind: str
    """`function`, `kernel`, `type`, `variable`, `alias`, `using` or `assertion`."""
    wrappers: tuple[str, ...]
    """Openings of the namespaces and linkage specifications that it stands in."""
    namespaces: tuple[str, ...]
    on_device: bool
    """Whether device code may use it."""
    is_definition: bool
    cursor: Any
    owner: Declaration | None = None
    """The class that a member kernel stands in."""


def declarations(unit: Any, root: Path, directory: str, sources: Sources) -> list[Declaration]:
    """Return the project's declarations in the order in which the compiler saw them."""
    found: list[Declaration] = []
    _collect(unit.cursor.get_children(), root, directory, sources, (), (), found)
    return found


def active_macros(unit: Any, root: Path, directory: str) -> frozenset[tuple[str, int]]:
    """Return (path, offset of its name) of each macro of the project that the preprocessor took."""
    found = set()
    for cursor in unit.cursor.get_children():
        if cursor.kind is CursorKind.MACRO_DEFINITION and cursor.location.file:
            path = relative(cursor.location.file.name, root, directory)
            if path is not None:
                found.add((path, cursor.extent.start.offset))
    return frozenset(found)


def _collect(
    cursors: Iterator[Any],
    root: Path,
    directory: str,
    sources: Sources,
    wrappers: tuple[str, ...],
    namespaces: tuple[str, ...],
    found: list[Declaration],
) -> None:
    for cursor in cursors:
        file = cursor.location.file
        path = relative(file.name, root, directory) if file else None
        if path is None:
            continue
        source = sources[path]
        if cursor.kind in _SCOPES and not _is_variable_template(cursor, source):
            opening, name = _opening(cursor, source)
            inner = (*wrappers, opening) if opening else wrappers
            names = (*namespaces, name) if name else namespaces
            _collect(cursor.get_children(), root, directory, sources, inner, names, found)
        else:
            declaration = _declaration(cursor, path, source, wrappers, namespaces)
            if declaration:
                found.append(declaration)
                found += _member_kernels(declaration, source)


def _opening(cursor: Any, source: SourceText) -> tuple[str, str]:
    """Return how a scope is opened in a unit, and the namespace's name; an anonymous one is not opened at all."""
    if cursor.kind is CursorKind.NAMESPACE:
        name = cursor.spelling if "(anonymous" not in cursor.spelling else ""
        if not name:
            return "", ""
        inline = "inline " if source.raw[cursor.extent.start.offset :].startswith("inline") else ""
        return f"{inline}namespace {name} {{", name
    return 'extern "C" {', ""


def _is_variable_template(cursor: Any, source: SourceText) -> bool:
    """Tell whether what libclang has no kind for is a variable template."""
    unexposed = cursor.kind is CursorKind.UNEXPOSED_DECL and bool(cursor.spelling)
    return unexposed and source.raw.startswith("template", cursor.extent.start.offset)


def _declaration(
    cursor: Any, path: str, source: SourceText, wrappers: tuple[str, ...], namespaces: tuple[str, ...]
) -> Declaration | None:
    kind = CursorKind.VAR_DECL if _is_variable_template(cursor, source) else cursor.kind
    if (kind not in FUNCTIONS and kind not in TYPES and kind not in _OTHERS) or _is_instantiated(cursor):
        return None
    attributes = _attributes(cursor)
    start, end = extent(cursor, source)
    return Declaration(
        path=path,
        start=start,
        end=end,
        names=_names(cursor),
        kind=_kind(kind, attributes),
        wrappers=wrappers,
        namespaces=namespaces,
        on_device=_on_device(cursor, attributes, source.raw[start:end]),
        is_definition=kind not in FUNCTIONS or cursor.is_definition(),
        cursor=cursor,
    )


def _attributes(cursor: Any) -> set[Any]:
    """Return the kinds of attributes, those of the first declaration with them: a definition elsewhere omits them."""
    first = cursor.canonical if cursor.kind in FUNCTIONS else cursor
    both = (cursor, first) if first.location != cursor.location else (cursor,)
    return {child.kind for one in both for child in one.get_children() if child.kind.is_attribute()}


def _member_kernels(owner: Declaration, source: SourceText) -> Iterator[Declaration]:
    """Yield the kernels that are static members of a class."""
    if owner.cursor.kind not in _CLASSES or "__global__" not in source.raw[owner.start : owner.end]:
        return
    for cursor in owner.cursor.get_children():
        attributes = {child.kind for child in cursor.get_children() if child.kind.is_attribute()}
        if cursor.kind in FUNCTIONS and CursorKind.CUDAGLOBAL_ATTR in attributes:
            start, end = extent(cursor, source)
            yield Declaration(
                path=owner.path,
                start=start,
                end=end,
                names=(cursor.spelling,),
                kind="kernel",
                wrappers=owner.wrappers,
                namespaces=(*owner.namespaces, *owner.names[:1]),
                on_device=True,
                is_definition=cursor.is_definition(),
                cursor=cursor,
                owner=owner,
            )


def _is_instantiated(cursor: Any) -> bool:
    """Tell whether the compiler made a function from a template: those stand beside what the project declares."""
    if cursor.kind not in FUNCTIONS:
        return False
    if cursor.lexical_parent is not None and cursor.lexical_parent.kind in TYPES:
        return True
    template = conf.lib.clang_getSpecializedCursorTemplate(cursor)
    if template is None:
        return False
    patterns = (template, template.canonical, template.get_definition())
    return any(pattern is not None and pattern.location == cursor.location for pattern in patterns)


def extent(cursor: Any, source: SourceText) -> tuple[int, int]:
    """Return the range of a declaration, its semicolon included; of a macro's use where a macro makes it."""
    lexemes = source.lexemes
    at = _outer_head(lexemes, source.position(cursor.extent.start.offset))
    start = min([cursor.extent.start.offset, *(lexeme.offset for lexeme in lexemes[at : at + 1])])
    end = cursor.extent.end.offset
    position = source.position(end)
    if at + 1 < len(lexemes) and lexemes[at].kind is Kind.NAME and lexemes[at + 1].text == "(":
        closed = closing(source, at + 1)
        if closed > 0 and end <= lexemes[closed].end:
            end, position = lexemes[closed].end, closed + 1
    if cursor.kind in _ATTRIBUTED_BEHIND:
        while position + 1 < len(lexemes) and lexemes[position].text == "__attribute__":
            position = source.closings.get(position + 1, len(lexemes)) + 1
            end = lexemes[position - 1].end if position <= len(lexemes) else end
    if cursor.kind in FUNCTIONS and source.raw[start:end].endswith(f" {cursor.spelling}"):
        while position < len(lexemes) and lexemes[position].text not in (";", "{"):
            position = source.closings.get(position, position) + 1  # clang's range ends before its parameters
        end = lexemes[position - 1].end
    if position < len(lexemes) and lexemes[position].text == "(" and lexemes[position - 1].text == _BITS:
        position = closing(source, position) + 1  # clang's range ends before the number of bits
        end = lexemes[position - 1].end
    if position < len(lexemes) and lexemes[position].text == ";" and not source.raw[start:end].rstrip().endswith(";"):
        end = lexemes[position].end
    return whole_branches(source, start, end), end


def _outer_head(lexemes: Sequence[Lexeme], at: int) -> int:
    """Step back over the `template <…>` that clang leaves out: those of the class round a member template."""
    while 0 < at < len(lexemes) and lexemes[at - 1].text == ">":
        head = before_angles(lexemes, at - 1)
        if lexemes[head].text != "template":
            break
        at = head
    return at


def _names(cursor: Any) -> tuple[str, ...]:
    names = [cursor.spelling]
    if cursor.kind is CursorKind.ENUM_DECL:
        names += [child.spelling for child in cursor.get_children()]
    if cursor.kind in FUNCTIONS and cursor.semantic_parent is not None:
        parent = cursor.semantic_parent
        if parent.kind in TYPES:
            names = [parent.spelling]
    if cursor.kind is CursorKind.USING_DECLARATION:
        names = [child.spelling for child in cursor.get_children() if child.spelling][-1:] or names
    return tuple(name for name in names if name)


def _kind(kind: Any, attributes: set[Any]) -> str:
    if kind in FUNCTIONS:
        return "kernel" if CursorKind.CUDAGLOBAL_ATTR in attributes else "function"
    if kind in TYPES:
        return "type"
    if kind is CursorKind.VAR_DECL:
        return "variable"
    if kind in (CursorKind.USING_DIRECTIVE, CursorKind.USING_DECLARATION, CursorKind.NAMESPACE_ALIAS):
        return "using"
    return "assertion" if kind is CursorKind.STATIC_ASSERT else "alias"


def _on_device(cursor: Any, attributes: set[Any], text: str) -> bool:
    if attributes & _DEVICE:
        return True
    if cursor.kind in FUNCTIONS:
        head = text.split("{")[0].lower()  # a macro that says it has it in its name
        return "constexpr" in head or "consteval" in head
    if cursor.kind in (CursorKind.VAR_DECL, CursorKind.UNEXPOSED_DECL):
        return cursor.type.is_const_qualified() or any(word in text for word in _ON_DEVICE_WORDS)
    return True
