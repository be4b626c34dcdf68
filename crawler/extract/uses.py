"""Which specialisations of which kernels a translation unit uses, and where it launches them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from clang import cindex
from clang.cindex import CursorKind, TemplateArgumentKind, TypeKind

from crawler.extract.declarations import Declaration
from crawler.extract.parse import file_location, relative
from crawler.model import InstantiationOrigin

_CONFIGURATION: Final = "__cudaPushCallConfiguration"
_MOST_ROUNDS: Final = 4
_PACK: Final = "\0pack"
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
Arguments = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """A reference to a kernel: its template arguments are resolved, or as written where `enclosing` is a template."""

    kernel: str
    target: tuple[str, int]
    """Path and offset of the definition; an empty path when the unit does not show it."""
    arguments: Arguments
    path: str
    offset: int
    """Where the kernel's name stands, in the file where it was written."""
    enclosing: str
    is_launch: bool
    origin: InstantiationOrigin


@dataclass(slots=True)
class _Walk:
    root: Path
    directory: str
    kernels: frozenset[str]
    templates: dict[str, Declaration]
    """Host function templates of the project by name."""
    uses: list[Use] = field(default_factory=list)
    dependent: list[Use] = field(default_factory=list)
    called: dict[str, set[Arguments]] = field(default_factory=dict)
    """Arguments that each host template is called with."""
    forwarded: list[tuple[str, str, str, int]] = field(default_factory=list)
    """(caller, callee, path, offset) of calls between host templates with arguments that depend on the caller's."""


def uses(
    found: Iterable[Declaration], kernels: frozenset[str], root: Path, directory: str, texts: TemplateTexts
) -> list[Use]:
    """Return every use of a kernel in host code, those in host templates once for each set of their arguments."""
    listed = list(found)
    templates = {d.cursor.spelling: d for d in listed if d.cursor.kind is CursorKind.FUNCTION_TEMPLATE}
    walk = _Walk(root, directory, kernels, templates)
    for declaration in listed:
        if declaration.kind == "function" and declaration.is_definition:
            _walk_body(declaration.cursor, declaration.cursor.spelling, walk)
        elif declaration.kind == "kernel":
            _explicit(declaration.cursor, walk)
        if declaration.kind == "function" and declaration.cursor.get_num_template_arguments() > 0:
            _called(declaration.cursor, walk)
    _forward(walk, texts)
    walk.uses = [_with_packs(use, texts) for use in walk.uses]
    return walk.uses + [use for dependent in walk.dependent for use in _substituted(dependent, walk, texts)]


class TemplateTexts:
    """What a file says between the angle brackets behind a name; answers come from the syntactic layer."""

    def __init__(self, arguments_at: Any, body_of: Any) -> None:
        self.arguments_at = arguments_at
        self.body_of = body_of


def _walk_body(function: Any, name: str, walk: _Walk) -> None:
    pending = [child for child in function.get_children() if not child.kind.is_attribute()]
    while pending:
        cursor = pending.pop()
        children = list(cursor.get_children())
        if cursor.kind is CursorKind.CALL_EXPR and len(children) > 1 and children[1].spelling == _CONFIGURATION:
            _note_launch(children[0], name, walk)
            pending.extend(children[2:])
            continue
        if cursor.kind is CursorKind.DECL_REF_EXPR:
            _note_reference(cursor, name, walk, is_launch=False)
        pending.extend(children)


def _note_launch(callee: Any, enclosing: str, walk: _Walk) -> None:
    for cursor in _references(callee):
        if _note_reference(cursor, enclosing, walk, is_launch=True):
            return
        referenced = cursor.referenced
        if referenced is not None and referenced.kind is CursorKind.VAR_DECL:
            path, offset = _place(cursor, walk)
            for behind in _references(referenced):
                _note_reference(behind, enclosing, walk, is_launch=True, at=(path, offset))
            return


def _references(cursor: Any) -> Iterator[Any]:
    pending = [cursor]
    while pending:
        at = pending.pop()
        if at.kind is CursorKind.DECL_REF_EXPR:
            yield at
        else:
            pending.extend(at.get_children())


def _note_reference(
    cursor: Any, enclosing: str, walk: _Walk, *, is_launch: bool, at: tuple[str, int] | None = None
) -> bool:
    name = cursor.spelling or next((child.spelling for child in cursor.get_children()), "")
    if name not in walk.kernels and name not in walk.templates:
        return False
    referenced = cursor.referenced
    path, offset = at or _place(cursor, walk)
    if referenced is None or referenced.kind is not CursorKind.FUNCTION_DECL:
        _note_dependent(name, path, offset, enclosing, walk, is_launch=is_launch)
        return name in walk.kernels
    if name not in walk.kernels:
        _called(referenced, walk)
        return False
    origin = InstantiationOrigin.LAUNCH if is_launch else InstantiationOrigin.DISPATCH
    target = _definition(referenced, walk)
    walk.uses.append(Use(name, target, _arguments(referenced), path, offset, enclosing, is_launch, origin))
    return True


def _note_dependent(name: str, path: str, offset: int, enclosing: str, walk: _Walk, *, is_launch: bool) -> None:
    if name in walk.kernels:
        use = Use(name, ("", -1), (), path, offset, enclosing, is_launch, InstantiationOrigin.DISPATCH)
        walk.dependent.append(use)
    else:
        walk.forwarded.append((enclosing, name, path, offset))


def _called(specialisation: Any, walk: _Walk) -> None:
    arguments = _arguments(specialisation)
    if arguments:
        walk.called.setdefault(specialisation.spelling, set()).add(arguments)


def _explicit(cursor: Any, walk: _Walk) -> None:
    """Note `template __global__ void k<float>(…);`, and specialisations, whose arguments are in use too."""
    arguments = _arguments(cursor)
    if arguments and not cursor.is_definition():
        path, offset = _place(cursor, walk)
        target = _definition(cursor, walk)
        origin = InstantiationOrigin.EXPLICIT
        walk.uses.append(Use(cursor.spelling, target, arguments, path, offset, "", is_launch=False, origin=origin))


def _definition(function: Any, walk: _Walk) -> tuple[str, int]:
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(function)
    for cursor in (function if function.get_num_template_arguments() < 0 else template, template, function):
        defined = cursor.get_definition() if cursor is not None else None
        if defined is not None and defined.location.file is not None:
            path = relative(defined.location.file.name, walk.root, walk.directory)
            if path:
                return path, defined.extent.start.offset
    return "", -1


def _place(cursor: Any, walk: _Walk) -> tuple[str, int]:
    name, offset = file_location(cursor.location)
    return relative(name, walk.root, walk.directory) or "", offset


def _arguments(function: Any) -> Arguments:
    count = function.get_num_template_arguments()
    if count <= 0:
        return ()
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(function)
    parameters = [child for child in template.get_children() if "TEMPLATE" in child.kind.name] if template else []
    return tuple(_argument(function, at, parameters[at] if at < len(parameters) else None) for at in range(count))


def _argument(function: Any, at: int, parameter: Any) -> str:
    try:
        kind = function.get_template_argument_kind(at)
    except ValueError:  # a parameter pack, which libclang's bindings cannot name
        return _PACK
    if kind is TemplateArgumentKind.TYPE:
        return spelled(function.get_template_argument_type(at))
    if kind is TemplateArgumentKind.INTEGRAL:
        value = function.get_template_argument_value(at)
        return _value(value, parameter.type.get_canonical() if parameter is not None else None)
    return ""


def _value(value: int, kind: Any) -> str:
    if kind is not None and kind.kind is TypeKind.BOOL:
        return "true" if value else "false"
    if kind is not None and kind.kind is TypeKind.ENUM:
        return f"static_cast<{spelled(kind)}>({value})"
    return str(value)


def spelled(kind: Any) -> str:
    """Return a type as it can be written in a unit."""
    return str(kind.get_canonical().spelling).replace("(anonymous namespace)::", "")


def _with_packs(use: Use, texts: TemplateTexts) -> Use:
    """Take what stands in a parameter pack from the text, with the names that the other arguments resolve."""
    if _PACK not in use.arguments:
        return use
    first = use.arguments.index(_PACK)
    written = texts.arguments_at(use.path, use.offset)
    bound = {name: value for name, value in zip(written, use.arguments[:first], strict=False) if _NAME.fullmatch(name)}
    arguments = (*use.arguments[:first], *(_replace(part, bound) for part in written[first:]))
    return replace(use, arguments=arguments)


def _forward(walk: _Walk, texts: TemplateTexts) -> None:
    for _ in range(_MOST_ROUNDS):
        before = sum(map(len, walk.called.values()))
        for caller, callee, path, offset in walk.forwarded:
            written = texts.arguments_at(path, offset)
            for arguments in _expanded(written, caller, walk, texts):
                walk.called.setdefault(callee, set()).add(arguments)
        if sum(map(len, walk.called.values())) == before:
            return


def _substituted(use: Use, walk: _Walk, texts: TemplateTexts) -> Iterator[Use]:
    written = texts.arguments_at(use.path, use.offset)
    for arguments in _expanded(written, use.enclosing, walk, texts):
        yield Use(use.kernel, use.target, arguments, use.path, use.offset, use.enclosing, use.is_launch, use.origin)
    if not written:
        yield use


def _expanded(written: Arguments, enclosing: str, walk: _Walk, texts: TemplateTexts) -> Iterator[Arguments]:
    """Yield `written` with the enclosing template's parameters replaced by each set of its arguments."""
    template = walk.templates.get(enclosing)
    if template is None or not written:
        return
    names = [child.spelling for child in template.cursor.get_children() if "TEMPLATE" in child.kind.name]
    constants = texts.body_of(template)
    for arguments in sorted(walk.called.get(enclosing, ())):
        bound = dict(zip(names, arguments, strict=False))
        yield tuple(_replace(_replace(part, constants), bound) for part in written)


def _replace(text: str, bound: dict[str, str]) -> str:
    return _NAME.sub(lambda name: bound.get(name.group(), name.group()), text)
