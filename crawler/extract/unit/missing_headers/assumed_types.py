"""Assume the types that only a missing header declares, as far as a unit tells what they must be.

A header that its project takes from elsewhere, as one for a library of the host, may be missing
though a kernel needs no more of it than the name of an integer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.extract.unit.missing_headers.include_search import FILE_NOT_FOUND

MAX_TYPES: Final = 12
"""More than these are no few names, but a library."""
# libclang says the second of a name that may be no type
_UNKNOWN_NAME: Final = re.compile(
    r"(?:unknown type name|use of undeclared identifier) '([A-Za-z_]\w*)'"
)
# `using ::int32;`, where only a header that is missing has it at namespace scope
_ABSENT_GLOBAL: Final = re.compile(
    r"no (?:type|member) named '([A-Za-z_]\w*)' in the global namespace"
)
_WIDTH_NAME: Final = re.compile(r"(u?)int(8|16|32|64)(?:_t)?", re.IGNORECASE)
"""Names that say how wide an integer is, as in OpenFst, TensorFlow or Chromium."""
# what integers are called in libraries of any kind: `rocblas_int`, `magma_index_t`, `size_type`
_INTEGER_NAME: Final = re.compile(
    r"(?:^|_|(?<=[a-z])(?=[A-Z]))"
    r"(?:u?int(?:eger)?\d*|size|stride|index|idx|offset|count|dim|len|length|ord|ordinal)"
    r"(?:_?t|_?type)?$",
    re.IGNORECASE,
)
_WIDE_INTEGER: Final = re.compile(r"stride|offset|size|64|long|ptrdiff", re.IGNORECASE)
"""What names of integers that memory is counted in are like, whatever the library."""
_INTEGER: Final = "typedef {} {};"
_OPAQUE: Final = "struct {};"
_EMPTY: Final = "struct {} {{}};"
# masked code of all files of a unit, a megabyte and more, cut where a brace at the beginning of a
# line closes
_PART_END: Final = re.compile(r"\n\}")
_BLANKS: Final = re.compile(r"\s+")
# what is declared is looked ahead for: `typename struct Name` declares twice
_DECLARED_NAME: Final = re.compile(
    r"\b(?:struct|class|union|enum|using|typename|concept)\s+"
    r"(?=(?:class\s+)?([A-Za-z_]\w*))"
    r"|#[ \t]*define[ \t]+(?=([A-Za-z_]\w*))"
)
# masked code in front of a name and its semicolon
_TYPEDEF: Final = re.compile(r"\btypedef\b")
_MAX_TYPEDEF: Final = 2_000
"""Characters between `typedef` and the name that it declares."""
_MAX_NAMES: Final = 40
_MAX_VARIABLES: Final = 60
_MAX_TEXT: Final = 1 << 17
# what is repeated here is bounded or taken as a whole: a stranger's text must not take time with
# the square of its length
_QUALIFIERS: Final = r"(?:\s|\bconst\b|\b__restrict__\b)*+"
_INTEGER_USES: Final = (
    # a subscript or a shift takes nothing else
    r"\[[^\[\];]{0,200}\bNAME\b[^\[\];]{0,200}\]",
    r"\bNAME\s*(?:%|<<|>>|\+\+|--|\^)|(?:%|<<|>>|\+\+|--|~|\^)\s*NAME\b",
    # what threads are counted by
    r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\b[^;{}]{0,300}[-+*/%<>=]\s*NAME\b",
    r"\bNAME\s*[-+*/%<>=]++[^;{}]{0,300}\b(?:threadIdx|blockIdx|blockDim|gridDim)\b",
    r"\bfor\s*\([^;]{0,300};[^;]{0,300}[<>]=?\s*NAME\b",
)
_ELEMENT_USES: Final = (
    r"\bNAME\s*\[",
    r"(?:[-+=;{}(,/<>!|?:]|\breturn\b)\s*\*\s*NAME\b",
)
_FLOAT_USES: Final = (
    r"\bNAME\s*[-+*/<>=]+\s*\d*\.\d|\d\.\d*f?\s*[-+*/<>=]+\s*NAME\b",
    r"\b(?:sqrt|exp|log|pow|sin|cos|fabs|fma)f?\s*\([^()]*\bNAME\b",
)


def find_unknown_names(
    messages: Iterable[str], known_names: Collection[str]
) -> list[str]:
    """Return the names that a unit's errors call unknown and its project does not declare."""
    names: dict[str, None] = {}
    for message in messages:
        for name in _UNKNOWN_NAME.findall(message):
            if name not in known_names:
                names[name] = None

    return list(names)


def find_missing_name(
    messages: Iterable[str],
    file_messages: Sequence[str],
    known_names: Collection[str],
) -> str:
    """Return a name that a unit lacks and that only a header declares which its translation unit
    lacks: no text cut out of that one compiles. Empty where there is none.

    `messages` are the unit's errors, `file_messages` those of its translation unit.
    """
    if not any(map(FILE_NOT_FOUND.search, file_messages)):
        return ""

    missing_names = set(find_unknown_names(file_messages, known_names))
    return next(
        filter(missing_names.__contains__, find_unknown_names(messages, ())), ""
    )


def assume_type(name: str, text: str) -> str:
    """Return the declaration that the text of a unit asks of an unknown name.

    An integer is told by what the text does with variables of the type, or by what integers are
    called. What is only pointed to or passed on needs no more than a name. `""` where the text
    does more with it, as to read a member, and where the name stands for no type.
    """
    parts = _select_parts([name], MaskedSource(text).code)
    return _assume_type(name, parts[name])


def _assume_type(name: str, code: str) -> str:
    """Return the declaration that the parts of a text which name it ask of a name."""
    if not _is_type(name, code):
        return ""

    values = _find_variables(name, code, pointer="")
    if _INTEGER_NAME.search(name) and not _is_float(values, code):
        return _render_integer(name)

    pointers = _find_variables(name, code, pointer=r"[*&]+")
    variables = values | pointers
    if _has_use(r"\bNAME\s*(?:\.|->)\s*[A-Za-z_]", code, variables):
        return ""
    if _is_float(values, code):
        return ""
    if _is_integer(name, values, code):
        return _render_integer(name)
    if _has_any_use(_ELEMENT_USES, code, pointers):
        # its elements are read, and nothing tells what they are
        return ""

    return (_EMPTY if values else _OPAQUE).format(name)


def assume_types(messages: Iterable[str], text: str) -> dict[str, str]:
    """Return declarations of the names that errors call unknown, as far as the text of all files
    of a unit tells what they must be, and declares them nowhere itself.
    """
    messages = list(messages)
    widths = _assume_absent_widths(messages)
    names = find_unknown_names(messages, widths)[:_MAX_NAMES]
    if not names:
        return widths

    # a unit's text is large: what is in it is told of all names at once
    code = MaskedSource(text).code
    declared_names = _find_declared_names(names, code)
    unknown_names = [name for name in names if name not in declared_names]
    parts = _select_parts(unknown_names, code)
    declarations = {name: _assume_type(name, parts[name]) for name in unknown_names}
    assumed = {name: text for name, text in declarations.items() if text}
    return {**widths, **assumed}


def _assume_absent_widths(messages: Iterable[str]) -> dict[str, str]:
    """Return declarations of integers of a known width that errors miss in the global namespace.

    The project's own text may declare them under a condition that does not hold.
    """
    names = [name for message in messages for name in _ABSENT_GLOBAL.findall(message)]
    return {
        name: _render_integer(name)
        for name in dict.fromkeys(names)
        if _WIDTH_NAME.fullmatch(name)
    }


def _find_declared_names(names: Sequence[str], code: str) -> set[str]:
    """Return the names that a text itself declares as those of types or macros."""
    declared_names = {
        match[1] or match[2] for match in _DECLARED_NAME.finditer(code)
    }.intersection(names)

    alternatives = "|".join(map(re.escape, names))
    for match in re.finditer(rf"\b({alternatives})\s*;", code):
        # one character more, which the word may not go on from
        begin = max(0, match.start() - _MAX_TYPEDEF - len("typedef") - 1)
        begin = max(begin, code.rfind(";", begin, match.start()))
        if _TYPEDEF.search(code, begin, match.start()):
            declared_names.add(match[1])

    return declared_names


def _select_parts(names: Sequence[str], code: str) -> dict[str, str]:
    """Return the parts of a text that name each type: what others call their variables says
    nothing.

    A part ends where a brace closes at the beginning of a line.
    """
    parts: dict[str, list[str]] = {name: [] for name in names}
    if not names:
        return {}

    alternatives = "|".join(map(re.escape, names))
    word = re.compile(rf"\b(?:{alternatives})\b")
    for part in _PART_END.split(code):
        for name in set(word.findall(part)):
            parts[name].append(part)

    return {
        name: _BLANKS.sub(" ", "\n".join(naming_parts))[:_MAX_TEXT]
        for name, naming_parts in parts.items()
    }


def _is_type(name: str, code: str) -> bool:
    """Tell whether a name stands where only a type may."""
    # a parameter may have no name: `Handle const`
    follows = r"(?:[A-Za-z_]\w*|(?<=const))\s*[,;=)\[(]"
    declares = rf"\b{name}{_QUALIFIERS}[*&]*{_QUALIFIERS}{follows}"
    return re.search(declares, code) is not None


def _find_variables(name: str, code: str, *, pointer: str) -> set[str]:
    """Return what is declared with a type; with `pointer`, what points or refers to it."""
    declaration = rf"\b{name}{_QUALIFIERS}{pointer}{_QUALIFIERS}([A-Za-z_]\w*)"
    return set(re.findall(declaration, code)) - {"const", "__restrict__"}


def _render_integer(name: str) -> str:
    width = _WIDTH_NAME.fullmatch(name)
    if width:
        # what a compiler has for those of <cstdint>
        return _INTEGER.format(f"__{width[1].upper()}INT{width[2]}_TYPE__", name)

    return _INTEGER.format("long long" if _WIDE_INTEGER.search(name) else "int", name)


def _is_float(values: Collection[str], code: str) -> bool:
    return _has_any_use(_FLOAT_USES, code, values)


def _is_integer(name: str, values: Collection[str], code: str) -> bool:
    if _has_use(r"\bfor\s*\(\s*NAME\s", code, [name]):
        return True

    return _has_any_use(_INTEGER_USES, code, values)


def _has_any_use(patterns: Iterable[str], code: str, names: Collection[str]) -> bool:
    return any(_has_use(pattern, code, names) for pattern in patterns)


def _has_use(pattern: str, code: str, names: Collection[str]) -> bool:
    """Tell whether a text uses one of these names so; all of them are looked for at once."""
    if not names:
        return False

    alternatives = "|".join(map(re.escape, sorted(names)[:_MAX_VARIABLES]))
    return re.search(pattern.replace("NAME", f"(?:{alternatives})"), code) is not None
