"""Find host-only members and bodies that a kernel unit leaves out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.cpp.lexer import GAPS
from crawler.cpp.preprocessor.dead_branches import extend_to_whole_conditionals
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS, TYPE_KINDS
from crawler.extract.clang.declaration_extent import find_declaration_extent
from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.host_code.function_bodies import (
    collect_head_words,
    find_body,
    has_deduced_type,
)
from crawler.extract.closure.host_code.kept_host_code import (
    KeptHostCode,
    collect_words_outside,
)
from crawler.extract.closure.host_code.whole_lines import TextEdit, widen_to_lines

_DEVICE_ATTRIBUTES: Final = {CursorKind.CUDADEVICE_ATTR, CursorKind.CUDAGLOBAL_ATTR}
_LIFETIME_KINDS: Final = {CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR}
_CONSTANT_WORDS: Final = frozenset({"constexpr", "consteval"})
_LAYOUT_WORDS: Final = frozenset(
    {"virtual", "override", "final", "explicit", "operator", "friend"}
)
"""Words in the head of a function that must stay declared."""
# the first tokens of a declaration; libclang has no kind for what they begin
_EXPLICIT_SPECIALISATION: Final = re.compile(rf"template{GAPS}<{GAPS}>")
_TEMPLATE_MEMBER_CALL: Final = re.compile(
    r"\b(\w++)<[^;(){}]{0,200}?>::(?:template )?(\w++)\s*\("
)
"""`Parse` and `text` of `Parse<T>::text(…)`, in a template that may never be instantiated."""


class _FunctionEdit(NamedTuple):
    """An edit that leaves out a member function, or its body."""

    edit: TextEdit
    name: str

    @property
    def keeps_declaration(self) -> bool:
        """Whether the function is still declared."""
        return self.edit[2] != ""


def find_host_edits(
    declaration: Declaration,
    source: SourceText,
    names_needing_bodies: frozenset[str] = frozenset(),
    kept_code: KeptHostCode | None = None,
) -> tuple[TextEdit, ...]:
    """Return what a unit may leave out of a class or of a host function, in order.

    Constructors, destructors and virtual functions lose their bodies only: that they are there
    decides how the class is laid out and passed. Functions whose bodies decide a type that is
    asked for, `names_needing_bodies`, keep them, and what is `kept_code` stays.
    """
    if kept_code is None:
        kept_code = KeptHostCode()

    if declaration.kind == "function":
        is_kept = not kept_code.kept_names.isdisjoint(declaration.names)
        if is_kept or declaration.is_usable_on_device:
            return ()

        return _find_function_edits(declaration, source, names_needing_bodies)

    text = source.raw[declaration.start : declaration.end]
    if declaration.cursor.kind not in TYPE_KINDS or "(" not in text:
        return ()

    return _find_class_edits(declaration, source, names_needing_bodies, kept_code)


def find_member_body_edits(
    declaration: Declaration, source: SourceText
) -> tuple[TextEdit, ...]:
    """Return what leaves the host's members of a class their declarations, in order.

    Bodies stay that decide what a function returns.
    """
    if declaration.cursor.kind not in TYPE_KINDS:
        return ()

    function_edits = sorted(
        _iter_member_edits(declaration.cursor, source, KeptHostCode())
    )
    return tuple(
        function_edit.edit
        if function_edit.keeps_declaration
        else _declare_only(function_edit.edit, source)
        for function_edit in function_edits
        if not has_deduced_type(source, *function_edit.edit[:2])
        and function_edit.edit[0] not in declaration.member_targets
    )


def _find_function_edits(
    function: Declaration, source: SourceText, names_needing_bodies: frozenset[str]
) -> tuple[TextEdit, ...]:
    """Return the edit that leaves a host function its declaration; its class has that of a member
    which is defined outside of it.
    """
    start, end = function.start, function.end
    body = find_body(source, start, end)
    if body is None:
        return ()
    # an `#else` in the body may belong to an `#if` in the head
    if extend_to_whole_conditionals(source, body, end) != body:
        return ()

    is_asked_for = not names_needing_bodies.isdisjoint(function.names)
    if is_asked_for and has_deduced_type(source, start, end):
        return ()

    owner = function.cursor.semantic_parent
    if owner is not None and owner.kind in TYPE_KINDS:
        return ((start, end, ""),)

    return ((body, end, ";"),)


def _find_class_edits(
    declaration: Declaration,
    source: SourceText,
    names_needing_bodies: frozenset[str],
    kept_code: KeptHostCode,
) -> tuple[TextEdit, ...]:
    member_edits = sorted(_iter_member_edits(declaration.cursor, source, kept_code))
    function_edits = [
        function_edit
        for function_edit in member_edits
        if not _decides_needed_type(function_edit, source, names_needing_bodies)
        and function_edit.edit[0] not in declaration.member_targets
    ]

    if not function_edits:
        return ()

    edits = [function_edit.edit for function_edit in function_edits]
    # a `constexpr` function that stays may call what is for the host alone
    remaining_words = collect_words_outside(
        source, declaration.start, declaration.end, edits
    )

    needed_names = remaining_words.union(
        names_needing_bodies, _find_members_named_through_template(declaration, source)
    )

    edits = [
        _declare_only(function_edit.edit, source)
        if function_edit.name in needed_names and not function_edit.keeps_declaration
        else function_edit.edit
        for function_edit in function_edits
    ]
    return widen_to_lines(edits, source, declaration.start, declaration.end)


def _decides_needed_type(
    function_edit: _FunctionEdit,
    source: SourceText,
    names_needing_bodies: Collection[str],
) -> bool:
    """Tell whether a member function's body decides a type that is asked for."""
    if function_edit.name not in names_needing_bodies:
        return False
    # without its body alone, it is declared with a type that is written
    if function_edit.keeps_declaration:
        return False

    start, end, _ = function_edit.edit

    return has_deduced_type(source, start, end)


def _find_members_named_through_template(
    declaration: Declaration, source: SourceText
) -> set[str]:
    """Return the functions of an explicit specialisation that are called through its template.

    e.g. `Parse<T>::text(…)` in a template needs `text` of `Parse<int>` declared.
    """
    if not _EXPLICIT_SPECIALISATION.match(source.raw, declaration.start):
        return set()

    return {
        member
        for template, member in _find_template_member_calls(source)
        if template in declaration.names
    }


@cache_per_source
def _find_template_member_calls(source: SourceText) -> frozenset[tuple[str, str]]:
    """Return each class template with a member that is called of it."""
    return frozenset(
        (call[1], call[2]) for call in _TEMPLATE_MEMBER_CALL.finditer(source.raw)
    )


def _declare_only(edit: TextEdit, source: SourceText) -> TextEdit:
    """Return the edit that leaves a function its declaration; one that does nothing where it
    has no body.
    """
    start, end, _ = edit
    body = find_body(source, start, end)
    if body is None:
        return start, start, ""

    return body, end, ";"


def _iter_member_edits(
    scope: Cursor, source: SourceText, kept_code: KeptHostCode
) -> Iterator[_FunctionEdit]:
    """Yield what is left out of a class and the classes in it."""
    for cursor in _iter_functions_and_types(scope):
        if cursor.kind in TYPE_KINDS:
            yield from _iter_member_edits(cursor, source, kept_code)
            continue

        edit = _find_member_edit(cursor, scope, source)
        if edit is None:
            continue

        function_edit = _FunctionEdit(edit, str(cursor.spelling))
        if not kept_code.is_kept(
            function_edit.name,
            str(scope.spelling),
            is_declared=function_edit.keeps_declaration,
        ):
            yield function_edit


def _iter_functions_and_types(scope: Cursor) -> Iterator[Cursor]:
    """Yield the classes in a class, and its functions, those among its friends too."""
    for cursor in scope.get_children():
        is_friend = cursor.kind is CursorKind.FRIEND_DECL
        for each in cursor.get_children() if is_friend else (cursor,):
            # a friend's class stands elsewhere
            if each.kind in FUNCTION_KINDS or (
                each.kind in TYPE_KINDS and not is_friend
            ):
                yield each


def _find_member_edit(
    cursor: Cursor, scope: Cursor, source: SourceText
) -> TextEdit | None:
    """Return what is left out of a member function; `None` where all of it stays."""
    children = {child.kind for child in cursor.get_children()}
    attributes = {kind for kind in children if kind.is_attribute()}
    if attributes & _DEVICE_ATTRIBUTES:
        return None

    start, end = find_declaration_extent(cursor, source)
    body = find_body(source, start, end)
    head = collect_head_words(source, start, end if body is None else body)
    # without an attribute, devices may call it; `__host__` takes it from them
    is_constant = bool(head & _CONSTANT_WORDS)
    if is_constant and CursorKind.CUDAHOST_ATTR not in attributes:
        return None

    text = source.raw[start:end]
    # the name is missing where a macro makes the function; a constructor's has arguments where
    # its class is a partial specialisation
    if str(cursor.spelling).split("<")[0] not in text or text.count(
        "#if"
    ) != text.count("#endif"):
        return None

    if not _must_stay_declared(cursor, scope, head) and text.endswith((";", "}")):
        return start, end, ""

    has_deduced_type = "auto" in head and "->" not in head
    if body is None or not text.endswith("}") or has_deduced_type:
        return None
    # memory of the device may be of a class with a constructor, if that is seen to do nothing
    if not text[body - start + 1 : -1].strip():
        return None

    return body, end, ";"


def _must_stay_declared(cursor: Cursor, scope: Cursor, head: Collection[str]) -> bool:
    # that a destructor exists decides how a class is passed
    if cursor.kind in _LIFETIME_KINDS or not _LAYOUT_WORDS.isdisjoint(head):
        return True
    # a constructor that is a template is no CONSTRUCTOR to libclang
    return bool(str(cursor.spelling).split("<")[0] == scope.spelling)
