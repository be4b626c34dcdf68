"""Declare stubs for identifiers that missing headers would have declared.

A project's own host side leans on libraries that are not here: a class with a member of an
unknown type is never
instantiated, and the launches in its members have no types. A stand-in takes and becomes
anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from clang.cindex import Diagnostic

from crawler.cpp.source_text import SourceText, cache_per_source
from crawler.extract.clang.declarations import Declaration
from crawler.extract.launches.kernel_uses import KernelUse
from crawler.extract.syntax.unit_text import UnitText

STUB_NAMESPACE: Final = "kernelset_unknown"
_TYPE: Final = re.compile(r"unknown type name '(\w+)'")
_TEMPLATE: Final = re.compile(
    r"no (?:template|variable template or function template) named '(\w+)'"
)
_NAME: Final = re.compile(r"use of undeclared identifier '(\w+)'")
_NUMBER: Final = r"\b{}\s*<[^<>;{{}}()]*,\s*-?\d"
_BEFORE_ARGUMENTS: Final = re.compile(r"\b([A-Za-z_]\w*+)\s*+<(?![<=\s])")
_MOST_ERRORS: Final = 4_000
_MOST_NAMES: Final = 400
_MEMBER: Final = re.compile(
    r"(?:\.|->)\s*(?:template\s+)?([A-Za-z_]\w*)(\s*<(?![<=\s]))?"
)
_MOST_MEMBERS: Final = 4_000
_KEYWORDS: Final = (
    "alignas and auto bool break case catch char class const constexpr continue default delete do double else enum "
    "explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not operator "
    "or private protected public register return short signed sizeof static struct switch template this throw true try "
    "typedef typeid typename union unsigned using virtual void volatile while"
)
_NO_MEMBERS: Final = frozenset((*_KEYWORDS.split(), "Any", "Of"))
_OPERATORS: Final = (
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "&&",
    "||",
    "&",
    "|",
    "<<",
    ">>",
)
_WILD: Final = """#include <type_traits>
namespace {scope} {{
struct Any {{
  __host__ __device__ Any();
  template <class... A> __host__ __device__ Any(A &&...);
  template <class T> __host__ __device__ operator T() const;
  template <class... A> Any operator()(A &&...) const;
  template <class A> Any operator[](A &&) const;
  Any *operator->() const;
  Any operator*() const;
  {members}
}};
template <class T = Any> struct Of : Any {{
  using Any::Any;
  T *operator->() const;
  T &operator*() const;
  T &operator[](long) const;
}};
template <class T> inline constexpr bool is_any = std::is_base_of_v<Any, std::decay_t<T>>;
template <class A, class B> using if_any = std::enable_if_t<is_any<A> || is_any<B>, Any>;
{operators}
}}
"""


@dataclass(slots=True)
class _Wanted:
    """Names without a declaration, by what they must be."""

    types: set[str] = field(default_factory=set)
    templates: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    scopes: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)


def collect_error_messages(clang_unit: Any) -> list[str]:
    """Return what a parse calls errors, as far as it is not too much."""
    listed = (
        one.spelling
        for one in clang_unit.diagnostics
        if one.severity >= Diagnostic.Error
    )
    return list(islice(listed, _MOST_ERRORS))


def declare_stubs(
    error_messages: Iterable[str],
    declarations: Iterable[Declaration],
    unit_text: UnitText,
) -> str:
    """Return declarations of what the errors of a unit's parses miss, beside those that its
    project has.
    """
    sources = [unit_text.sources[path] for path in unit_text.files]
    texts = [source.raw for source in sources]
    declared = {name for one in declarations for name in (*one.names, *one.namespaces)}
    wanted = _wanted(error_messages, declared, texts)
    nested = sorted(_nested(wanted, texts))
    with_arguments = (
        frozenset[str]().union(*map(_with_arguments, sources))
        if nested
        else frozenset()
    )
    for path in nested:
        (wanted.templates if path[-1] in with_arguments else wanted.types).add(path[-1])
    names = sorted(
        (wanted.types | wanted.templates) - wanted.scopes - wanted.functions
    )[:_MOST_NAMES]
    if not names and not wanted.functions:
        return ""
    made = [_declared(name, name in wanted.templates, texts) for name in names]
    at_top = [
        f"using {STUB_NAMESPACE}::{name};"
        for name in names
        if name not in declared and not _only_nested(name, nested)
    ]
    inside = [
        f"namespace {'::'.join(path[:-1])} {{ using {STUB_NAMESPACE}::{path[-1]}; }}"
        for path in nested
        if path[-1] in names
    ]
    called = [
        f"template <class... A> {STUB_NAMESPACE}::Any {name}(A &&...);"
        for name in sorted(wanted.functions)
    ]
    return "\n".join(
        (
            _wild(texts),
            f"namespace {STUB_NAMESPACE} {{",
            *made,
            "}",
            *at_top,
            *inside,
            *called,
            "",
        )
    )


def _wanted(
    messages: Iterable[str], declared: Collection[str], texts: Collection[str]
) -> _Wanted:
    wanted = _Wanted()
    for message in messages:
        for pattern, names in (
            (_TYPE, wanted.types),
            (_TEMPLATE, wanted.templates),
            (_NAME, wanted.others),
        ):
            names.update(
                name for name in pattern.findall(message) if name not in declared
            )
    wanted.scopes = {
        name for name in wanted.others if any(f"{name}::" in text for text in texts)
    }
    wanted.functions = {
        name for name in wanted.others - wanted.scopes if _is_called(name, texts)
    }
    return wanted


def _nested(wanted: _Wanted, texts: Collection[str]) -> set[tuple[str, ...]]:
    """Return the names that stand behind an unknown scope; one that has names behind itself is
    a scope.
    """
    if not wanted.scopes:
        return set()
    pattern = re.compile(
        rf"(?<![\w:])(?:::)?((?:{'|'.join(sorted(wanted.scopes))})(?:::[A-Za-z_]\w*)+)"
    )
    found = {
        tuple(path.split("::")) for text in texts for path in pattern.findall(text)
    }
    scopes = {path[:length] for path in found for length in range(1, len(path))}
    return found - scopes


def _only_nested(name: str, nested: Iterable[tuple[str, ...]]) -> bool:
    return any(path[-1] == name for path in nested)


def _is_called(name: str, texts: Iterable[str]) -> bool:
    return any(re.search(rf"\b{name}\s*\(", text) for text in texts)


@cache_per_source
def _with_arguments(source: SourceText) -> frozenset[str]:
    """Return the names that stand before a `<` which is no comparison, as far as a blank tells."""
    return frozenset(_BEFORE_ARGUMENTS.findall(source.raw))


def _declared(name: str, is_template: bool, texts: Iterable[str]) -> str:
    if not is_template:
        return f"struct {name} : Any {{ using Any::Any; }};"
    numbers = any(re.search(_NUMBER.format(name), text) for text in texts)
    return f"template <class T = Any, {'int' if numbers else 'class'}...> struct {name} : Of<T> {{ using Of<T>::Of; }};"


def _wild(texts: Iterable[str]) -> str:
    """Return the type that is everything: it has every member that the texts name."""
    called: dict[str, bool] = {}
    for text in texts:
        for name, angle in _MEMBER.findall(text):
            called[name] = called.get(name, False) or bool(angle)
    listed = sorted(called.keys() - _NO_MEMBERS)[:_MOST_MEMBERS]
    members = (
        f"template <class..., class... A> static Any {name}(A &&...);"
        if called[name]
        else f"static Any {name};"
        for name in listed
    )
    operators = (
        f"template <class A, class B> if_any<A, B> operator{sign}(A &&, B &&);"
        for sign in _OPERATORS
    )
    return _WILD.format(
        scope=STUB_NAMESPACE,
        members="\n  ".join(members),
        operators="\n".join(operators),
    )


def drop_stub_arguments(kernel_use: KernelUse) -> KernelUse:
    """Return a use without its template arguments where they name a stand-in."""
    return (
        replace(kernel_use, template_arguments=(), symbol="")
        if any(STUB_NAMESPACE in argument for argument in kernel_use.template_arguments)
        else kernel_use
    )
