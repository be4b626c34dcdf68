"""Factory functions for structures that are passed by value and that a constructor computes.

Beside such a constructor a unit is given a function that takes the same and makes one: a
constructor itself has no
address, and its parameters no types that one could name from outside.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from crawler.cpp.brackets import closing_in_code
from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.masked_source import WHITESPACE_PATTERN, MaskedSource
from crawler.extract.describe.by_value_classes import find_by_value_classes
from crawler.model import Instantiation, Kernel, KernelUnit

_CLASS: Final = (
    r"\b(?:struct|class)\b[^;{{}}()=<>]{{0,200}}?\b(?:{names})\b"
    r"(?:{blank}<[^;{{}}()]{{0,400}}>)?{blank}(?:final{blank})?(?::(?!:)[^;{{}}]{{0,2000}})?{{"
)
_NAME: Final = re.compile(r"[^\W\d]\w*")
_BRACKET: Final = re.compile(r"[(){}\[\]]")
_COPY: Final = re.compile(
    r"\b(?:this\s*+->\s*+)?(?P<to>\w++)\s*+(?:[({]\s*+(?P<given>\w*+)\s*+[)}]|=\s*+(?P<set>\w++)\s*+;)"
)
_NO_NAMES: Final = frozenset(
    {
        "const",
        "volatile",
        "int",
        "unsigned",
        "long",
        "short",
        "char",
        "bool",
        "float",
        "double",
    }
)
_MOST_CLASSES: Final = 400
_MOST_TAKEN: Final = 64
_LONGEST: Final = 1 << 20
"""Characters of a class."""


def add_constructor_factories(
    kernel: Kernel, unit: KernelUnit, entry: int
) -> KernelUnit | None:
    """Return a unit whose structures can be made: with all that its constructors need, and
    makers beside them.

    `None` where no constructor computes what the kernel is passed. It keeps its digest, for it
    stands for the same.
    """
    whole = apply_edits(
        unit.source, [(each.start, each.end, each.text) for each in unit.making]
    )
    given = unit.instantiations[entry : entry + 1] or (
        Instantiation(arguments=(), label=""),
    )
    made = insert_constructor_factories(
        whole,
        find_by_value_classes(kernel.parameters, kernel.template_parameters, given),
    )
    return None if made == whole else replace(unit, source=made, making=())


def insert_constructor_factories(source: str, class_names: Collection[str]) -> str:
    """Return a source with a maker beside a constructor that computes, of each class of these
    names.

    Each line keeps its number.
    """
    if not any(name in source for name in class_names):
        return source
    seen = MaskedSource(source)
    found = [edit for edit in _makers(seen.code, class_names) if edit[2]]
    return apply_edits(source, sorted(found)) if found else source


def _makers(code: str, names: Collection[str]) -> Iterator[Edit]:
    """Yield what is put behind a constructor of each class of these names."""
    pattern = re.compile(
        _CLASS.format(
            names="|".join(map(re.escape, sorted(names))), blank=WHITESPACE_PATTERN
        )
    )
    for number, head in enumerate(pattern.finditer(code)):
        if number >= _MOST_CLASSES:
            return
        name = next(
            (
                word
                for word in _NAME.findall(head[0].partition(":")[0])
                if word in names
            ),
            "",
        )
        best: tuple[int, Edit] | None = None
        for taken, start, end in _constructors(code, head.end() - 1, name):
            if _computes(code[start:end]) and (best is None or len(taken) > best[0]):
                best = len(taken), (end, end, _maker(name, taken))
        if best is not None:
            yield best[1]


def _computes(body: str) -> bool:
    """Tell whether a constructor does more than to copy what it takes to members of the same
    names.
    """
    return bool(re.search(r"\w", _COPY.sub(_but_copies, body)))


def _but_copies(found: re.Match[str]) -> str:
    given = found["given"] or found["set"] or ""
    return "" if not given or _stem(given) == _stem(found["to"]) else found[0]


def _stem(name: str) -> str:
    return name.removeprefix("m_").strip("_").lower()


def _constructors(
    code: str, opening: int, name: str
) -> Iterator[tuple[list[str], int, int]]:
    """Yield what each constructor of a class with a body takes, and where its body begins and
    ends.
    """
    word = re.compile(rf"(?<![\w~.>:]){re.escape(name)}{WHITESPACE_PATTERN}\(")
    depth, at = 0, opening
    while at < min(len(code), opening + _LONGEST):
        bracket = _BRACKET.search(code, at)
        if bracket is None:
            return
        called = (
            word.search(code, at, bracket.end())
            if depth == 1 and bracket[0] == "("
            else None
        )
        if called:
            close = _closing(code, bracket.start())
            body = _body(code, close + 1)
            taken = _separated(code[bracket.end() : close])
            is_template = re.search(
                r">[\s\w]*$", code[max(opening, bracket.start() - 200) : called.start()]
            )
            if (
                body
                and taken
                and "#" not in code[bracket.start() : close]
                and not is_template
            ):
                yield taken, close + 1, body[1]
            at = body[1] if body else close + 1
            continue
        depth += (bracket[0] in "({[") - (bracket[0] in ")}]")
        at = bracket.end()
        if not depth:
            return


def _closing(code: str, opening: int) -> int:
    """Return where the bracket at `opening` is closed, or the end of the text."""
    closing = closing_in_code(code, opening, opening + _LONGEST)
    return closing if closing >= 0 else len(code)


def _body(code: str, at: int) -> tuple[int, int] | None:
    """Return the range of a constructor's body, without its initialisers; `None` where it has
    none.
    """
    before = ""
    while (bracket := re.compile(r"[;{(]").search(code, at)) is not None and bracket[
        0
    ] != ";":
        between = code[at : bracket.start()].strip()
        before = between or before
        end = _closing(code, bracket.start())
        if bracket[0] == "{" and not re.search(r"[\w>]$", between):
            return bracket.start(), end + 1
        if (
            bracket[0] == "{"
            and not before.startswith((":", ","))
            and ":" not in between
        ):
            return bracket.start(), end + 1
        at = end + 1
    return None


def _separated(taken: str) -> list[str]:
    """Return the parameters of a list; none where one cannot be told from the next."""
    parts, depth, angles = [""], 0, 0
    for character in taken:
        depth += (character in "([{") - (character in ")]}")
        if not depth:
            angles += (character == "<") - (character == ">")
        if character == "," and not depth and not angles:
            parts.append("")
        else:
            parts[-1] += character
    whole = [" ".join(part.split()) for part in parts]
    is_whole = not depth and not angles and all(_named(part) for part in whole)
    return whole if is_whole and len(whole) <= _MOST_TAKEN else []


def _named(parameter: str) -> str:
    """Return the name of a parameter; empty where it has none, or is a function or a pack."""
    declared = re.split(r"=(?!=)", parameter)[0].rstrip()
    found = re.fullmatch(r".*[\s*&>]([^\W\d]\w*)", declared)
    return (
        found[1]
        if found and "..." not in declared and found[1] not in _NO_NAMES
        else ""
    )


def _maker(name: str, taken: list[str]) -> str:
    called = [_named(each) for each in taken]
    if len(taken) == 1 and re.search(rf"\b{re.escape(name)}\b", taken[0]):
        return ""
    passed = ", ".join(f"static_cast<decltype({each})&&>({each})" for each in called)
    return (
        f" static {name} kernelset_make({', '.join(taken)}) {{ return {name}({passed}); }}"
        f' static constexpr const char* kernelset_names = "{" ".join(called)}";'
    )
