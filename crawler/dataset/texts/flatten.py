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

from crawler.cpp.brackets import closing_token
from crawler.cpp.directives import with_directives
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize
from crawler.dataset.texts.file_names import format_instantiation_name
from crawler.dataset.texts.template_arguments import ArgumentText, spell_argument
from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.model import Instantiation, Kernel

_BLANK_KINDS: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})
_OPENING_BRACKETS: Final = frozenset("([{")
_ANGLES: Final = {"<": 1, "<<<": 3, ">": -1, ">>>": -3}
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
# Whole definitions of macros in raw text, of which only the names in their bodies are wanted.
_MACRO_DEFINITION: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE
)
_TEMPLATE_HEAD: Final = re.compile(r"\btemplate\s*<")
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


class _NoFlatText(Exception):
    """There is no such text; says why."""


def flatten_kernel(kernel: Kernel, instantiation: Instantiation | None) -> Flat:
    """Return the kernel alone, template-free; its verbatim text where it is no template."""
    label = instantiation.label if instantiation else ""
    name = format_instantiation_name(kernel.name, label)
    try:
        name, source = _flatten(kernel, instantiation, name)
    except _NoFlatText as problem:
        return Flat(label=label, name=name, source="", problem=str(problem))
    return Flat(label=label, name=name, source=source)


def insert_into_unit(flat_kernel: Flat, kernel: Kernel) -> str:
    """Return the kernel's unit with `flat_kernel` in the template's place; empty where the unit
    lacks the template's text.
    """
    verbatim = kernel.source.replace("\r\n", "\n").strip()
    unit = _EXPLICIT_INSTANTIATION.sub("", kernel.unit.source) if kernel.unit else ""
    before, separator, after = unit.rpartition(verbatim)
    return before + flat_kernel.source + after if separator else ""


def _flatten(
    kernel: Kernel, instantiation: Instantiation | None, name: str
) -> tuple[str, str]:
    """Return the kernel's name and text."""
    text = kernel.source.replace("\r\n", "\n").strip()
    if not kernel.template_head:
        return name, text
    if instantiation is None:
        raise _NoFlatText(
            "no-instantiation: nothing says which arguments it is used with"
        )

    arguments = _spell_arguments(kernel, instantiation)
    tokens = _drop_template_head(list(tokenize(text)))
    name_position = _find_name(tokens, kernel.name)
    opening = _find_parameter_list(tokens, name_position)
    if not arguments:  # a full specialisation says its arguments itself
        written_arguments = join_tokens(tokens[name_position + 1 : opening])
        label = make_argument_label((written_arguments.strip(" <>"),))
        name = format_instantiation_name(kernel.name, label)

    # e.g. `#define CHECK(x) static_cast<T>(x)`: a macro of the unit may name a parameter that the
    # kernel's own text does not.
    names_in_macros = _list_names_in_macros(tokens, kernel)
    declarations = [
        argument.declaration
        for parameter, argument in arguments.items()
        if argument.keeps_name or parameter in names_in_macros
    ]
    name_token = tokens[name_position]._replace(text=name)
    flat_tokens = [*tokens[:name_position], name_token, *tokens[opening:]]
    source = _replace_parameters(flat_tokens, arguments)
    return name, "\n".join([*filter(None, declarations), source])


def _spell_arguments(
    kernel: Kernel, instantiation: Instantiation
) -> dict[str, ArgumentText]:
    """Return what each parameter becomes; raises where a parameter is a pack, or of a class
    around the kernel.
    """
    head = kernel.template_head
    parameters = kernel.template_parameters
    if "..." in head:
        raise _NoFlatText("template-pack: a pack has no text of its own")
    takes_templates = any(parameter.kind == "template" for parameter in parameters)
    if len(_TEMPLATE_HEAD.findall(head)) > 1 and not takes_templates:
        raise _NoFlatText("member-of-template: its text belongs to its class")
    if len(instantiation.arguments) != len(parameters):
        raise _NoFlatText("arguments-unknown: not as many arguments as parameters")

    preceding_arguments: dict[str, str] = {}
    texts: dict[str, ArgumentText] = {}
    for parameter, argument in zip(parameters, instantiation.arguments, strict=True):
        if not parameter.name:
            continue
        texts[parameter.name] = spell_argument(parameter, argument, preceding_arguments)
        preceding_arguments[parameter.name] = argument
    return texts


def _drop_template_head(tokens: list[Token]) -> list[Token]:
    """Drop `template <…>`, which stands first; raises where a macro or a constraint stands
    there.
    """
    position = _next_position(tokens, -1)
    if tokens[position].text != "template":
        raise _NoFlatText("made-by-macro: its template head stands in a macro")
    position = _next_position(tokens, position)
    depth = 0
    while position < len(tokens):
        text = tokens[position].text
        depth += _ANGLES.get(text, 0)
        if text in _OPENING_BRACKETS:
            position = _find_closing(tokens, position)
        if depth <= 0:
            break
        position += 1

    definition = tokens[_next_position(tokens, position) :]
    if definition and definition[0].text == "requires":
        raise _NoFlatText(
            "constrained: a constraint stands between its template head and itself"
        )
    if definition and definition[0].text == "template":
        raise _NoFlatText("member-of-template: its text belongs to its class")
    return definition


def _find_name(tokens: Sequence[Token], name: str) -> int:
    """Return where the kernel's name stands in front of its parameters."""
    position = 0
    while position < len(tokens) and tokens[position].text != "{":
        text = tokens[position].text
        if text in _OPENING_BRACKETS:
            position = _find_closing(tokens, position)
        elif text == name:
            following = tokens[_next_position(tokens, position)].text
            if following in ("(", "<"):
                return position
        position += 1
    raise _NoFlatText("made-by-macro: its name stands in a macro")


def _find_parameter_list(tokens: Sequence[Token], name: int) -> int:
    """Return where the parameter list opens: a specialisation has arguments before it."""
    position = _next_position(tokens, name)
    depth = 0
    while position < len(tokens):
        text = tokens[position].text
        if not depth and text == "(":
            break
        depth += (text == "<") - (text == ">")
        position += 1
    return position


def _find_closing(tokens: Sequence[Token], opening: int) -> int:
    closing = closing_token(tokens, opening)
    if closing < 0:
        raise _NoFlatText("unbalanced: a bracket is never closed")
    return closing


def _next_position(tokens: Sequence[Token], position: int) -> int:
    """Return the position of the next token that a compiler sees; the last one where there is
    none.
    """
    for following in range(position + 1, len(tokens)):
        if tokens[following].kind not in _BLANK_KINDS:
            return following
    return len(tokens) - 1


def _list_names_in_macros(tokens: Sequence[Token], kernel: Kernel) -> set[str]:
    """Return the names in those macros of the unit, not of the kernel itself, that the kernel
    uses.
    """
    unit = kernel.unit.source.replace(kernel.source.strip(), "") if kernel.unit else ""
    names_by_macro = {
        macro: set(IDENTIFIER.findall(text))
        for macro, text in _MACRO_DEFINITION.findall(unit)
    }
    pending = {token.text for token in tokens} & names_by_macro.keys()
    used_macros: set[str] = set()
    names: set[str] = set()
    while pending:
        macro = pending.pop()
        used_macros.add(macro)
        names |= names_by_macro[macro]
        # A macro may use others: their names come along.
        pending |= names_by_macro[macro] & names_by_macro.keys() - used_macros
    return names


def _replace_parameters(
    tokens: Sequence[Token], arguments: Mapping[str, ArgumentText]
) -> str:
    """Return the text with the arguments in place of the names."""
    macro_parameters: frozenset[str] = frozenset()
    flat_tokens: list[Token] = []
    for position, (token, directive) in enumerate(with_directives(tokens)):
        if directive == "define" and token.text == "define":
            macro_parameters = _list_macro_parameters(tokens, position)
        argument = arguments.get(token.text) if token.kind is TokenKind.NAME else None
        is_macro_parameter = directive == "define" and token.text in macro_parameters
        is_shadowed = is_macro_parameter or directive in _OPAQUE_DIRECTIVES
        if argument is None or is_shadowed or _is_member(flat_tokens):
            flat_tokens.append(token)
        else:
            flat_tokens.append(token._replace(text=argument.text))
    return join_tokens(flat_tokens)


def _list_macro_parameters(tokens: Sequence[Token], define: int) -> frozenset[str]:
    opening = _next_position(tokens, define) + 1
    if opening >= len(tokens) or tokens[opening].text != "(":
        return frozenset()
    parameter_list = tokens[opening : _find_closing(tokens, opening)]
    return frozenset(
        token.text for token in parameter_list if token.kind is TokenKind.NAME
    )


def _is_member(preceding: Sequence[Token]) -> bool:
    """Tell whether what follows these tokens is a member of something."""
    texts = [
        token.text
        for token in preceding[-_TOKENS_BEFORE_MEMBER:]
        if token.kind not in _BLANK_KINDS
    ]
    if not texts or texts[-1] not in _MEMBER_ACCESS:
        return False
    # a pack's `...` is no member access
    return texts[-3:] != [".", ".", "."]
