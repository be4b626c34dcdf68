"""Render a kernel instantiation without its template.

C++ lets nothing inside a template redeclare a parameter, so each name that is not a member of
something else, and not
a parameter of a macro that the kernel itself defines, means the parameter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.directives import with_directives
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize
from crawler.cpp.preprocessor.macros import DEFINITION
from crawler.dataset.texts.file_names import format_instantiation_name
from crawler.dataset.texts.kernel_tokens import (
    BLANK_KINDS,
    NoFlatText,
    drop_template_head,
    find_closing,
    find_name,
    find_parameter_list,
    next_position,
)
from crawler.dataset.texts.template_arguments import ArgumentText, spell_argument
from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.model import Instantiation, Kernel

_MEMBER_ACCESS: Final = frozenset({".", "->", "::"})
_TOKENS_BEFORE_MEMBER: Final = 8
"""Within these, blanks and comments among them, the sign of a member access is looked for."""
_OPAQUE_DIRECTIVES: Final = frozenset(
    {
        "if",
        "ifdef",
        "ifndef",
        "elif",
        "elifdef",
        "elifndef",
        "undef",
        "include",
        "error",
    }
)
"""Directives in which a name is a macro's, or no name at all."""
# the head of one kernel, up to its `__global__`
_TEMPLATE_HEAD: Final = re.compile(r"\btemplate\s*<")
# lines of a unit, which we have written
_EXPLICIT_INSTANTIATION: Final = re.compile(
    r"^template\s+__global__\s.*\n", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flat:
    """The template-free text of a kernel for one set of template arguments."""

    label: str
    """Of the instantiation."""
    name: str
    """What the kernel is called in `source`: `roi_align_forward_cuda_kernel_float`."""
    source: str
    """Empty where there is a problem."""
    problem: str = ""
    """Why there is none: a stable slug with a detail."""


def flatten_kernel(kernel: Kernel, instantiation: Instantiation | None) -> Flat:
    """Return the kernel alone, template-free; its verbatim text where it is no template."""
    label = instantiation.label if instantiation else ""
    name = format_instantiation_name(kernel.name, label)

    try:
        name, source = _flatten(kernel, instantiation, name)
    except NoFlatText as problem:
        return Flat(label=label, name=name, source="", problem=str(problem))

    return Flat(label=label, name=name, source=source)


def insert_into_unit(flat_kernel: Flat, kernel: Kernel) -> str:
    """Return the kernel's unit with `flat_kernel` in the template's place; empty where the unit
    lacks the template's text.
    """
    if kernel.unit is None:
        return ""

    verbatim = kernel.source.replace("\r\n", "\n").strip()
    unit_text = _EXPLICIT_INSTANTIATION.sub("", kernel.unit.source)
    before, separator, after = unit_text.rpartition(verbatim)
    if not separator:
        return ""

    return before + flat_kernel.source + after


def _flatten(
    kernel: Kernel, instantiation: Instantiation | None, name: str
) -> tuple[str, str]:
    """Return the kernel's name and text."""
    text = kernel.source.replace("\r\n", "\n").strip()
    if not kernel.template_head:
        return name, text

    if instantiation is None:
        raise NoFlatText(
            "no-instantiation: nothing says which arguments it is used with"
        )

    arguments = _spell_arguments(kernel, instantiation)
    tokens = drop_template_head(list(tokenize(text)))
    name_position = find_name(tokens, kernel.name)
    opening = find_parameter_list(tokens, name_position)

    # a full specialisation says its arguments itself
    if not arguments:
        written_arguments = join_tokens(tokens[name_position + 1 : opening])
        label = make_argument_label((written_arguments.strip(" <>"),))
        name = format_instantiation_name(kernel.name, label)

    name_token = tokens[name_position]._replace(text=name)
    flat_tokens = [*tokens[:name_position], name_token, *tokens[opening:]]
    source = _replace_parameters(flat_tokens, arguments)
    declarations = _list_declarations(tokens, kernel, arguments)

    return name, "\n".join([*declarations, source])


def _list_declarations(
    tokens: Sequence[Token], kernel: Kernel, arguments: Mapping[str, ArgumentText]
) -> list[str]:
    """Return the declarations of parameters whose names stay in the text."""
    # e.g. `#define CHECK(x) static_cast<T>(x)`: a macro of the unit may name a parameter that the
    # kernel's own text does not.
    names_in_macros = _list_names_in_macros(tokens, kernel)
    declarations: list[str] = []

    for parameter, argument in arguments.items():
        is_named = argument.keeps_name or parameter in names_in_macros
        if is_named and argument.declaration:
            declarations.append(argument.declaration)

    return declarations


def _spell_arguments(
    kernel: Kernel, instantiation: Instantiation
) -> dict[str, ArgumentText]:
    """Return what each parameter becomes; raises where a parameter is a pack, or of a class
    around the kernel.
    """
    _refuse_unknown_arguments(kernel, instantiation)
    parameters = kernel.template_parameters
    preceding_arguments: dict[str, str] = {}
    texts: dict[str, ArgumentText] = {}

    for parameter, argument in zip(parameters, instantiation.arguments, strict=True):
        # nothing in the text can name it
        if not parameter.name:
            continue

        text = spell_argument(parameter, argument, preceding_arguments)
        texts[parameter.name] = text
        preceding_arguments[parameter.name] = argument

    return texts


def _refuse_unknown_arguments(kernel: Kernel, instantiation: Instantiation) -> None:
    head = kernel.template_head
    parameters = kernel.template_parameters
    if "..." in head:
        raise NoFlatText("template-pack: a pack has no text of its own")

    takes_templates = any(parameter.kind == "template" for parameter in parameters)
    head_count = len(_TEMPLATE_HEAD.findall(head))
    if head_count > 1 and not takes_templates:
        raise NoFlatText("member-of-template: its text belongs to its class")

    if len(instantiation.arguments) != len(parameters):
        raise NoFlatText("arguments-unknown: not as many arguments as parameters")


def _list_names_in_macros(tokens: Sequence[Token], kernel: Kernel) -> set[str]:
    """Return the names in those macros of the unit, not of the kernel itself, that the kernel
    uses.
    """
    if kernel.unit is None:
        return set()

    unit_text = kernel.unit.source.replace(kernel.source.strip(), "")
    names_by_macro: dict[str, set[str]] = {}
    for macro, text in DEFINITION.findall(unit_text):
        names_by_macro[macro] = set(IDENTIFIER.findall(text))

    macros = names_by_macro.keys()
    pending = {token.text for token in tokens} & macros
    used_macros: set[str] = set()
    names: set[str] = set()

    while pending:
        macro = pending.pop()
        used_macros.add(macro)
        names_in_macro = names_by_macro[macro]
        names |= names_in_macro
        # A macro may use others: their names come along.
        pending |= names_in_macro & macros - used_macros

    return names


def _replace_parameters(
    tokens: Sequence[Token], arguments: Mapping[str, ArgumentText]
) -> str:
    """Return the text with the arguments in place of the names."""
    macro_parameters: frozenset[str] = frozenset()
    flat_tokens: list[Token] = []

    for position, (token, directive) in enumerate(with_directives(tokens)):
        is_in_define = directive == "define"
        if is_in_define and token.text == "define":
            macro_parameters = _list_macro_parameters(tokens, position)

        argument = None
        if token.kind is TokenKind.NAME:
            argument = arguments.get(token.text)

        is_macro_parameter = is_in_define and token.text in macro_parameters
        is_shadowed = is_macro_parameter or directive in _OPAQUE_DIRECTIVES
        if argument is None or is_shadowed or _is_member(flat_tokens):
            flat_tokens.append(token)
        else:
            flat_tokens.append(token._replace(text=argument.text))

    return join_tokens(flat_tokens)


def _list_macro_parameters(tokens: Sequence[Token], define: int) -> frozenset[str]:
    opening = next_position(tokens, define) + 1
    # a space between them, and what follows in brackets is the macro's body
    if opening >= len(tokens) or tokens[opening].text != "(":
        return frozenset()

    closing = find_closing(tokens, opening)
    parameters: set[str] = set()
    for token in tokens[opening:closing]:
        if token.kind is TokenKind.NAME:
            parameters.add(token.text)

    return frozenset(parameters)


def _is_member(preceding: Sequence[Token]) -> bool:
    """Tell whether what follows these tokens is a member of something."""
    texts: list[str] = []
    for token in preceding[-_TOKENS_BEFORE_MEMBER:]:
        if token.kind not in BLANK_KINDS:
            texts.append(token.text)

    if not texts or texts[-1] not in _MEMBER_ACCESS:
        return False

    # a pack's `...` is no member access
    return texts[-3:] != [".", ".", "."]
