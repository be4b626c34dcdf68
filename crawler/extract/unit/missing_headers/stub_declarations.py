"""Declare stubs for identifiers that missing headers would have declared.

A project's own host side leans on libraries that are not here: a class with a member of an
unknown type is never instantiated, and the launches in its members have no types. A stub takes
and becomes anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from clang.cindex import Diagnostic

from crawler.cpp.comments import without_comments_and_literals
from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.clang.declarations import Declaration
from crawler.extract.launches.kernel_use import KernelUse
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.missing_headers.stub_types import (
    STUB_NAMESPACE,
    render_any_type,
    render_stub_type,
)

# clang's diagnostics are read, which name what is missing; its tree leaves that out. Where a
# name is used is asked of every file of a unit at once, and by one search each: what stands
# round it may be anything that those headers would have declared.
_UNKNOWN_TYPE: Final = re.compile(r"unknown type name '(\w+)'")
_UNKNOWN_TEMPLATE: Final = re.compile(
    r"no (?:template|variable template or function template) named '(\w+)'"
)
_UNDECLARED_NAME: Final = re.compile(r"use of undeclared identifier '(\w+)'")
_TEMPLATE_NAME: Final = re.compile(r"\b([A-Za-z_]\w*+)\s*+<(?![<=\s])")
"""A name in front of a `<` which is no comparison, as far as the missing blank tells."""
_MAX_MESSAGES: Final = 4_000
_MAX_NAMES: Final = 400
_ScopedName = tuple[str, ...]


@dataclass(slots=True)
class _MissingNames:
    """Names without a declaration, by what they must be."""

    types: set[str] = field(default_factory=set)
    templates: set[str] = field(default_factory=set)
    identifiers: set[str] = field(default_factory=set)
    """What the compiler cannot tell the kind of."""
    scopes: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)


def collect_error_messages(clang_unit: ClangUnit) -> list[str]:
    """Return what a parse calls errors, 4,000 at most."""
    messages = (
        diagnostic.spelling
        for diagnostic in clang_unit.diagnostics
        if diagnostic.severity >= Diagnostic.Error
    )

    return list(islice(messages, _MAX_MESSAGES))


def declare_stubs(
    error_messages: Iterable[str],
    declarations: Iterable[Declaration],
    unit_text: UnitText,
) -> str:
    """Return declarations of what the errors of a unit's parses miss, beside those that its
    project has; `""` where nothing is missing.
    """
    sources = [unit_text.sources[path] for path in unit_text.files]
    texts = [_read_code(source) for source in sources]
    declared_names = _list_declared_names(declarations)
    missing = _sort_missing_names(
        error_messages,
        declared_names,
        texts,
    )

    # what stands behind an unknown namespace is named by no error
    scoped_names = sorted(_find_scoped_names(missing, texts))
    if scoped_names:
        template_names = frozenset[str]().union(*map(_find_template_names, sources))
        for *_, name in scoped_names:
            # written somewhere with `<`
            is_template = name in template_names
            (missing.templates if is_template else missing.types).add(name)

    type_names = missing.types | missing.templates
    type_names -= missing.scopes | missing.functions
    names = sorted(type_names)[:_MAX_NAMES]
    if not names and not missing.functions:
        return ""

    lines = [render_any_type(texts), f"namespace {STUB_NAMESPACE} {{"]
    lines += [
        render_stub_type(name, name in missing.templates, texts) for name in names
    ]

    # behind the stubs, names for them where the sources look
    lines.append("}")
    lines += _declare_at_top(
        names,
        declared_names,
        scoped_names,
    )
    lines += _declare_in_scopes(names, scoped_names)
    lines += [
        f"template <class... A> {STUB_NAMESPACE}::Any {name}(A &&...);"
        for name in sorted(missing.functions)
    ]

    return "\n".join((*lines, ""))


def _list_declared_names(declarations: Iterable[Declaration]) -> set[str]:
    names: set[str] = set()
    for declaration in declarations:
        names.update(declaration.names)
        names.update(declaration.namespaces)

    return names


def _declare_at_top(
    names: Iterable[str],
    declared_names: Collection[str],
    scoped_names: Iterable[_ScopedName],
) -> list[str]:
    names_in_scopes = {scoped_name[-1] for scoped_name in scoped_names}
    return [
        f"using {STUB_NAMESPACE}::{name};"
        for name in names
        if name not in declared_names and name not in names_in_scopes
    ]


def _declare_in_scopes(
    names: Collection[str], scoped_names: Iterable[_ScopedName]
) -> list[str]:
    lines = []
    for *scope, name in scoped_names:
        if name in names:
            scope_text = "::".join(scope)
            lines.append(
                f"namespace {scope_text} {{ using {STUB_NAMESPACE}::{name}; }}"
            )

    return lines


def _sort_missing_names(
    messages: Iterable[str], declared_names: Collection[str], texts: Collection[str]
) -> _MissingNames:
    missing = _MissingNames()
    names_by_pattern = (
        (_UNKNOWN_TYPE, missing.types),
        (_UNKNOWN_TEMPLATE, missing.templates),
        (_UNDECLARED_NAME, missing.identifiers),
    )

    for message in messages:
        for pattern, names in names_by_pattern:
            for name in pattern.findall(message):
                if name not in declared_names:
                    names.add(name)

    # the compiler says `undeclared identifier` of a namespace and of a function alike
    for name in missing.identifiers:
        if any(f"{name}::" in text for text in texts):
            missing.scopes.add(name)
        elif _is_called(name, texts):
            missing.functions.add(name)

    return missing


def _is_called(name: str, texts: Iterable[str]) -> bool:
    call = re.compile(rf"\b{name}\s*\(")
    return any(call.search(text) for text in texts)


def _find_scoped_names(
    missing: _MissingNames, texts: Collection[str]
) -> set[_ScopedName]:
    """Return the names that stand behind an unknown scope; one that has names behind itself is
    a scope.

    e.g. of `lib::Shape` and `lib::ops::Add` with `lib` unknown, these two, and not `lib::ops`.
    """
    if not missing.scopes:
        return set()

    pattern = re.compile(
        rf"(?<![\w:])(?:::)?((?:{'|'.join(sorted(missing.scopes))})(?:::[A-Za-z_]\w*)+)"
    )

    names = {
        tuple(qualified_name.split("::"))
        for text in texts
        for qualified_name in pattern.findall(text)
    }

    scopes = {name[:length] for name in names for length in range(1, len(name))}

    return names - scopes


@cache_per_source
def _find_template_names(source: SourceText) -> frozenset[str]:
    return frozenset(_TEMPLATE_NAME.findall(_read_code(source)))


@cache_per_source
def _read_code(source: SourceText) -> str:
    """Return a file without comments and literals: `lib::Shape::size` in one names no scope."""
    return without_comments_and_literals(source.raw)


def drop_stub_arguments(kernel_use: KernelUse) -> KernelUse:
    """Return a use without its template arguments where they name a stub."""
    if any(STUB_NAMESPACE in argument for argument in kernel_use.template_arguments):
        return replace(
            kernel_use,
            template_arguments=(),
            symbol="",
        )

    return kernel_use
