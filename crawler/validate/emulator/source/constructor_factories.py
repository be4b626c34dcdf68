"""Factory functions for structures that are passed by value and that a constructor computes.

Beside such a constructor a unit is given a function that takes the same and makes one: a
constructor itself has no address, and its parameters no types that one could name from outside.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final

from crawler.cpp.brackets import closing_in_code
from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.identifiers import NAME
from crawler.cpp.masked.masked_source import WHITESPACE_PATTERN, MaskedSource
from crawler.extract.describe.by_value_classes import find_by_value_classes
from crawler.model import Instantiation, Kernel, KernelUnit

# Over masked text: libclang stays in `extract`, and tree-sitter gives up on classes within macros
_CLASS: Final = (
    r"\b(?:struct|class)\b[^;{{}}()=<>]{{0,200}}?\b(?:{names})\b"
    r"(?:{blank}<[^;{{}}()]{{0,400}}>)?{blank}(?:final{blank})?"
    r"(?::(?!:)[^;{{}}]{{0,2000}})?{{"
)
# masked code of a whole unit: the brackets of a class, a declarator and its body
_BRACKET: Final = re.compile(r"[(){}\[\]]")
_BODY_SIGN: Final = re.compile(r"[;{(]")
# masked code in front of a place, or one declaration of it
_TEMPLATE_HEAD_END: Final = re.compile(r">[\s\w]*$")
_INITIALISED_NAME: Final = re.compile(r"[\w>]$")
_DEFAULT_ARGUMENT: Final = re.compile(r"=(?!=)")
_PARAMETER_NAME: Final = re.compile(r".*[\s*&>]([^\W\d]\w*)")
# the body of a constructor in masked code: members that only take what they are given
_MEMBER_COPY: Final = re.compile(
    r"\b(?:this\s*+->\s*+)?(?P<member>\w++)\s*+"
    r"(?:[({]\s*+(?P<initialiser>\w*+)\s*+[)}]|=\s*+(?P<assigned>\w++)\s*+;)"
)
_TYPE_WORDS: Final = frozenset(
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
"""What a parameter ends with that has no name, e.g. `unsigned int`."""
_MAX_CLASSES: Final = 400
_MAX_PARAMETERS: Final = 64
_MAX_CLASS_LENGTH: Final = 1 << 20
"""Characters of a class."""
_TEMPLATE_REACH: Final = 200


@dataclass(frozen=True, slots=True)
class _Constructor:
    """A constructor with a body, as it stands in a text."""

    parameters: list[str]
    begin: int
    """Behind its parameters: of its initialisers, or its body."""
    end: int


def add_constructor_factories(
    kernel: Kernel, unit: KernelUnit, entry: int
) -> KernelUnit | None:
    """Return a unit whose structures can be made: with all that its constructors need, and
    makers beside them.

    `None` where no constructor computes what the kernel is passed. It keeps its digest, for it
    stands for the same.
    """
    edits = [(edit.start, edit.end, edit.text) for edit in unit.making]
    source = apply_edits(unit.source, edits)
    instantiations = unit.instantiations[entry : entry + 1]
    if not instantiations:
        instantiations = (Instantiation(arguments=(), label=""),)

    class_names = find_by_value_classes(
        kernel.parameters, kernel.template_parameters, instantiations
    )
    with_factories = insert_constructor_factories(source, class_names)
    if with_factories == source:
        return None

    return replace(unit, source=with_factories, making=())


def insert_constructor_factories(source: str, class_names: Collection[str]) -> str:
    """Return a source with a maker beside a constructor that computes, of each class of these
    names.

    Each line keeps its number.
    """
    if not any(name in source for name in class_names):
        return source

    code = MaskedSource(source).code
    edits = sorted(_iter_factories(code, class_names))

    return apply_edits(source, edits) if edits else source


def _iter_factories(code: str, class_names: Collection[str]) -> Iterator[Edit]:
    """Yield what is put behind a constructor of each class of these names."""
    alternatives = "|".join(re.escape(name) for name in sorted(class_names))
    pattern = re.compile(_CLASS.format(names=alternatives, blank=WHITESPACE_PATTERN))

    for number, head in enumerate(pattern.finditer(code)):
        if number >= _MAX_CLASSES:
            return

        class_name = _find_class_name(head[0], class_names)
        constructor = _choose_constructor(code, head.end() - 1, class_name)
        if constructor is None:
            continue

        factory = _format_factory(class_name, constructor.parameters)
        if factory:
            yield constructor.end, constructor.end, factory


def _find_class_name(head: str, class_names: Collection[str]) -> str:
    for word in NAME.findall(head.partition(":")[0]):
        if word in class_names:
            return str(word)
    return ""


def _choose_constructor(
    code: str, opening: int, class_name: str
) -> _Constructor | None:
    """Return the constructor that computes from most parameters, the first of several."""
    best: _Constructor | None = None

    for constructor in _iter_constructors(code, opening, class_name):
        if not _computes(code[constructor.begin : constructor.end]):
            continue
        if best is None or len(constructor.parameters) > len(best.parameters):
            best = constructor

    return best


def _computes(body: str) -> bool:
    """Tell whether a constructor does more than to copy what it takes to members of the same
    names.
    """
    return bool(re.search(r"\w", _MEMBER_COPY.sub(_drop_plain_copy, body)))


def _drop_plain_copy(copy: re.Match[str]) -> str:
    value = copy["initialiser"] or copy["assigned"] or ""
    # `: n_(n)`, `: pointer()`
    is_plain = not value or _name_stem(value) == _name_stem(copy["member"])
    return "" if is_plain else copy[0]


def _name_stem(name: str) -> str:
    return name.removeprefix("m_").strip("_").lower()


def _iter_constructors(
    code: str, opening: int, class_name: str
) -> Iterator[_Constructor]:
    """Yield each constructor with a body of the class whose braces open there."""
    declarator = re.compile(
        rf"(?<![\w~.>:]){re.escape(class_name)}{WHITESPACE_PATTERN}\("
    )
    limit = min(len(code), opening + _MAX_CLASS_LENGTH)
    depth = 0
    position = opening

    while position < limit:
        bracket = _BRACKET.search(code, position)
        if bracket is None:
            return

        declared = None
        if depth == 1 and bracket[0] == "(":
            declared = declarator.search(code, position, bracket.end())

        # a bracket of anything else: only depth counts
        if declared is None:
            depth += (bracket[0] in "({[") - (bracket[0] in ")}]")
            position = bracket.end()
            if not depth:
                return
            continue

        closing = _find_closing(code, bracket.start())
        body_end = _find_body_end(code, closing + 1)
        parameters = _split_parameters(code[bracket.end() : closing])
        before = code[
            max(opening, bracket.start() - _TEMPLATE_REACH) : declared.start()
        ]
        is_template = bool(_TEMPLATE_HEAD_END.search(before))
        # parameters between directives are not the same everywhere
        has_directive = "#" in code[bracket.start() : closing]
        is_usable = parameters and not has_directive and not is_template
        if body_end is not None and is_usable:
            yield _Constructor(parameters, closing + 1, body_end)

        position = closing + 1 if body_end is None else body_end


def _find_closing(code: str, opening: int) -> int:
    """Return where the bracket at `opening` is closed, or the end of the text."""
    closing = closing_in_code(code, opening, opening + _MAX_CLASS_LENGTH)
    return closing if closing >= 0 else len(code)


def _find_body_end(code: str, begin: int) -> int | None:
    """Return where a constructor's body ends, behind its initialisers; `None` where it has none."""
    position = begin
    last_text = ""

    while True:
        bracket = _BODY_SIGN.search(code, position)
        if bracket is None or bracket[0] == ";":
            return None

        text = code[position : bracket.start()].strip()
        last_text = text or last_text
        end = _find_closing(code, bracket.start()) + 1

        if bracket[0] == "{":
            # `: a{1}, b{2} {` initialises with braces, too
            is_behind_name = _INITIALISED_NAME.search(text)
            is_initialiser = last_text.startswith((":", ",")) or ":" in text
            if not is_behind_name or not is_initialiser:
                return end

        position = end


def _split_parameters(text: str) -> list[str]:
    """Return the parameters of a list; none where one cannot be told from the next."""
    parts = [""]
    depth = 0
    angle_depth = 0

    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if not depth:
            angle_depth += (character == "<") - (character == ">")

        if character == "," and not depth and not angle_depth:
            parts.append("")
        else:
            parts[-1] += character

    # `a < b` in a default argument leaves an angle open
    if depth or angle_depth or len(parts) > _MAX_PARAMETERS:
        return []

    parameters = [" ".join(part.split()) for part in parts]
    if not all(_find_parameter_name(parameter) for parameter in parameters):
        return []

    return parameters


def _find_parameter_name(parameter: str) -> str:
    """Return the name of a parameter; empty where it has none, or is a function or a pack."""
    declaration = _DEFAULT_ARGUMENT.split(parameter)[0].rstrip()
    name = _PARAMETER_NAME.fullmatch(declaration)
    if name is None or "..." in declaration or name[1] in _TYPE_WORDS:
        return ""

    return name[1]


def _format_factory(class_name: str, parameters: list[str]) -> str:
    """Return the function that makes an object; empty beside a constructor that copies one."""
    own_name = re.compile(rf"\b{re.escape(class_name)}\b")
    if len(parameters) == 1 and own_name.search(parameters[0]):
        return ""

    names = [_find_parameter_name(parameter) for parameter in parameters]
    arguments = ", ".join(f"static_cast<decltype({name})&&>({name})" for name in names)

    return (
        f" static {class_name} kernelset_make({', '.join(parameters)})"
        f" {{ return {class_name}({arguments}); }}"
        f' static constexpr const char* kernelset_names = "{" ".join(names)}";'
    )
